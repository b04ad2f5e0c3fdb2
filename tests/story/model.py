"""A model that has read the year: the shipped fake gateway with a good answer for every chat."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llm.gateway import ChatRequest
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, edge, placed, stated
from tests.story.year import FOLDER, chats, read


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
