"""Everyday words, which say nothing about the subject of a text that uses them.

The lists are saiten's own, written for one purpose: a question that uses such a word of a reference answer does not
give the answer away. They cover what questions in manuals and company rules are worded with, not a language.
"""

import re
from functools import cache

from saiten.text.words import STOP_WORDS, stem

_ENGLISH = """
    able accept access according account across act action actual add addition additional advance advice affect again
    ago agree ahead aim allow almost alone along already alternative always amount answer anybody anyone anything
    apart appear applicable apply approach area arrange ask aspect avoid aware back basic basis become been began
    begin begun believe benefit best better beyond big bought bring broad brought built business call came cannot care
    careful carry case cause certain chance change check choice choose chose chosen claim clear close combine come
    common company compare complete complex concern condition confirm connect consequence consider contact contain
    content context continue control correct cost count country couple course cover create current customer daily data
    date day deal decide decision depend describe detail determine differ difference different difficult direct
    direction discuss distinguish document done double down easy effect either element else employee enable end enough
    ensure enter entire entitled equal especially even event ever every everybody everyone everything exact example
    except exception exist expect experience explain extra fact factor fail fall false far fast feature feel felt
    field figure fill final find finish first fit fix follow following force form former forward found free frequent
    full function further future gave general get give given go gone good got great group grow guide half hand handle
    happen hard have head hear held help high hold home hour however idea identify immediate important improve include
    increase indicate individual influence inform information instance instead instruct instruction intend interest
    involve issue item itself job join keep kept kind knew know known lack large last late later latest lead learn
    least leave left length less let level lie life light like likely limit limitation line list little local long
    longer look lose lost lot low made main maintain major make manage manager mandatory manner many mark material
    matter maximum may mean meaning meant measure meet member mention met method middle mind minimum minor minute miss
    mode moment month morning move name near necessary need never new next night nobody none normal note nothing
    notice now number obtain occur offer often old one open operate operation opinion option order ordinary original
    otherwise outside overall own page paid part particular party pass past pay people per perform period permit
    person personal phase piece place plan play please point policy position possible practice precise prepare present
    press prevent previous probably problem procedure process produce product program programme proper provide public
    purpose put quality question quick quite raise range rate rather reach read ready real reason receive recent
    recommend record reduce refer regard regarding regular relate relation relevant remain remember remove repeat
    replace reply report request require requirement respect respond response rest result return right role rule run
    safe said same save saw say second section see seem select send sent separate serious serve service set setting
    several shall short show shown side similar simple since single situation size slow small sold solve somebody
    someone something sometimes soon sort source special specific specify spend spent stage standard start state
    statement status stay step still stood stop subject substance such suffer sufficient suggest suitable support
    suppose sure system take taken talk task tell term text thank thing think thought time today together told
    tomorrow took top topic total toward treat true try turn twice type typical under understand understood unit
    unless unlike until up usage use useful user usual valid value various version via view visit wait want warn
    warning water way week well went whatever whether whole wide will wish within without wonder word wore work worker
    working world write written wrong wrote year yesterday yet zero
"""
_JAPANESE = """
    場合 必要 方法 条件 期間 期限 時間 時期 時点 日数 日時 回数 人数 件数 年数 理由 目的 対象 範囲 内容 詳細
    説明 質問 回答 違い 相違 種類 手順 手続 手続き 以上 以下 以内 以外 以降 以前 前後 最大 最小 最低 最高 上限
    下限 合計 全部 全体 一部 部分 通常 原則 例外 特別 特定 一般 基本 標準 同様 同時 同じ 別途 他方 一方 両方
    片方 各自 各種 自分 本人 相手 会社 社員 社内 社外 仕事 業務 担当 担当者 責任者 利用者 使用者 利用 使用 確認
    連絡 報告 申請 手配 準備 対応 対処 処理 実施 実行 開始 終了 変更 追加 削除 選択 設定 操作 作業 作成 提出
    登録 入力 出力 記入 記載 表示 注意 注意点 問題 原因 結果 影響 効果 状態 状況 環境 場所 位置 方向 方式 機能
    性能 能力 特徴 利点 欠点 関係 関連 意味 意図 定義 名前 名称 番号 数字 数値 数量 金額 費用 料金 価格 割合
    程度 規則 規定 規程 制度 制限 制約 許可 禁止 可能 不可 不可能 有無 有効 無効 正常 異常 重要 主要 主 適切
    適用 該当 限定 限度 基準 目安 計算 決定 判断 指定 指示 案内 情報 資料 書類 文書 記録 管理 製品 商品 部品
    機器 機械 装置 本体 電話 電話番号 窓口 支払 支払い 受付 受取 返事 予定 予約 順番 順序 最初 最後 最終 途中
    直前 直後 事前 事後 当日 翌日 前日 今回 次回 前回 毎日 毎月 毎年 毎回 年間 月間 週間 午前 午後 一日 一度
    一回 一人 二人 現在 将来 過去 今後 従来 新規 既存 自動 手動 公開 参照 参考 検索 取得 保存 保管 保持 維持
    継続 中止 停止 再開 完了 成功 失敗 解決 発生 存在 提供 支給 付与 交付 交換 購入 販売 取引 お客様 顧客 人 者
    物 事 点 時 日 月 年 週 分 秒 回 度 件 個 数 量 額 率 値 形 色 大 小 中 上 下 前 後 内 外 間 側 方 式 的 性
    化 用 等 他 別 各 全 毎 何 本 当 該 同 次 先 元 今 新 古 高 低 長 短 多 少 早 遅 強 弱 良 悪 正 要 可 否 有
    無 使 行 出 入 取 見 言 聞 話 書 読 知 思 考 示 決 選 含 除外 超 越 受 送 渡 払 得 持 置 付 着 開 閉 始 終
    止 続 変 換 替 直 増 減 加 引 足 掛 込 認 許 求 頼 願 呼 答 問 教 伝 調 探 作 造 成 立 起 生 与 支 助 待 急
    守 破 違 異 比 合 対 応 関 係 必 特 通 常 普 限 初 最 末 期 場 所 法 様 手 目 口 名 番 号 員 社 家 国 水 火
    電 気 押 届 動 運 返 借 貸 買 売 会 乗 降 休 働 住 移 戻 残 済 過 向 並 組 金 日前 月前 年前 時前 分前
    週間前 か月前 日後 月後 年後 日目 回目 人目 日分 月分 年分 人分 回分 システム サービス データ ファイル
    ページ ボタン メニュー ユーザー ユーザ ケース ポイント タイプ サイズ レベル ルール マニュアル メーカー
    チーム グループ リスト コスト メリット デメリット オプション モード プログラム ソフト ソフトウェア
    ハードウェア アプリ アプリケーション テスト チェック エラー メッセージ サポート スタート ステップ タイミング
    スケジュール ケア パーツ セット
"""


_SHORT = 3
"""Length up to which English words are taken for common; *fee*, *age* and *row* name no answer."""


_LONG = 12
"""Maximum length of a compound of everyday words; it also bounds the search for its parts."""


def is_common(word: str) -> bool:
    """Return whether a lower-cased word is an everyday one, or a Japanese compound of everyday ones."""
    if word[:1].isascii():
        return len(stem(word)) <= _SHORT or stem(word) in _english()
    return len(word) <= _LONG and _japanese().fullmatch(word) is not None


@cache
def _english() -> frozenset[str]:
    """Return the stems of the everyday English words."""
    return frozenset(map(stem, (*_ENGLISH.split(), *STOP_WORDS)))


@cache
def _japanese() -> re.Pattern[str]:
    """Match an everyday word alone, or several; a single character only before or after a longer one."""
    words = set(_JAPANESE.split())
    longer = "|".join(sorted((word for word in words if len(word) > 1), key=lambda word: (-len(word), word)))
    single = "".join(sorted(word for word in words if len(word) == 1))
    return re.compile(f"[{single}]?(?:{longer})+[{single}]?|[{single}]")
