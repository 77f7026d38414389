"""What others say in errors of saiten, as templates: `make words` writes them into a catalog.

They are those of the parser of the command line (typer, pydantic), of the operating system and of JSON that a user of
saiten meets.
"""

TEXTS_OF_PARSER = (
    "No such option: {name}",
    "No such option: {name} (Possible options: {names})",
    "No such command '{name}'.",
    "Missing command.",
    "Missing argument '{name}'.",
    "Missing option '{name}'.",
    "Got unexpected extra argument(s) ({names})",
    "Option '{name}' requires an argument.",
    "Option '{name}' does not take a value.",
    "Invalid value: {error}",
    "Invalid value for '{name}': {error}",
    "Value error, '{value}' is not one of {names}.",
    "Input should be a valid integer, unable to parse string as an integer",
    "Input should be a valid number, unable to parse string as a number",
    "Input should be a valid boolean, unable to interpret input",
    "Input should be greater than or equal to {bound}",
    "Input should be less than or equal to {bound}",
    "Input should be greater than {bound}",
    "Input should be less than {bound}",
    "Is a directory",
    "No such file or directory",
    "No space left on device",
    "Not a directory",
    "Permission denied",
    "Read-only file system",
    "Expecting ',' delimiter: line {line} column {column} (char {number})",
    "Expecting ':' delimiter: line {line} column {column} (char {number})",
    "Expecting property name enclosed in double quotes: line {line} column {column} (char {number})",
    "Expecting value: line {line} column {column} (char {number})",
    "Extra data: line {line} column {column} (char {number})",
    "Invalid control character at: line {line} column {column} (char {number})",
    "Unterminated string starting at: line {line} column {column} (char {number})",
)
