"""Experiments: grids of models, chains and data sets, and one judge with different evidence."""
