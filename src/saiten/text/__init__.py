"""Properties of text: its language, sentences, tokens, and whether it declines to answer."""
