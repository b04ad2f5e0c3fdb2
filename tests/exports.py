"""Build ChatGPT exports."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from transfer.demo import demo_conversations

Chat = tuple[dict[str, object], ...]


def export_of(chats: Mapping[str, tuple[str, ...]]) -> bytes:
    """An export file of chats by title, in which user and assistant take turns."""
    return exported(as_exported(title, by_turns(said)) for title, said in chats.items())


def exported(chats: Iterable[dict[str, object]]) -> bytes:
    return json.dumps(list(chats)).encode()


def demo_export(now: datetime) -> bytes:
    """An export file of the demo's chats."""
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


def by_turns(said: Sequence[str]) -> Chat:
    """Messages by user and assistant in turn, beginning with the user."""
    return tuple(
        {"author": "assistant" if number % 2 else "user", "text": words} for number, words in enumerate(said)
    )


def as_exported(title: str, chat: Chat, *, key: str = "") -> dict[str, object]:
    """A chat as ChatGPT exports it; by default its id is its title, and all chats start at the same time."""
    times = [float(str(said.get("at", 1_745_000_000 + 60 * number))) for number, said in enumerate(chat)]
    names = [f"{key or 'm'}-{number}" for number in range(len(chat))]
    mapping = {
        name: {
            "id": name,
            "parent": names[number - 1] if number else None,
            "children": names[number + 1 : number + 2],
            "message": {
                "id": name,
                "author": {"role": said["author"], "name": said.get("name", "shell")},
                "create_time": times[number],
                "content": {"content_type": "text", "parts": [said["text"]]},
                "status": "finished_successfully",
                "metadata": {},
                "recipient": said.get("recipient", "all"),
            },
        }
        for number, (name, said) in enumerate(zip(names, chat, strict=True))
    }
    return {
        "id": key or title,
        "conversation_id": key or title,
        "title": title,
        "create_time": times[0],
        "update_time": times[-1],
        "mapping": mapping,
        "current_node": names[-1],
    }
