"""AWS's signature of a request, version 4, computed anew from what arrived.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote


def signed_with(secret: str, method: str, raw_path: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether `Authorization` was made with this secret key, for this method, path, body and these headers."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=[^/]+/(?P<scope>\S+), SignedHeaders=(?P<names>\S+), Signature=(?P<made>\w{64})",
        headers["Authorization"],
    )
    if found is None:
        return False
    path, _, query = raw_path.partition("?")
    names = found["names"].split(";")
    lines = [f"{name}:{' '.join(headers[name].split())}\n" for name in names]
    canonical = "\n".join(
        [method, quote(path, safe="/-_.~"), query, "".join(lines), ";".join(names), sha256(body).hexdigest()]
    )
    date, *rest = found["scope"].split("/")
    text = "\n".join(
        ["AWS4-HMAC-SHA256", headers["X-Amz-Date"], found["scope"], sha256(canonical.encode()).hexdigest()]
    )
    key = f"AWS4{secret}".encode()
    for part in (date, *rest):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex() == found["made"]
