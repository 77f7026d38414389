"""Numbers in, numbers out: each figure is defined once, here, independent of samples.

| file | figures |
|---|---|
| `classification.py` | percent agreement, Cohen's kappa, F1, macro F1, balanced accuracy of two columns |
| `correlation.py` | Pearson, Spearman, Kendall's tau-b |
| `auroc.py` | AUROC |
| `reliability.py` | intraclass correlation, share of equal votes |
| `interrater/` | percent, kappas and Krippendorff's alpha of any number of annotators |
| `regression.py` | least squares |
| `f_measure.py`, `differences.py` | F; mean absolute error and bias |
| `corpus_bleu.py` | BLEU of many answers together |
| `latency.py` | median and 95th percentile |
| `lengths.py` | mean, median and 95th percentile of lengths, from their counts |

| file | intervals and tests |
|---|---|
| `estimate.py` | a figure with its interval; the bootstrap of a mean and of any figure |
| `wilson.py` | the interval of a share |
| `resampling.py` | the bootstrap of figures computed for many resamples at once |
| `ranks.py` | ranks and pairs of rows, for one or many resamples |
| `clusters.py` | rows drawn together |
| `paired.py` | the difference of two runs, its p-value, Holm's correction |
| `ratios.py` | the ratio of two means |
| `dependent_correlations.py` | whether one of two metrics is closer to people |
| `prediction_powered.py` | a mean from few labels and many scores (`prediction_powered_records.py`: its records) |
"""
