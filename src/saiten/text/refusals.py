"""Refusals: whether an answer says that it does not know, rather than answering."""

import re
from collections.abc import Sequence

from saiten.records import Language
from saiten.text.courtesies import is_courtesy
from saiten.text.sentences import split_sentences

_READ = 4_000  # characters of an answer that are examined, since a refusal is at its beginning

_SENTENCES_OF_NONE = 3  # maximum in a reference that says that there is no answer

_NOT = r"(?:(?:do|does|did) not|(?:do|does|did)n['’]?t)"
_SOURCE = (
    r"(?:documents?|contexts?|passages?|texts?|articles?|sources?|information|materials?|excerpts?|extracts?|snippets?|paragraphs?"
    r"|knowledge base|search results?|data|content|references?)"
)
_SAYS = (
    r"(?:mention|contain|provide|say|state|specify|include|give|answer|discuss|indicate|address|offer|have|tell|cover"
    r"|describe|list)"
)
_GIVEN = (
    r"(?: (?:that )?(?:I |we )?(?:was |were |have been |has been |you )?(?:provided|given|above|supplied|available))?"
    r"(?: to (?:me|us)| here)?"
)
_KNOWLEDGE = r"(?:information|answer|knowledge|data|context|details?|idea|evidence|mention)"
_ENGLISH = re.compile(
    rf"\bi (?:\w+ly |just )?{_NOT} know"
    r"(?=[.,;!]|$| (?:the answer|what|who|when|where|why|how|whether|if|about|that|based|from|much|enough))"
    rf"|\bi (?:\w+ly |just )?{_NOT} have (?:(?:any|enough|the|access to|that|an?|\w+ic|\w+ent) )*{_KNOWLEDGE}"
    r"|\bi(?: am|['’]m)? (?:sorry,? )?(?:but )?(?:i )?(?:cannot|can['’]?t|can not|could not|couldn['’]?t"
    r"|(?:am )?unable to|am not able to|not able to) "
    r"(?:answer|find|determine|provide|say|tell|help(?= (?:you|with)\b|[.,;!]|$)|assist|locate|confirm|respond"
    r"|give (?:you )?an?y? (?:\w+ )?answer)"
    r"|\b(?:unable|not possible|impossible) to (?:answer|determine|provide an answer)"
    r"|\b(?:cannot|can['’]?t|could not) be (?:(?:answered|determined)\b|found )"
    rf"|\b{_SOURCE}{_GIVEN} {_NOT} (?:\w+ly |seem to |appear to )*(?:{_SAYS}|allow (?:me|us) to \w+)"
    rf"|\b{_SOURCE}{_GIVEN} (?:contain|hold|say|have|offer)s? nothing (?:about|on|of|regarding)\b"
    rf"|\bno (?:relevant |specific |such |further |clear |direct |explicit ){{0,3}}{_KNOWLEDGE}\b.{{0,60}}"
    r"\b(?:provided|available|given|found|in|from|about|on|regarding)\b"
    rf"|\bthere(?: is|['’]s| are) (?:not enough|insufficient|no) {_KNOWLEDGE}"
    r"|\b(?:not|isn['’]t|aren['’]t) (?:mentioned|provided|specified|stated|available|given|included|contained"
    rf"|discussed|found|answered|answerable) (?:anywhere )?(?:in|by|from|within|based on) (?:\w+ ){{0,3}}{_SOURCE}"
    r"|^it(?: is|['’]s) not (?:stated|mentioned|specified|said|given)"
    r" (?:how|what|when|where|which|who|why|whether|if)\b"
    r"|^(?:unknown|unanswerable|no answer|n/?a)\W*$"
    r"|^not (?:mentioned|specified|provided|stated|available|known|found)\W*$",
    re.IGNORECASE,
)
_ENGLISH_SIGNS = ("not", "n't", "n’t", "dont", "snt", "dnt", "cant", "no ", "ble to", "uffi", "unkn", "unan")
"""One of these is in every match of the English pattern, but for *N/A*; most sentences have none. None contains an i,
for which the pattern takes other letters, too."""
_ABOUT = r"(?:情報|記載|記述|言及|説明|回答|答え|該当(?:する)?(?:情報|箇所|記載|記述|内容)?|データ)"
_NONE = (
    r"(?:(?:あり|ござい|見つかり|見当たり|確認でき|見つけられ|含まれてい|記載されてい|書かれてい|示されてい|され?てい|なされてい|存在し)ませ"
    r"|(?:見当たら|見つから|確認でき|含まれてい|記載されてい|書かれてい|存在し|され?てい)な|な(?:い|かった|く))"
)
_TEXT = r"(?:文書|コンテキスト|文脈|資料|文章|本文|記事)"
_ANSWERING = r"(?:お答え|回答|お返事|特定|判断|断定|(?:答える|お答えする|回答する|判断する|特定する)こと)"
_JAPANESE = re.compile(
    r"(?:わかり|分かり|判り|存じ上げ|存じ|知り)ませ"
    r"|(?:わかり|分かり|判断し|お答えし|回答し|お答えいたし|回答いたし)かね|^(?:わから|分から|知ら)ない"
    rf"|{_ANSWERING}(?:は|が)?(?:でき|いたしかね|しかね|出来)(?:ませ|な|ま)|答えられ(?:ませ|な)"
    rf"|{_ABOUT}(?:に|から)?(?:が|は|も|を)[^。、]{{0,15}}?{_NONE}"
    r"|(?:記載|言及|記述|説明|明記|提供)され?て(?:は)?い(?:ませ|な)"
    rf"|{_TEXT}(?:中|内)?に(?:は|も)?[^。、]{{0,30}}(?:書かれて|示されて|載って|含まれて)い(?:ませ|な)"
    rf"|{_TEXT}(?:中|内)?(?:では|は|に)[^。、]{{0,40}}(?:に触れて|に言及して|について述べて|述べられて)い(?:ませ|な)"
    r"|(?:資料|文書|コンテキスト|文脈|文章|本文|記事|範囲|情報)(?:から|では|で|に|内)[^。]{0,40}"
    r"(?:確認でき|把握でき|読み取れ|読みとれ|見つけられ|知ること(?:が|は)?でき)(?:ませ|な)"
    r"|申し上げ(?:られませ|かねま)"
    r"|^(?:不明|回答不能|回答不可|該当なし|情報なし|記載なし)(?:です|である)?\W*$"
)
_CONCLUDES = re.compile(
    r"でき(?:ませ|な|かね)|かね|控え|られ(?:ませ|な)|(?:分か|わか|判)り?(?:りませ|らな|ませ)|不明|不可|困難|難し|申し訳|ご容赦|お問い?合わせ"
    r"|お尋ね|ご確認|存じ"
)
_BUT = re.compile(
    r"[,;] ?(?:but|however|though|although|yet)\b"
    r"|(?:ませんが|ないが|ませんけれど|ないけれど|ものの|ませんけど)[、,]?(?=.{6})",
    re.IGNORECASE,
)
"""A clause after the refusal that goes on to answer."""

_SO = re.compile(r"(?:ない|ません)(?:ため|ので|ことから)[、,]?")
"""After this a Japanese sentence gives the consequence: that it cannot answer, or a fact (…ため、各社が決めます)."""

_NO_EVIDENCE = re.compile(r"\bno (?:\w+ )?evidence (?:that|of|for|to)\b", re.IGNORECASE)
"""Of the world, this is an answer (*There is no evidence that …*); of a source, it declines."""

_NAMES_SOURCE = re.compile(rf"\b{_SOURCE}\b", re.IGNORECASE)

_ABOUT_SOURCE = re.compile(
    rf"(?:instead,? |rather,? )?(?:the |this |these |your )?(?:\w+ )?{_SOURCE}"
    r"(?: (?:that )?(?:I |we )?(?:was |were |have been |has been |you )?(?:provided|given|above|supplied|available))? "
    r"(?:is|are|only|mainly|mostly|primarily|just|instead|rather)?,? ?"
    r"(?:discuss|describ|focus|cover|talk|deal|concern|about|relat|contain\w* information|provid\w* information)"
    r"|(?:この|その|提供された|与えられた)?(?:文書|コンテキスト|文脈|資料|文章|本文|記事)"
    r"(?:に|で)?は[^。]{0,60}(?:について|に関する|に関して)[^。]{0,20}"
    r"(?:書かれ|述べ|説明|触れ|扱|論じ|記載|記述|紹介|情報|内容|もの)",
    re.IGNORECASE,
)
"""A remark on what a source is about: *The document discusses …*, but not *It says that …*."""

_BESIDE = re.compile(
    r"(?:(?:誠に|大変)?申し訳(?:あり|ござい)ません|すみません)\W*$|"
    r"(?:(?:i(?:'|’| a)m )?(?:very |so )?sorry|i apologi[sz]e)\W*$|"
    r"(?:is there )?anything else (?:that )?i can (?:help|do|assist)\b"
    r"|(?:please )?(?:if|should) you have (?:any|further|more|other)\b.{0,60}\b(?:questions?|details?|information)\b"
    r"|please (?:(?:provide|share|give me) (?:more|further|additional)|ask|contact|consult|check with|refer to)\b"
    r"|.{0,20}(?:ご質問|ご不明な点|お困り).{0,20}(?:あれば|ありましたら|ございましたら)"
    r"|.{0,40}(?:お問い?合わせ|お尋ね|ご確認)(?:ください|下さい|願い)",
    re.IGNORECASE,
)
"""What often goes with a refusal: apologies and offers of help."""

_TURN = re.compile(
    r"(?:however|but|that said|nevertheless|still|based on|according to|yet|generally|in general)\b"
    r"|ただし|しかし|一般に|一般的に|とはいえ|なお、一般|もっとも",
    re.IGNORECASE,
)


def is_refusal(text: str, language: Language) -> bool:
    """Return whether the answer declines: *I don't know*, *the documents do not mention …*, 記載がありません.

    It declines if its first sentence does and no later one turns to an answer (*However, …*, ただし…), or if at least
    half of its characters are in sentences that decline. Patterns of both languages are tried, since systems may
    decline in English to Japanese questions. An empty text does not decline.
    """
    sentences = [sentence.text for sentence in split_sentences(text[:_READ], language)]
    declining = [declines(sentence) for sentence in sentences]
    if not any(declining):
        return False
    declined = sum(len(sentence) for sentence, declines in zip(sentences, declining, strict=True) if declines)
    if 2 * declined >= sum(map(len, sentences)):
        return True
    return declining[0] and not any(_TURN.match(sentence) for sentence in sentences[1:])


def only_declines(text: str, language: Language) -> bool:
    """Return whether an answer declines and, courtesies aside, states nothing else."""
    sentences = [sentence.text for sentence in split_sentences(text[: _READ + 1], language)]
    spoken = [sentence for sentence in sentences if not is_courtesy(sentence)]
    return len(text) <= _READ and any(map(declines, spoken)) and not stating(spoken, language)


def says_unanswered(reference: str, language: Language) -> bool:
    """Return whether a reference says that its question has no answer: it begins with that, and adds little.

    What it may add, in two sentences, is what the documents do say: *They only say when tours start.*
    """
    sentences = [sentence.text for sentence in split_sentences(reference[:_READ], language)]
    return 0 < len(sentences) <= _SENTENCES_OF_NONE and declines(sentences[0]) and is_refusal(reference, language)


def stating(sentences: Sequence[str], language: Language) -> list[str]:
    """Return the sentences of an answer that state something about the subject: all, unless the answer declines.

    An answer that declines states nothing by declining, by naming what the documents are about, and by offering help:
    *The passage does not mention it. The passage describes another year.*
    """
    remarks = [declines(sentence) for sentence in sentences]
    idle = [
        remark or bool(_ABOUT_SOURCE.match(sentence) or _BESIDE.match(sentence))
        for sentence, remark in zip(sentences, remarks, strict=True)
    ]
    if not (any(remarks) and all(idle)) and not is_refusal("\n".join(sentences), language):
        return list(sentences)
    return [sentence for sentence, nothing in zip(sentences, idle, strict=True) if not nothing]


def declines(sentence: str) -> bool:
    """Return whether one sentence says that the answer is not known, and goes on to nothing else."""
    found = declining_phrase(sentence)
    if found is None or (_NO_EVIDENCE.search(sentence) and not _NAMES_SOURCE.search(sentence)):
        return False
    if _BUT.search(sentence, max(found.start(), found.end() - 3)):
        return False
    so = _SO.search(sentence, max(found.start(), found.end() - 3))
    return so is None or not sentence[so.end() :].strip("。 ") or bool(_CONCLUDES.search(sentence, so.end()))


def declining_phrase(sentence: str) -> re.Match[str] | None:
    """Return the words of a sentence that decline, whatever follows them; None if none do."""
    folded = sentence.casefold()
    english = None
    if any(sign in folded for sign in _ENGLISH_SIGNS) or folded.startswith(("na", "n/a")):
        english = _ENGLISH.search(sentence)
    return english or (None if sentence.isascii() else _JAPANESE.search(sentence))
