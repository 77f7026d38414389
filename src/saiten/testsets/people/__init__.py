"""What people decided on the items of a test set."""
