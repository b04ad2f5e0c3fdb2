"""Tells the year: reads the data, writes it as an export, mines it as the product does, and answers as a
model that has read it well."""

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
PATIENCE = timedelta(hours=1)


@dataclass(frozen=True)
class Chat:
    """One chat: its turns alternate between the person and the assistant."""

    id: str
    at: datetime
    title: str
    turns: tuple[str, ...]

    def messages(self) -> Iterator[dict[str, object]]:
        """Who said what, and when."""
        for number, said in enumerate(by_turns(self.turns)):
            yield said | {"at": (self.at + number * A_TURN).timestamp()}


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
    export = [as_exported(chat.title, tuple(chat.messages()), key=chat.id) for chat in told]
    path = folder / f"{export[0]['id']}-{len(export)}.json"
    path.write_text(json.dumps(export), "utf-8")
    with local_run(user_id, path, now) as run:
        import_file(run, path, lambda: now)
    done = mine_user(user_id, lambda: now, PATIENCE)
    assert (done.failures, done.more_due) == (0, False)


def well_read(folder: Path = FOLDER) -> FakeChat:
    """A gateway that answers each chat of a story by its title."""
    answers = read("answers.toml", folder)
    replies = {
        json.dumps(chat.title, ensure_ascii=False): _reply(
            chat.title, len(chat.turns), answers.get(chat.id, {})
        )
        for chat in chats(folder)
    }

    def answered(request: ChatRequest) -> str:
        asked = request.messages[-1].content.partition("\n")[0]
        return replies[asked.removeprefix("Title of the chat: ")]

    return FakeChat(answer=answered)


def _reply(title: str, turns: int, told: dict[str, Any]) -> str:
    return answer(
        wing={"kind": "topic", "name": title},
        turns=[placed(f"t{number}", topic=title) for number in range(1, turns + 1)],
        facts=[_fact(row) for row in told.get("facts", [])],
        entities=list(_entities(told.get("entities", []))),
        relations=[_relation(row) for row in told.get("relations", [])],
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
