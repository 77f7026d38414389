"""`saiten testset accept`: apply people's decisions to a test set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption, LabelColumnOption
from saiten.cli.unfold import unfold
from saiten.errors import BadInput
from saiten.options import option, read_columns

if TYPE_CHECKING:
    from saiten.testsets.items import SetItem
    from saiten.testsets.people.decisions import SetDecision, Settled


@dataclass(frozen=True, slots=True)
class AcceptOptions:
    """What is written, and when decisions settle an item."""

    out: Path = option(Path("approved.jsonl"), "File for the accepted items.", "--out", "-o")
    open: Path | None = option(None, "File for the items that are still open; `saiten annotate` reads it.", "--open")
    majority: bool = option(
        False, "Follow more than half of the people where they disagree. Default: such an item stays open."
    )
    at_least: int = option(1, "Number of people who must have decided on an item.", min=1)


@unfold
def accept(
    testset: Annotated[Path, typer.Argument(help="Test set: its folder, or a file with questions and references.")],
    labels: Annotated[
        list[Path],
        typer.Argument(help="Decisions: exports of `saiten annotate --form approve`, or tables with item, decision."),
    ],
    *,
    typed: AcceptOptions,
    column: LabelColumnOption = None,
    form: FormatOption = "table",
) -> None:
    """Apply people's decisions: write the approved and edited items, with who decided.

    A third decision (adjudication) settles an item; otherwise everybody has to agree, on edited texts too. An item is
    open if people disagree, somebody flagged it as unclear, nobody has decided, or its question or reference has
    changed since the decision. Rejected and open items are left out. Of each person the latest decision counts.

    A table written by hand has the columns item and decision (approve, edit, reject), and question or reference for
    edited texts; annotator and reason are optional.

    Examples:
      saiten testset accept testset/ decisions.jsonl -o approved.jsonl --open open.jsonl
      saiten annotate open.jsonl --form approve
      saiten testset accept testset/ first.jsonl second.jsonl -o approved.jsonl --at-least 2
      saiten testset accept questions.csv decisions.csv --column decision=verdict --majority
    """
    from saiten.testsets.items import item_to_json
    from saiten.testsets.people.decision_files import check_replaceable, read_decisions, write_items
    from saiten.testsets.people.decisions import SettlingRules, settled
    from saiten.testsets.reading import items_of
    from saiten.views.render import render
    from saiten.views.tables.approval import approval_tables

    notes = stderr()
    if typed.open is not None and typed.open.resolve() == typed.out.resolve():
        raise BadInput(f"--out and --open are both {typed.out}; name two files")
    check_replaceable(typed.out, "decisions")
    if typed.open is not None:
        check_replaceable(typed.open, "open")
    items = items_of(testset, notify=notifier(notes))
    columns = read_columns(column)
    found = [each for file in labels for each in read_decisions(file, columns=columns, notify=notifier(notes))]
    by_item = _by_item(found, items)
    rules = SettlingRules(typed.majority, typed.at_least)
    done = [settled(item, by_item.get(item.id, ()), rules) for item in items]
    accepted = [each for each in done if each.outcome in {"approved", "edited"}]
    write_items(typed.out, (item_to_json(each.item) for each in accepted))
    if typed.open is not None:
        write_items(typed.open, _open_lines(done))
    render(approval_tables(done), form, stdout(), f"Decisions: {testset.name}")
    notes.print(f"{len(accepted)} of {len(items)} items accepted: {escape_untrusted(typed.out)}")


def _by_item(decisions: "Sequence[SetDecision]", items: "Sequence[SetItem]") -> "dict[str, list[SetDecision]]":
    """Return the decisions by item; those on items that the set lacks are reported.

    Raises:
        BadInput: there are none, or none is on an item of the set.
    """
    known = {item.id for item in items}
    by_item: dict[str, list[SetDecision]] = {}
    strangers = [decision for decision in decisions if decision.item not in known]
    for decision in decisions:
        by_item.setdefault(decision.item, []).append(decision)
    if not decisions:
        raise BadInput("there is no decision in the labels; let people decide with `saiten annotate --form approve`")
    if len(strangers) == len(decisions):
        raise BadInput(
            f"none of the {len(decisions)} decisions is on an item of the test set; one is on {strangers[0].item!r}"
        )
    if strangers:
        notifier(stderr())(
            f"{len(strangers)} decisions are on items that the test set lacks, such as {strangers[0].item!r}"
        )
    return by_item


def _open_lines(done: "Sequence[Settled]") -> "Iterator[dict[str, Any]]":
    from saiten.testsets.items import item_to_json

    return (item_to_json(each.item) | {"open": each.note} for each in done if each.outcome == "open")
