"""What metrics and people said, read and paired item by item."""
