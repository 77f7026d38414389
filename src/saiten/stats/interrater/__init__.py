"""Agreement among any number of annotators."""
