"""Files that survive a crash: written as a whole or appended line by line, by one process at a time."""
