"""Tells the year: reads the data, writes it as an export and mines it as the product does."""

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from chat.mining.run import mine_user
from transfer.imports import import_file, run_of_file

FOLDER = Path(__file__).parent
RETURNS = FOLDER / "returns"
AFTERWARDS = datetime(2025, 1, 6, 8, 0, tzinfo=UTC)
A_TURN = timedelta(seconds=50)
PATIENCE = timedelta(hours=1)


@dataclass(frozen=True)
class Chat:
    """One chat: its turns alternate between the person and the assistant."""

    id: str
    at: datetime
    title: str
    turns: tuple[str, ...]


def chats(folder: Path = FOLDER) -> tuple[Chat, ...]:
    """The chats of a story, in the order they were held: sixty of Nora's, unless it is another."""
    return tuple(
        Chat(row["id"], row["at"], row["title"], tuple(row["turns"]))
        for row in read("chats.toml", folder)["chat"]
    )


def read(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """One of the files of a story."""
    with (folder / name).open("rb") as file:
        return tomllib.load(file)


def live_through(user_id: UUID, told: Iterable[Chat], folder: Path, now: datetime) -> None:
    """Import these chats from an export, and mine what is due."""
    export = [as_exported(chat) for chat in told]
    path = folder / f"{export[0]['id']}-{len(export)}.json"
    path.write_text(json.dumps(export), "utf-8")
    with run_of_file(user_id, path, now) as run:
        import_file(run, path, lambda: now)
    done = mine_user(user_id, lambda: now, PATIENCE)
    assert (done.failures, done.unfinished) == (0, False)


def as_exported(chat: Chat) -> dict[str, Any]:
    """A chat as ChatGPT exports it."""
    names = [f"{chat.id}-{number}" for number in range(len(chat.turns))]
    mapping = {
        name: {
            "id": name,
            "parent": names[number - 1] if number else None,
            "children": names[number + 1 : number + 2],
            "message": {
                "id": name,
                "author": {"role": "assistant" if number % 2 else "user"},
                "create_time": (chat.at + number * A_TURN).timestamp(),
                "content": {"content_type": "text", "parts": [chat.turns[number]]},
                "status": "finished_successfully",
                "metadata": {},
                "recipient": "all",
            },
        }
        for number, name in enumerate(names)
    }
    return {
        "id": chat.id,
        "conversation_id": chat.id,
        "title": chat.title,
        "create_time": chat.at.timestamp(),
        "update_time": (chat.at + len(names) * A_TURN).timestamp(),
        "mapping": mapping,
        "current_node": names[-1],
    }
