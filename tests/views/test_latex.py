"""Tables for LaTeX: rules, and attempts of outside texts to be commands."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.views.latex import as_latex
from saiten.views.table import Table

OBEYED = re.compile(r"(?<!\\)[#$%&_^~]")


def body(text):
    """The lines between the rules."""
    return text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()


def test_a_table_has_booktabs_rules_a_caption_and_aligned_columns():
    """Names are left-aligned, numbers right-aligned, with three decimals and a dash for a missing value."""
    table = Table("Scores", ("metric", "95 %"), (("採点", 0.12345), ("b", None)), ("A caption.",))
    assert as_latex([table]) == (
        "% needs \\usepackage{booktabs}\n\n"
        "\\begin{table}\n\\centering\n\\caption{Scores. A caption.}\n\\begin{tabular}{lr}\n\\toprule\n"
        "metric & 95 \\% \\\\\n\\midrule\n採点 & 0.123 \\\\\nb & – \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("a_b & 5 % #1 $x$", r"a\_b \& 5 \% \#1 \$x\$"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("a^b~c", r"a\textasciicircum{}b\textasciitilde{}c"),
        ("two\nlines", "two lines"),
        ('<|">', r"\textless{}\textbar{}\textquotedbl{}\textgreater{}"),
        ("`x --judges`, 'a'' ---", r"\textasciigrave{}x -{}-judges\textasciigrave{}, 'a'{}' -{}-{}-"),
        ("[0.1, 0.2]", "{}[0.1, 0.2]"),
        ("*", "{}*"),
    ],
)
def test_what_latex_would_obey_is_escaped(cell, written):
    """A bracket at the start of a line would become an argument of the preceding line end."""
    assert body(as_latex([Table("t", ("c",), ((cell,),))])) == [written + r" \\"]


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_text_is_a_command(first, second):
    """Whatever is in a cell, braces are balanced, and a line has its two cells."""
    (line,) = body(as_latex([Table("t", ("a", "b"), ((first, second),))]))
    assert len(re.findall(r"(?<!\\)&", line)) == 1
    assert OBEYED.findall(line) == ["&"]
    plain = re.sub(r"\\[{}]", "", line)
    assert plain.count("{") == plain.count("}") == len(re.findall(r"\{\}", plain))
    assert set(re.findall(r"\\([a-z]+)", plain)) <= {"textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar", "textquotedbl", "textasciigrave"}  # fmt: skip
