"""Results as a page for the browser."""
