"""Chats as ChatGPT exports them, for tests that bring some of their own."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from transfer.demo import demo_conversations

Chat = tuple[dict[str, object], ...]


def export_of(chats: Mapping[str, tuple[str, ...]]) -> bytes:
    """A file of chats by title, in which a person and an assistant speak by turns."""
    return exported(as_exported(title, by_turns(said)) for title, said in chats.items())


def exported(chats: Iterable[dict[str, object]]) -> bytes:
    """A file of these chats."""
    return json.dumps(list(chats)).encode()


def demo_export(now: datetime) -> bytes:
    """The chats of the demo, as somebody's own."""
    return exported(
        as_exported(
            chat.title,
            tuple(
                {"author": each.role, "text": each.content, "at": each.said_at.timestamp()}
                for each in chat.messages
                if each.said_at
            ),
        )
        for chat in demo_conversations(now)
    )


def by_turns(said: tuple[str, ...]) -> Chat:
    """What a person and an assistant said, the person first."""
    return tuple(
        {"author": "assistant" if number % 2 else "user", "text": words} for number, words in enumerate(said)
    )


def as_exported(title: str, chat: Chat) -> dict[str, object]:
    """A chat as ChatGPT exports it; all begin at the same moment, unless told `at`."""
    mapping: dict[str, object] = {}
    for number, said in enumerate(chat):
        recipient = said.get("recipient", "all")
        message = {
            "id": f"m{number}",
            "author": {"role": said["author"], "name": "shell"},
            "create_time": said.get("at", 1_745_000_000 + 60 * number),
            "content": {"content_type": "text", "parts": [said["text"]]},
            "recipient": recipient,
        }
        parent = f"m{number - 1}" if number else None
        children = [f"m{number + 1}"] if number + 1 < len(chat) else []
        mapping[f"m{number}"] = {
            "id": f"m{number}",
            "message": message,
            "parent": parent,
            "children": children,
        }
    last = f"m{len(chat) - 1}"
    return {"id": title, "title": title, "mapping": mapping, "current_node": last}
