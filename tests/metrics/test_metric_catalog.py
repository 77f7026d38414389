import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import ConfigurationError
from saiten.metrics.catalog import ALIASES, CATALOG, ENTRIES, PRESETS, make_metric, make_metrics, metric_gloss
from saiten.metrics.naming import read_name, split_names, write_name
from saiten.metrics.ragas.aspect_critique import AspectCritique
from saiten.records import Sample
from saiten.runs.scoring import score_once

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"
FULL = Sample("1", "question", "answer", ("context.",), "reference", evidence=("evidence",))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_an_entry_leads_to_the_metric_that_it_names(entry):
    """The path loads a class with this title whose example makes a metric, and both lines say something."""
    metric = make_metric(entry.example)
    assert type(metric) is entry.load()
    assert entry.load().title == entry.title
    assert entry.load().needs == metric.needs
    assert entry.load().tasks == metric.tasks
    assert bool(metric.tasks) is (entry.family not in {"overlap", "neural"})
    assert entry.en.isascii() or "…" in entry.en
    assert not entry.ja.isascii()
    assert [setting.name for setting in entry.settings] == [field.name for field in fields(metric)]


@pytest.mark.parametrize("typed", [entry.example for entry in ENTRIES if entry.family != "neural"])
async def test_a_metric_reads_only_the_fields_that_it_needs(typed):
    """A sample with just the needed fields never fails for lack of another; the judge may, as it knows nothing.

    Metrics that need a network's weights have separate tests.
    """
    metric = make_metric(typed)
    given = {need: getattr(FULL, need) for need in metric.needs}

    class AskedError(Exception):
        pass

    class Curious:
        async def perform(self, task):
            raise AskedError

    try:
        score = await metric.score(Sample("1", **given), Curious())
    except AskedError:
        assert metric.tasks
    else:
        assert score.status == "ok"
    through_the_door = await score_once(Sample("1", **given), metric, Curious())
    assert "the sample has no" not in (through_the_door.reason or "")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_the_fields_that_a_metric_needs_are_those_that_its_docs_name(entry):
    """Docs, docstring and `needs` agree: a field called optional on a page must not make scores undefined."""
    section = re.split(r"^### `", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (page,) = [text for text in section if text.startswith(f"{entry.title}`\n")]
    (listed,) = re.findall(r"\*\*Needs\*\* (.*?)(?:\.|;|\n\n|\Z)", page, re.DOTALL)
    assert set(re.findall(r"question|answer|contexts|reference", listed)) == set(entry.load().needs)
    excused = re.findall(r"\ba (\w+) is not insisted on", inspect.getdoc(entry.load()) or "")
    assert set(excused).isdisjoint(entry.load().needs)


def test_japanese_names_are_short_and_each_means_one_thing():
    """Two rows of a Japanese table never have the same short name, and it fits behind the English one."""
    names = [name for entry in ENTRIES for name in (entry.gloss, *entry.glosses.values())]
    assert all(1 < len(name) <= 12 and not name.isascii() for name in names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.glosses], ids=lambda entry: entry.title)
def test_a_setting_with_a_japanese_name_is_one_that_can_be_typed(entry):
    """A name of a setting that no longer exists would never be shown."""
    for setting, gloss in entry.glosses.items():
        assert metric_gloss(make_metric(f"{entry.title}[{setting}]").name) == gloss


@pytest.mark.parametrize(
    ("name", "gloss"),
    [
        ("faithfulness", "忠実性"),
        ("faithfulness[compat=ragas]", "忠実性"),
        ("correctness[evidence=reference]", "正しさの評点"),
        ("accuracy[grounded,form=marker]", "根拠付き正答率"),
        ("gist[missing_gist]", "趣旨の不足"),
        ('aspect_critique["Is it polite, and short?"]', "観点別の判定"),
        ("aspect_critique[回答は丁寧ですか。]", "観点別の判定"),
        ("faithfulness[", ""),
        ("human:correct", ""),
        ("Politeness", ""),
        ("", ""),
    ],
)
def test_a_name_in_results_has_a_japanese_name(name, gloss):
    """With its settings, and "" for what is not saiten's or cannot be read: results may come from someone else."""
    assert metric_gloss(name) == gloss


@pytest.mark.parametrize("title", CATALOG)
def test_every_metric_has_a_section_in_the_docs(title):
    """docs/metrics.md explains each metric under its title."""
    assert f"### `{title}`\n" in DOCS.read_text(encoding="utf-8")


def test_the_docs_list_no_metric_that_does_not_exist():
    """Each section of docs/metrics.md titled like a metric is one, and they are in the catalog's order."""
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    assert [line.strip("#` ") for line in lines if line.startswith("### `")] == list(CATALOG)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("faithfulness", "faithfulness"),
        (" Faithfulness ", "faithfulness"),
        ("faithfulness[compat=ragas]", "faithfulness[compat=ragas]"),
        ("faithfulness[compat=ours]", "faithfulness"),
        ("faithfulness[share]", "faithfulness"),
        ("faithfulness[worst]", "faithfulness[worst]"),
        ("faithfulness[figure=sentences]", "faithfulness[sentences]"),
        ("ROUGE-L", "rouge_l"),
        ("response_relevancy[questions=5]", "answer_relevancy[questions=5]"),
        ("aspect_critique", "aspect_critique[harmfulness]"),
        ("aspect_critique[criterion=coherence]", "aspect_critique[coherence]"),
        ("aspect_critic[ conciseness , compat=ragas ]", "aspect_critique[conciseness,compat=ragas]"),
        ("aspect_critique[Is it polite?]", "aspect_critique[Is it polite?]"),
        ('aspect_critique["Is it polite, and short?"]', 'aspect_critique["Is it polite, and short?"]'),
        ('aspect_critique["Is [1] \\"cited\\"?"]', 'aspect_critique["Is [1] \\"cited\\"?"]'),
        ("aspect_critique[敬語で書かれていますか。]", "aspect_critique[敬語で書かれていますか。]"),
        ("correctness[evidence=none,form=prometheus]", "correctness[evidence=none,form=prometheus]"),
        ("accuracy[grounded]", "accuracy[grounded]"),
        ("accuracy[grounded=no]", "accuracy"),
        ("accuracy[form=marker, grounded=true]", "accuracy[grounded,form=marker]"),
        ("answer_correctness[beta=2,weight=.5]", "answer_correctness[beta=2.0,weight=0.5]"),
    ],
)
def test_a_name_with_settings_makes_a_metric_whose_name_makes_it_again(typed, name):
    """What was typed gives the name in results, and that name gives an equal metric."""
    metric = make_metric(typed)
    assert metric.name == name
    assert make_metric(metric.name) == metric


@given(st.text(min_size=1).filter(str.strip), st.sampled_from(["ours", "ragas"]))
def test_any_criterion_survives_its_name(criterion, compat):
    """Commas, brackets, quotation marks, line ends, full-width signs: the name restores the criterion."""
    metric = AspectCritique(criterion, compat=compat)
    assert make_metric(metric.name) == metric
    assert split_names(f"{metric.name},faithfulness") == [metric.name.strip(), "faithfulness"]


@given(st.text())
def test_rubbish_is_refused_in_words(text):
    """Any input is a metric or a ConfigurationError with a text, never another exception."""
    for name in (text, f"faithfulness[{text}]", f"aspect_critique[{text}]", f"accuracy[{text}"):
        assert _made_or_told(name)


def _made_or_told(name):
    try:
        return make_metric(name).name
    except ConfigurationError as error:
        return str(error)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("faithfullness", "did you mean faithfulness"),
        ("rouge_3", "did you mean rouge_"),
        ("zzz", "there are faithfulness, answer_relevancy"),
        ("faithfulness[x=1]", "its settings are: compat (ours | ragas); figure (share | sentences | worst)"),
        ("faithfulness[strict]", "figure takes share | sentences | worst, not 'strict'"),
        ("context_recall[strict]", "no setting 'strict'"),
        ("rouge_l[compat=ragas]", "its settings are: none"),
        ("answer_correctness[beta=x]", "beta takes float, not 'x'"),
        ("correctness[form=marker]", "form takes json | prometheus"),
        ("accuracy[grounded=perhaps]", "grounded takes yes | no"),
        ("aspect_critique[Is it polite, and short?]", "quotation marks"),
        ("correctness[form=json,form=prometheus]", "form is set twice"),
        ('aspect_critique["oops]', 'quotation marks: aspect_critique["…"]'),
        ("faithfulness[compat=ragas", "title[setting=value,…]"),
        ("", "title[setting=value,…]"),
    ],
)
def test_an_error_names_what_there_is(name, message):
    """Similar names, the settings with their values, the form of a name: the error says what to type."""
    with pytest.raises(ConfigurationError) as error:
        make_metric(name)
    assert message in str(error.value)


def test_presets_and_lists_become_metrics_once_each():
    """`ragas` means the nine, `overlap` needs no judge; a metric named twice is measured once, in order."""
    assert len(PRESETS["ragas"]) == 9
    assert not any(metric.tasks for metric in make_metrics(["overlap"]))
    names = [metric.name for metric in make_metrics(["rouge_l,ragas", "faithfulness", 'aspect_critique["a, b"], chrf'])]
    assert names[:2] == ["rouge_l", "faithfulness"]
    assert names[-2:] == ['aspect_critique["a, b"]', "chrf"]
    assert len(names) == len(set(names)) == 12


def test_compat_reaches_every_metric_that_has_it_and_no_other():
    """One argument switches the nine; brackets take precedence, and the other metrics ignore it."""
    metrics = make_metrics(["ragas", "context_relevance,rouge_l,accuracy"], compat="ragas")
    assert all(metric.compat == "ragas" for metric in metrics[:9])
    assert [metric.name for metric in metrics[9:]] == ["context_relevance", "rouge_l", "accuracy"]
    assert make_metrics(["faithfulness[compat=ours]"], compat="ragas")[0].compat == "ours"
    with pytest.raises(ConfigurationError, match="compat takes ours"):
        make_metrics(["faithfulness"], compat="deepeval")


def test_aliases_lead_to_titles_and_hide_none():
    """Alternative spellings map to metrics that exist, and are no titles or presets themselves."""
    assert set(ALIASES.values()) <= set(CATALOG)
    assert not set(ALIASES) & (set(CATALOG) | set(PRESETS))


@given(st.dictionaries(st.sampled_from(["a", "b"]), st.text(), max_size=2), st.none() | st.text(min_size=1))
def test_names_are_read_as_they_were_written(settings, main):
    """Title, main setting and settings are read back in order, whatever characters they contain."""
    title, items = read_name(write_name("title", settings, main=main))
    expected = ([] if main is None else [(None, main)]) + list(settings.items())
    assert (title, [tuple(item) for item in items]) == ("title", expected)
