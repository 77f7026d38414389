"""Results as frozen records: nothing here knows how it is shown."""
