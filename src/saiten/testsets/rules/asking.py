"""Whether a text asks something, how many things, and in what form, in English and Japanese."""

import re

_WH = r"(?:what|which|who|whom|whose|when|where|why|how)(?:['’]?s|['’]re)?"
_AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had"
    r"|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|don['’]t|doesn['’]t|didn['’]t|can['’]t|won['’]t)"
)
_REQUEST = (
    r"(?:please |kindly )?(?:explain|describe|list|name|give|tell|complete|compare|summari[sz]e|outline|state|define"
    r"|identify|provide|show|specify|calculate|contrast|discuss|find|suggest|mention|enumerate|fill|write|clarify|"
    r"prove|solve|derive)\b"
)
_MARK = re.compile(r"[?？]+")
_ENGLISH = re.compile(
    rf"(?:^|[,;:.!\"“]\s*|\b(?:and|but|so|then|or) )(?:{_WH}|{_AUXILIARY}|{_REQUEST})(?![\w'’-])"
    rf"|\b(?:of|in|at|on|by|for|to|from|with|within|after|before|until|about|during|under|than) {_WH}\b"
    rf"|\b{_WH}\W*$",
    re.IGNORECASE,
)
_INTERROGATIVE = re.compile(
    r"何|なん(?:です|だ|で|の|と|个)|なに|誰|だれ|どなた|いつ|どこ|どちら|どれ|どの|どう|どんな|いくら|いくつ|なぜ|"
    r"どうして|幾つ"
)
_JAPANESE = re.compile(
    rf"(?:{_INTERROGATIVE.pattern})|か[。.]?$|(?:ください|下さい|教えて|(?:述べ|説明せ|答え|挙げ|示せ|比較せ|"
    rf"まとめ)よ?|せよ|しなさい|なさい|知りたい(?:です)?|ご教示[^。]{{0,12}})[。.]?$"
)
_YES_NO = re.compile(
    rf"(?:.{{0,200}}[,;:] )?(?:and |but |so |then |also )?{_AUXILIARY}\b(?! (?:you|anyone|someone) (?:please )?"
    r"(?:explain|tell|describe|list|name|give|provide|help|show|summari[sz]e|clarify))",
    re.IGNORECASE,
)
_JAPANESE_YES_NO = re.compile(
    r"(?:ます|です|ません|でした|ました|ませんか|でしょう|だろう|ない|た|る|の|い|[一-鿿ァ-ヺー])か[。.?？]*$"
)
_POLITE = re.compile(
    r"(?:教えて|説明して|お聞かせ|挙げて|お教え|示して|まとめて)[^。]{0,8}"
    r"(?:ますか|ませんか|でしょうか|ください|下さい)[。.?？]*$"
)
_ALTERNATIVES = re.compile(
    r"\bor\b(?! not\b)|か、?(?:それとも|あるいは|または)|[かと]、?[^、。]{1,40}(?:の|では)?(?:どちら|どっち|うち)",
    re.IGNORECASE,
)


_OPENING_WH = re.compile(rf"(?:^(?:\w+ )?|[,;:] (?:\w+ ){{0,2}}){_WH}\b", re.IGNORECASE)
_EXISTENCE = re.compile(
    r"\b(?:is|are) there (?:\w+ )?(?:way|method|exception|limit|reason|rule|difference|condition|alternative|"
    r"requirement|deadline)s?\b"
    r"|(?:方法|手段|例外|上限|下限|制限|条件|期限|決まり|規則|ルール|違い|理由|対策|代わり)(?:は|が)(?:あり|"
    r"ござい)ます(?:でしょう)?か",
    re.IGNORECASE,
)
"""Asks for the thing, not whether it exists."""


def is_asking(text: str) -> bool:
    """Return whether the text holds a question or a request, with or without a question mark."""
    return bool(_MARK.search(text) or _ENGLISH.search(text) or (not text.isascii() and _JAPANESE.search(text)))


def questions_in(text: str) -> int:
    """Return the number of questions, by their marks; in Japanese also sentences that end in か."""
    return max(len(_MARK.findall(text)), len(re.findall(r"か[。?？]", text)), int(is_asking(text)))


def asks_yes_or_no(question: str) -> bool:
    """Return whether *yes* or *no* answers it; a choice between named things, or a polite request, does not count."""
    plain = question.strip()
    if names_alternatives(plain) or _POLITE.search(plain) or _EXISTENCE.search(plain):
        return False
    if _JAPANESE_YES_NO.search(plain):
        return not _INTERROGATIVE.search(plain)
    last = _MARK.sub("", plain).split("? ")[-1].strip()
    return bool(_YES_NO.match(last)) and not _has_wh(last)


def _has_wh(sentence: str) -> bool:
    """Return whether a question word opens the sentence or a part of it; *Do I know who …?* has none that does."""
    return bool(_OPENING_WH.search(sentence))


def names_alternatives(question: str) -> bool:
    """Return whether the question names what to choose from, as *Which is longer, A or B?* does."""
    return bool(_ALTERNATIVES.search(question))
