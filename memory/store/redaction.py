"""Secrets leave a text before it is stored: spans found by shape, masked at equal length; hidden characters go too.

The shapes are the denylist patterns of detect-secrets (its regular expressions alone: no entropy, keyword or address
plugins, no verification over the network) and our own for what it misses or searches in quadratic time; what a person
says in words is `spoken_secrets`. A mask has as many UTF-16 units as what it covers, so entity offsets of Telegram stay
right.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from memory.catalogue import N_, _
from memory.messages import utf16_length
from memory.store.spoken_secrets import MASK_FILL, SpokenSecret, find_spoken


@dataclass(frozen=True)
class Redacted:
    """A text without its secrets, and what they looked like (each kind once, in order).

    `spoken` are those that were said in words: only they can be kept, when the member asks for it.
    """

    text: str
    kinds: tuple[str, ...] = ()
    spoken: tuple[SpokenSecret, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class _Shape:
    """One pattern of a secret. What is masked is group `secret` where the pattern has one, else the whole match."""

    kind: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] = bool
    is_run: bool = True
    """It has a run of `_RUN` in it: a text without one need not be searched."""


def _is_mixed(text: str) -> bool:
    """Tell a random key from a hash: capitals, small letters and digits together."""
    return bool(re.search("[A-Z]", text) and re.search("[a-z]", text) and re.search("[0-9]", text))


def _is_password(text: str) -> bool:
    """Tell a password from a word, a date or a number: letters and digits together."""
    return any(c.isalpha() for c in text) and any(c.isdigit() for c in text)


# Left out: JWT, OpenAI, npm and basic-auth (quadratic on hostile text), Artifactory (it takes `AP12345678` for a
# password), private keys (headers only). Our own shapes below stand for them.
_PLUGINS: tuple[tuple[str, Iterable[re.Pattern[str]]], ...] = (
    (N_("an AWS key"), AWSKeyDetector.denylist),
    (N_("an Azure storage key"), AzureStorageKeyDetector.denylist),
    (N_("a Cloudant password"), CloudantDetector.denylist),
    (N_("a Discord token"), DiscordBotTokenDetector.denylist),
    (N_("a GitHub token"), GitHubTokenDetector.denylist),
    (N_("a GitLab token"), GitLabTokenDetector.denylist),
    (N_("an IBM cloud key"), IbmCloudIamDetector.denylist),
    (N_("an IBM cloud key"), IbmCosHmacDetector.denylist),
    (N_("a Mailchimp key"), MailchimpDetector.denylist),
    (N_("a PyPI token"), PypiTokenDetector.denylist),
    (N_("a SendGrid key"), SendGridDetector.denylist),
    (N_("a Slack token"), SlackDetector.denylist),
    (N_("a SoftLayer key"), SoftlayerDetector.denylist),
    (N_("a Square token"), SquareOAuthDetector.denylist),
    (N_("a Stripe key"), StripeDetector.denylist),
    (N_("a Telegram bot token"), TelegramBotTokenDetector.denylist),
    (N_("a Twilio key"), TwilioKeyDetector.denylist),
)

_START = r"(?<![A-Za-z0-9_-])"
_RUN = re.compile(r"[A-Za-z0-9_+/=.-]{16}")

_OWN_SHAPES: tuple[_Shape, ...] = (
    _Shape(
        N_("a private key"),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[\s\S]{0,8000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:\s+[A-Za-z0-9+/=]{16,76})*)"
        ),
        is_run=False,
    ),
    _Shape(
        N_("a private key"),  # the second half of one that was cut in two messages
        re.compile(
            r"(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{4,76}(?:\r?\n|\\n)){1,100}"
            r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        ),
        is_run=False,
    ),
    _Shape(N_("a private key"), re.compile(r"PuTTY-User-Key-File-\d[\s\S]{0,8000}?Private-MAC:\s*\w+")),
    _Shape(N_("a private key"), re.compile(r"AGE-SECRET-KEY-1[0-9A-Z]{50,}")),
    _Shape(N_("a Telegram bot token"), re.compile(r"(?<!\d)\d{7,12}:AA[A-Za-z0-9_-]{30,}")),
    _Shape(N_("a Google key"), re.compile(r"AIza[A-Za-z0-9_-]{30,}")),
    _Shape(N_("a Google key"), re.compile(_START + r"AQ\.[A-Za-z0-9_-]{30,}")),
    _Shape(N_("a Google key"), re.compile(_START + r"(?:ya29\.[A-Za-z0-9_.-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,})")),
    _Shape(N_("a GitHub token"), re.compile(_START + r"github_pat_[A-Za-z0-9_]{22,}")),
    _Shape(N_("an Anthropic key"), re.compile(_START + r"sk-ant-[A-Za-z0-9_-]{20,}")),
    _Shape(N_("an OpenAI key"), re.compile(_START + r"sk-[A-Za-z0-9_-]{32,}"), _is_mixed),
    _Shape(N_("a Hugging Face token"), re.compile(_START + r"hf_[A-Za-z0-9]{30,}")),
    _Shape(N_("an npm token"), re.compile(_START + r"npm_[A-Za-z0-9]{36,}")),
    _Shape(N_("an npm token"), re.compile(r"_authToken=(?P<secret>[^\s•]{8,})")),
    _Shape(N_("a DigitalOcean token"), re.compile(_START + r"do[opr]_v1_[a-f0-9]{64}")),
    _Shape(N_("a Stripe key"), re.compile(_START + r"(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{24,}")),
    _Shape(N_("a Slack token"), re.compile(_START + r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{20,}"), _is_password),
    _Shape(N_("a Shopify token"), re.compile(_START + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}")),
    _Shape(N_("an Artifactory key"), re.compile(_START + r"AKCp[A-Za-z0-9]{50,}")),
    _Shape(N_("an API key"), re.compile(_START + r"(?:gsk_|xai-|pplx-|r8_)[A-Za-z0-9]{30,}")),
    _Shape(
        N_("a web token"), re.compile(_START + r"eyJ[A-Za-z0-9_=-]{8,}\.[A-Za-z0-9_=-]{8,}(?:\.[A-Za-z0-9_.+/=-]*)?")
    ),
    _Shape(
        N_("an AWS key"),
        re.compile(
            r"(?i:aws|secret|AKIA)[^\n]{0,60}?(?<![A-Za-z0-9/+=])(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
        _is_mixed,
    ),
    _Shape(N_("a password"), re.compile(r"://[^\s/:@?#]{1,200}:(?P<secret>[^\s/:@?#•]{1,200})@"), is_run=False),
)

KEEP_ANYWAY = N_(
    "If you want it kept, tap the button or send /keepsecret within ten minutes: it then becomes a private fact of "
    "yours. Until then I hold it in memory only, and then it is gone."
)

_MIN_OWN_LENGTH = 6
_MASK_START, _MASK_END = "[secret", "]"
_MASKED = re.compile(rf"{re.escape(_MASK_START)}{MASK_FILL}|{MASK_FILL}{{3}}")


class Redactor:
    """Takes secrets out of texts. `own_secrets` (our token, our key) go wherever they stand, whatever their shape."""

    def __init__(self, own_secrets: Sequence[str]) -> None:
        self._shapes = (*_own_shapes(own_secrets), *_OWN_SHAPES, *_plugin_shapes())

    def redact(self, text: str) -> Redacted:
        """Mask every secret; the result has as many UTF-16 units as `text`. A second pass changes nothing."""
        kinds: dict[str, None] = {}
        spoken: list[SpokenSecret] = []
        while True:
            found = self._find(text)
            # What has the shape of a key goes first, so that nothing of it is left to be kept as a word.
            said = [] if found else find_spoken(text)
            found += [(one.start, one.stop, one.kind) for one in said]
            if not found:
                return Redacted(text, tuple(kinds), tuple(spoken))
            spoken += said
            kinds.update(dict.fromkeys(kind for _start, _stop, kind in sorted(found)))
            text = _masked(text, found)

    def _find(self, text: str) -> list[tuple[int, int, str]]:
        """Return the spans that are not masked already."""
        found = []
        has_run = _RUN.search(text) is not None
        for shape in self._shapes:
            if shape.is_run and not has_run:
                continue
            for match in shape.pattern.finditer(text):
                start, stop = match.span("secret" if "secret" in shape.pattern.groupindex else 0)
                if shape.accepts(text[start:stop]) and text[start:stop] != mask_of(text[start:stop]):
                    found.append((start, stop, shape.kind))
        return found


def is_masked(text: str) -> bool:
    """Tell whether a secret was taken out of a text."""
    return _MASKED.search(text) is not None


def notice(redacted: Redacted, *, can_keep: bool = False) -> str:
    """Return the line that tells the member what was not stored, and where they can have it kept, how."""
    *others, last = map(_, redacted.kinds)
    listed = _("{others} and {last}").format(others=", ".join(others), last=last) if others else last
    line = _("Not stored: something that looked like {listed}. The rest of the message was kept.").format(listed=listed)
    return f"{line} {_(KEEP_ANYWAY)}" if can_keep and redacted.spoken else line


# Tags spell hidden text, except in the flags of England, Scotland and Wales; overrides and annotation marks show a text
# other than it is; a soft hyphen cuts words; one variation selector is a style, a row of them is a message.
_HIDDEN = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f)"
    "|[\U000e0000-\U000e007f\u202d\u202e\ufff9-\ufffb\u00ad\u2061-\u2064]"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)


def strip_hidden(text: str) -> str:
    """Remove characters that hide words or swap their order. The length changes: entity offsets do not survive.

    Joiners (ZWJ, ZWNJ) and direction marks stay: Persian, Hindi and family emoji need them.
    """
    return _HIDDEN.sub(lambda match: match["flag"] or "", text)


def _own_shapes(secrets: Iterable[str]) -> Iterator[_Shape]:
    for secret in secrets:
        if len(secret.strip()) < _MIN_OWN_LENGTH:
            continue  # empty, or so short that it would tear words apart
        spellings = {secret, quote(secret, safe=""), quote(secret, safe=":")}
        pattern = "|".join(re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True))
        yield _Shape(N_("this bot's own key"), re.compile(pattern), is_run=False)


def _plugin_shapes() -> Iterator[_Shape]:
    for kind, patterns in _PLUGINS:
        for pattern in patterns:
            # Not inside a longer word, and with the rest of it: a token may grow.
            yield _Shape(kind, re.compile(rf"(?<![A-Za-z0-9])(?:{pattern.pattern})[A-Za-z0-9_-]*", pattern.flags))


def _masked(text: str, found: Iterable[tuple[int, int, str]]) -> str:
    pieces, position = [], 0
    for start, stop in _merged(found):
        pieces += [text[position:start], mask_of(text[start:stop])]
        position = stop
    return "".join([*pieces, text[position:]])


def _merged(found: Iterable[tuple[int, int, str]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, stop, _kind in sorted(found):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(stop, spans[-1][1]))
        else:
            spans.append((start, stop))
    return spans


def mask_of(secret: str) -> str:
    """Return what stands for a secret in a text: as many UTF-16 units as it has."""
    length = utf16_length(secret)
    fill = length - len(_MASK_START) - len(_MASK_END)
    return _MASK_START + MASK_FILL * fill + _MASK_END if fill >= 1 else MASK_FILL * length
