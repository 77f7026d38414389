"""The page where people grade: forms, a database of what they said, and a web server for it."""
