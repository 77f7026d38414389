"""What text is made of: its language, sentences, tokens, and whether it declines to answer."""
