"""Read the data of a story, write it as an export, mine it as the product does, and reply as a perfect
model."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from chat.mining.run import mine_user
from llm.gateway import ChatRequest
from tests.exports import as_exported, by_turns
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, edge, placed, stated
from transfer.imports import import_file, local_run

FOLDER = Path(__file__).parent
RETURNS = FOLDER / "returns"
AFTERWARDS = datetime(2025, 1, 6, 8, 0, tzinfo=UTC)
A_TURN = timedelta(seconds=50)
TIME_LIMIT = timedelta(hours=1)


@dataclass(frozen=True)
class Chat:
    """A chat whose turns alternate between user and assistant."""

    id: str
    at: datetime
    title: str
    turns: tuple[str, ...]

    def messages(self) -> Iterator[dict[str, object]]:
        """The messages with their times."""
        for number, said in enumerate(by_turns(self.turns)):
            yield said | {"at": (self.at + number * A_TURN).timestamp()}


def chats(folder: Path = FOLDER) -> tuple[Chat, ...]:
    """The chats of a story in order; by default the sixty of the year."""
    return tuple(
        Chat(row["id"], row["at"], row["title"], tuple(row["turns"]))
        for row in read("chats.toml", folder)["chat"]
    )


def read(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """One of the files of a story."""
    with (folder / name).open("rb") as file:
        return tomllib.load(file)


def import_and_mine(user_id: UUID, story_chats: Iterable[Chat], folder: Path, now: datetime) -> None:
    """Import these chats as an export, and mine them."""
    export = [as_exported(chat.title, tuple(chat.messages()), key=chat.id) for chat in story_chats]
    path = folder / f"{export[0]['id']}-{len(export)}.json"
    path.write_text(json.dumps(export), "utf-8")
    with local_run(user_id, path, now) as run:
        import_file(run, path, lambda: now)
    done = mine_user(user_id, lambda: now, TIME_LIMIT)
    assert (done.failures, done.more_due) == (0, False)


def perfect_model(folder: Path = FOLDER) -> FakeChat:
    """A model with a prepared extraction for each chat of a story, found by its title."""
    answers = read("answers.toml", folder)
    replies = {
        json.dumps(chat.title, ensure_ascii=False): _reply(
            chat.title, len(chat.turns), answers.get(chat.id, {})
        )
        for chat in chats(folder)
    }

    def answered(request: ChatRequest) -> str:
        title = request.messages[-1].content.partition("\n")[0]
        return replies[title.removeprefix("Title of the chat: ")]

    return FakeChat(answer=answered)


def _reply(title: str, turns: int, given: dict[str, Any]) -> str:
    return answer(
        wing={"kind": "topic", "name": title},
        turns=[placed(f"t{number}", topic=title) for number in range(1, turns + 1)],
        facts=[_fact(row) for row in given.get("facts", [])],
        entities=list(_entities(given.get("entities", []))),
        relations=[_relation(row) for row in given.get("relations", [])],
    )


def _fact(row: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in row.items() if name != "one"}
    usual = {"object": row["value"], "confidence": 0.9, "single_valued": row.get("one", False)}
    return stated(**{**usual, **given})


def _relation(row: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in row.items() if name != "one"}
    return edge(**{"confidence": 0.9, "single_valued": row.get("one", False), **given})


def _entities(rows: Iterable[tuple[str, str]]) -> Iterable[dict[str, Any]]:
    for name, kind in rows:
        yield {"name": name, "type": kind, "aliases": []}
