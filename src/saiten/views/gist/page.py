"""The HTML page of a run's gist: its profiles, then each answer next to its reference with the units marked.

`gist_block` renders one answer, for any page that includes this one's style sheet.
"""

from collections.abc import Mapping
from typing import IO

from markupsafe import Markup

from saiten.metrics.judged.gist_counts import WHICH
from saiten.metrics.judged.gist_profiles import PROFILES, Profiles
from saiten.records import Language
from saiten.text.templates import templates
from saiten.views.gist.marked import CLASSES, marked, remark_of
from saiten.views.gist.view import KINDS, GistRun, GistView, Kind, Words, profile_name, tally_of
from saiten.views.page.chapters import Part
from saiten.views.page.page import write_page
from saiten.views.strip_controls import clean
from saiten.words import section


def write_gist_page(run: GistRun, out: IO[str], *, title: str, language: Language | None = None) -> None:
    """Write the page in pieces, reading answers on the way.

    `language`: of the page's fixed words; by default that of most samples.
    """
    chosen = language or run.language
    words, alone = section("gist", chosen), len(run.profiles) == 1
    values = {
        "words": words,
        "legend": [(kind, CLASSES[kind]) for kind in KINDS],
        "tables": [_profile_table(one, words, alone=alone) for one in run.profiles],
        "options": [(_number(one), profile_name(one, words), n) for one, n in run.by_profile.items()],
        "shown": run.shown,
        "left_out": words["left_out"].format(shown=run.shown, all=run.total) if run.shown < run.total else "",
        "blocks": (gist_block(view, chosen, alone=alone) for view in run.views()),
    }
    write_page([], out, title=title, language=chosen, part=Part("gist", values))


def _number(profile: str | None) -> int | str:
    return "none" if profile is None else PROFILES.index(profile)


def gist_block(view: GistView, language: Language, *, alone: bool = True) -> Markup:
    """Render one answer: question, reference and answer with their units, then the units that could not be marked.

    `alone`: the page has no other setting of the metric, so its name is left out.
    """
    sample, words = view.sample, section("gist", language)
    html = templates("saiten.views").get_template("gist_block.html").render(
        words=words,
        number=_number(view.profile),
        id=clean(sample.id),
        where=" · ".join(clean(part) for part in (sample.system, sample.group) if part),
        metric="" if alone else clean(view.metric),
        tally=[(CLASSES[which], words[which], *_tally(which, view, words)) for which in WHICH if view.counts],
        reason=words["no_units"].format(clean(view.reason)) if view.profile is None else "",
        question=clean(sample.question),
        lang="ja" if sample.language == "ja" else "en",
        sides=[
            ("reference", sample.reference, marked(view.reference, words, whole=True)),
            ("answer", sample.answer, marked(view.answer, words, whole=False)),
        ],
        unplaced=[(CLASSES[unit.kind], clean(unit.text), remark_of(unit, words)) for unit in view.unplaced],
        faults=[clean(fault) for fault in view.faults],
    )  # fmt: skip
    return Markup(html)  # noqa: S704 - made by a template that escapes


def _tally(which: Kind, view: GistView, words: Words) -> tuple[str, bool]:
    """Return the count as text and whether it is 0 (missing ones: a share of the reference's)."""
    return tally_of(which, view, words), not view.counts[which][0]


def _profile_table(profiles: Profiles, words: Words, *, alone: bool) -> Mapping[str, object]:
    return {
        "title": words["profiles"] + ("" if alone else f": {clean(profiles.metric)}"),
        "heads": [(CLASSES[which], words[which]) for which in WHICH],
        "rows": [
            (
                PROFILES.index(profile),
                profile_name(profile, words),
                [which.replace("_", " ") in profile.split(", ") for which in WHICH],
                n,
                f"{n / profiles.total:.3f}",
            )
            for profile, n in sorted(profiles.answers.items(), key=lambda pair: -pair[1])
        ],
        "remarks": [words[key].format(n) for key in ("without", "faulty", "unplaced") if (n := getattr(profiles, key))],
    }
