"""Adapters to the system under test: a Python callable, an HTTP service, a chat model, answers in a file."""

from saiten.rag.systems.answer_file import AnswerFile
from saiten.rag.systems.chat_model import ChatModel
from saiten.rag.systems.http_json import HttpAddress, HttpJson
from saiten.rag.systems.loading import load_function
from saiten.rag.systems.python_callable import PythonCallable

__all__ = ["AnswerFile", "ChatModel", "HttpAddress", "HttpJson", "PythonCallable", "load_function"]
