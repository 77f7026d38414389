"""Planning: which question is to be written from which passages."""
