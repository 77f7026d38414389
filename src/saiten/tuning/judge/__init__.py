"""Training a judge: people's grades become examples from which a model learns to grade."""
