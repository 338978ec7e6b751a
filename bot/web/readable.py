"""Readable: what a person would read of a page, without its menus and its scripts. A program of its own: HTML on stdin,
JSON on stdout (`title`, `date`, `text` in Markdown; each "" where there is none).

A page is a stranger's: this process may use so much memory and so much time, and reaches nothing.
"""

import json
import logging
import resource
import sys

import trafilatura
from trafilatura.metadata import extract_metadata

MAX_MEMORY_BYTES = 1_000_000_000
MAX_SECONDS = 10


def readable(html: bytes) -> dict[str, str]:
    """Return what a page says."""
    # As a tree: a text that is nothing but an address would be fetched.
    tree = trafilatura.load_html(html)
    if tree is None:
        return {"title": "", "date": "", "text": ""}
    about = extract_metadata(tree)
    text = trafilatura.extract(tree, output_format="markdown", include_links=True, include_comments=False)
    return {"title": about.title or "", "date": about.date or "", "text": text or ""}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    logging.disable()
    sys.stdout.buffer.write(json.dumps(readable(sys.stdin.buffer.read())).encode())
