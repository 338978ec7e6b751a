"""Readable: what a person would read of a page, without its menus and its scripts. A program of its own: on stdin
a line with the address, then HTML; JSON on stdout (`title`, `date`, `text` in Markdown; each "" where there is none).

A page is a stranger's: this process may use so much memory and so much time, and reaches nothing.
"""

import json
import logging
import resource
import sys
from urllib.parse import urljoin

import trafilatura
from trafilatura.metadata import extract_metadata

MAX_MEMORY_BYTES = 1_000_000_000
MAX_SECONDS = 10


def readable(html: bytes, url: str) -> dict[str, str]:
    """Return what the page at an address says, with whole addresses for its links."""
    # As a tree: a text that is nothing but an address would be fetched.
    tree = trafilatura.load_html(html)
    if tree is None:
        return {"title": "", "date": "", "text": ""}
    tree.rewrite_links(lambda link: _whole(link, url))
    about = extract_metadata(tree)
    text = trafilatura.extract(tree, output_format="markdown", include_links=True, include_comments=False)
    return {"title": about.title or "", "date": about.date or "", "text": text or ""}


def _whole(link: str, url: str) -> str:
    """Return a link as it would be followed; one to a place in the same page stays short."""
    try:
        return link if link.startswith("#") else urljoin(url, link)
    except ValueError:
        return link


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    logging.disable()
    address, _, html = sys.stdin.buffer.read().partition(b"\n")
    sys.stdout.buffer.write(json.dumps(readable(html, address.decode())).encode())
