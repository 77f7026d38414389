"""Questions × one system → answers, each written down the moment it is there."""

from saiten.answering.answers_file import AnswersFile
from saiten.answering.collecting import answer_into, answer_once
from saiten.answering.summary import AnswerSummary, summarise_answers

__all__ = ["AnswerSummary", "AnswersFile", "answer_into", "answer_once", "summarise_answers"]
