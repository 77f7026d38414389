"""Human annotation: forms, a database of annotations, and the web server for both."""
