"""What a question refers to without naming it: a text that its reader does not see, or a thing mentioned elsewhere.

The reader of a question may well have a document, a page or a device at hand: *How do I print this document?*,
「この文書を印刷するには」. Only a text that is the source of the answer counts.
"""

import re

from saiten.text.words import STOP_WORDS

_PIECE = r"(?:passages?|excerpts?|extracts?|snippets?|paragraphs?|contexts?)"
_TEXT = rf"(?:{_PIECE}|texts?|documents?|articles?|sections?|chapters?|sources?|materials?|content|information)"
_BOOK = rf"(?:{_TEXT}|pages?|manual|handbook|guide|guideline|policy|report|paper|story|transcript)"
_THE = r"(?:the|this|that|these|those)(?: (?:above|given|provided|following|preceding|same|supplied|attached))?"
_SAID = (
    r"(?:mentioned|described|stated|discussed|listed|given|specified|outlined|provided|noted|referenced|referred to|"
    r"defined"
    r"|explained|covered|presented|set out|cited|shown|indicated|identified|highlighted)"
)
_SAY = (
    r"(?:say|state|mention|describe|discuss|explain|specify|list|define|tell|indicate|suggest|note|cover|outline|"
    r"claim|think|believe|argue|mean)"
)
_NAMED = r"(?!\s*(?:[\"“'‘«(]|\w+ [\"“‘]|(?-i:(?:(?:of|on|about) )?[A-Z0-9])))"
"""A text that is named may be spoken of: the section “Leave”, Section 4."""
_HANDLED = (
    r"\b(?:print|insert|edit|open|save|shar|sign|creat|add|delet|remov|download|upload|send|format|convert|search|cop|"
    r"past|writ"
    r"|replac|merg|attach|scroll|zoom|bookmark|click|typ|highlight)"
)
_ENGLISH = re.compile(
    rf"\b(?:according to|based on|as (?:{_SAID}) (?:in|by)|(?:going|judging) by|with reference to) {_THE} "
    rf"{_BOOK}\b{_NAMED}"
    rf"|\b(?:in|from|by|within|of) {_THE} {_PIECE}\b{_NAMED}"
    rf"|\b{_SAID} (?:in|by|on|within|under) {_THE} {_BOOK}\b{_NAMED}"
    rf"|\b(?:does|do|did|is|are|can|will) {_THE} (?:{_BOOK}|author|writer|speaker|narrator)\b{_NAMED}(?: \w+)? {_SAY}\b"
    rf"|\bthe (?:author|writer)(?:'s|s)? (?:{_SAY}s?|view|opinion|argument|point)\b"
    rf"|\b(?:above|below|previously|earlier|afore)-?(?:mentioned|described|stated|listed)\b|\baforementioned\b"
    rf"|\b{_SAID} (?:above|below|earlier|before|previously|here)\b(?=\W*$|[,;])"
    rf"|\bas {_SAID}\b(?! (?:in|by|on|under) (?!{_THE} ))(?=[,;?.]|\W*$| (?:above|below|earlier))"
    r"|\bthe above\b|\b(?:in|from|of) the (?:figure|table|diagram|chart|image|picture|graph|list|example|code) "
    r"(?:above|below|shown)"
    rf"|\b(?:the|this) (?:provided|given|supplied|above|preceding) {_TEXT}\b"
    r"|\b(?:the|this) following (?:text|passage|figure|table|image|diagram|excerpt|list|code|options?)\b(?!.{0,200}:)"
    r"|\bwhich of (?:the following|these)\b(?!.{0,200}:)"
    r"|\b(?:in|from|see|per|of) (?:figure|fig\.|table|diagram|equation|eq\.) ?\d",
    re.IGNORECASE,
)
_IN_THIS = re.compile(rf"\b(?:in|from|under|per) this {_BOOK}\b{_NAMED}", re.IGNORECASE)
_HANDLING = re.compile(_HANDLED, re.IGNORECASE)

_PIECE_JA = "(?:本文|文中|本文中|文章|文脈|コンテキスト|パッセージ|段落|抜粋|抜粋文|テキスト)"
_BOOK_JA = (
    f"(?:{_PIECE_JA}|文書|資料|記事|論文|ドキュメント|節|章|項|ページ|マニュアル|ハンドブック|説明書|取扱説明書|規程|"
    f"規則|規約|ガイド|手引き?)"
)
_THIS_JA = "(?:この|これらの|その|本|当該|同|与えられた|提供された|提示された|示された|引用された|添付の)"
_SAID_JA = "(?:述べ|説明|言及|触れ|紹介|定義|記載|記述|書か|示さ|挙げ|指摘|明記|規定|解説)"
_JAPANESE = re.compile(
    rf"(?:上記|上述|前述|先述|前記|下記|後述)|(?:次|以下|右|左|上|下)の(?:図|表|グラフ|写真|画像|文(?!字)|本文|コード|"
    rf"一覧|例(?!外)|選択肢)(?![^。]*[:：「])"
    rf"|(?:次|以下)のうち(?![^。]*[:：])|[図表](?:\d+|[１-９]+)(?:に|で|の|から|を|は)"
    rf"|{_THIS_JA}(?:{_BOOK_JA})(?:によると|によれば|に(?:よる|基づ|{_SAID_JA})|で(?:は|{_SAID_JA})|において|の中|"
    rf"内[でに]|中[でに]|"
    rf"から(?:読み取|分か|わか)|が{_SAID_JA}|の(?:内容|著者|筆者))"
    rf"|(?:^|[、。「\s])(?:本文|文中|本文中|文章中|文書中|文書内|文章|文書|資料|テキスト|コンテキスト|文脈|記事|"
    rf"パッセージ)"
    rf"(?:によると|によれば|に(?:よる|基づ|は(?!どの|何を))|で(?:は|{_SAID_JA})|において|の中で|内で|中で|に{_SAID_JA})"
    rf"|(?:文書|資料|テキスト|本文|コンテキスト|文章|記事|パッセージ)(?:内|"
    rf"中)?[でに](?:は、?)?[^。、]{{0,20}}{_SAID_JA}(?:られ|され|れ|て)"
    rf"|(?<!の)(?:著者|筆者)(?:は|が|によ|の(?:主張|意見|考え))[^。]{{0,40}}(?:述べ|主張|説明|考え|指摘)"
)

_ENGLISH_WORD = re.compile(r"[A-Za-z][\w'’-]*|\d[\w.,]*")
_PRONOUN = frozenset("it its they them their theirs he him his she her hers this that these those".split())  # noqa: SIM905 - a list of words
_AT_HAND = frozenset(
    """app appliance application article button code command computer device display document email error feature field
    file folder form image item laptop letter link list machine manual message model month morning option order page
    password person phone picture problem product program quarter question screen service site software spreadsheet
    system table text time tool unit version way week website window year kind type sort world life night""".split()  # noqa: SIM905 - a list of words
)
"""What *this* may point at in front of the asker, or on the calendar."""
_EXPLETIVE = re.compile(
    r"\bit(?:['’]s)? (?:\w+ ){0,2}?(?:take|takes|took|taken|cost|costs|mean|means|matters?|happen\w*|come)\b(?=.* "
    r"(?:to|if|when|that)\b)"
    r"|\bit(?:['’]s)? (?:\w+ ){0,2}?(?:possible|necessary|allowed|required|important|safe|rain\w*|snow\w*|legal|ok|"
    r"okay|better|best"
    r"|worth|advisable|recommended|permitted|enough)\b"
    r"|\b(?:is|was|isn['’]t|does|would|will|can) it (?:\w+ ){1,2}?(?:to|that|for|if|when|called)\b"
    r"|\b(?:time|day|date) (?:is|was) it\b|\b(?:that|those) (?:of|which|who|are|is|have|can)\b",
    re.IGNORECASE,
)
_EMPTY = STOP_WORDS | frozenset(
    """what's whats who's where's when's how's many long often old far big large name called cost costs
    much""".split()  # noqa: SIM905 - a list of words
)
"""Words that name nothing a pronoun could refer to."""
_HINGE = re.compile(r"^[^,;:.?!]*?\b(?P<word>this|these) (?P<noun>[a-z]{3,})\b", re.IGNORECASE)
"""*the fee of this policy*: the noun after *this* would need a sentence before it."""
_VERBAL = re.compile(
    r"(?:ed|ing)$|^(?:does|work|works|done|made|mean|means|happen|happens|apply|applies|affect|affects|change)$"
)
_PERSON = frozenset({"who", "whose", "whom", "someone", "anyone", "everyone", "people", "you"})

_HINGE_JA = re.compile(
    r"(?:^|[、。\s「])(?:では、|また、|そして、|なお、)?(?P<word>それら?(?!ぞれ|なり|ほど|以)|これら?(?!まで|から|以)|"
    r"そこ(?!そこ)|ここ(?!数)|"
    r"その(?!他|まま|もの|都度|場|際)|この(?!度|場合)|あの|前者|後者|両者|同社|同氏|同製品|同[一-鿿]{1,2}では"
    r"|彼(?:ら|女)?(?=[はがのをに])|こうした|そうした|そのような|このような)(?P<noun>[一-鿿ァ-ヺーA-Za-z]*)"
)
_AT_HAND_JA = re.compile(
    r"文書|書類|ファイル|ページ|製品|機器|機種|装置|アプリ|ソフト|サイト|画面|ボタン|商品|本体|機械|サービス|エラー|"
    r"メッセージ|システム|パソコン|表示"
    r"|ツール|機能|メール|項目|データ|写真|画像|記号|マーク|コード|コマンド|設定|フォーム|テーブル|会社|説明書|"
    r"取扱説明書|部屋|電話|番号"
)
_CONTENT_JA = re.compile(r"[一-鿿ァ-ヺーA-Za-z0-9０-９]{2,}")


def unseen(question: str) -> str:
    """Return the words that refer to a text that only the question's writer saw; "" if none do."""
    found = _ENGLISH.search(question) or (None if question.isascii() else _JAPANESE.search(question))
    if found is None and not _HANDLING.search(question):
        found = _IN_THIS.search(question)
    return found.group().strip(" 、。「") if found else ""


def unresolved(question: str) -> str:
    """Return the pronoun that nothing before it in the question explains; "" if there is none.

    *What does it cost?*, 「それはいくらですか」; but not *How long does it take to …?* or 「この製品の保証は…」.
    """
    if not question.isascii() and _HINGE_JA.search(question):
        return _unresolved_ja(question)
    return _unresolved_en(question) or _hinges(question)


def _unresolved_en(question: str) -> str:
    expletive = [found.span() for found in _EXPLETIVE.finditer(question)]
    words = list(_ENGLISH_WORD.finditer(question))
    for at, found in enumerate(words):
        word = found.group().lower().split("'")[0].split("’")[0]
        if word not in _PRONOUN:
            if word in _PERSON or found.group().lower() not in _EMPTY:
                return ""
            continue
        following = words[at + 1].group().lower() if at + 1 < len(words) else ""
        if any(start <= found.start() < end for start, end in expletive) or _is_at_hand(word, following):
            return ""
        return found.group()
    return ""


def _hinges(question: str) -> str:
    """Return *this* or *these* before a noun that is neither at hand nor mentioned before."""
    found = _HINGE.search(question)
    if found is None:
        return ""
    noun = found["noun"].lower()
    empty = noun in STOP_WORDS or _VERBAL.search(noun) or _is_at_hand("this", noun)
    return "" if empty or noun in question[: found.start("word")].lower() else found["word"]


def _is_at_hand(word: str, following: str) -> bool:
    return word in {"this", "these", "that", "those"} and following.removesuffix("s") in _AT_HAND


def _unresolved_ja(question: str) -> str:
    found = _HINGE_JA.search(question)
    if found is None or _CONTENT_JA.search(question, 0, found.start("word")):
        return ""
    if found["word"] in {"この", "その", "あの"} and _AT_HAND_JA.match(found["noun"]):
        return ""
    return found["word"]
