"""The report: one page for people about a run, several runs, or an experiment, with every sample behind its figures."""
