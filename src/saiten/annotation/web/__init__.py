"""The annotation web application: access control, pages, and the HTTP server."""
