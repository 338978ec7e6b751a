"""The offline reader: a model without key and network, which answers only by quoting its own prompt.

`offline` takes a request and hands it on. In a chat `prompt` reads what stands in it and `answers` replies. To extract,
`reading` takes the request apart, `statements` finds what the message states (by the tables in `rules`, with
`corrections` for what it takes back or puts right), and `extract` makes `changes` of it. `checks` says yes or no;
`match` and `words` compare texts.
"""

from bot.models.reader.offline import OfflineReader

__all__ = ["OfflineReader"]
