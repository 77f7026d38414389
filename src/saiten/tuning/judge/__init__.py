"""A judge of one's own: people's grades become examples, and a model learns to grade as they do."""
