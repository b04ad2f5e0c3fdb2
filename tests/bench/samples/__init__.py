"""Small made-up data files in the formats of the data sets, with the quirks of the real ones."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def sample(name: str) -> Any:
    """The JSON of one sample."""
    return json.loads((HERE / f"{name}.json").read_text())


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text().splitlines()]
