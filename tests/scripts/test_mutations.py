"""The mutations apply to the current code, and tests mentioned elsewhere exist."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MUTATIONS = tomllib.loads((ROOT / "scripts/mutations.toml").read_text(encoding="utf-8"))["mutation"]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation["name"])
def test_mutation_applies_and_its_tests_exist(mutation):
    assert (ROOT / mutation["file"]).read_text(encoding="utf-8").count(mutation["old"]) == 1
    for test in mutation["tests"]:
        path, _, name = test.partition("::")
        found = (ROOT / path).exists() and (
            not name or f"def {name.partition('[')[0]}(" in (ROOT / path).read_text()
        )
        assert found, test


ROWS = re.compile(r"^\| (\d+) [^|]+\| [^|]+\| ([^|]+) \|$", re.MULTILINE)


def test_every_attack_of_the_security_page_has_tests():
    rows = ROWS.findall((ROOT / "docs/security.md").read_text("utf-8"))
    assert [int(number) for number, _ in rows] == list(range(1, 26))
    for number, tests in rows:
        named = re.findall(r"`([\w/.]+)`", tests)
        assert named or "the same" in tests, number
        assert all((ROOT / "tests" / name).exists() for name in named), number
