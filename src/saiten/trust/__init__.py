"""Whether a judge can be trusted: its figures compared with human labels, and with themselves.

| room | question |
|---|---|
| `inputs/` | what metrics, judges and people said, paired per item |
| `agreement.py` | do people agree with each other |
| `meta_evaluation/` | does a metric agree with people, and which metric agrees most |
| `spans/` | does a judge mark the same spans as people |
| `estimate.py` | how people would rate all items, estimated from few labels |
| `probes/` | does a judge react correctly when answers are changed on purpose |
| `drift.py` | has a judge changed since it was compared with people |
| `human_scores.py` | human labels as scores next to those of metrics |

The records these return are in `saiten.results`.
"""
