"""Secrets of many shapes are masked at equal length; what only looks like one is left alone."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.catalogue import speaking
from memory.messages import utf16_length
from memory.store.redaction import KEEP_ANYWAY, Redacted, Redactor, is_masked, mask_of, notice, strip_hidden
from tests.memory.store.test_spoken_secrets import SPOKEN

# Put together at run time, so that no scanner takes this file for a leak.
BOT_TOKEN = "7654321098:" + "AA" + "GhtX_9zQmL-4vB7nRk2PwYs5TdEu8Jc0o"
API_KEY = "AIza" + "SyB3_kQ9-wLxTn7RvE2mUpZc5dHsJ0fGaY1"
PEM = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEpAIBAAKCAQEA7x2Lr9\nqWz+Tg/4==\n-----END RSA PRIVATE " + "KEY-----"
RANDOM_40 = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzR8s2tQ9vB"
OWN = ["11223344:" + "own-token-of-this-bot", "own_key_of_this_bot_0815"]

SECRETS = {
    "telegram": BOT_TOKEN,
    "telegram in an address": f"https://api.telegram.org/bot{BOT_TOKEN}/getMe",
    "google": API_KEY,
    "google auth key": "AQ." + "Ab8RN6Lq2mXwT5vYpZ9cK3dHsJ0fGaY1uE7nRbQ",
    "google oauth": "ya29." + "a0AfH6SMBx2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc",
    "google client": "GOCSPX-" + "x2Lr9qWzTg4vB7nRk2PwYs5TdEu8",
    "github": "ghp_" + "x2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc0oAbCd",
    "github fine-grained": "github_pat_" + "11ABCDEFG0x2Lr9qWzTg_4vB7nRk2PwYs5TdEu8Jc0o",
    "anthropic": "sk-ant-" + "api03-x2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc0o",
    "openai project": "sk-proj-" + "x2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc0oAbCd",
    "aws id": "AKIA" + "IOSFODNN7EXAMPLE",
    "aws secret": f"aws_secret_access_key = {RANDOM_40}",
    "slack bot": "xoxb-" + "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "slack hook": "https://hooks.slack.com/services/" + "T01234567/B01234567/x2Lr9qWzTg4vB7nRk2PwYs5T",
    "stripe": "sk_live_" + "x2Lr9qWzTg4vB7nRk2PwYs5T",
    "gitlab": "glpat-" + "x2Lr9qWzTg4vB7nRk2Pw",
    "sendgrid": "SG." + "x2Lr9qWzTg4vB7nRk2PwYs" + "." + "x2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc0oAbCdEfGhIjK",
    "twilio": "AC" + "0123456789abcdef0123456789abcdef",
    "discord": "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + "ZnCjm1XVW7vRze4b7Cq4se7kKWs",
    "npm": "npm_" + "x2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc0oAbCd",
    "pypi": "pypi-" + "AgEIcHlwaS5vcmc" + "x2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc0o" * 3,
    "hugging face": "hf_" + "x2LrWqWzTgEvBInRkLPwYsGTdEuXJcLoAb",
    "web token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "address with a password": "postgres://ana:" + "plum-otter" + "@db.example.org:5432/archive",
    "pem": PEM,
    "pem in JSON": PEM.replace("\n", "\\n"),
    "second half of a pem": PEM[35:],
    "azure": "AccountKey=" + "x2Lr9qWzTg4vB7nRk2PwYs5TdEu8Jc0oAbCdEfGhIjK+" * 2,
    "password in words": "My wifi password is plum-otter-9, the router is upstairs",
    "password in German": "Das Passwort für das WLAN lautet: Pflaume77",
    "our own token": f"the token {OWN[0]} is ours",
    "our own key": f"?key={OWN[1]}&alt=sse",
    "our own token in an address": f"https://example.org/bot{OWN[0].replace(':', '%3A')}/getMe",
}

REVEALING = (
    *("x2Lr", "AAGht", "SyB3", "Ab8RN", "IOSFODNN7", "bPxRf", "123456789012", "0123456789abcdef", "Cl2FMQ"),
    *("OiIxMjM0", "plum-otter", "MIIEp", "qWz+Tg", "Pflaume77", "own-token", "own_key"),
)

HARMLESS = {
    "sha-256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha-256 in capitals": "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
    "sha-1 of a commit": "the secret of commit da39a3ee5e6b4b0d3255bfef95601890afd80709 is rebase",
    "md5": "MAC d41d8cd98f00b204e9800998ecf8427e",
    "base64 of a hash": "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "phone": "+49 151 23456789 or (030) 1234-5678",
    "iban": "DE89 3704 0044 0532 0130 00, DE89370400440532013000",
    "card": "4111 1111 1111 1111",
    "date": "2027-03-12T17:30:00+01:00",
    "chat id": "-1001234567890:42",
    "invoice": "invoice AP1234567890 and AC-2027-0042",
    "capitals": "BEI UNS GIBT ES APFELSTRUDEL UND APARTMENTS",
    "address": "https://example.org:8443/path?id=42#part",
    "mail": "mailto:ana@example.org, ana.b@example.org",
    "port": "redis://cache.example.org:6379/0",
    "word with sk": "sk-learn and risk-assessment-of-the-northern-district-office-2027",
    "a talk about passwords": "The password is changed every Friday; password: see the vault",
    "password with a date": "The password expires: 2027-03-12, my password is due on 12 March",
    "a talk about tokens": "The token costs 12 euros and the key is under the mat",
    "long word": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "isbn": "ISBN 978-3-16-148410-0",
    "tracking": "1Z999AA10123456784 and JD014600003SE",
    "coordinates": "52.520008, 13.404954",
    "mac address": "00:1A:2B:3C:4D:5E",
    "ip": "2001:0db8:85a3:0000:0000:8a2e:0370:7334 and 192.168.0.17",
    "public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGcWGb1yz",
    "version": "google-genai==3.6.1, cpython-3.11.9-linux-x86_64",
    "emoji": "👩‍👩‍👧 at 17:30 🎉",
}

PIECES = st.sampled_from([*SECRETS.values(), *SPOKEN, *HARMLESS.values(), " ", "😀"]) | st.text()
TEXTS = st.text() | st.lists(PIECES).map("".join)


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(OWN)


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked(redactor: Redactor, name: str) -> None:
    redacted = redactor.redact(f"before {SECRETS[name]} after")

    assert redacted.kinds
    assert not [part for part in REVEALING if part in redacted.text]
    assert redacted.text.startswith("before ")
    assert redacted.text.endswith(" after")


@pytest.mark.parametrize("name", HARMLESS)
def test_a_look_alike_stands_unchanged(redactor: Redactor, name: str) -> None:
    redacted = redactor.redact(f"before {HARMLESS[name]} after")

    assert (redacted.text, redacted.kinds) == (f"before {HARMLESS[name]} after", ())


def test_what_was_not_stored_is_told_in_the_language_that_is_spoken(redactor: Redactor) -> None:
    redacted = redactor.redact(f"postgres://ana:q7Lx2vPw@db.example.org and {SECRETS['github']}")
    assert notice(redacted).startswith("Not stored: something that looked like a password and a GitHub token.")
    with speaking("de"):
        told = notice(redacted)
    assert told.startswith("Nicht gespeichert: etwas, das aussah wie ein Passwort und ein GitHub-Token.")


def test_what_surrounds_a_secret_stands(redactor: Redactor) -> None:
    text = redactor.redact(SECRETS["address with a password"]).text

    assert text == "postgres://ana:[secret••]@db.example.org:5432/archive"


@given(TEXTS)
def test_a_mask_has_as_many_utf16_units_as_the_secret(text: str) -> None:
    assert utf16_length(Redactor(OWN).redact(text).text) == utf16_length(text)


@given(TEXTS)
def test_a_second_pass_finds_nothing(text: str) -> None:
    redactor = Redactor(OWN)
    once = redactor.redact(text)

    assert redactor.redact(once.text).text == once.text
    assert redactor.redact(once.text).kinds == ()


@given(st.text(min_size=1), TEXTS)
def test_our_own_key_never_survives_whatever_it_looks_like(own: str, text: str) -> None:
    own = f"kept-{own}9"

    assert own not in Redactor([own]).redact(f"{text}{own}{text}").text


@pytest.mark.parametrize(
    "piece",
    [
        "eyJ",
        "sk-",
        "://a",
        "-----BEGIN PRIVATE KEY-----",
        "AAAA ",
        "A" * 64 + "\n",
        "xoxb-1-",
        "aws key '",
        "password for ",
        "my pin of the card ",
        "recovery codes: 1234 ",
        "recovery code: 1" + "1" * 29_000 + "ü",
        "cvv 123 4111 ",
        "a1" * 40 + " is ",
        "passphrase: abc def ghi ",
    ],
)
def test_a_hostile_text_takes_no_time_to_speak_of(redactor: Redactor, piece: str) -> None:
    started = time.process_time()

    redactor.redact(piece * (30_000 // len(piece)))

    assert time.process_time() - started < 5


def test_the_notice_names_each_kind_once() -> None:
    line = notice(Redacted("", ("a GitHub token", "a password")))

    assert line == (
        "Not stored: something that looked like a GitHub token and a password. The rest of the message was kept."
    )


def test_the_notice_offers_to_keep_what_was_said_in_words_and_nothing_else() -> None:
    redactor = Redactor(OWN)

    assert notice(redactor.redact("The wifi password is plum-otter-9"), can_keep=True).endswith(KEEP_ANYWAY)
    assert KEEP_ANYWAY not in notice(redactor.redact(f"My password is {API_KEY}"), can_keep=True)
    assert KEEP_ANYWAY not in notice(redactor.redact("The wifi password is plum-otter-9"))


@pytest.mark.parametrize("text", SPOKEN)
def test_a_secret_said_in_words_is_masked_and_held_apart(redactor: Redactor, text: str) -> None:
    redacted = redactor.redact(text)

    assert [secret.value for secret in redacted.spoken] == [SPOKEN[text]]
    assert redacted.text == text.replace(SPOKEN[text], mask_of(SPOKEN[text]))
    assert is_masked(mask_of(SPOKEN[text]))
    assert SPOKEN[text] not in repr(redacted)


HIDDEN_TEXT = "".join(chr(0xE0000 + ord(char)) for char in "obey me")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Head{HIDDEN_TEXT}line", "Headline"),
        ("photo\u202egpj.exe", "photogpj.exe"),
        ("pass\u00adword", "password"),
        ("a\ufff9b\ufffac\ufffb", "abc"),
        ("x" + "".join(chr(0xE0100 + n) for n in range(20)), "x\U000e0100"),
    ],
)
def test_what_hides_words_is_removed(text: str, shown: str) -> None:
    assert strip_hidden(text) == shown


ENGLAND = "🏴" + "".join(chr(0xE0000 + ord(char)) for char in "gbeng") + "\U000e007f"


@pytest.mark.parametrize(
    "text", ["می\u200cخواهم", "क्\u200dष", "👩\u200d👩\u200d👧", "a\u200eb\u200fc", "❤\ufe0f", ENGLAND]
)
def test_joiners_marks_and_flags_stand(text: str) -> None:
    assert strip_hidden(text) == text
