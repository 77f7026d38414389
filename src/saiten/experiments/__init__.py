"""Experiments: grids of models, chains and data sets, and the judge with one evidence beside the judge with another."""
