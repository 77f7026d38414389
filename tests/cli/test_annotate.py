"""`saiten annotate`, from the answers to a label file that the other commands accept unchanged."""

import http.client
import json
import re
import signal
import urllib.request
from itertools import count

import pytest

pytest.importorskip("fastapi", reason="the annotation page is an extra: pip install 'saiten[annotate]'")

from annotating import answer_all, decide
from saiten.annotation.forms import FORMS
from saiten.annotation.records import ProjectSettings
from saiten.annotation.store.annotations import annotated_item, annotated_items
from saiten.annotation.store.items import add_items
from saiten.annotation.store.people import person_by_token
from saiten.annotation.store.progress import item_counts
from saiten.annotation.store.project import open_project
from saiten.cli.annotate_options import ServerOptions
from saiten.cli.annotate_server import web_settings
from saiten.errors import ConfigurationError
from saiten.records import Sample

ANSWERS = [
    {
        "id": f"q{n}",
        "question": f"Question {n}?",
        "answer": f"The answer is {n}. It is blue.",
        "reference": f"The answer is {n}. It is red.",
        "contexts": [f"The answer is {n}."],
        "system": "a",
    }
    for n in range(1, 7)
]


def rows_of(file):
    """The exported rows without what depends on the clock."""
    return [
        {key: value for key, value in json.loads(line).items() if key not in {"saved_at", "seconds"}}
        for line in file.read_text("utf-8").splitlines()
    ]


@pytest.fixture
def project(saiten, data, somewhere):
    """`project(form, …)`: a project of the answers with two annotators; returns the database."""

    def make(form, *more, rows=ANSWERS):
        file = data(rows, "answers.jsonl")
        made = saiten("annotate", file, "--form", form, "--annotator", "Aiko", "--annotator", "Ben", "--prepare", *more)
        assert made.status == 0, made
        return str(somewhere / f"answers.{form}.db")

    return make


@pytest.fixture
def exported(saiten, somewhere):
    """`exported(database)`: a file with the labels."""

    def export(database):
        said = saiten("annotate", "--db", database, "--export", "labels.jsonl")
        assert said.status == 0, said
        assert said.out == ""
        written = len(rows_of(somewhere / "labels.jsonl"))
        assert f"{written} label{'s' * (written != 1)} written" in said.err
        return somewhere / "labels.jsonl"

    return export


@pytest.mark.parametrize("file", ["labels.jsonl", "-"])
def test_an_export_of_nothing_says_so(saiten, project, file):
    """An empty file alone could look like a failed export."""
    said = saiten("annotate", "--db", project("grade"), "--export", file)
    assert (said.status, said.out) == (0, "")
    assert "0 labels written; no annotator has saved anything yet" in said.err


def test_grades_for_agreement_and_meta_evaluate(saiten, project, exported, somewhere):
    """The rows are those worked out by hand; the commands read them unchanged."""
    database = project("grade")
    answer_all(
        database,
        {
            "Aiko": lambda item: {"grade": int(item.key[1:]) - 1, "reason": f"理由{item.key}"},
            "Ben": lambda _: {"grade": 2, "reason": ""},
        },
    )
    decide(database, "q1", {"grade": 1, "reason": ""}, "between the two")
    file = exported(database)
    own = {"aspect": "correctness", "adjudicated": False, "unclear": False}
    rows = rows_of(file)
    assert len(rows) == 13
    assert {"item": "q2", "value": 1, "annotator": "Aiko", "reason": "理由q2"} | own in rows
    assert {"item": "q2", "value": 2, "annotator": "Ben", "reason": ""} | own in rows
    third = {"item": "q1", "aspect": "correctness", "value": 1, "annotator": "admin", "adjudicated": True}
    assert third | {"reason": "between the two", "note": "between the two"} in rows
    agreement = saiten("agreement", file, "--format", "json")
    assert agreement.status == 0, agreement
    tables = json.loads(agreement.out)
    assert tables["Labels"][0]["labels"] == 12
    assert tables["Labels"][0]["adjudicated"] == 1
    assert saiten("score", "answers.jsonl", "-m", "token_f1", "-o", somewhere / "run").status == 0
    meta = saiten("meta-evaluate", somewhere / "run", file)
    assert meta.status == 0, meta
    assert "token_f1" in meta.out


def test_verdicts_for_agreement_and_meta_evaluate(saiten, project, exported, somewhere):
    """Verdicts are 1 and 0; the aspect is `correct`."""
    database = project("correct")
    verdicts = {"Aiko": lambda item: item.key != "q1", "Ben": lambda item: item.key not in {"q1", "q2"}}
    answer_all(
        database,
        {name: lambda item, said=said: {"correct": said(item), "reason": ""} for name, said in verdicts.items()},
    )
    file = exported(database)
    assert [(row["item"], row["annotator"], row["value"]) for row in rows_of(file)][:4] == [
        ("q1", "Aiko", 0), ("q1", "Ben", 0), ("q2", "Aiko", 1), ("q2", "Ben", 0),
    ]  # fmt: skip
    agreement = saiten("agreement", file, "--format", "json")
    assert json.loads(agreement.out)["Agreement"][0]["value"] == pytest.approx(5 / 6)
    assert saiten("score", "answers.jsonl", "-m", "token_f1", "-o", somewhere / "run").status == 0
    assert saiten("meta-evaluate", somewhere / "run", file, "--aspect", "correct").status == 0


def test_aspects_for_tune_mate(saiten, data, project, exported):
    """Each aspect has a row, and there are as many as the fit needs."""
    rows = [
        answer | {"id": f"q{n}", "question": f"Question {n}?"}
        for n, answer in zip(range(60), ANSWERS * 10, strict=True)
    ]
    database = project("aspects", "--per-item", "1", rows=rows)
    scales = count()

    def grades(key):
        n = next(scales)
        formality, factuality, amount = n % 3 - 1, n * 7 % 4, n * 5 % 3 - 1
        whole = max(0, factuality - abs(formality) - abs(amount) + n % 2)
        return {
            "grades": {
                "formality": formality,
                "factuality": factuality,
                "amount_info": amount,
                "acceptability": min(3, whole),
            },
            "reason": "because",
        }

    answer_all(database, {"Aiko": grades, "Ben": grades})
    file = exported(database)
    found = rows_of(file)
    assert len(found) == 240
    assert {row["aspect"] for row in found} == {"formality", "factuality", "amount_info", "acceptability"}
    tuned = saiten("tune", "mate", file, "--samples", "answers.jsonl", "-o", "weights.toml")
    assert tuned.status == 0, tuned


def test_marks_for_spans_and_for_gist(saiten, project, exported, somewhere):
    """Spans come with their texts; they measure a judge, and replace its first step."""
    database = project("gist", "--annotator", "Ben")
    answer_all(
        database,
        {
            "Aiko": lambda _: {
                "spans": {
                    "gist": [[0, 16]],
                    "supplement": [[17, 27]],
                    "missing_supplement": [[17, 27]],
                    "extra_supplement": [[17, 28]],
                },
                "reason": "",
            },
            "Ben": lambda _: {"spans": {"gist": [[0, 16]]}, "reason": ""},
        },
    )
    file = exported(database)
    row = next(row for row in rows_of(file) if (row["annotator"], row["aspect"]) == ("Aiko", "supplement"))
    assert row["spans"] == [{"text": "It is red.", "start": 17, "end": 27}]
    assert "value" not in row
    assert saiten("meta-evaluate", file, file, "--spans").status == 0
    alone = somewhere / "aiko.jsonl"
    alone.write_text(
        "".join(line for line in file.read_text("utf-8").splitlines(keepends=True) if "Aiko" in line), "utf-8"
    )
    scored = saiten("score", "answers.jsonl", "-m", f"gist[units={alone}]", "-o", somewhere / "run")
    assert scored.status == 0, scored
    held = saiten("meta-evaluate", somewhere / "run", file, "--spans")
    assert held.status == 0, held
    shown = saiten("show", somewhere / "run", "--format", "html")
    assert shown.status == 0, shown


def by_system(content, *groups):
    """An order of answers by their systems; the numbers of the answers are drawn at random."""
    keys = {sample.partition("/")[2]: key for key, sample in content["ids"].items()}
    return [[keys[system] for system in group] for group in groups]


def test_preferences_for_agreement_and_meta_evaluate(saiten, project, exported, somewhere):
    """Each pair of answers has a row, below 0 if the first is better; another says whether the best is good."""
    rows = [
        {
            "id": f"q{n}/{system}",
            "question": f"Question {n}?",
            "answer": f"Answer {system * length}.",
            "reference": "Answer a.",
            "system": system,
        }
        for n in range(4)
        for length, system in enumerate("abc", 1)
    ]
    database = project("preference", rows=rows)
    answer_all(
        database,
        {
            "Aiko": lambda item: {
                "order": by_system(item.content, ["a"], ["b", "c"]),
                "none_good": False,
                "reason": "",
            },
            "Ben": lambda item: {
                "order": by_system(item.content, ["b"], ["a"], ["c"]),
                "none_good": True,
                "reason": "poor",
            },
        },
    )
    file = exported(database)
    found = [(row["item"], row["annotator"], row.get("preference"), row.get("value")) for row in rows_of(file)]
    assert found[:9] == [
        ("q0/a vs q0/b", "Aiko", -1, None),
        ("q0/a vs q0/c", "Aiko", -1, None),
        ("q0/b vs q0/c", "Aiko", 0, None),
        ("q0/a", "Aiko", None, 1),
        ("q0/a vs q0/b", "Ben", 1, None),
        ("q0/a vs q0/c", "Ben", -1, None),
        ("q0/b vs q0/c", "Ben", -1, None),
        ("q0/a", "Ben", None, 0),
        ("q0/b", "Ben", None, 0),
    ]
    agreement = saiten("agreement", file, "--aspect", "preference", "--format", "json")
    assert json.loads(agreement.out)["Agreement"][0]["value"] == pytest.approx(1 / 3)
    assert saiten("score", "answers.jsonl", "-m", "token_f1", "-o", somewhere / "run").status == 0
    meta = saiten("meta-evaluate", somewhere / "run", file, "--aspect", "preference")
    assert meta.status == 0, meta


def test_axes_and_a_pick_of_one_project_are_the_table_of_preference_against_grades(
    saiten, project, exported, somewhere, data
):
    """Picks and grades of the same people come from one file; the settings hold when the command is repeated."""
    rows = [
        {
            "id": f"q{n}/{system}",
            "question": f"Question {n}?",
            "answer": f"Answer {system}.",
            "contexts": ["Shared."],
            "system": system,
        }
        for n in range(4)
        for system in "abc"
    ]
    database = project("preference", "--aspects", "--pick", rows=rows)
    with open_project(database) as store:
        assert store.settings.options.keys() == {"reason_required", "contexts", "pick", "rubric"}
        kept = store.settings.options
    again = saiten("annotate", data(rows, "answers.jsonl"), "--form", "preference", "--prepare")
    assert again.status == 0, again
    with open_project(database) as store:
        assert store.settings.options == kept

    def best(system, acceptability):
        def said(item):
            keys = {sample.partition("/")[2]: key for key, sample in item.content["ids"].items()}
            grades = {"formality": 0, "factuality": 3, "amount_info": 0, "acceptability": 1}
            each = {keys[name]: grades for name in "abc"} | {keys[system]: grades | {"acceptability": acceptability}}
            return {"order": [[keys[system]]], "none_good": False, "grades": each}

        return said

    answer_all(database, {"Aiko": best("a", 3), "Ben": best("b", 2)})
    with open_project(database) as store:
        (key, *_) = [each.item.key for each in annotated_items(store)]
        item = next(each.item for each in annotated_items(store) if each.item.key == key)
    decide(database, key, best("a", 3)(item), "settled")
    file = exported(database)
    agreement = json.loads(saiten("agreement", file, "--aspect", "preference", "--format", "json").out)
    counted = [(row["prefer the same"], row["questions"]) for row in agreement["How many prefer the same answer"]]
    assert counted == [("all", 0), ("none", 4)]
    assert saiten("score", "answers.jsonl", "-m", "length", "-o", somewhere / "run").status == 0
    said = saiten("meta-evaluate", somewhere / "run", file, "--resamples", "100", "--format", "json")
    assert said.status == 0, said.err
    found = {row["system"]: row for row in json.loads(said.out)["Preference against grades"]}
    assert (found["a"]["preferred in"], found["a"]["tied in"], found["b"]["tied in"]) == (0.25, 0.75, 0.75)
    assert found["a"]["of the preferred"] == 1
    assert found["a"]["top grade by people"] == pytest.approx((1 + 3 * 0.5) / 4)


def test_a_project_of_preferences_without_contexts_goes_on_without_them(saiten, data, somewhere):
    """It was made before contexts were shown with preferences: the same command adds nothing and changes nothing."""
    rows = [
        {"id": f"q{n}/{system}", "question": f"Question {n}?", "answer": system, "contexts": [f"Seen by {system}."]}
        for n in (1, 2)
        for system in "ab"
    ]
    before = FORMS["preference"].from_options({"reason_required": False})
    samples = [Sample(row["id"], row["question"], row["answer"], tuple(row["contexts"]), language="en") for row in rows]
    with open_project(str(somewhere / "old.db"), ProjectSettings("preference", before.options)) as store:
        assert add_items(store, before.items(samples)) == 2
    said = saiten("annotate", data(rows, "a.jsonl"), "--form", "preference", "--db", "old.db", "--prepare")
    assert said.status == 0, said
    with open_project(str(somewhere / "old.db")) as store:
        assert (item_counts(store).total, store.settings.options) == (2, {"reason_required": False})
    assert saiten("annotate", "a.jsonl", "--form", "preference", "--db", "old.db", "--pick", "--prepare").status == 2


def test_whole_questions_are_asked_for_once_and_kept(saiten, project, data):
    """The setting belongs to the project: repeated or not, it stays; a project without it refuses it."""
    database = project("grade", "--whole-questions")
    assert saiten("annotate", data(ANSWERS, "answers.jsonl"), "--form", "grade", "--prepare").status == 0
    with open_project(database) as store:
        assert store.settings.whole_questions is True
    plain = project("correct")
    with open_project(plain) as store:
        assert store.settings.whole_questions is False
    said = saiten("annotate", "answers.jsonl", "--form", "correct", "--whole-questions", "--prepare")
    assert (said.status, "whole_questions is False, not True" in " ".join(said.err.split())) == (2, True)


def test_prelabels_out_of_a_run(saiten, project, exported, somewhere, data):
    """A judge's scores are stored as pre-labels, and the export says that nobody saw them."""
    data(ANSWERS, "answers.jsonl")
    scored = saiten("score", "answers.jsonl", "-m", "correctness", "--judge", "offline", "-o", somewhere / "run")
    assert scored.status == 0, scored
    database = project("grade", "--prelabels", somewhere / "run")
    with open_project(database) as store:
        said = annotated_item(store, 1).prelabel
    assert said is not None
    assert (said[0], said[2]) == ("offline", False)
    answer_all(database, {"Aiko": lambda _: {"grade": 1, "reason": ""}})
    assert {(row["prelabel"], row["prelabelled_by"]) for row in rows_of(exported(database))} == {("hidden", "offline")}


def test_prelabels_out_of_a_file(saiten, project, data):
    """They are from one judge; only complete ones are taken."""
    labels = [{"item": f"q{n}", "aspect": "correct", "value": n % 2, "annotator": "gpt"} for n in (1, 2, 99)]
    file = data(labels, "judged.jsonl")
    database = project("correct", "--prelabels", file, "--show-prelabels")
    with open_project(database) as store:
        found = [annotated_item(store, n).prelabel for n in range(1, 7)]
    assert found[0] == ("gpt", {"correct": True, "reason": ""}, True)
    assert found[1][1]["correct"] is False
    assert found[2:] == [None] * 4
    two = data([*labels, labels[0] | {"annotator": "other"}], "judged.jsonl")
    refused = saiten(
        "annotate", "answers.jsonl", "--form", "correct", "--db", "new.db", "--prelabels", two, "--prepare"
    )
    assert (refused.status, "'gpt', 'other'" in refused.err) == (2, True)


def test_the_same_command_goes_on(saiten, project, exported, data, somewhere):
    """New answers are added, links stay, and options that are not repeated keep their values."""
    database = project("grade", "--per-item", "3", "--reason", "required")
    answer_all(database, {"Aiko": lambda _: {"grade": 5, "reason": "x"}})
    data([*ANSWERS, ANSWERS[0] | {"id": "q9"}], "answers.jsonl")
    again = saiten("annotate", "answers.jsonl", "--form", "grade", "--annotator", "Aiko", "--prepare")
    assert again.status == 0, again
    assert "1 items were added" in again.err
    assert "Aiko already has a link" in again.err
    assert "/join/" not in again.err
    with open_project(database) as store:
        assert (store.settings.per_item, store.settings.options) == (3, {"reason_required": True})
    assert len(rows_of(exported(database))) == 6


def test_a_new_link_for_who_lost_theirs(saiten, project):
    """It has another token; the former one opens nothing."""
    database = project("grade")
    output = saiten("annotate", "--db", database, "--new-link", "Aiko", "--prepare")
    token = re.search(r"Aiko: http://127.0.0.1:8765/join/(\S{43})\n", output.err)[1]
    with open_project(database) as store:
        assert person_by_token(store, token).name == "Aiko"
    unknown = saiten("annotate", "--db", database, "--new-link", "Eve", "--prepare")
    assert (unknown.status, "'Eve'" in unknown.err) == (2, True)


def test_rows_that_cannot_be_shown_are_reported_and_left_out(saiten, data, somewhere):
    """Each is named by position or ID; with --strict the first one stops everything, and the database stays empty."""
    cut = b'{"id": "b", "question": "Q?", "answer": "cut \\ud83d"}'
    rows = [b"{broken", {"id": "a", "question": "Q?"}, cut, ANSWERS[0]]
    file = data(rows, "answers.jsonl")
    strict = saiten("annotate", file, "--form", "grade", "--prepare", "--strict")
    assert strict.status == 2
    assert "answers.jsonl:1" in strict.err
    said = saiten("annotate", file, "--form", "grade", "--prepare")
    assert said.status == 0, said
    assert "answers.jsonl:1" in said.err
    assert "sample 'a'" in said.err
    with open_project(str(somewhere / "answers.grade.db")) as store:
        assert item_counts(store).total == 1
    nothing = saiten("annotate", data(rows[:2], "none.jsonl"), "--form", "grade", "--prepare")
    assert (nothing.status, "no row that can be annotated" in nothing.err) == (2, True)
    changed = saiten(
        "annotate", data([ANSWERS[0] | {"answer": "other"}], "answers.jsonl"), "--form", "grade", "--prepare"
    )
    assert (changed.status, "q1" in changed.err) == (2, True)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["answers.jsonl"], "--form grade"),
        (["--form", "grade"], "name the answers"),
        (["--db", "none.db"], "there is no database none.db"),
        (["answers.jsonl", "--form", "grade", "--rubric", "r.toml"], "--rubric belongs to --form aspects"),
        (["answers.jsonl", "--form", "aspects", "--rubric", "none.toml"], "none.toml"),
        (["answers.jsonl", "--form", "grade", "--pick"], "--pick belongs to --form preference"),
        (["answers.jsonl", "--form", "grade", "--aspects"], "--aspects belongs to --form preference"),
        (["none.jsonl", "--form", "grade"], "none.jsonl"),
        (["answers.jsonl", "--form", "grade", "--prelabels", "none"], "--prelabels none does not exist"),
        (
            ["answers.jsonl", "--form", "grade", "--db", "answers.jsonl"],
            "answers.jsonl is not a saiten annotation database",
        ),
        (["answers.jsonl", "--form", "grade", "--db", "mysql://x"], "mysql"),
        (["answers.jsonl", "--form", "preference"], "nothing to compare"),
        (["answers.jsonl", "--form", "grade", "--annotator", "\x1b[2J", "--prepare"], "name"),
        (["answers.jsonl", "--form", "grade", "--export", "no/where.jsonl"], "no/where.jsonl cannot be written"),
        (["answers.jsonl", "--form", "grade", "--host", "0.0.0.0"], "SAITEN_ADMIN_TOKEN"),  # noqa: S104 - refused
        (["answers.jsonl", "--form", "grade", "--public-url", "ftp://x"], "--public-url"),
    ],
)
def test_what_is_wrong_is_reported_in_a_sentence(saiten, data, typed, message):
    """The status is 2, and the message says what to do."""
    data(ANSWERS, "answers.jsonl")
    said = saiten("annotate", *typed)
    assert said.status == 2, said
    assert message in said.err.replace("\n", " ")
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("host", "public", "token", "address", "hosts"),
    [
        ("127.0.0.1", None, "", "http://127.0.0.1:80", {"localhost", "127.0.0.1"}),
        ("localhost", None, "", "http://localhost:80", {"localhost"}),
        ("::1", None, "", "http://[::1]:80", {"localhost", "::1"}),
        (
            "127.0.0.1",
            "https://Grade.example.org/",
            "",
            "https://grade.example.org",
            {"localhost", "127.0.0.1", "grade.example.org"},
        ),
        ("10.0.0.7", None, "t" * 32, "http://10.0.0.7:80", {"localhost", "10.0.0.7"}),
        (
            "10.0.0.7",
            "https://g.example:8443",
            "t" * 32,
            "https://g.example:8443",
            {"localhost", "10.0.0.7", "g.example"},
        ),
    ],
)
def test_how_the_page_is_reached(host, public, token, address, hosts):
    """On loopback a token is generated; other addresses require one."""
    made = web_settings(ServerOptions(host, 80, public), {"SAITEN_ADMIN_TOKEN": token})
    assert (made.address, made.hosts) == (address, hosts)
    assert made.admin_token == token or len(made.admin_token) == 43
    assert made.admin_token not in repr(made)
    assert made.secure == address.startswith("https")


@pytest.mark.parametrize(
    ("host", "public", "token"),
    [
        ("0.0.0.0", None, ""),  # noqa: S104 - refused
        ("::", None, ""),
        ("10.0.0.7", None, "t" * 31),
        ("127.0.0.1", None, "short"),
        ("127.0.0.1", None, "a b" * 20),
        ("127.0.0.1", None, "a/b" * 20),
        ("grade.example.org", None, ""),
        ("127.0.0.1", "https://x/path", ""),
        ("127.0.0.1", "https://user@x", ""),
        ("127.0.0.1", "https://x:99999", ""),
        ("127.0.0.1", "grade.example.org", ""),
        ("127.0.0.1", "https://x?y", ""),
    ],
)
def test_how_it_is_not(host, public, token):
    """ConfigurationError, which never quotes a token."""
    with pytest.raises(ConfigurationError) as refused:
        web_settings(ServerOptions(host, 80, public), {"SAITEN_ADMIN_TOKEN": token})
    assert not token or token not in str(refused.value)


def test_the_server_from_its_links_to_ctrl_c(process, data):
    """Links go to standard error, nothing to standard output; they work; Ctrl-C ends with the conventional status."""
    server = process(
        "annotate", data(ANSWERS, "answers.jsonl"), "--form", "grade", "--annotator", "Aiko", "--port", "0"
    )
    output = b""
    while b"Ctrl-C" not in output:
        line = server.stderr.readline()
        assert line, output
        output += line
    links = dict(re.findall(r"^(\w+): (http://127\.0\.0\.1:\d+/join/\S+)$", output.decode(), re.MULTILINE))
    assert links.keys() == {"admin", "Aiko"}
    for name, page in (("admin", "/admin"), ("Aiko", "/")):
        opened = urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(links[name], timeout=60)
        assert (opened.status, opened.url.endswith(page)) == (200, True)
    port = int(re.search(r":(\d+)/", links["admin"])[1])
    strange = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    strange.request("GET", "/join/" + "x" * 43)
    assert strange.getresponse().status == 404
    strange.close()
    server.send_signal(signal.SIGINT)
    out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (130, b"")
    assert b"ended" in err
    assert b"join" not in err
