"""Statements: splitting texts into them, comparing them with contexts or each other, and asking about them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from saiten.errors import CannotJudge
from saiten.judges.offline.index import Index, Tools
from saiten.judges.offline.support import Source, support, why
from saiten.records import Language
from saiten.tasks.contexts import ContextVerdict, JudgeContext, RelevantSentences, SelectRelevantSentences
from saiten.tasks.statements import (
    Classification,
    ClassifyStatements,
    Questions,
    SplitStatements,
    Statements,
    StatementVerdicts,
    VerifyStatements,
    WriteQuestions,
)
from saiten.tasks.verdicts import Verdict
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences
from saiten.text.words import normalise, units_of

_MARK = re.compile(r"\s*(?:>\s?)*(?:[-*•・●○■□◆▪–]+\s*|[(（\[]?\d{1,3}[.)．）\]]\s*(?=\D)|[①-⒇❶-❿➀-➓]\s*|#{1,6}\s+)*")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^)\s]{0,500}\)")
_EMPHASIS = re.compile(r"\*\*|__|`+|~~")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|【[^】]{1,40}】\s*$)")
_GREETING = re.compile(
    r"(?:hi|hello|dear [^.!]{1,30}|good (?:morning|afternoon|evening)|thanks?(?: you)?(?: for [^.!]{1,60})?|sure|"
    r"certainly|of course|great question|you(?:'|’)re welcome|i hope (?:this|that|it) helps?|"
    r"(?:let me know if|feel free to) [^.!]{1,100}|"
    r"こんにち[はわ]|こんばんは|おはようございます|お世話になっております|ありがとうございます|ご質問ありがとうございます|承知(?:いた)?しました|"
    r"かしこまりました|もちろんです|お役に立て(?:ば|れば|ましたら|たら)[^。]{0,12}|よろしくお願い(?:いた)?します|何かあればお知らせください)"
    r"[\s!.,。！、]*",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"(?:sure|certainly|of course|absolutely|great|yes)?[,!. ]*i(?:'|’| a| wi| woul| ca)?[a-z]{0,3} (?:be )?"
    r"(?:happy|glad|pleased|help|answer|assist)\b[^.!?:]{0,100}[.!]?",
    re.IGNORECASE,
)
"""Matches *Sure, I'd be happy to help!* and *I can answer your question based on the document.*"""

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

_CLAUSES = re.compile(r"[;；]\s*")


def split(task: SplitStatements) -> Statements:
    """Split into sentences, list items and clauses between semicolons, without greetings, headings and markup."""
    return Statements(statements=statements_of(task.text, task.language))


def statements_of(text: str, language: Language) -> list[str]:
    """Return the statements of a text in order. Sentences are not reworded, so pronouns stay."""
    statements: list[str] = []
    for sentence in split_sentences(text, language):
        if _HEADING.match(sentence.text):
            continue
        plain = _EMPHASIS.sub("", _LINK.sub(r"\1", sentence.text))
        mark = _MARK.match(plain)
        plain = plain[mark.end() if mark else 0 :].strip(" \t|")
        if not any(sign.isalnum() for sign in plain) or _GREETING.fullmatch(plain) or _OFFER.fullmatch(plain):
            continue
        source = _ATTRIBUTION.match(plain)
        plain = plain[source.end() if source else 0 :]
        clauses = [clause.strip() for clause in _CLAUSES.split(plain)]
        whole = len(clauses) > 1 and all(len(units_of(normalise(clause).lower())) >= 3 for clause in clauses)
        statements.extend(clauses if whole else [plain])
    return statements


def verify(task: VerifyStatements, tools: Tools) -> StatementVerdicts:
    """Return one verdict per statement, given the contexts."""
    sources = Sources(
        tools.indexes.of(task.contexts, task.language), "contexts", task.language, tools, aspect="support"
    )
    return StatementVerdicts(verdicts=sources.verdicts(task.statements))


def classify(task: ClassifyStatements, tools: Tools) -> Classification:
    """Compare answer and reference statements in both directions; the question's words do not count as new."""
    in_question = frozenset(units_of(normalise(task.question).lower()))
    answer, reference = task.answer_statements, task.reference_statements
    from_reference = Sources(tools.indexes.of(reference, task.language), "reference", task.language, tools, in_question)
    from_answer = Sources(tools.indexes.of(answer, task.language), "answer", task.language, tools, in_question)
    return Classification(answer=from_reference.verdicts(answer), reference=from_answer.verdicts(reference))


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts that statements are compared with."""

    index: Index
    kind: Source
    language: Language
    tools: Tools
    excused: frozenset[str] = frozenset()
    """Units that never count as new."""
    aspect: str = ""
    """The aspect whose calibration applies, if any."""

    def verdicts(self, statements: Sequence[str]) -> list[Verdict]:
        """Return one verdict per statement, numbered from 1."""
        return [self._verdict(number, statement) for number, statement in enumerate(statements, start=1)]

    def _verdict(self, number: int, statement: str) -> Verdict:
        found = support(statement, self.index, self.tools.constants, self.excused)
        p = self.tools.calibrated(self.aspect, found.p)
        yes = found.comparable and p >= self.tools.constants.band["threshold"]
        unclear = not found.comparable or self.tools.unclear(p)
        return Verdict(
            number=number,
            reason=why(found, yes, unclear, self.kind, self.language, cut=self.index.cut),
            verdict=yes,
            p=p if found.comparable else None,
            unclear=unclear,
            evidence=() if found.window < 0 else (self.index.windows[found.window],),
        )


def write_questions(task: WriteQuestions) -> Questions:
    """Return the first `count` statements of the answer as questions, starting over if there are fewer.

    Answer relevancy is then the similarity of the question and the answer's own sentences. Non-committal answers are
    recognized by the refusal patterns.
    """
    statements = statements_of(task.answer, task.language)
    if not statements:
        raise CannotJudge("the answer holds no statement that a question could be made of")
    mark = "？" if task.language == "ja" else "?"
    first = task.draw * task.count
    chosen = [statements[(first + at) % len(statements)] for at in range(task.count)]
    return Questions(
        questions=[statement.rstrip(".!?。．！？ ") + mark for statement in chosen],
        noncommittal=is_refusal(task.answer, task.language),
    )


_SHORT = 6
"""References of at most this many content units (*in 1901*) are compared together with the question."""


def judge_context(task: JudgeContext, tools: Tools) -> ContextVerdict:
    """Useful if the context supports at least one statement of the reference, whose reason is given.

    In the undecided band the subject decides: a context with a sentence covering half of the question's weight may be
    useful without repeating the reference, and counts as such.
    """
    index = tools.indexes.of((task.context,), task.language)
    statements = statements_of(task.reference, task.language)
    if len(units_of(normalise(task.reference).lower())) <= _SHORT:
        statements = [f"{task.reference} {task.question}"]
    found = [support(statement, index, tools.constants) for statement in statements]
    best = max(found, key=lambda each: each.comparable * each.p, default=None)
    if best is None or not best.comparable:
        raise CannotJudge("the reference holds no content words, numbers or names to look for in the context")
    unclear = tools.unclear(best.p)
    useful = best.p >= tools.constants.band["threshold"] or (unclear and _on_subject(task.question, index, tools))
    return ContextVerdict(reason=why(best, useful, unclear, "contexts", task.language, cut=index.cut), useful=useful)


def _on_subject(question: str, index: Index, tools: Tools) -> bool:
    """Return whether `select_sentences` would select a sentence of the context for the question."""
    units = sorted(units_of(normalise(question).lower()))
    return bool(units) and index.best_window(units)[1] >= tools.constants.relevance["share"]


def select_sentences(task: SelectRelevantSentences, tools: Tools) -> RelevantSentences:
    """Select sentences with at least half of the IDF weight of the question's content words.

    Shared words do not imply that the answer is there; docs/offline-judge.md says how little this is worth.
    """
    units = sorted(units_of(normalise(task.question).lower()))
    if not units:
        raise CannotJudge("the question holds no content words, numbers or names to look for in the sentences")
    index = tools.indexes.of(task.sentences, task.language)
    shares = index.shares(units)
    threshold = tools.constants.relevance["share"]
    numbers = {index.windows[window][0] + 1 for window, share in shares.items() if share >= threshold}
    return RelevantSentences(numbers=sorted(numbers))
