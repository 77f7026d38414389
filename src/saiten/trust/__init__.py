"""Can the judge be trusted: its figures compared with what people said, and with themselves.

| room | question |
|---|---|
| `inputs/` | what did metrics, judges and people say, paired item by item |
| `agreement.py` | do people agree with each other |
| `meta_evaluation/` | does a metric agree with people, and which metric most |
| `spans/` | does a judge mark what people mark |
| `estimate.py` | what would people say of all items, from few labels |
| `probes/` | does a judge hold where the answer is changed on purpose |
| `drift.py` | has a judge changed since it was compared with people |
| `human_scores.py` | people's labels as scores next to those of metrics |

The records they return are in `saiten.results`.
"""
