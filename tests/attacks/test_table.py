"""The table of attacks in docs/security.md names tests that exist."""

import re

from tests.palace.processes import CHECKOUT

ROWS = re.compile(r"^\| (\d+) [^|]+\| [^|]+\| ([^|]+) \|$", re.MULTILINE)


def test_every_attack_has_a_promise_and_tests() -> None:
    rows = ROWS.findall((CHECKOUT / "docs/security.md").read_text("utf-8"))
    assert [int(number) for number, _ in rows] == list(range(1, 26))
    for number, tests in rows:
        named = re.findall(r"`([\w/.]+)`", tests)
        assert named or "the same" in tests, number
        assert all((CHECKOUT / "tests" / name).exists() for name in named), number
