"""Adapters to the system under test: a Python callable, an HTTP service, a chat model, answers in a file."""

from saiten.systems.answer_file import AnswerFile
from saiten.systems.chat_model import ChatModel
from saiten.systems.http_address import HttpAddress
from saiten.systems.http_json import HttpJson
from saiten.systems.loading import load_function
from saiten.systems.python_callable import PythonCallable

__all__ = ["AnswerFile", "ChatModel", "HttpAddress", "HttpJson", "PythonCallable", "load_function"]
