"""Reading metrics' outputs and human labels, and pairing them item by item."""
