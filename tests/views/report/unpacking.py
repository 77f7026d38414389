"""The contents of a report's page, read as its script reads them."""

import gzip
import json
import re
from base64 import b64decode


def unpacked(text):
    """A pack's values."""
    return json.loads(gzip.decompress(b64decode(text, validate=True)))


def index_of(page):
    """The list of the samples."""
    (found,) = re.findall(r'<script type="text/plain" id="report-index">(.*?)</script>', page)
    return unpacked(found)


def items_of(page):
    """All samples in full, in order."""
    return [
        item
        for text in re.findall(r'<script type="text/plain" class="pack">(.*?)</script>', page)
        for item in unpacked(text)
    ]


def beginnings_of(page):
    """Beginnings of all answers, in order: answer, reference, and reasons by the metric's place."""
    return [
        begins
        for text in re.findall(r'<script type="text/plain" class="begins">(.*?)</script>', page)
        for begins in unpacked(text)
    ]
