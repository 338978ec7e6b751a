"""Orders: sentences that ask the assistant to do something, which state nothing ("Sort the guests: Noor, Ada, Mia").

What a member notes for themselves ("call the plumber tomorrow at 9") is none: only what is done here, with words, is.
"""

import re

_OBJECT = r"(?:the|an?|my|our|your|this|that|these|those|it|them|all|each|every|both)"
_OBJEKT = r"(?:mir|uns|bitte|mal|es|sie|alle[sn]?|d(?:ie|er|as|en|em)|eine?[nmr]?|mein\w*|unser\w*|diese?[smnr]?)"
_MADE = r"(?:\w+ )?(?:reminder|alarm|timer|list|table|note|summary|file|overview)s?"
_GEMACHT = r"(?:\w+ )?(?:erinnerung|wecker|timer|liste|tabelle|notiz|zusammenfassung|datei|übersicht)"
_ORDER = re.compile(
    r"(?:(?:please|kindly|now|then|bitte|jetzt|dann|пожалуйста|теперь)\b[, ]+)*(?:"
    r"(?:sort|translate|summari[sz]e|compare|explain|calculate|convert|count|rank|rewrite|rephrase|shorten|proofread"
    rf"|describe|analy[sz]e|list|show|find|search|look up|go through) {_OBJECT}"
    r"|(?:tell|show|give|send|write|read|find|make|draft|wake|remind|help|warn|notify) (?:me|us)"
    rf"|(?:put|add) (?:it|this|that|them)|(?:set|make|create|add|write) (?:an?|the|my|another) {_MADE}"
    rf"|(?:sortier|übersetz|vergleich|erklär|berechn|zähl|fass|formulier|kürz|beschreib|ordn|zeig|such)e? {_OBJEKT}"
    r"|(?:sag|zeig|gib|schick|schreib|lies|such|find|mach|stell|erstell|weck|hilf|erinner)e? (?:mir|mich|uns)"
    r"|(?:setz|schreib|trag|pack|leg)e? (?:es|das|sie|dies)"
    rf"|(?:stell|mach|erstell|leg|schreib)e? (?:eine?n?|die|den|das|meine?n?) {_GEMACHT}"
    r"|(?:отсортируй|переведи|сравни|объясни|посчитай|вычисли|перечисли|опиши|напомни|напиши|составь|сделай|покажи"
    r"|расскажи|скажи|найди|поищи|пришли|отправь|дай|разбуди|поставь|добавь|создай|прочитай|перепиши|сократи)(?:те)?"
    r")(?!\w)",
    re.IGNORECASE,
)


def is_order(clause: str) -> bool:
    """Whether a clause, openers cut off, begins as an order to the assistant does."""
    return _ORDER.match(clause) is not None
