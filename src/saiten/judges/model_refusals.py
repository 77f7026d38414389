"""Refusals of a model: whether it declines to judge, rather than replying badly, and asking it again.

Not to be confused with an answer that declines, which is judged (`text/refusals.py`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from saiten.errors import JudgeError, ModelRefused
from saiten.protocols import Chat, ChatRequest, Completion
from saiten.records import Usage

_FILTERED = frozenset({"content_filter", "refusal"})
"""Finish reasons of replies that a provider withholds or breaks off."""
_LONGEST_SHOWN = 200
"""Characters of a refusal in the reason of a score."""
_FURTHER_SEED = 100_000
"""Between the seeds of a request that is made again: votes and repeated draws take the next few."""
_LONGEST = 1_000
"""Characters: models refuse in a few sentences, and a longer text explains something else."""
_ENGLISH = re.compile(
    r"\b(?:i|we)(?: am|['’]m| are|['’]re)? (?:\w+ly )?"
    r"(?:can ?not|can['’]?t|could not|couldn['’]?t|will not|won['’]?t|must decline to|have to decline to"
    r"|(?:am )?unable to|not able to|not allowed to|not permitted to|not comfortable with|decline to) "
    r"(?:be able to )?(?:\w+ly )?"
    r"(?:assist|help|comply|continue|proceed|engage|fulfil+|complete|perform|process|provide|do (?:that|this|so)"
    r"|discuss|respond|answer|grade|rate|score|evaluate|judge|assess|review|verify|analy[sz]e|generate|write|create"
    r"|share)"
    r"|\b(?:against|violates?) (?:my|our|the|openai['’]s)? ?(?:\w+ )?(?:polic(?:y|ies)|guidelines|principles)"
    r"|^(?:i['’]?m|i am) (?:very |so |really )?sorry[,.]? but (?:i|we)\b",
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r"(?:お答え|回答|対応|お手伝い|手伝う|ご?協力|支援|評価|採点|判定|検証|処理|提供|生成|作成|お応え|お受け)"
    r"(?:(?:する|いたす|し|すること)?(?:こと)?(?:は|が|を|も)?)(?:でき(?:ませ|な|かね)|いたしかね|しかね|いたしませ|控え|差し控え|お断り)"
    r"|(?:要望|要求|リクエスト|依頼|ご?質問)に(?:は|も)?(?:お応え|応じ|お答え|答え|対応|従)[^。]{0,12}(?:ませ|かね|ない)"
    r"|(?:応じ|答え)(?:られ|かね)(?:ませ|ま|な)"
    r"|(?:ポリシー|ガイドライン|利用規約|規約|方針)(?:に|の)[^。]{0,12}(?:違反|反し|反する|抵触|より)"
)


def refuses(completion: Completion) -> bool:
    """Return whether a reply that holds no verdict is a refusal: filtered, or in words such as *I can't assist*.

    Meant for replies that could not be read: the words alone also occur in a judge's remarks on an answer.
    """
    if completion.finish_reason in _FILTERED:
        return True
    text = completion.text.strip()
    if not text or len(text) > _LONGEST:
        return False
    return _ENGLISH.search(text) is not None or (not text.isascii() and _JAPANESE.search(text) is not None)


def refusal_in(completion: Completion) -> str | None:
    """Return what the reason of a score says of a refusal in words; None if the reply is none."""
    if completion.cut_off or not refuses(completion):
        return None
    said = " ".join(completion.text.split())[:_LONGEST_SHOWN]
    return f"the model refuses to judge: “{said}”"


@dataclass(frozen=True, slots=True)
class FinalReply:
    """A reply, and all requests that were made for it."""

    requests: tuple[ChatRequest, ...]
    """The last one has the reply; the others were refused."""
    reply: Completion
    """With the usage of all requests."""


@dataclass(frozen=True, slots=True)
class RefusalRetries:
    """How often, and how, a request that was refused is made again."""

    number: int = 0
    temperature: float | None = None
    """Of further requests; None: as the first, at which a model may refuse each time."""

    def described(self) -> dict[str, str]:
        """Return the part of a signature, since figures depend on it; none without retries."""
        return {"refusals": f"retried({self.number})"} if self.number else {}

    async def ask(
        self,
        chat: Chat,
        request: ChatRequest,
        reads: Callable[[Completion], bool],
        forget: Callable[[ChatRequest], None],
    ) -> FinalReply:
        """Return the first reply that is no refusal, or the last one; each request has a seed of its own.

        `reads`: whether a reply is usable, whatever its words; `forget`: removes a request from the cache.

        Raises:
            JudgeError: as the chat does for the last request; the usage includes the refused ones.
        """
        requests, spent = [request], Usage()
        while True:
            may_retry = len(requests) <= self.number
            try:
                reply = await chat.complete(requests[-1])
            except JudgeError as error:
                spent += error.usage
                if not (may_retry and isinstance(error, ModelRefused)):
                    raise error.with_usage(spent) from error
            else:
                spent += reply.usage
                if not (may_retry and refuses(reply) and not reads(reply)):
                    return FinalReply(tuple(requests), replace(reply, usage=spent))
            requests.append(self._again(request, len(requests), forget))

    def _again(self, first: ChatRequest, number: int, forget: Callable[[ChatRequest], None]) -> ChatRequest:
        warmer = first.temperature if self.temperature is None else self.temperature
        if first.seed is not None:
            return replace(first, seed=first.seed + number * _FURTHER_SEED, temperature=warmer)
        again = replace(first, temperature=warmer)
        forget(again)  # or the cache would answer it with the refusal
        return again


NO_RETRIES = RefusalRetries()
