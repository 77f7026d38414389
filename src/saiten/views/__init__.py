"""What people look at: tables in the terminal, JSON, CSV and Markdown out of the same rows."""
