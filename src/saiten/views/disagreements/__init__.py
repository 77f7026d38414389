"""Items on which a judge and people differ: texts, marks and everybody's words, on the terminal or on a page."""
