"""Answers as JSON. Escaped to ASCII: half a surrogate pair in a text from outside could not be sent otherwise."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The value as JSON; NaN, which is none, raises ValueError."""
    return Response(
        json.dumps(value, allow_nan=False, separators=(",", ":")), status, headers, media_type="application/json"
    )


def nothing(headers: Mapping[str, str] | None = None) -> Response:
    """Return 204: done, or there is nothing."""
    return Response(status_code=204, headers=headers)
