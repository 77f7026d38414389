"""Two papers on graded correctness: with evidence compared with people, and over several turns (spec 01 and 02)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import ClassVar

from saiten.choices import MAX_TURNS, LastGrade, Questioning
from saiten.data.looking import look
from saiten.demo.files import write_documents, write_rows
from saiten.demo.grades import expert_grades
from saiten.demo.samples import demo_questions, load_demo
from saiten.errors import BadInput
from saiten.papers.design import DataNeed, DesignPlace, DesignStep, there
from saiten.papers.graded_answers import GradedBy, grade_tables
from saiten.papers.held_dialogues import Held, dialogue_figures
from saiten.redaction import redact
from saiten.runs import sample_to_json
from saiten.text.language import detect_language
from saiten.views.table import Name, Table
from saiten.wiring import Models, assemble_retriever, assemble_system
from saiten.words import Message

FORMS = {"QA": "qa", "MQA": "mqa"}
"""The two systems as shown, and the form in which the built-in RAG is each of them."""
_E2, _E3 = "correctness[evidence=answer]", "correctness[evidence=reference]"


@dataclass(frozen=True, slots=True)
class EvidenceAndDialogues:
    """Answers graded with both kinds of evidence, beside people's grades, and dialogues with two systems."""

    place: DesignPlace
    systems: tuple[str, str] | None = None
    """QA and MQA; None for the built-in RAG on the documents, in both forms."""
    generator: str | None = None
    max_turns: int = MAX_TURNS
    k: int = 5
    bertscore: str | None = None
    """The model of BERTScore; None leaves it out, since it needs PyTorch."""
    retriever: str | None = None
    questioning: Questioning = "published"
    last_grade: LastGrade = "replaces"
    dialogue: str | None = None
    """The question whose dialogue is shown; None: the one whose grade rises most."""
    ANSWERS: ClassVar = DataNeed("answers", "samples", ("question", "answer", "contexts", "reference"))
    LABELS: ClassVar = DataNeed(
        "labels",
        "labels",
        ("correctness",),
        of="answers",
        scale={"correctness": (0.0, 5.0)},  # 0 is no evaluation
        parts=(Message("paper_dialogues", "part_people"),),
    )
    QUESTIONS: ClassVar = DataNeed(
        "questions", "samples", ("question", "reference"), parts=(Message("paper_dialogues", "part_dialogues"),)
    )

    @property
    def documents(self) -> DataNeed:
        """Return the need of documents: for the evidence, and for the built-in RAG."""
        retrieved = self.retriever is None
        parts = {
            "part_evidence": retrieved and not self._answers_have_evidence,
            "part_dialogues": self.systems is None,
            "part_dialogue_evidence": retrieved and self.systems is not None,
        }
        found = tuple(Message("paper_dialogues", part) for part, needed in parts.items() if needed)
        return DataNeed("documents", "documents", parts=found)

    def needs(self) -> Sequence[DataNeed]:
        rest = (self.documents,) if self.documents.parts else ()  # else nothing would read them
        return (self.ANSWERS, self.LABELS, *rest, self.QUESTIONS)

    def write_samples(self) -> None:
        data, demo = self.place.data, load_demo()
        answers = (replace(one.sample, evidence=None) for one in demo)  # it is retrieved from the documents
        write_rows(data / "answers.jsonl", map(sample_to_json, answers))
        write_rows(data / "labels.jsonl", map(asdict, expert_grades(demo)))
        write_rows(data / "questions.jsonl", map(sample_to_json, demo_questions()))
        write_documents(data / "documents")

    def steps(self) -> Sequence[DesignStep]:
        """Return the commands.

        Raises:
            ConfigurationError: a system, the retriever or the model of BERTScore cannot be had.
            BadInput: there is no question with the id of the wanted dialogue.
        """
        questions = self.place.find(self.QUESTIONS)
        if (
            self.dialogue is not None
            and questions is not None
            and all(row.id != self.dialogue for row in self.place.rows(self.QUESTIONS, lambda _: None))
        ):
            raise BadInput(f"{questions} has no question {self.dialogue!r} (--dialogue); name an id of that file")
        if self.bertscore is not None:
            self._bertscore(self.bertscore, checked=True)
        for system in self.systems or ():
            if not system.startswith("rag:"):  # a knowledge base may have a model that is loaded when it is opened
                assemble_system(system)
        if self.retriever is not None:
            assemble_retriever(self.retriever, Models(), k=self.k)
        return (*self._indexing(), *self._scoring(), *(self._conversing(questions) if questions else ()))

    def tables(self, notify: Callable[[str | Message], None]) -> Iterator[Table]:
        yield from grade_tables(tuple(self._graders()), self.place.find(self.LABELS), notify)
        runs = [
            Held(redact(judge), self._run(judge, "qa"), self._run(judge, "mqa"))
            for judge in self.place.judges
            if all(self._run(judge, name).is_dir() for name in FORMS.values())
        ]
        yield from dialogue_figures(runs, self.dialogue, notify)

    def _indexing(self) -> Iterator[DesignStep]:
        documents = self.place.find(self.documents) if self.documents.parts else None
        if documents is not None:
            words = ("index", str(documents), "--kb", str(self._kb), "--embedder", "builtin")
            yield DesignStep(words, self._kb, calls=False, first=True)

    def _scoring(self) -> Iterator[DesignStep]:
        path, out = there(self.place.find(self.ANSWERS)), self.place.out / "similarity"
        answers = (str(path), *self.place.column_words(path))
        metrics = ["word_recall", "rouge_l"]
        if self.bertscore is not None:
            metrics.append(self._bertscore(self.bertscore))
            out = self.place.named(f"similarity-{self.bertscore}")
        yield DesignStep(("score", *answers, *_each("-m", metrics), "-o", str(out)), out)
        graded = [_E2] if self._evidence is None else [_E2, _E3]
        for judge in self.place.judges:
            run = self._run(judge, "grades")
            words = ("score", *answers, *_each("-m", graded), "--judge", judge, *(self._evidence or ()))
            yield DesignStep((*words, "-o", str(run)), run)

    def _conversing(self, questions: Path) -> Iterator[DesignStep]:
        if self.systems is None and self.place.find(self.documents) is None:
            return
        evidence, asked = self._evidence or (), (str(questions), *self.place.column_words(questions))
        for judge in self.place.judges:
            for at, form in enumerate(FORMS.values()):
                run = self._run(judge, form)
                words = ["converse", *asked, *self._system(at, form), "--judge", judge, *evidence]
                words += ["--max-turns", str(self.max_turns), "--questioning", self.questioning]
                words += [] if self.last_grade == "replaces" else ["--last-grade", self.last_grade]
                yield DesignStep((*words, "-o", str(run)), run)

    def _system(self, at: int, form: str) -> tuple[str, ...]:
        system = f"rag:{self._kb}" if self.systems is None else self.systems[at]
        if not system.startswith("rag:"):
            return ("--system", system)
        generator = () if self.generator is None else ("--generator", self.generator)
        k = () if self._evidence else ("-k", str(self.k))  # else it is among the words of the evidence
        return ("--system", system, "--form", form, *generator, *k)

    @property
    def _evidence(self) -> tuple[str, ...] | None:
        """Return where evidence for question and reference comes from; None if there is none."""
        if self.retriever is not None:
            return ("--retriever", self.retriever, "-k", str(self.k))
        if self.place.find(self.documents) is not None:
            return ("--kb", str(self._kb), "-k", str(self.k))
        return () if self._answers_have_evidence else None

    def _graders(self) -> Iterator[GradedBy]:
        """Yield the rows of figure 2."""
        for judge in self.place.judges:
            for evidence, metric in (("E2", _E2), ("E3", "correctness")):  # the default is not part of a name
                yield GradedBy(Name(redact(judge)), metric, self._run(judge, "grades"), evidence, "no_evidence")
        out = self.place.out / "similarity"
        metric = "bertscore"
        if self.bertscore is not None:
            metric, out = self._bertscore(self.bertscore), self.place.named(f"similarity-{self.bertscore}")
        for each in ("word_recall", "rouge_l", metric):
            yield GradedBy(each, each, out, why="no_bertscore" if each == "bertscore" else "not_run")

    def _bertscore(self, model: str, *, checked: bool = False) -> str:
        """Return the metric's name; `checked`: raise ConfigurationError if its model cannot be loaded."""
        from saiten.metrics.neural.bertscore import BertScore  # noqa: PLC0415 - its network is an optional package

        metric = BertScore(model=model)
        if checked:
            metric.spec  # noqa: B018 - looks the model up
        return metric.name

    @property
    def _kb(self) -> Path:
        return self.place.out / "kb"

    def _run(self, judge: str, name: str) -> Path:
        return self.place.named(judge) / name

    @property
    def _answers_have_evidence(self) -> bool:
        """Return whether every answer has evidence, as far as the first rows show."""
        answers = self.place.find(self.ANSWERS)
        if answers is None:
            return False
        reading = self.place.reading
        try:
            found = look(
                answers,
                columns=reading.columns_of(answers),
                format=None,
                detect_language=detect_language,
                language=reading.language,
                notify=lambda _: None,
            )
        except (BadInput, OSError):  # reported with the needs
            return False
        return found.has("evidence") == len(found.samples)


def _each(option: str, values: Sequence[str]) -> Iterator[str]:
    for value in values:
        yield from (option, value)
