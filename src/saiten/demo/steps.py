"""The demo, step by step: a title, a command as a user types it, a remark, and the part of the output to show."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from saiten.errors import BadInput
from saiten.records import Language


@dataclass(frozen=True, slots=True)
class DemoStep:
    """One command of the tour."""

    title: str
    """The heading above it; "" if the section continues."""
    command: str
    """As typed after `saiten`; `DEMO` is the tour's folder."""
    remark: str = ""
    """The text above it, with rich's markup."""
    blocks: Sequence[int] | None = None
    """Indexes of the output's blank-line-separated blocks to show, negative from the end; None for all."""
    lines: int = 8
    """Maximum lines of output to show."""
    status: int = 0
    """The expected exit status."""
    optional: bool = False
    """Whether the command may need a package that is not installed."""
    notes: bool = True
    """Whether to show its notes, and how many lines were cut."""
    table: str = ""
    """Key of the title of the table to show; `blocks` are then its parts."""

    def words(self, folder: Path, language: Language = "en") -> list[str]:
        """Return the command's arguments for this folder; a report is in this language if it is not English."""
        words = [word.replace("DEMO", str(folder)) for word in shlex.split(self.command)]
        return [*words, "--language", language] if words[0] == "report" and language != "en" else words

    @property
    def makes(self) -> str:
        """What the command writes, `DEMO/…`; "" if it only reads."""
        words = shlex.split(self.command)
        option = _WRITES.get(words[0], "-o")
        return words[words.index(option) + 1] if option in words else ""

    @property
    def reads(self) -> frozenset[str]:
        """Everything in the demo's folder that the command names and does not write."""
        return frozenset(re.findall(r"DEMO/[\w./-]+", self.command)) - {self.makes}


@dataclass(frozen=True, slots=True)
class DemoSection:
    """Some steps on one subject."""

    number: int
    name: str
    """As typed: `saiten demo gist`."""
    steps: tuple[DemoStep, ...]

    @property
    def title(self) -> str:
        """The heading."""
        return self.steps[0].title


_WRITES = {"index": "--kb", "annotate": "--db"}
"""Command → the option that names what it writes, if that is not -o."""
_TABLE = (1,)
"""A table without its title."""

STEPS = (
    DemoStep(
        "Grade: which system is better?",
        "score DEMO/samples.jsonl -m accuracy -m 'accuracy[grounded]' -m correctness -m answer_correctness "
        "-m faithfulness -m token_f1 -m context_overlap -m length -o DEMO/answers",
        "192 answers from four made-up systems. [dim]accuracy\\[grounded]: correct, with nothing added that the "
        "contexts do not support.[/]",
        table="means_by_system",
        lines=6,
    ),
    DemoStep(
        "",
        "compare DEMO/answers DEMO/answers --systems careful,hasty",
        "Is the difference more than chance? A paired test over the questions that both systems answered.",
        _TABLE,
        7,
    ),
    DemoStep(
        "What does each metric see?",
        "score DEMO/by-defect.jsonl -m accuracy -m 'accuracy[grounded]' -m faithfulness -m token_f1 -o DEMO/defects",
        "The same answers, grouped by the one defect that was written into each. A good metric scores the correct ones "
        "high and the others low.",
        table="means_by_group",
        lines=21,
    ),
    DemoStep(
        "What is behind a figure?",
        "show DEMO/answers --worst faithfulness -n 2",
        "The worst answers, then the statements of another one, which is correct but makes up two facts.",
        _TABLE,
    ),
    DemoStep("", "show DEMO/answers --sample en-m03-chatty", blocks=(4,), lines=11),
    DemoStep(
        "Can you trust the judge? Compare it with labels",
        "meta-evaluate DEMO/answers DEMO/labels.jsonl --aspect faithful",
        "Nobody labeled these answers: we know whether each is correct and faithful from how it was written. With "
        "people's labels the command is the same. [dim]AUROC: how often a good answer scores higher than a bad one; "
        "0.5 is chance. Half of the defects were chosen to mislead a judge that counts words; for real systems see "
        "docs/offline-judge.md.[/]",
        _TABLE,
    ),
    DemoStep(
        "Does the judge fall for tricks? Probes",
        "probe --judge offline -m accuracy --limit 48 "
        "--probes padded,planted_verdict,wrong_reference,other_language -o DEMO/probe",
        "48 answers, scored before and after a change whose effect is known: added politeness, a planted verdict, "
        "another question's reference, a translated answer.",
        _TABLE,
        22,
    ),
    DemoStep(
        "Few labels, many scores: how would people grade all answers?",
        "estimate DEMO/answers DEMO/few-labels.jsonl -m accuracy",
        "Suppose that only 48 answers, drawn at random, were labeled. The labels correct the judge's bias, and the "
        "judge narrows the interval. 93 of the 192 answers are known to be correct: 0.484.",
        _TABLE,
    ),
    DemoStep(
        "What is missing, what is extra, and does it matter?",
        "score DEMO/gist-samples.jsonl -m gist -o DEMO/gist",
        "48 answers assembled from known units: gist answers the question, supplement supports it. The metric marks "
        "each unit of the reference that the answer lacks and each unit that it adds.",
        _TABLE,
    ),
    DemoStep("", "show DEMO/gist --sample ja-g08", blocks=(0,), lines=13),
    DemoStep(
        "",
        "meta-evaluate DEMO/gist DEMO/gist-labels.jsonl --spans",
        "The judge's marks compared with the known units:",
        _TABLE,
        5,
    ),
    DemoStep(
        "Several aspects, weighted as people weight them",
        "tune mate DEMO/simulated-grades.jsonl --samples DEMO/samples.jsonl -o DEMO/weights.toml",
        "[bold]The grades are simulated[/]: two graders, drawn from the known defects, whose overall grade has the "
        "weights 0.3 (formality), 2.0 (factuality) and 0.7 (amount of information), plus noise, rounded. Least squares "
        "recovers the weights. [dim]The offline judge cannot rate aspects; with a model: saiten score "
        "answers.jsonl -m aspects -m 'mate\\[weights=weights.toml]' --judge openai:MODEL[/]",
        _TABLE,
    ),
    DemoStep(
        "What does the judge see? A knowledge base, and evidence",
        "index DEMO/documents --kb DEMO/kb",
        "A judge that sees only the passages behind a wrong answer will accept it, so evidence is retrieved with "
        "question and reference together: 3 passages contain the whole paragraph needed for 31 of 48 questions with "
        "the question alone, for 37 with both. [dim]saiten score answers.jsonl -m correctness --evidence reference "
        "--kb kb[/]",
        _TABLE,
        3,
    ),
    DemoStep(
        "",
        "search 'The inlet hose is too short. May I join two hoses together?' --kb DEMO/kb -k 1",
        blocks=_TABLE,
        lines=4,
    ),
    DemoStep(
        "Documents, but no questions? A test set",
        "questions --kb DEMO/kb -o DEMO/testset --n 24",
        "Questions with references, out of passages that cover the documents. Here rules cut them out of single "
        "sentences; with a model there are seven kinds, checked by a second call: [dim]saiten questions manuals/ -o "
        "testset --judge openai:MODEL[/]. People approve, edit or reject them: [dim]saiten annotate testset --form "
        "approve[/]",
        _TABLE,
        lines=4,
    ),
    DemoStep(
        "", "testset worth DEMO/testset --kb DEMO/kb", "What do the questions not touch?", blocks=(-2, -1), lines=9
    ),
    DemoStep(
        "How soon does a conversation reach the answer? Dialogues",
        "converse DEMO/questions.jsonl --system rag:DEMO/kb --form qa -k 3 --kb DEMO/kb -o DEMO/dialogues/qa",
        "The built-in RAG without a model, questioned until its answers are complete: each question alone (qa) or with "
        "the history (mqa). wscore: grades, early ones weigh more; lscore: number of answers needed; mscore: best "
        "grade.",
        (),
    ),
    DemoStep(
        "",
        "converse DEMO/questions.jsonl --system rag:DEMO/kb --form mqa -k 3 --kb DEMO/kb -o DEMO/dialogues/mqa",
        blocks=(),
    ),
    DemoStep("", "compare DEMO/dialogues/qa DEMO/dialogues/mqa", blocks=_TABLE),
    DemoStep("", "show DEMO/dialogues/mqa --dialogue en-m02", blocks=(0, 1), lines=12),
    DemoStep(
        "Serial or parallel? Accuracy against latency",
        "experiment DEMO/chains.yaml -o DEMO/chains",
        "Three ways to answer from 5 passages: all at once (stuff), one after another (refine), in parallel "
        "(map_reduce). [bold]The latencies are milliseconds of this machine[/]; with a model they will differ.",
        _TABLE,
    ),
    DemoStep(
        "Let people grade",
        "annotate DEMO/to-grade.jsonl --form correct --db DEMO/people.correct.db --annotator me --prepare",
        "A web page in Japanese and English. Without --prepare the command serves it on this machine. [dim]To get the "
        "labels: saiten annotate --db … --export people.jsonl[/]",
        optional=True,
    ),
    DemoStep(
        "Does this build pass? Thresholds, and the run before",
        "score DEMO/before.jsonl -m accuracy -m 'accuracy[grounded]' -m faithfulness -o DEMO/builds/before",
        "Before: the careful system. After: the chatty one, which answers more and makes things up. Exit status 5 "
        "fails the build.",
        (),
    ),
    DemoStep(
        "",
        "score DEMO/after.jsonl -m accuracy -m 'accuracy[grounded]' -m faithfulness -o DEMO/builds/after "
        "--fail-under accuracy=0.5 --fail-under 'accuracy[grounded]=0.4'",
        blocks=(-3,),
        status=5,
    ),
    DemoStep(
        "",
        "compare DEMO/builds/before DEMO/builds/after --fail-if-worse 'accuracy[grounded]'",
        blocks=(4,),
        status=5,
    ),
    DemoStep(
        "The report for everyone",
        "report DEMO/answers DEMO/gist DEMO/chains DEMO/dialogues/qa DEMO/dialogues/mqa --labels DEMO/labels.jsonl "
        "--title 'saiten demo · 採点の見本' -o DEMO/report.html",
        "One self-contained file: figures with their intervals, charts, and every answer, searchable.",
    ),
)
"""All sections, in their order."""

_NAMES = (
    *("grade", "metrics", "behind", "trust", "probes", "estimate", "gist", "aspects", "evidence", "questions"),
    *("dialogues", "chains", "annotate", "build", "report"),
)


def _sections() -> tuple[DemoSection, ...]:
    starts = [at for at, step in enumerate(STEPS) if step.title]
    parts = zip(starts, [*starts[1:], len(STEPS)], strict=True)
    return tuple(
        DemoSection(number, name, STEPS[start:end])
        for number, (name, (start, end)) in enumerate(zip(_NAMES, parts, strict=True), 1)
    )


SECTIONS = _sections()

LEAD = (
    DemoStep(
        "",
        "score DEMO/samples.jsonl -m 'accuracy[grounded]' -m accuracy -m correctness -o DEMO/systems",
        table="means_by_system",
        blocks=(0,),
        lines=14,  # Japanese headings and remarks may take two
        notes=False,
    ),
    DemoStep("", "compare DEMO/systems DEMO/systems --systems chatty,careful", blocks=_TABLE, lines=3, notes=False),
    DemoStep(
        "",
        "report DEMO/systems --labels DEMO/labels.jsonl --title 'saiten demo · 採点の見本' -o DEMO/report.html",
        blocks=(),
        notes=False,
    ),
)
"""The steps of `saiten demo` by itself: systems side by side, a finding, the report."""


def chosen_sections(names: Sequence[str]) -> tuple[DemoSection, ...]:
    """Return the sections with these numbers or names, without duplicates, in their order.

    Raises:
        BadInput: there is no such section; the text lists them.
    """
    known = {key: section for section in SECTIONS for key in (str(section.number), section.name)}
    for name in names:
        if name.lower() not in known:
            near = get_close_matches(name.lower(), known, n=1)
            hint = f"did you mean {near[0]}?" if near else "`saiten demo --list` lists them"
            raise BadInput(f"the demo has no section {name!r}, only 1 to {len(SECTIONS)} or their names; {hint}")
    wanted = {known[name.lower()].number for name in names}
    return tuple(section for section in SECTIONS if section.number in wanted)


def needed_first(section: DemoSection) -> tuple[DemoStep, ...]:
    """Return the steps of other sections whose results a section reads, in the order in which to run them."""
    own = set(section.steps)
    needed: set[DemoStep] = set()
    for step in reversed(STEPS):
        readers = [each for each in (*own, *needed) if any(_is_in(path, step.makes) for path in each.reads)]
        if step.makes and step not in own and readers:
            needed.add(step)
    return tuple(step for step in STEPS if step in needed)


def _is_in(path: str, made: str) -> bool:
    return path == made or path.startswith(f"{made}/")
