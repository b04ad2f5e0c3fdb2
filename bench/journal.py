"""Result files that grow by a line at a time, so that a run that was killed goes on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Journal:
    """Rows of a JSONL file by their `question_id`; the last of several counts."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def rows(self) -> dict[str, dict[str, Any]]:
        """What is there. A last line that was torn by a kill is taken off the file."""
        if not self._path.exists():
            return {}
        text = self._path.read_text()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            self._path.write_text(whole)
        found = (json.loads(line) for line in whole.splitlines() if line.strip())
        return {row["question_id"]: row for row in found}

    def add(self, row: Mapping[str, Any]) -> None:
        """Append one row, which is then on the disk even if the next thing is a kill."""
        with self._path.open("a") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
