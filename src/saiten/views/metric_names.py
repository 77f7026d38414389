"""Names of metrics as people see them: in Japanese, with a short Japanese name behind the one that is typed."""

from saiten.metrics.catalog import metric_gloss
from saiten.records import Language
from saiten.words import section


def shown_metric(metric: str, language: Language) -> str:
    """Return `faithfulness（忠実性）` in Japanese, and the name itself in English or if it has no Japanese one."""
    if language != "ja":
        return metric
    gloss = metric_gloss(metric) or section("dialogue_score", "ja").get(metric)
    return f"{metric}（{gloss}）" if gloss else metric
