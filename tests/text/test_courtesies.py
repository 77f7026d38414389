"""Greetings, thanks and offers of help."""

import pytest

from saiten.text.courtesies import is_courtesy


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "Thank you for your question.",
        "Thank you for asking. I hope this helps! Have a nice day.",
        "Sure, I'd be happy to help!",
        "こんにちは。",
        "お問い合わせありがとうございます。",
        "ご質問いただき、誠にありがとうございます。お役に立てば幸いです。",
        "以上、よろしくお願いいたします。",
    ],
)
def test_a_text_of_courtesies_is_one(text: str):
    """One or several, in either language, with the punctuation around them."""
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "。",
        "Hi-fi sets are on the second floor.",
        "Thanks to the new pump, the cellar stays dry.",
        "Hello! The office opens at nine.",
        "お問い合わせは総務課までお願いします。",
        "ありがとうございますと伝えるのが礼儀です。",
        "Hello! " * 60,
    ],
)
def test_a_text_that_says_something_is_none(text: str):
    """A sentence that begins like a courtesy, or follows one, says something; so does anything very long."""
    assert not is_courtesy(text)
