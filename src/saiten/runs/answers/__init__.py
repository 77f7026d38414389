"""Questions × one system → answers, each written as soon as it exists."""

from saiten.runs.answers.answers_file import AnswersFile, Collecting, answer_once
from saiten.runs.answers.summary import AnswerSummary, summarize_answers

__all__ = ["AnswerSummary", "AnswersFile", "Collecting", "answer_once", "summarize_answers"]
