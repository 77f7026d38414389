"""A Python function as the system under test."""

import asyncio

import pytest

from saiten.errors import BudgetSpent, ConfigurationError, SystemFailed
from saiten.records import Inquiry, Turn
from saiten.settings import CallSettings
from saiten.wiring import Models
from saiten.wiring.systems import assemble_system

INQUIRY = Inquiry("Why?", "q1", (Turn("What?", "This."),), "s7", "ja")

FUNCTIONS = """
import asyncio, functools, sys, threading, time
from saiten.records import Answer, Passage
from saiten.errors import ConfigurationError, SystemFailed

def plain(question): return f"To {question}"
def given(question, *, history, session="", id=None, language="en"): return f"{question}|{history}|{session}|{id}|{language}"
def everything(**given): return ",".join(sorted(given))
def first(text, /): return text
def turned_round(history, question): return f"{question}{len(history)}"
def other_name(prompt, history=()): return f"{prompt}{len(history)}"
def variable(*texts): return texts[0]
async def later(question):
    await asyncio.sleep(0)
    return {"answer": "later", "contexts": ["c"]}
hidden = lambda question: later(question)
part = functools.partial(plain)
whole = lambda question: Answer("whole", (Passage("p"),), 2.5)

class Bot:
    def __call__(self, question): return "called"
    async def answer(self, question, session): return f"method {session}"
bot = Bot()

def broken(question):
    values = {}
    return values["nothing"]
def deep(question): return sorted([1, "a"])
class Odd(Exception):
    def __str__(self): raise RuntimeError
def odd(question): raise Odd
def leaves(question): sys.exit(3)
async def leaves_later(question): sys.exit(3)
def cancels(question): raise asyncio.CancelledError
async def cancels_later(question): raise asyncio.CancelledError
def stops(question): raise StopIteration
def interrupts(question): raise KeyboardInterrupt
def gives_up(question): raise TimeoutError("the database did not answer")
def own(question): raise SystemFailed("no answer there", "unreadable")
def wrong_setup(question): raise ConfigurationError("no index")
def nothing(question): pass
def number(question): return 42
def pieces(question): yield "a"
async def pieces_later(question): yield "a"

def hangs(question): time.sleep(30)
async def hangs_later(question): await asyncio.sleep(30)
async def stubborn(question):
    try: await asyncio.sleep(30)
    except asyncio.CancelledError: await asyncio.sleep(30)

def two(question, k): return "x"
def none(): return "x"
value = 3
"""


@pytest.fixture
def system(somewhere):
    """`system(name)`: a function of a file as a system."""
    (somewhere / "bot.py").write_text(FUNCTIONS)

    def make(name, **calls):
        return assemble_system(f"bot.py:{name}", models=Models(CallSettings(**{"timeout": 20.0} | calls)))

    return make


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("plain", "To Why?"),
        ("given", "Why?|[{'question': 'What?', 'answer': 'This.'}]|s7|q1|ja"),
        ("everything", "history,id,language,question,session"),
        ("first", "Why?"),
        ("turned_round", "Why?1"),
        ("other_name", "Why?1"),
        ("variable", "Why?"),
        ("later", "later"),
        ("hidden", "later"),
        ("part", "To Why?"),
        ("whole", "whole"),
        ("bot", "called"),
        ("bot.answer", "method s7"),
    ],
)
async def test_a_function_is_called_with_what_it_takes(system, name, answer):
    """Functions, coroutine functions, partials, lambdas, methods and objects; the latency is measured."""
    found = await system(name).answer(INQUIRY)
    assert found.text == answer
    assert found.seconds is not None
    assert found.seconds >= 0


async def test_a_latency_reported_by_the_function_is_kept(system):
    """The function may know better, for example without its own queue."""
    assert (await system("whole").answer(INQUIRY)).seconds == 2.5


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("broken", "failed", r"KeyError: 'nothing' \(line \d+ of .*bot.py, in broken\)"),
        ("deep", "failed", r"TypeError: .* \(line \d+ of .*bot.py, in deep\)"),
        ("odd", "failed", "Odd"),
        ("leaves", "failed", "SystemExit was raised: 3"),
        ("leaves_later", "failed", r"sys.exit\(3\)"),
        ("cancels", "failed", "CancelledError"),
        ("cancels_later", "failed", "canceled from inside"),
        ("stops", "failed", "StopIteration"),
        ("interrupts", "failed", "KeyboardInterrupt"),
        ("gives_up", "timeout", "the database did not answer"),
        ("own", "unreadable", "no answer there"),
        ("nothing", "unreadable", "nothing"),
        ("number", "unreadable", "a number"),
        ("pieces", "unreadable", "join what it yields"),
        ("pieces_later", "unreadable", "join what it yields"),
    ],
)
async def test_a_function_that_fails_is_reported_with_its_line(system, name, kind, message):
    """Whatever it raises or returns is this question's failure, and the next question can be asked."""
    failing = system(name)
    for _ in range(2):
        with pytest.raises(SystemFailed, match=message) as error:
            await failing.answer(INQUIRY)
        assert error.value.kind == kind


@pytest.mark.parametrize("name", ["hangs", "hangs_later", "stubborn"])
async def test_a_function_that_hangs_is_left_behind(system, name):
    """This happens after its timeout, even if it ignores cancellation at first."""
    with pytest.raises(SystemFailed, match=r"within 0.2 s") as error:
        await system(name, timeout=0.2).answer(INQUIRY)
    assert error.value.kind == "timeout"


async def test_when_all_threads_hang_the_run_is_stopped(system):
    """Threads cannot be stopped, so at most as many again are started."""
    hanging = system("hangs", timeout=0.1, concurrency=2)
    for _ in range(2):
        with pytest.raises(SystemFailed):
            await hanging.answer(INQUIRY)
    with pytest.raises(ConfigurationError, match=r"2 calls of .*hangs have not returned"):
        await hanging.answer(INQUIRY)


async def test_what_concerns_the_whole_run_passes(system):
    """A function may use saiten's own errors."""
    with pytest.raises(ConfigurationError, match="no index"):
        await system("wrong_setup").answer(INQUIRY)


async def test_functions_that_block_run_at_once_in_few_threads(somewhere):
    """Exactly as many at a time as allowed: they meet at a barrier; there is not one thread per question."""
    (somewhere / "meet.py").write_text(
        "import threading\nbarrier = threading.Barrier(4, timeout=100)\nseen = set()\n"
        "def answer(question):\n    seen.add(threading.get_ident())\n    barrier.wait()\n    return question\n"
        "def how_many(question): return str(len(seen))\n"
    )
    models = Models(CallSettings(concurrency=4))
    system = assemble_system("meet.py:answer", models=models)
    answers = await asyncio.gather(*(system.answer(Inquiry(str(n))) for n in range(40)))
    assert [answer.text for answer in answers] == [str(n) for n in range(40)]
    assert (await assemble_system("meet.py:how_many").answer(Inquiry("?"))).text == "4"
    await system.close()


async def test_the_budget_counts_calls_of_the_function(system):
    """`--max-calls` also limits calls of a function."""
    bounded = system("plain", max_calls=2)
    await bounded.answer(INQUIRY)
    await bounded.answer(INQUIRY)
    with pytest.raises(BudgetSpent):
        await bounded.answer(INQUIRY)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bot.py:plein", r"no plein in bot.py; did you mean plain\?"),
        ("bot.py:zzz", "there are"),
        ("bot.py:bot.ansver", r"did you mean answer\?"),
        ("bto.py:plain", r"no file bto.py; did you mean bot.py\?"),
        ("there/bot.py:plain", "no file there/bot.py"),
        ("bot.py:", "names no function"),
        ("python:bot", "names no function"),
        ("python:bto:plain", r"no module bto; did you mean bot\?"),
        ("python:json.decodr:x", r"no module json.decodr; did you mean json.decoder\?"),
        ("python:zzz.yyy:plain", "no module zzz.yyy"),
        ("bot.py:value", "value in bot.py is a int"),
        ("bot.py:Bot", "Bot in bot.py is a class"),
        ("bot.py:none", "takes no question"),
        ("bot.py:two", "requires k"),
        ("needs.py:f", r"cannot be imported: ModuleNotFoundError: .*not_there.*line 2 of .*needs.py"),
        ("python:needs:f", r"cannot be imported: ModuleNotFoundError: .*not_there.*line 2 of .*needs.py"),
        ("faulty.py:f", r"cannot be imported: .*line 2 of .*faulty.py"),
        ("exits.py:f", "cannot be imported: SystemExit: 1"),
    ],
)
def test_a_missing_function_is_reported_with_those_there_are(system, somewhere, spec, message):
    """This happens before anything is asked."""
    system("plain")
    (somewhere / "needs.py").write_text("\nimport not_there\n")
    (somewhere / "faulty.py").write_text("def f(question):\n    return (\n")
    (somewhere / "exits.py").write_text("import sys\nsys.exit(1)\n")
    with pytest.raises(ConfigurationError, match=message):
        assemble_system(spec)


async def test_modules_are_found_in_this_folder_and_next_to_the_file(somewhere):
    """This works as with `python file.py`; a file may share its name with an installed module."""
    (somewhere / "inner").mkdir()
    (somewhere / "inner" / "beside.py").write_text("WORD = 'beside'\n")
    (somewhere / "inner" / "json.py").write_text("import beside\ndef answer(question): return beside.WORD\n")
    (somewhere / "a_module_here.py").write_text("def answer(question): return 'here'\n")
    assert (await assemble_system("inner/json.py:answer").answer(Inquiry("?"))).text == "beside"
    assert (await assemble_system("python:a_module_here:answer").answer(Inquiry("?"))).text == "here"
    assert __import__("json").dumps


async def test_the_blocking_steps_of_coroutines_run_at_once_and_may_hang(somewhere):
    """Twelve meet at a barrier, more than asyncio has threads for on a small machine; a hanging one is left behind."""
    (somewhere / "steps.py").write_text(
        "import asyncio, threading\nbarrier = threading.Barrier(12, timeout=100)\nnever = threading.Event()\n"
        "async def meet(question):\n    await asyncio.to_thread(barrier.wait)\n    return question\n"
        "async def hang(question): await asyncio.to_thread(never.wait)\n"
    )
    meeting = assemble_system("steps.py:meet", models=Models(CallSettings(concurrency=12)))
    answers = await asyncio.gather(*(meeting.answer(Inquiry(str(n))) for n in range(12)))
    assert [answer.text for answer in answers] == [str(n) for n in range(12)]
    with pytest.raises(SystemFailed, match=r"within 0.2 s"):
        await assemble_system("steps.py:hang", models=Models(CallSettings(timeout=0.2))).answer(INQUIRY)
    # the loop of this test closes without waiting for it
