"""Questions that an answer answers. Offline, the answer's own statements take their place."""

from saiten.errors import CannotJudge
from saiten.judges.offline.statements import statements_of
from saiten.tasks.statements import Questions, WriteQuestions
from saiten.text.refusals import is_refusal


def write_questions(task: WriteQuestions) -> Questions:
    """Return the first `count` statements of the answer as questions, starting over if there are fewer.

    Answer relevancy is then the similarity of the question and the answer's own sentences. Non-committal answers are
    recognized by the refusal patterns.
    """
    statements = statements_of(task.answer, task.language)
    if not statements:
        raise CannotJudge("the answer holds no statement that a question could be made of")
    mark = "？" if task.language == "ja" else "?"
    first = task.draw * task.count
    chosen = [statements[(first + at) % len(statements)] for at in range(task.count)]
    return Questions(
        questions=[statement.rstrip(".!?。．！？ ") + mark for statement in chosen],
        noncommittal=is_refusal(task.answer, task.language),
    )
