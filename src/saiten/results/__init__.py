"""Results as frozen records, independent of how they are displayed."""
