"""`saiten demo`, a file a section; `command` tells them in their order."""
