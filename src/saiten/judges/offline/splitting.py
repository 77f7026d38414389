"""Splitting texts into statements, without greetings, headings and markup."""

import re

from saiten.records import Language
from saiten.tasks.statements import SplitStatements, Statements
from saiten.text.courtesies import is_courtesy
from saiten.text.refusals import stating
from saiten.text.sentences import split_sentences
from saiten.text.words import content_units

_MARK = re.compile(r"\s*(?:>\s?)*(?:[-*•・●○■□◆▪–]+\s*|[(（\[]?\d{1,3}[.)．）\]]\s*(?=\D)|[①-⒇❶-❿➀-➓]\s*|#{1,6}\s+)*")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^)\s]{0,500}\)")
_EMPHASIS = re.compile(r"\*\*|__|`+|~~")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|【[^】]{1,40}】\s*$)")
_ATTRIBUTION = re.compile(
    r"(?:(?:based on|according to|as (?:stated|mentioned|described) in) (?:the |this |your )?(?:\w+ )?"
    r"(?:documents?|contexts?|information|passages?|texts?|articles?|sources?)"
    r"(?: (?:provided|given|above|supplied))?"
    r"(?: in the (?:\w+ )?(?:documents?|contexts?|passages?|texts?|articles?))?, "
    r"|(?:提供された|与えられた|上記の|以下の)?(?:文書|コンテキスト|文脈|資料|情報|文章|本文|記事)"
    r"(?:によると|によれば|に基づくと|では)、)",
    re.IGNORECASE,
)
"""Matches openings that only name the source."""

_TAG = re.compile(r"</?\w{1,40}>")
_CLAUSES = re.compile(r"[;；]\s*")


def split(task: SplitStatements) -> Statements:
    """Split into sentences, list items and clauses between semicolons, without greetings, headings and markup.

    A text that declines to answer states nothing by doing so.
    """
    return Statements(statements=stating(statements_of(task.text, task.language), task.language))


def statements_of(text: str, language: Language) -> list[str]:
    """Return the statements of a text in order. Sentences are not reworded, so pronouns stay."""
    statements: list[str] = []
    for sentence in split_sentences(text, language):
        if _HEADING.match(sentence.text):
            continue
        plain = _EMPHASIS.sub("", _LINK.sub(r"\1", sentence.text))
        mark = _MARK.match(plain)
        plain = plain[mark.end() if mark else 0 :].strip(" \t|")
        if not any(sign.isalnum() for sign in plain) or _TAG.fullmatch(plain) or is_courtesy(plain):
            continue
        source = _ATTRIBUTION.match(plain)
        plain = plain[source.end() if source else 0 :]
        clauses = [clause.strip() for clause in _CLAUSES.split(plain)]
        whole = len(clauses) > 1 and all(len(content_units(clause)) >= 3 for clause in clauses)
        statements.extend(clauses if whole else [plain])
    return statements
