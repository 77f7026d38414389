"""Compare the outputs of two source trees: both run one list of commands, and every cell is compared.

    python benchmarks/compare_builds.py BASE NEW [--keep FOLDER] [--only WORDS] [--ignore PATTERN]

BASE and NEW are checkouts of saiten. Each runs the commands below in its own folder, offline and against a stub server
whose replies depend only on the request; if SAITEN_DATA is set, also on public labeled data. The comparison covers
standard output, exit status and all written files: JSON and CSV by key, other text by line, pages by their text. Times,
folders and ports are ignored. Prints the cells that differ, and exits with 1 if there are any.

With --keep, the folder is kept, and the results of BASE in it are reused.
"""

import argparse
import csv
import difflib
import hashlib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

FORMATS = ("json", "csv", "md", "latex", "table", "html")

SCORES = "-m overlap -m ragas -m accuracy -m 'accuracy[grounded]' -m correctness -m context_relevance"

COMMANDS = f"""
metrics --format FORMAT
metrics --ja
metrics faithfulness
metrics correctness --format json
score data/samples.jsonl {SCORES} -o runs/all --format FORMAT
score data/samples.jsonl {SCORES} --compat ragas --limit 40 -o runs/compat --format json
score data/samples.jsonl -m correctness --evidence answer --limit 60 -o runs/e2 --format json
score data/gist.jsonl -m gist -o runs/gist --format FORMAT
score data/samples.jsonl -m accuracy --fail-under accuracy=0.5 --fail-each system -o runs/gate --format FORMAT
score data/half.jsonl {SCORES} -o runs/half --format json
show runs/all --format FORMAT
show runs/all --worst faithfulness
show runs/all --sample en-m03-chatty
show runs/all --sample ja-h01-hasty
show runs/all --labels data/labels.jsonl --format FORMAT
show runs/all --fail-under token_f1.low=0.4 --fail-under faithfulness.min=0.5 --fail-over length=30 --format FORMAT
show runs/gist --gist
show runs/gist --gist --format html
show runs/gist --sample ja-g01 --format json
compare runs/all runs/half --format FORMAT
compare runs/all runs/all --systems careful,hasty --fail-if-worse correctness --format FORMAT
compare old/builds/before old/builds/after old/builds/before --format FORMAT
compare old/dialogues/qa old/dialogues/mqa --format FORMAT
show old/answers --format json
show old/dialogues/mqa --format FORMAT
show old/dialogues/mqa --dialogue en-m02
report old/answers old/gist old/simulated-aspects old/chains old/dialogues/qa old/dialogues/mqa --labels data/labels.jsonl -o old.html
report runs/all runs/half --labels data/labels.jsonl --language en -o en.html
report runs/all runs/half --labels data/labels.jsonl --language ja -o ja.html
report runs/gist -o gist.html
agreement data/labels.jsonl --format FORMAT
agreement data/grades.jsonl --samples data/samples.jsonl --format FORMAT
agreement data/grades.jsonl --level nominal --aspect factuality --format json
meta-evaluate runs/all data/labels.jsonl --resamples 200 --format FORMAT
meta-evaluate runs/all data/labels.jsonl --resamples 200 --split-by group --by kappa --unmeasured wrong --format json
meta-evaluate runs/all data/grades.jsonl --resamples 200 --format FORMAT
meta-evaluate runs/gist data/gist-labels.jsonl --spans --format FORMAT
estimate runs/all data/few-labels.jsonl -m accuracy --width 0.05 --format FORMAT
estimate runs/all data/few-labels.jsonl -m faithfulness --systems careful,hasty --stratified --format json
probe --judge offline -m accuracy -m correctness --limit 20 -o runs/probe --format FORMAT
drift old/builds/before old/builds/before --resamples 200 --format json
index data/corpus/en data/corpus/ja --kb kb
search 'May I join two hoses together?' --kb kb --format FORMAT
search '有給休暇の申請' --kb kb --retrieval hybrid -k 3 --format json
search 'DX-45' --kb kb --retrieval bm25 --format json
answer data/questions.jsonl --system rag:kb -o answers.jsonl --name rag
answer data/questions.jsonl --system rag:kb --chain map_reduce -o joined.jsonl --name rag
converse data/questions.jsonl --system rag:kb --kb kb --limit 16 -o runs/talks --format FORMAT
converse data/questions.jsonl --system rag:kb --form mqa --limit 16 -o runs/mqa --format json
compare runs/talks runs/mqa --format FORMAT
score answers.jsonl -m correctness -m accuracy --evidence reference --kb kb -o runs/rag --format json
experiment data/chains.yaml -o runs/chains --format json
experiment data/chains.yaml -o runs/chains --results --format csv
report runs/chains -o chains.html
tune offline data/labels.jsonl -s data/samples.jsonl --label-aspect faithful -o support.json
tune offline data/labels.jsonl -s data/samples.jsonl --label-aspect correct --aspect correct -o correct.json
score data/samples.jsonl -m faithfulness -m accuracy --calibration support.json --calibration correct.json -o runs/tuned --format json
drift runs/all runs/tuned data/labels.jsonl --aspect correct --resamples 200 --format FORMAT
tune mate data/grades.jsonl --samples data/samples.jsonl -o weights.toml --format FORMAT
score data/few.jsonl {SCORES} -m gist -m aspects -m direct -m mate --judge openai:m@URL --embedder openai:e@URL -o runs/llm --format FORMAT
score data/few.jsonl -m accuracy -m faithfulness --judge openai:m@URL --votes 3 -o runs/votes --format json
show runs/votes --sample en-h01-careful
converse data/questions.jsonl --system rag:kb --judge openai:m@URL --limit 4 -o runs/llm-talks --format json
answer data/questions.jsonl --system openai:m@URL --limit 6 -o chat.jsonl --name chat
answer data/questions.jsonl --system rag:kb --generator openai:m@URL --chain refine --limit 6 -o refined.jsonl --name refined
probe data/few.jsonl --judge openai:m@URL -m correctness --limit 4 -o runs/llm-probe --format json
score data/few.jsonl -m ragas --judge openai:m@URL --dry-run
demo --all
"""  # noqa: E501 - one command per line

ON_SHARED_DATA = """
score shared/SET.samples.jsonl -m overlap -m faithfulness -m correctness --limit 200 -o runs/SET --format json
agreement shared/SET.labels.jsonl --format json
meta-evaluate runs/SET shared/SET.labels.jsonl --resamples 200 --format json
"""

SETS = ("jhars_dev", "clapnq_human", "nq301", "ragchecker_meta")

UNCOMPARED_FILES = re.compile(
    r"(^|/)(kb|points|calls\.jsonl|\.lock|data|old|shared|charts|[^/]*\.db.*)(/|$)|\.(cache|sqlite|png)$"
)

UNCOMPARED_KEYS = re.compile(
    r"[Ll]atency|seconds|\bratio\b|(median|mean|p95) s$|\bms\b|created|versions|platform|python$|session$"
    r"|(^|\.)(command(\[|$)|key$)|\.usage\."
)

TIMED = re.compile(r"chains|^(demo|experiment|answer|converse) |^demo --all$|demo/report")
"""Outputs whose text contains latencies: figures in their lines are ignored; they are compared as JSON instead."""

VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(\+\d\d:\d\d|Z)?"), "TIME"),
    (re.compile(r"127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"\b\d[\d.,]* ?(ms|s)\b"), "DURATION"),
    (re.compile(r"\b\d+ (calls,|answers reused)"), "SOME"),  # which of equal calls comes first varies
)


def drive(commands: Path) -> None:
    """Run each command in this process and folder; write output and exit status next to each other."""
    from saiten.cli import main  # noqa: PLC0415 - the tree to test is on the path only in the child process

    for line in commands.read_text("utf-8").splitlines():
        place = Path("out") / name_of(line)
        status_file, out_file, err_file = (Path(f"{place}.{kind}") for kind in ("status", "out", "err"))
        if status_file.exists():
            continue
        print(f"{Path.cwd().name}: {line[:150]}", file=sys.stderr, flush=True)
        kept = os.dup(1), os.dup(2)
        with out_file.open("wb") as out, err_file.open("wb") as err:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            try:
                main(shlex.split(line))
                status: object = 0
            except SystemExit as end:
                status = end.code or 0
            except BaseException:  # noqa: BLE001 - a crash is a result
                traceback.print_exc()
                status = "crash"
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
        status_file.write_text(str(status), "utf-8")


def name_of(line: str) -> str:
    """Return a readable, unique file name for a command."""
    line = VARYING[1][0].sub("SERVER", line)
    return re.sub(r"[^\w.=-]+", "_", line)[:80] + "-" + hashlib.sha256(line.encode()).hexdigest()[:6]


def commands_of(url: str, sets: Iterable[str], only: str) -> list[str]:
    """Return every command in every format, in order."""
    lines = COMMANDS.strip().splitlines()
    lines += [line.replace("SET", one) for one in sets for line in ON_SHARED_DATA.strip().splitlines()]
    lines = [line.replace("URL", url) for line in lines]
    each = [line.replace("FORMAT", form) for line in lines for form in (FORMATS if "FORMAT" in line else ("",))]
    return [line for line in each if re.search(only, line)]


def start(tree: Path, folder: Path, lines: Iterable[str]) -> subprocess.Popen[bytes]:
    """Start a process that runs the commands with one source tree in a folder."""
    (folder / "out").mkdir(parents=True, exist_ok=True)
    listed = folder / "commands.txt"
    listed.write_text("\n".join(lines), "utf-8")
    fixed = {"PYTHONPATH": str(tree / "src"), "COLUMNS": "200", "NO_COLOR": "1", "PYTHONUTF8": "1", "TERM": "dumb"}
    command = [sys.executable, __file__, "--drive", str(listed)]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "SAITEN_"))}
    env = {**kept, **fixed, "OMP_NUM_THREADS": "1", "OPENAI_API_KEY": "none"}
    return subprocess.Popen(command, cwd=folder, env=env)


def prepare(base: Path, work: Path, shared: str | None) -> tuple[str, ...]:
    """Create the inputs with BASE (the demo's data and runs, the shared sets); return the names of the sets."""
    made = work / "made"
    if not (made / "done").exists():
        if start(base, made, ["demo", "--all"]).wait():
            start(base, made, ["demo"]).wait()  # an older BASE, whose demo has no other form
        if not (made / "runs" / "demo" / "report.html").exists():
            raise SystemExit(f"BASE cannot run its demo: see {made}/out")
        if shared:
            script = [sys.executable, str(base / "benchmarks" / "prepare_shared_data.py"), str(made / "shared")]
            env = {**os.environ, "PYTHONPATH": str(base / "src"), "SAITEN_DATA": shared}
            subprocess.run(script, env=env, check=True, stdout=subprocess.DEVNULL)
        demo, data = made / "runs" / "demo", made / "data"
        shutil.copytree(base / "src" / "saiten" / "demo" / "corpus", data / "corpus")
        for name in ("samples.jsonl", "labels.jsonl", "few-labels.jsonl", "gist-labels.jsonl", "chains.yaml"):
            shutil.copy(demo / name, data / name)
        shutil.copy(demo / "simulated-grades.jsonl", data / "grades.jsonl")
        shutil.copy(demo / "gist" / "samples.jsonl", data / "gist.jsonl")
        samples = [json.loads(line) for line in (data / "samples.jsonl").read_text("utf-8").splitlines()]
        first = {row["question"]: row for row in reversed(samples)}
        asked = [{key: row[key] for key in ("id", "question", "reference", "group")} for row in first.values()]
        write_lines(data / "questions.jsonl", asked)
        write_lines(data / "few.jsonl", samples[::16])
        # every second sample, some with the question as the answer
        changed = [row | {"answer": row["question"]} if n % 5 == 0 else row for n, row in enumerate(samples) if n % 2]
        write_lines(data / "half.jsonl", changed)
        (made / "done").touch()
    return SETS if (made / "shared").exists() else ()


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def furnish(folder: Path, made: Path) -> None:
    """Put the inputs into a build's folder: links to the data, and a copy of BASE's run folders."""
    folder.mkdir(exist_ok=True)
    for name in ("data", "shared"):
        if (made / name).exists() and not (folder / name).exists():
            (folder / name).symlink_to(made / name)
    if not (folder / "old").exists():
        shutil.copytree(made / "runs" / "demo", folder / "old")


def stub_reply(asked: Any) -> str | None:
    """Return a reply that fits the schema and depends only on the messages and the seed."""
    if not asked.path.endswith("/chat/completions"):
        return None
    key = json.dumps([asked.body["messages"], asked.body.get("seed")], sort_keys=True, ensure_ascii=False)
    if asked.schema is None:
        return f"A reply numbered {pick(key, 1000)}. It has a second sentence."
    return json.dumps(instance(asked.schema, asked.schema, key))


def instance(schema: Mapping[str, Any], root: Mapping[str, Any], key: str) -> Any:
    """Return a value that fits a JSON schema, chosen by the key."""
    if "$ref" in schema:
        return instance(root["$defs"][schema["$ref"].rpartition("/")[2]], root, key)
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return instance(options[pick(key, len(options))], root, key)
    if choices := [schema["const"]] if "const" in schema else schema.get("enum"):
        return choices[pick(key, len(choices))]
    kind, low = schema.get("type", "object"), schema.get("minimum", 0)
    if kind == "object":
        return {name: instance(part, root, f"{key}.{name}") for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        least = schema.get("minItems", 1)
        size = min(least + pick(key, 3), schema.get("maxItems", least + 3))
        return [instance(schema.get("items", {"type": "string"}), root, f"{key}.{n}") for n in range(size)]
    number = low + pick(key, int(schema.get("maximum", low + 5) - low) + 1)
    words = f"Statement {pick(key, 50)} is about the device."
    return {"integer": number, "number": number, "boolean": bool(pick(key, 2)), "string": words}.get(kind)


def pick(key: str, among: int) -> int:
    """Return a number below `among`, chosen by the key."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4]) % among


Cells = dict[str, Any] | list[str]

ROW_NAMES = ("id", "sample", "item", "metric", "aspect", "annotator", "turn", "question")


def read_cells(path: Path, name: str) -> Cells:
    """Return the content of a file or output: keys and values, or lines of text."""
    text = path.read_bytes().decode("utf-8", "replace")
    if path.suffix == ".jsonl":
        return row_cells(map(json.loads, text.splitlines()))
    if name.endswith("json"):
        try:
            return dict(flat(json.loads(text)))
        except json.JSONDecodeError:
            pass
    if name.endswith("csv"):
        return csv_cells(text)
    lines = page_lines(text) if name.endswith("html") else [steady(one) for one in text.splitlines()]
    if not TIMED.search(name):
        return lines
    return [" ".join(re.sub(r"\d*\.?\d+", "N", line).split()) for line in lines if re.search(r"[^\d\s.]", line)]


def row_cells(rows: Iterable[Any]) -> Cells:
    """Return the cells of JSON lines by the fields that identify a row, since rows may be in any order."""
    found: dict[str, Any] = {}
    nameless = []
    for row in rows:
        names = [str(row[key]) for key in ROW_NAMES if key in row] if isinstance(row, dict) else []
        if names:
            name, count = "/".join(names), 1
            while name in found:
                count += 1
                name = f"{'/'.join(names)} #{count}"
            found[name] = row
        else:
            nameless.append(json.dumps(dict(flat(row)), sort_keys=True, ensure_ascii=False))
    return dict(flat(found)) if found else sorted(nameless)


def flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value with its path."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and value:
        for n, inner in enumerate(value):
            yield from flat(inner, f"{key}[{n}]")
    elif not UNCOMPARED_KEYS.search(key):
        yield key, steady(value) if isinstance(value, str) else value


def csv_cells(text: str) -> dict[str, Any]:
    """Return cells by table, row and column."""
    found: dict[str, Any] = {}
    columns: list[str] = []
    for n, row in enumerate(csv.reader(text.splitlines())):
        if row and row[0] == "table":
            columns = row
        for column, cell in zip(columns, row, strict=False):
            key = f"{row[0]} line {n} {column}"
            if not UNCOMPARED_KEYS.search(key):
                found[key] = steady(cell)
    return found


def page_lines(text: str) -> list[str]:
    """Return the text of a page without scripts, styles and drawings, then the data in it by key."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - only where there is a page

    page = LexborHTMLParser(text)
    data = [node.text() for node in page.css("script") if "json" in (node.attributes.get("type") or "")]
    for node in page.css("script, style, svg"):
        node.decompose()
    words = page.body.text(separator="\n") if page.body else ""
    lines = [" ".join(line.split()) for line in words.splitlines()]
    found = [steady(line) for line in lines if line]
    for one in data:
        found += [f"{key} = {value}" for key, value in flat(json.loads(one))]
    return found


def steady(text: str) -> str:
    """Replace what differs between two runs of one build."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return text.replace(str(Path.cwd()), "HERE")


def differences(before: Cells, after: Cells) -> Iterator[tuple[str, Any, Any]]:
    """Yield key, value before, value after."""
    if isinstance(before, list) or isinstance(after, list):
        old, new = (one if isinstance(one, list) else [f"{k} = {v}" for k, v in one.items()] for one in (before, after))
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag != "equal":
                yield f"line {a + 1}", "\n".join(old[a:b]), "\n".join(new[c:d])
        return
    for key in {**before, **after}:
        one, other = before.get(key, "(absent)"), after.get(key, "(absent)")
        if not equal(one, other):
            yield key, one, other


def equal(one: Any, other: Any) -> bool:
    """Return whether the values are equal, figures up to rounding in the last digits."""
    try:
        if not isinstance(one, bool) and math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-12):
            return True
    except (TypeError, ValueError):
        pass
    return bool(one == other and type(one) is type(other))


def written(folder: Path) -> dict[str, Path]:
    """Return the files to compare by path within a build's folder: outputs first, then written files."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    names = {str(path.relative_to(folder)): path for path in files}
    return {name: path for name, path in names.items() if not UNCOMPARED_FILES.search(name) and name != "commands.txt"}


def report(work: Path, lines: Iterable[str], ignore: str, most: int) -> int:
    """Print the differences and the number of compared cells; return the number of differences."""
    base, new = written(work / "base"), written(work / "new")
    commands = {f"out/{name_of(line)}": line for line in lines}
    cells = files = total = 0
    for name in {**base, **new}:
        stem, _, kind = name.rpartition(".")
        if name.startswith("out/") and (stem not in commands or kind == "err"):
            continue
        called = commands.get(stem, name) if kind == "out" else name
        before, after = (read_cells(each[name], called) if name in each else [] for each in (base, new))
        cells += max(len(before), len(after))
        found = list(differences(before, after))
        if ignore:
            found = [one for one in found if not re.search(ignore, f"{name}: {one[0]} {one[1]} {one[2]}")]
        if not found:
            continue
        files, total = files + 1, total + len(found)
        print(f"\n== {f'saiten {commands[stem]}' if stem in commands else name} ({kind}): {len(found)} differ")
        for key, one, other in found[:most]:
            print(f"  {key}\n    before {short(one)}\n    after  {short(other)}")
        if len(found) > most:
            print(f"  … and {len(found) - most} more")
        if kind == "status":
            print("    " + short((work / "new" / f"{stem}.err").read_text("utf-8", "replace")[-600:]))
    print(f"\n{len(commands)} commands, {cells:,} cells; {total} differ, in {files} outputs and files")
    return total


def short(value: Any) -> str:
    """Return the value as text, shortened."""
    text = str(value)
    return (text if len(text) < 400 else text[:400] + " …").replace("\n", "\n           ")


def main() -> int:
    """Run both trees, compare, and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--keep", type=Path, help="folder for the outputs; results of BASE in it are reused")
    parser.add_argument("--only", default="", help="regular expression of commands, and of the runs they need")
    parser.add_argument("--ignore", default="", help="regular expression of intended differences: FILE: KEY")
    parser.add_argument("--most", type=int, default=10, help="maximum number of differences printed per output")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from servers import OpenAIServer  # noqa: PLC0415 - the tests' own server

    with tempfile.TemporaryDirectory() as temporary:
        work = (options.keep or Path(temporary)).absolute()
        shutil.rmtree(work / "new", ignore_errors=True)
        work.mkdir(parents=True, exist_ok=True)
        sets = prepare(options.base.absolute(), work, os.environ.get("SAITEN_DATA"))
        with OpenAIServer() as server:
            server.reply = stub_reply
            lines = commands_of(server.base_url, sets, options.only)
            running = []
            for tree, name in ((options.base, "base"), (options.new, "new")):
                furnish(work / name, work / "made")
                running.append(start(tree.absolute(), work / name, lines))
            broken = [process.wait() for process in running]
        if any(broken):
            print("a build did not finish the list")
        return 1 if report(work, lines, options.ignore, options.most) or any(broken) else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--drive"]:
        drive(Path(sys.argv[2]))
    else:
        sys.exit(main())
