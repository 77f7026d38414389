"""OTLP JSON as the collector's file exporter writes it, from short descriptions of spans."""

import json

START = 1_795_873_508_000_000_000


def value(given):
    """An attribute's value in OTLP JSON."""
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(item) for item in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": pairs(given)}}
    return {"stringValue": given}


def pairs(given):
    """Attributes in OTLP JSON."""
    return [{"key": key, "value": value(item)} for key, item in given.items()]


def span(
    number, parent=None, *, trace="a" * 32, begin=0.0, seconds=1.0, name="step", events=(), fault=None, **attributes
):
    """A span; `number` makes its id, and `__` in the name of an attribute stands for a dot."""
    found = {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(START + int(begin * 1e9)),
        "endTimeUnixNano": str(START + int((begin + seconds) * 1e9)),
        "attributes": pairs({key.replace("__", "."): item for key, item in attributes.items()}),
        "events": [{"name": event, "attributes": pairs(given)} for event, given in events],
        "status": {"code": 2, "message": fault} if fault else {},
    }
    return found if parent is None else found | {"parentSpanId": f"{parent:016x}"}


def request(*spans, service="support-bot", version="1.4"):
    """A line of the file exporter."""
    resource = {"attributes": pairs({"service.name": service, "service.version": version})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "s"}, "spans": list(spans)}]}]}


def lines(*rows):
    """JSON lines; texts are lines as they are."""
    return "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)


def rag(
    trace="a" * 32,
    question="橋はいつ開通しましたか。",
    answer="1998年です。",
    documents=("この橋は1998年に開通した。", "橋は赤い。"),
    first=1,
):
    """The spans of a RAG application in OpenInference, children first, as they end."""
    root, retriever, model = first, first + 1, first + 2
    found = {f"retrieval__documents__{n}__document__content": text for n, text in enumerate(documents)}
    return [
        span(
            retriever, root, trace=trace, begin=0.1, seconds=0.2, name="search",
            openinference__span__kind="RETRIEVER", input__value=question, **found,
        ),
        span(
            model, root, trace=trace, begin=0.4, seconds=1.0, name="llm", openinference__span__kind="LLM",
            llm__input_messages__0__message__role="user", llm__input_messages__0__message__content=f"文書: … {question}",
            llm__output_messages__0__message__role="assistant", llm__output_messages__0__message__content=answer,
            llm__token_count__prompt=120, llm__token_count__completion=30,
        ),
        span(
            root, trace=trace, seconds=1.5, name="rag", openinference__span__kind="CHAIN", session__id="s1",
            input__value=json.dumps({"question": question}), input__mime_type="application/json",
            output__value=json.dumps({"answer": answer}), output__mime_type="application/json",
        ),
    ]  # fmt: skip
