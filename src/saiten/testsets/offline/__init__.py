"""Questions without a model: out of sentences with numbers, names and definitions, by rules; short cloze texts else."""
