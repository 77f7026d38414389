"""A system under test: replace the body with a call of yours."""


def answer(question):
    """Return the answer and the passages that it is based on."""
    passages = ["The bridge was opened in 1998."]
    return {"answer": "It was opened in 1998.", "contexts": passages}
