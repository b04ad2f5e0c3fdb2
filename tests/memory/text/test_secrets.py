import re
import time
from pathlib import Path

import pytest

from memory.text.secrets import BLANK, blank_secrets, find_secrets, hide_secrets, hide_within, holds_mask
from tests.cases import cases
from tests.memory.text.planted import SECRETS, ordinary

EXAMPLES = Path(__file__).parent
MASKED = cases(__file__, "masked.txt")


def lines_of(name):
    return (Path(__file__).parent / name).read_text("utf-8").splitlines()


def test_nearly_all_development_examples_in_six_languages_are_masked_whole():
    """Secrets are marked by ‹›."""
    messages = [line[3:].replace("\\n", "\n") for line in lines_of("told.txt") if not line.startswith("#")]
    missed = []
    for message in messages:
        secrets = " ".join(re.findall("‹(.*?)›", message, re.DOTALL)).split()
        masked = hide_secrets(re.sub("[‹›]", "", message))
        missed += [message] * any(word in masked for word in secrets)
    assert len(messages) > 250
    assert len(missed) <= 0.03 * len(messages), missed


def marked(messages):
    return [hide_secrets(message) for message in messages if find_secrets(message)]


def test_at_most_one_or_two_percent_of_ordinary_messages_are_masked():
    resembling, with_digits = lines_of("lookalikes.txt"), ordinary()
    assert len(resembling) > 300
    assert len(marked(resembling)) <= 0.01 * len(resembling), marked(resembling)
    assert len(with_digits) == 500
    assert [message for message in with_digits if not any(map(str.isdigit, message))] == []
    assert len(marked(with_digits)) <= 10, marked(with_digits)


def test_invisible_and_lookalike_characters_hide_no_secret():
    for text, masked in (line.split(" → ") for line in MASKED["invisible and look-alike characters"]):
        assert hide_secrets(text) == masked
        assert len(blank_secrets(text)) == len(text)


def test_sixty_secrets_of_twenty_kinds_are_masked_whole_and_blanked_without_moving_anything():
    assert len(SECRETS) == 60
    assert len({kind for kind, _, _ in SECRETS}) >= 20
    for _, sentence, secret in SECRETS:
        text = sentence.format(secret)
        assert not any(part in hide_secrets(text) for part in secret.split()), text
        blanked = blank_secrets(text)
        assert len(blanked) == len(text)
        assert BLANK in blanked
        assert not find_secrets(blanked)


def test_only_the_secret_in_a_text_is_masked():
    for text, masked in (line.split(" → ") for line in MASKED["only the secret"]):
        assert hide_secrets(text) == masked
        assert hide_secrets(masked) == masked
        assert holds_mask(masked)
        assert not holds_mask(text)


def test_text_without_a_secret_is_not_changed():
    assert [text for text in MASKED["no secret"] if hide_secrets(text) != text] == []


def test_an_extract_is_masked_considering_the_text_around_it():
    text = "My password for the cabin is hunter2, come by."
    start = text.index("hunter2")
    assert hide_within(text, start, len(text), list) == "[password hidden], come by."
    assert hide_within(text, start + 3, start + 5, list) == "[password hidden]"
    assert hide_within(text, 0, start, list) == text[:start]
    assert hide_within(text, start, len(text), lambda: ["hunter2"]) == "hunter2, come by."


REPEATED = ["密码", "seed phrase is ", "4111 ", "a:b@://", "n\u0303\u200b", "my code 1 "]
ALSO_REPEATED = [
    "password ", "password: ", "pin 1 ", "DE89 ", "eyJ", "recovery code 1 ", "\ud800", "Ab1",
    "password for a ", "-----BEGIN PRIVATE KEY-----", '"password" ', "1 is my ", "=1", "login: a / ",
    "code for the door 1 ", "12 words a b ", "pа", "security question? ", "密码1",
]  # fmt: skip


@pytest.mark.parametrize(
    "piece", [*REPEATED, *(pytest.param(each, marks=pytest.mark.drill) for each in ALSO_REPEATED)]
)
def test_masking_a_hundred_thousand_characters_takes_less_than_two_seconds(piece):
    text = piece * (100_000 // len(piece))
    started = time.process_time()
    hide_secrets(text)
    assert time.process_time() - started < 2
