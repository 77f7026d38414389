"""Questions that an answer answers. Offline none can be written: the answer's own statements stand in their place."""

from saiten.errors import CannotJudge
from saiten.judges.offline.statements import statements_of
from saiten.tasks.questions import Questions, WriteQuestions
from saiten.text.refusals import is_refusal


def write_questions(task: WriteQuestions) -> Questions:
    """The first `count` statements of the answer, each with a question mark; from the first again if there are fewer.

    So an answer relevancy made of them is the similarity of the question and the answer's own sentences. Whether the
    answer is non-committal is told by the patterns of refusals.
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
