"""The web page of the annotation: who may do what, the pages, and the server that serves them."""
