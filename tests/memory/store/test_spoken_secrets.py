"""Secrets said in words are found in five languages; facts and talk that only look like them are left alone."""

import pytest

from memory.store.spoken_secrets import find_spoken

SPOKEN = {
    "My wifi password is plum-otter-9, the router is upstairs": "plum-otter-9",
    "The wifi password is sunflower.": "sunflower",
    "by the way the Netflix password is now Gardenia_Rain": "Gardenia_Rain",
    'The passphrase for the laptop is "correct horse battery staple".': "correct horse battery staple",
    "passphrase: correct horse battery staple": "correct horse battery staple",
    "I changed the password of the archive to Tr0ub4dor&3": "Tr0ub4dor&3",
    "The password for example.org is 48151623": "48151623",
    "Our wi-fi key: 8f3k-22xp": "8f3k-22xp",
    "plum-otter-9 is the wifi password": "plum-otter-9",
    "My card PIN is 4821.": "4821",
    "PUK 12345678 for the SIM": "12345678",
    "Recovery codes: 1a2b-3c4d 5e6f-7a8b, 9c0d-1e2f": "1a2b-3c4d 5e6f-7a8b, 9c0d-1e2f",
    "the seed phrase is ribbon lamp ocean velvet tiger pulse": "ribbon lamp ocean velvet tiger pulse",
    "the API key is k3y9Zq81LmT2": "k3y9Zq81LmT2",
    "Das Passwort für das WLAN lautet: Pflaume77": "Pflaume77",
    "WLAN-Schlüssel: gartenzwerg-12": "gartenzwerg-12",
    "Unser Router-Passwort ist jetzt Gartenzwerg.": "Gartenzwerg",
    "Ich habe das Passwort auf Pflaume77 geändert": "Pflaume77",
    "Die PIN meiner Girokarte ist 4821": "4821",
    "Der Wiederherstellungscode lautet 7731-9920": "7731-9920",
    "Пароль от вайфая: слива77": "слива77",
    "пароль от почты — Слива_дом": "Слива_дом",
    "Пароль от роутера теперь ромашка.": "ромашка",
    "Мой пин-код карты 4821": "4821",
    "PIN-код карты: 4821": "4821",
    "пароль вайфая слива77": "слива77",
    "my recovery codes are 1a2b-3c4d and 5e6f-7a8b": "1a2b-3c4d and 5e6f-7a8b",
    "Netflix-Passwort: Sonne!Mond": "Sonne!Mond",
    "la contraseña de Netflix es 'sol y luna'": "sol y luna",
    "La contraseña del wifi es ciruela77": "ciruela77",
    "la clave del wifi es Ciruela-Nutria": "Ciruela-Nutria",
    "El PIN de mi tarjeta es 4821.": "4821",
    "Le mot de passe du wifi est prune77": "prune77",
    "la clé wifi : prune-loutre-9": "prune-loutre-9",
    "Le code PIN de ma carte est 4821": "4821",
}

HARMLESS = [
    "The locker code is 4711.",
    "The alarm code is 2580 and the gate code is 12.",
    "The PIN of the gym locker is 4711.",
    "Die PIN für das Schließfach ist 4711.",
    "Код домофона 1234К, пин от шкафчика 4711",
    "El código de la puerta es 4711. Le code de la porte est 4711.",
    "The password is changed every Friday; password: see the vault",
    "The password expires: 2027-03-12, my password is due on 12 March",
    "The password manager is Bitwarden.",
    "The new password must have 12 characters.",
    "The password is wrong. My password is compromised!",
    "The wifi password is on the fridge.",
    "The wifi password is unchanged, the password is case-sensitive.",
    "The password is 16-character and alphanumeric.",
    "password: https://vault.example.org/x1",
    "The password reset is tomorrow, the password policy is strict.",
    "What is the wifi password?",
    "I forgot the password again.",
    "Please remind me to change the wifi password on Friday.",
    "Das Passwort ist falsch. Das Kennwort wurde geändert. Das Passwort ist abgelaufen.",
    "Das WLAN-Passwort steht auf dem Router, das Passwort ist dasselbe.",
    "Пароль неверный. Пароль изменён. Пароль надо сменить в пятницу.",
    "La contraseña es incorrecta, la clave del éxito es paciencia.",
    "La contraseña está caducada; la contraseña es segura.",
    "Le mot de passe est incorrect. Le mot de passe est oublié, la clé est sous le tapis.",
    "The recovery phrase of the film is funny. Backup codes are in the drawer.",
    "my PIN is due 2027, and my pin collection has 1500; I sold my pin collection 1500 times",
    "Das Passwort lautet anders, das WLAN-Passwort ist zu kurz.",
    "SIM card 4711, safe code 8152, backup codes: 10 left",
    "пароль на стикере, пароль такой же, пароль слишком простой",
    "La contraseña es demasiado corta; contraseña: pregunta a Ana",
    "The backup is on 12 March, recovery takes 6 weeks.",
    "The API key is under review, the access key is with Anna.",
    "The token costs 12 euros and the key is under the mat",
    "Pin the message: 4711 boxes. The pin is 12 mm.",
    "PIN 560001 is Bangalore, the boarding pass is AB1234.",
    "Card 4111 1111 1111 1111",
    "The router is a Fritzbox 7590 and the network is called Plum9.",
    "Parole was granted: 4 years. The secret is patience.",
    "The password is the same as before, in case you need it.",
]


@pytest.mark.parametrize("text", SPOKEN)
def test_a_secret_said_in_words_is_found_exactly(text: str) -> None:
    assert [secret.value for secret in find_spoken(text)] == [SPOKEN[text]]
    (secret,) = find_spoken(text)
    assert text[secret.start : secret.stop] == secret.value
    assert secret.value not in repr(secret)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_sounds_like_a_secret_is_none(text: str) -> None:
    assert find_spoken(text) == []


def test_a_card_is_a_secret_together_with_its_check_number() -> None:
    found = find_spoken("My Visa is 4111 1111 1111 1111, valid till 03/29, CVV 737")

    assert [(one.kind, one.value) for one in found] == [
        ("card details", "4111 1111 1111 1111"),
        ("card details", "737"),
    ]


def test_several_secrets_of_one_message_are_all_found() -> None:
    found = find_spoken("The wifi password is plum-otter-9 and the NAS password is Quince#4.")

    assert [(one.subject, one.value) for one in found] == [
        ("wifi password", "plum-otter-9"),
        ("NAS password", "Quince#4"),
    ]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("My wifi password is plum-otter-9", "wifi password"),
        ("By the way, our guest wifi password is plum-otter-9", "guest wifi password"),
        ("plum-otter-9 is the wifi password", "wifi password"),
        ("The password for the archive: plum-otter-9", "password for the archive"),
        ("Das WLAN-Passwort lautet Pflaume77", "WLAN-Passwort"),
        ("Пароль от вайфая: слива77", "Пароль от вайфая"),
        ("La contraseña del wifi es ciruela77", "contraseña del wifi"),
        ("Le mot de passe du wifi est prune77", "mot de passe du wifi"),
        ("Die PIN meiner Girokarte ist 4821", "PIN meiner Girokarte"),
    ],
)
def test_the_subject_is_said_in_the_members_words(text: str, subject: str) -> None:
    assert [secret.subject for secret in find_spoken(text)] == [subject]
