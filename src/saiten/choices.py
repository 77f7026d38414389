"""Choices and defaults that options show: here, so that the help of a command loads no room behind it."""

from typing import Literal

Format = Literal["table", "json", "csv", "md", "latex", "html"]

Retrieval = Literal["dense", "hybrid", "bm25"]
"""`dense`: by embeddings · `bm25`: by terms · `hybrid`: both, joined by reciprocal rank fusion."""

ChainName = Literal["stuff", "refine", "map_reduce"]
"""As typed and as it stands in descriptions."""

RagForm = Literal["qa", "mqa"]
"""`qa`: each question alone · `mqa`: the search query is written from question and history, and the answer's prompt
shows the history."""

EvidenceMode = Literal["none", "answer", "reference"]
"""The evidence for a grader of correctness: none · what the system saw · what question and reference retrieve."""

By = Literal["system", "group"]

COVERAGE = 0.9
"""The share of the samples that must have a value, unless told otherwise."""

MAX_TURNS = 5
"""As in the paper."""

Level = Literal["nominal", "ordinal", "interval"]
"""Categories · grades whose order counts · grades whose distances count."""

GradeZero = Literal["auto", "declined", "lowest"]
"""What grade 0 means: by the aspect and the labels · the answer declines · the lowest grade."""

Unmeasured = Literal["left-out", "wrong", "worst", "tie"]
"""What an item counts as that the metric has no value for: nothing · the contrary of what people said · no ·
(preferences) a tie."""

SystemsOver = Literal["common", "all"]
"""A system's mean by people is taken over the items that the metric measured too · over all that people rated."""

SplitBy = Literal["group", "system"]
"""What items are divided by."""

TIE_MARGIN = 1e-9
"""Differences of equal scores, but for rounding."""

HeadName = Literal["chat", "regression"]
"""`chat`: a causal model that writes its reply · `regression`: an encoder that predicts the grades themselves."""

HELD_OUT = 0.2
"""Of the questions."""

REPORT_LIMIT = 10_000
"""Samples that a report holds; a browser opens so many within seconds."""

PROBE_NAMES = (
    "padded",
    "planted_verdict",
    "planted_instruction",
    "other_language",
    "empty",
    "reference",
    "wrong_reference",
    "swapped_answer",
    "contexts_reversed",
    "form_turned",
    "rubric_turned",
    "order_swapped",
)
"""The probes, in the order in which they are reported."""
