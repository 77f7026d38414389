"""What a page itself says, in both languages; for what its tables say see languages.py."""

from collections.abc import Mapping

from saiten.records import Language

LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "report": "Report",
        "contents": "Contents",
        "skip": "Skip to the tables",
        "interval": "95 % interval",
        "spoken": "{value}, 95 % interval from {low} to {high}",
        "spoken_alone": "{value}, no interval",
        "key": "How to read the pictures",
        "key_line": "the figure and its 95 % interval, on the axis in the column's head",
        "key_alone": "a figure without an interval",
        "key_apart": "the interval excludes the dashed line, which stands for no difference, no correlation or chance",
        "key_within": "the interval contains the dashed line",
        "key_own": "numbers at both ends: this row has an axis of its own",
        "not_drawn": "Intervals are drawn for tables of up to {most} rows.",
        "no_rows": "No rows.",
        "table": "The table",
        "rows": "({} rows)",
        "filter": "Filter rows",
        "counted": "{shown} of {all} rows",
        "sort": "Sort by this column",
        "made": "Made with saiten {version}. This page loads nothing from anywhere.",
    },
    "ja": {
        "report": "報告",
        "contents": "目次",
        "skip": "表へ移動",
        "interval": "95 % 区間",
        "spoken": "{value}、95 % 区間は {low} から {high}",
        "spoken_alone": "{value}、区間なし",
        "key": "図の読み方",
        "key_line": "値とその 95 % 区間。目盛りは列の見出しにある",
        "key_alone": "値のみ（区間なし）",
        "key_apart": "区間が破線（差なし、相関なし、または偶然どおり）を含まない",
        "key_within": "区間が破線を含む",
        "key_own": "両端に数字：この行だけの目盛り",
        "not_drawn": "区間を図にするのは {most} 行までの表に限る。",
        "no_rows": "行がない。",
        "table": "表",
        "rows": "（{} 行）",
        "filter": "行を絞り込む",
        "counted": "{all} 行中 {shown} 行",
        "sort": "この列で並べ替える",
        "made": "saiten {version} が作成。このページは外部から何も読み込まない。",
    },
}
