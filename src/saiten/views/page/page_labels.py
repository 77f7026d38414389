"""Fixed texts of a page in both languages; for those of its tables see languages.py."""

from collections.abc import Mapping

from saiten.records import Language

LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "report": "Report",
        "contents": "Contents",
        "skip": "Skip to the tables",
        "interval": "95 % interval",
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
        "no_rows": "行がない。",
        "table": "表",
        "rows": "（{} 行）",
        "filter": "行を絞り込む",
        "counted": "{all} 行中 {shown} 行",
        "sort": "この列で並べ替える",
        "made": "saiten {version} が作成。このページは外部から何も読み込まない。",
    },
}
