"""The pages on papers: each of saiten's figures on them is what the page's commands print."""

import json

import pytest
from paper_pages import HERE, NAMES, PUBLISHED, commands, here, is_among, is_here, numbers_in, page, sections


@pytest.fixture
def printed(saiten):
    """`printed(name)`: the tables of the design after the commands of its English page, by title."""

    def run(name):
        typed = [words for words in commands(page(name)) if words[:2] == ["paper", name]]
        for words in typed:
            said = saiten(*words)
            assert said.status in {0, 6}, said
        said = saiten(*typed[-1], "--results", "--format", "json")
        assert said.status == 0, said
        return json.loads(said.out)

    return run


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NAMES)
def test_each_figure_of_a_page_is_what_its_commands_print(name, printed):
    """In both languages: the numbers in the columns `here`, below a heading, are in the tables of that heading."""
    tables = printed(name)
    for language in ("en", "ja"):
        found = sections(page(name, language))
        labels = [label for label, below in sections(page(name)).items() if any(map(here, below))]
        for (heading, below), english in zip(
            ((heading, below) for heading, below in found.items() if any(map(here, below))), labels, strict=True
        ):
            label = english.partition(":")[0]
            values = numbers_in(rows for title, rows in tables.items() if title.startswith(label))
            assert values, f"no table is called {label}: {list(tables)}"
            assert [number for rows in below for number in here(rows) if not is_among(number, values)] == [], heading


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", NAMES)
def test_published_figures_and_saitens_are_in_columns_of_their_own(name, language):
    """No table has figures of the text without saying so, and every page has both kinds."""
    tables = [rows for below in sections(page(name, language)).values() for rows in below if rows]
    heads = [set(rows[0]) for rows in tables]
    assert any(map(is_here, set().union(*heads)))
    assert any(column.split(" · ")[0] in PUBLISHED for head in heads for column in head)
    assert not {column for head in heads for column in head if "saiten" in column.lower()} & HERE
