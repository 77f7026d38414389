"""The tour, step by step: a title, a command as a user types it, a remark, and the part of the output to show."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


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

    def words(self, folder: Path) -> list[str]:
        """Return the command's arguments for this folder."""
        return [word.replace("DEMO", str(folder)) for word in shlex.split(self.command)]


_TABLE = (1,)
"""A table without its title."""

STEPS = (
    DemoStep(
        "Grade: which system is better?",
        "score DEMO/samples.jsonl -m accuracy -m 'accuracy[grounded]' -m correctness -m answer_correctness "
        "-m faithfulness -m token_f1 -m context_overlap -m length -o DEMO/answers",
        "192 answers of four made-up systems. [dim]accuracy\\[grounded]: right, and nothing added that the contexts do "
        "not support.[/]",
        (4,),
        10,
    ),
    DemoStep(
        "",
        "compare DEMO/answers DEMO/answers --systems careful,hasty",
        "Is the difference more than luck? A paired test over the questions that both answered.",
        _TABLE,
        7,
    ),
    DemoStep(
        "What does each metric see?",
        "score DEMO/by-defect.jsonl -m accuracy -m 'accuracy[grounded]' -m faithfulness -m token_f1 -o DEMO/defects",
        "The same answers, grouped by the one defect that each was written with. A good metric gives the right ones "
        "much, the others little.",
        (4,),
    ),
    DemoStep(
        "What is behind a figure?",
        "show DEMO/answers --worst faithfulness -n 2",
        "The worst answers, and the statements of another one: right, but with two inventions.",
        _TABLE,
    ),
    DemoStep("", "show DEMO/answers --sample en-m03-chatty", blocks=(6,), lines=11),
    DemoStep(
        "Can the judge be believed? Compare it with labels",
        "meta-evaluate DEMO/answers DEMO/labels.jsonl --aspect faithful",
        "Nobody labelled these answers: whether each is correct and faithful is known from how it was written. With "
        "people's labels the command is the same. [dim]AUROC: how often a good answer scores higher than a bad one; "
        "0.5 is chance. Half of the defects were chosen to mislead a judge that counts words; for real systems see "
        "docs/offline-judge.md.[/]",
        _TABLE,
    ),
    DemoStep(
        "Does it fall for tricks? Probes",
        "probe --judge offline -m accuracy --limit 48 "
        "--probes padded,planted_verdict,wrong_reference,other_language -o DEMO/probe",
        "48 answers scored before and after a change whose effect is known: politeness added, a planted verdict, "
        "another question's reference, the answer translated.",
        _TABLE,
        22,
    ),
    DemoStep(
        "Few labels, many scores: what would people say of all?",
        "estimate DEMO/answers DEMO/few-labels.jsonl -m accuracy",
        "As if 48 answers, drawn at random, were labelled and the others not. The labels correct the judge's bias, the "
        "judge narrows the interval. 93 of the 192 answers are known to be correct: 0.484.",
        _TABLE,
    ),
    DemoStep(
        "What is missing, what is extra, and does it matter?",
        "score DEMO/gist-samples.jsonl -m gist -o DEMO/gist",
        "48 answers put together from known units: gist is what was asked, supplement what supports it. Each unit of "
        "the reference that the answer lacks, and each that it adds, is marked.",
        _TABLE,
    ),
    DemoStep("", "show DEMO/gist --sample ja-g08", blocks=(0,), lines=13),
    DemoStep(
        "",
        "meta-evaluate DEMO/gist DEMO/gist-labels.jsonl --spans",
        "The judge's units compared with the known ones:",
        _TABLE,
        5,
    ),
    DemoStep(
        "Several aspects, weighed as people weigh them",
        "tune mate DEMO/simulated-grades.jsonl --samples DEMO/samples.jsonl -o DEMO/weights.toml",
        "[bold]The grades are simulated[/]: two graders drawn from the known defects, whose overall grade has the "
        "weights 0.3 (formality), 2.0 (factuality) and 0.7 (amount of information), noise, and whole grades. Least "
        "squares finds the weights again. [dim]The offline judge rates no aspects; with a model: saiten score "
        "answers.jsonl -m aspects -m 'mate\\[weights=weights.toml]' --judge openai:MODEL[/]",
        _TABLE,
    ),
    DemoStep(
        "What does the judge get to see? A knowledge base, and evidence",
        "index DEMO/documents --kb DEMO/kb",
        "A judge that sees only what a wrong answer was made of takes it for right; so evidence is retrieved with "
        "question and reference: among 3 passages the needed paragraph is whole for 31 of 48 questions with the "
        "question alone, for 37 with both. [dim]saiten score answers.jsonl -m correctness --evidence reference "
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
        "How soon does a conversation get there? Dialogues",
        "converse DEMO/questions.jsonl --system rag:DEMO/kb --form qa -k 3 --kb DEMO/kb -o DEMO/dialogues/qa",
        "Our RAG without a model, asked on until everything is said: each question alone (qa), or with the history "
        "(mqa). wscore: grades, early ones weigh more; lscore: how many answers it took; mscore: the best grade.",
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
        "Ways to make an answer of 5 passages: all at once (stuff), one after another (refine), in parallel "
        "(map_reduce). [bold]The latencies are milliseconds of this machine[/] and say nothing about a model's, with "
        "which this is meant to be run.",
        _TABLE,
    ),
    DemoStep(
        "Let people grade",
        "annotate DEMO/to-grade.jsonl --form correct --db DEMO/people.correct.db --annotator me --prepare",
        "A web page in Japanese and English. Without --prepare the command serves it on this machine. [dim]The labels: "
        "saiten annotate --db … --export people.jsonl[/]",
        optional=True,
    ),
    DemoStep(
        "May this build pass? Thresholds, and the run before",
        "score DEMO/before.jsonl -m accuracy -m 'accuracy[grounded]' -m faithfulness -o DEMO/builds/before",
        "Before: the careful system. After: the chatty one, which answers more, and invents. Exit status 5 stops a "
        "build.",
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
        "The report, for everybody",
        "report DEMO/answers DEMO/gist DEMO/chains DEMO/dialogues/qa DEMO/dialogues/mqa --labels DEMO/labels.jsonl "
        "--title 'saiten demo · 採点の見本' -o DEMO/report.html",
        "One file that loads nothing: the figures with their intervals, charts, and every answer, to search and open.",
    ),
)
"""All sections, in the order of the tour."""
