"""The designs of five papers, run on one's own data: what each needs, the commands that it takes, its tables."""
