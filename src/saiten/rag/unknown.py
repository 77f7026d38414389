"""What our RAG says where its documents do not answer: the words that its prompts ask for, too."""

from collections.abc import Mapping

from saiten.records import Language

I_DO_NOT_KNOW: Mapping[Language, str] = {"en": "I don't know.", "ja": "分かりません。"}
"""`saiten.text.refusals` reads both as refusals."""
