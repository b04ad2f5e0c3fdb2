"""The mutations still fit the code they break."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MUTATIONS = tomllib.loads((ROOT / "scripts/mutations.toml").read_text(encoding="utf-8"))["mutation"]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation["name"])
def test_a_mutation_fits_the_code(mutation):
    assert (ROOT / mutation["file"]).read_text(encoding="utf-8").count(mutation["old"]) == 1
    for test in mutation["tests"]:
        path, _, name = test.partition("::")
        found = (ROOT / path).exists() and (
            not name or f"def {name.partition('[')[0]}(" in (ROOT / path).read_text()
        )
        assert found, test
