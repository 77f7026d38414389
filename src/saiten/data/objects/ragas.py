"""RAGAS: samples and data sets; the fields of a single-turn sample are columns that every file may have."""

from typing import Any

from saiten.data.objects.types import Readers, declared_fields


def _of_testset(value: Any) -> dict[str, Any]:
    return {**(declared_fields(value.eval_sample) or {}), "synthesizer_name": value.synthesizer_name}


ROWS: Readers = {("ragas", "TestsetSample"): _of_testset}
COLLECTIONS: Readers = {("ragas", "RagasDataset"): lambda value: value.samples}
UNREAD = {
    ("ragas", "SingleTurnSample"): {
        "rubrics": 'rubrics are not used; a criterion of your own is a metric: "criterion[polite and brief, 1 to 5]"',
        "multi_responses": "multi_responses are not read; pass one sample per response",
    }
}
