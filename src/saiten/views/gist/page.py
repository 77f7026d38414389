"""The HTML page of a run's gist: its profiles, then each answer next to its reference with the units marked.

`gist_block` renders one answer, for any page that includes this one's style sheet.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from markupsafe import Markup, escape

from saiten.metrics.judged.gist_counts import WHICH
from saiten.metrics.judged.gist_profiles import PROFILES, Profiles
from saiten.records import Language
from saiten.views.gist.view import KINDS, GistRun, GistView, Kind, Segment, Unit, harmless, sign
from saiten.views.page.page import Part, templates, write_page

CLASSES: Mapping[Kind, str] = {
    "missing_gist": "mg",
    "missing_supplement": "ms",
    "extra_gist": "eg",
    "extra_supplement": "es",
    "gist": "bg",
    "supplement": "bs",
}
"""CSS classes: short, since every unit carries one."""

Words = Mapping[str, str]

WORDS: Mapping[Language, Words] = {
    "en": {
        "gist": "gist, in both",
        "supplement": "supplement, in both",
        "missing_gist": "missing gist",
        "missing_supplement": "missing supplement",
        "extra_gist": "extra gist",
        "extra_supplement": "extra supplement",
        "left_over": "in no unit",
        "about_gist": "It carries the answer, and the answer has it.",
        "about_supplement": "It only supports the answer, and the answer has it.",
        "about_missing_gist": "It carries the answer, and the answer lacks it.",
        "about_missing_supplement": "It only supports the answer, and the answer lacks it.",
        "about_extra_gist": "Put forward as carrying the answer; not in the reference: false, or merely redundant.",
        "about_extra_supplement": "Put forward as support; not in the reference: false, or merely redundant.",
        "nothing": "nothing missing or extra",
        "and": ", ",
        "profiles": "What answers lack and add",
        "profile": "profile",
        "answers": "answers",
        "share": "share",
        "without": "Answers without a profile: {}; each says why.",
        "faulty": "Answers with faults left in the judge's replies: {}; they are listed there.",
        "unplaced": "Units not found in their text: {}; they count all the same.",
        "units": "Answers and references",
        "legend": "Legend",
        "question": "Question",
        "reference": "Reference",
        "answer": "Answer",
        "no_text": "not given",
        "empty": "empty",
        "no_units": "No units: {}",
        "not_marked": "Without a place of their own in the text",
        "said": "named as “{}”",
        "faults": "Faults left in the judge's replies",
        "tally": "{of} of {all}",
        "show": "Show",
        "all": "all profiles ({})",
        "none": "no profile",
        "filter": "Filter by text",
        "counted": "{shown} of {all} answers",
        "one": "Show these answers",
        "left_out": "{shown} of {all} answers are shown. Any other: saiten show RUN --sample ID",
        "nobody": "No answer fits.",
    },
    "ja": {
        "gist": "趣旨（回答にもある）",
        "supplement": "補足（回答にもある）",
        "missing_gist": "不足（趣旨）",
        "missing_supplement": "不足（補足）",
        "extra_gist": "不適（趣旨）",
        "extra_supplement": "不適（補足）",
        "left_over": "どの単位にも含まれない",
        "about_gist": "回答の要となる内容で、回答にもある。",
        "about_supplement": "回答を支えるだけの内容で、回答にもある。",
        "about_missing_gist": "回答の要となる内容だが、回答にない。",
        "about_missing_supplement": "回答を支えるだけの内容で、回答にない。",
        "about_extra_gist": "要として述べられているが、参照回答にない。誤りか、余分か。",
        "about_extra_supplement": "補足として述べられているが、参照回答にない。誤りか、余分か。",
        "nothing": "不足も不適もなし",
        "and": "、",
        "profiles": "回答に足りないものと余計なもの",
        "profile": "類型",
        "answers": "回答数",
        "share": "割合",
        "without": "類型のない回答が {} 件ある。理由はそれぞれに示す。",
        "faulty": "{} 件の回答では、判定の返答に誤りが残った。それぞれに示す。",
        "unplaced": "本文中に見つからなかった単位が {} 個ある。数には入っている。",
        "units": "回答と参照回答",
        "legend": "凡例",
        "question": "質問",
        "reference": "参照回答",
        "answer": "回答",
        "no_text": "なし",
        "empty": "空",
        "no_units": "単位なし：{}",
        "not_marked": "本文中に固有の位置がない単位",
        "said": "判定での表記「{}」",
        "faults": "判定の返答に残った誤り",
        "tally": "{of} / {all}",
        "show": "表示",
        "all": "すべての類型（{}）",
        "none": "類型なし",
        "filter": "文字で絞り込む",
        "counted": "{all} 件中 {shown} 件",
        "one": "この類型の回答を表示",
        "left_out": "{all} 件のうち {shown} 件を示す。その他は saiten show RUN --sample ID で見られる",
        "nobody": "当てはまる回答がない。",
    },
}


def write_gist_page(run: GistRun, out: IO[str], *, title: str, language: Language | None = None) -> None:
    """Write the page in pieces, reading answers as it goes.

    `language`: of the page's own words; by default that of most samples.
    """
    chosen = language or run.language
    write_page([], out, title=title, language=chosen, part=_part(run, WORDS[chosen], chosen))


def _part(run: GistRun, words: Words, language: Language) -> Part:
    left_out = words["left_out"].format(shown=run.shown, all=run.total) if run.shown < run.total else ""
    return Part(
        "gist",
        {
            "words": words,
            "legend": [(kind, CLASSES[kind]) for kind in KINDS],
            "tables": [_profile_table(one, words, alone=len(run.profiles) == 1) for one in run.profiles],
            "options": [
                ("none" if profile is None else PROFILES.index(profile), _option(profile, words), n)
                for profile, n in run.by_profile.items()
            ],
            "shown": run.shown,
            "left_out": left_out,
            "blocks": (gist_block(view, language, alone=len(run.profiles) == 1) for view in run.views()),
        },
    )


def gist_block(view: GistView, language: Language, *, alone: bool = True) -> Markup:
    """Render one answer: question, reference and answer with their units, then the units that could not be marked.

    `alone`: the page has no other setting of the metric, so its name is left out.
    """
    sample, words = view.sample, WORDS[language]
    html = templates().get_template("gist_block.html").render(
        words=words,
        number="none" if view.profile is None else PROFILES.index(view.profile),
        id=sign(sample.id),
        where=" · ".join(sign(part) for part in (sample.system, sample.group) if part),
        metric="" if alone else sign(view.metric),
        tally=[(CLASSES[which], words[which], *_tally(which, view, words)) for which in WHICH if view.counts],
        reason=words["no_units"].format(sign(view.reason)) if view.profile is None else "",
        question=sign(sample.question),
        lang="ja" if sample.language == "ja" else "en",
        sides=[
            ("reference", sample.reference, marked(view.reference, words, whole=True)),
            ("answer", sample.answer, marked(view.answer, words, whole=False)),
        ],
        unplaced=[(CLASSES[unit.kind], sign(unit.text), remark_of(unit, words)) for unit in view.unplaced],
        faults=[sign(fault) for fault in view.faults],
    )  # fmt: skip
    return Markup(html)  # noqa: S704 - made by a template that escapes


def _tally(which: Kind, view: GistView, words: Words) -> tuple[str, bool]:
    """Return the count as text and whether it is 0 (missing ones: a share of the reference's)."""
    n, of = view.counts[which]
    return words["tally"].format(of=n, all=of) if which.startswith("missing") else str(n), not n


def marked(pieces: Sequence[Segment], words: Words, *, whole: bool) -> Markup:
    """Wrap each unit in a `mark`; where units cross, the inner one is closed and reopened.

    `whole`: units should cover the text, so the rest is dimmed.
    """
    parts: list[str] = []
    around: tuple[Unit, ...] = ()
    between = whole and any(piece.units for piece in pieces)
    for piece in harmless(pieces):
        going_on = len(piece.units) - piece.begin
        same = next((at for at in range(going_on) if at >= len(around) or around[at] is not piece.units[at]), going_on)
        parts.append("</mark>" * (len(around) - same))
        parts += [_opening(unit, words, goes_on=same + at < going_on) for at, unit in enumerate(piece.units[same:])]
        text = str(escape(piece.text))
        parts.append(f"<span class=lo>{text}</span>" if between and not piece.units and text.strip() else text)
        around = piece.units
    parts.append("</mark>" * len(around))
    return Markup("".join(parts))  # noqa: S704 - escaped piece by piece


def _opening(unit: Unit, words: Words, *, goes_on: bool) -> str:
    remark = remark_of(unit, words)
    title = f' title="{escape(remark)}"' if remark else ""
    return f'<mark class="{CLASSES[unit.kind]}{" on" if goes_on else ""}"{title}>'


def remark_of(unit: Unit, words: Words) -> str:
    """Return the judge's explanation of a unit and its wording, if it differs."""
    said = words["said"].format(sign(unit.said)) if unit.said else ""
    return " ".join(part for part in (sign(unit.why), said) if part)


def _option(profile: str | None, words: Words) -> str:
    return words["none"] if profile is None else profile_name(profile, words)


def _profile_table(profiles: Profiles, words: Words, *, alone: bool) -> Mapping[str, object]:
    common = sorted(profiles.answers.items(), key=lambda pair: -pair[1])
    return {
        "title": words["profiles"] + ("" if alone else f": {sign(profiles.metric)}"),
        "heads": [(CLASSES[which], words[which]) for which in WHICH],
        "rows": [
            (PROFILES.index(profile), profile_name(profile, words), _signs(profile), n, f"{n / profiles.total:.3f}")
            for profile, n in common
        ],
        "remarks": list(_remarks(profiles, words)),
    }


def _signs(profile: str) -> list[bool]:
    there = profile.split(", ")
    return [which.replace("_", " ") in there for which in WHICH]


def _remarks(profiles: Profiles, words: Words) -> Iterator[str]:
    for name in ("without", "faulty", "unplaced"):
        if n := getattr(profiles, name):
            yield words[name].format(n)


def profile_name(profile: str, words: Words) -> str:
    """Return the profile in the page's language."""
    kinds = [part.replace(" ", "_") for part in profile.split(", ")]
    return words["and"].join(words[kind] for kind in kinds) if kinds[0] in words else words["nothing"]
