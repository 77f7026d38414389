"""Results as a web page."""
