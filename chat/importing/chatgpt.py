"""Reads one conversation of a ChatGPT export, a tree of messages or a plain list of them."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_noop

from chat.importing.chatgpt_messages import (
    OpenCall,
    Position,
    Raw,
    has_known_author,
    is_empty,
    open_call,
    read_message,
)
from chat.importing.moments import moment
from chat.importing.threads import (
    UNKNOWN_AUTHOR,
    UNREADABLE_MESSAGE,
    Messages,
    keyed,
    last_leaf,
    with_times,
)
from chat.importing.trees import Links, Placed, linearise
from chat.importing.types import BrokenEntry, Entry, ImportedConversation, ImportedMessage
from chat.importing.values import digest, plain_id, plain_text


def parse_conversation(raw: object, *, where: str) -> Entry:
    """Return the conversation with all its branches, or why there is none at `where`."""
    if not isinstance(raw, dict):
        return BrokenEntry(where, gettext_noop("It is not a conversation."))
    nodes = _nodes(raw)
    if nodes is None:
        return BrokenEntry(where, gettext_noop("It has no messages that Palace can find."))
    return _conversation(raw, nodes)


def _conversation(raw: Raw, nodes: Mapping[str, object]) -> ImportedConversation:
    thread = _Thread(nodes)
    created_at = moment(raw.get("create_time")) or moment(raw.get("created_at"))
    messages = with_times(thread.messages, created_at)
    times = [message.said_at for message in messages if message.said_at]
    updated_at = moment(raw.get("update_time")) or moment(raw.get("updated_at"))
    return ImportedConversation(
        external_id=_conversation_id(raw, nodes),
        title=plain_text(raw.get("title")),
        created_at=created_at or min(times, default=None),
        updated_at=updated_at or max(times, default=created_at),
        project=_project(raw),
        messages=messages,
        current_leaf=thread.nearest(plain_text(raw.get("current_node"))) or last_leaf(messages),
        learn=raw.get("is_do_not_remember") is not True,
        empty_messages=thread.empty,
        repairs=tuple(thread.repairs),
    )


def _nodes(raw: Raw) -> dict[str, object] | None:
    mapping = raw.get("mapping")
    if isinstance(mapping, dict):
        return mapping
    if isinstance(mapping, list):
        return dict(keyed(mapping, "id"))
    for name in ("messages", "chat_messages"):
        listed = raw.get(name)
        if isinstance(listed, list):
            return _chained(listed)
    return None


def _chained(items: Iterable[object]) -> dict[str, object]:
    nodes: dict[str, object] = {}
    previous: str | None = None
    for key, item in keyed(items, "id"):
        parent = plain_text(item.get("parent")) if isinstance(item, dict) else ""
        nodes[key] = {"message": item, "parent": parent or previous}
        previous = key
    return nodes


class _Thread:
    """Collects the messages of a tree from the top, leaving out the empty ones."""

    def __init__(self, nodes: Mapping[str, object]) -> None:
        order = linearise({key: _links(node) for key, node in nodes.items()})
        self.empty = 0
        self.repairs = list(order.repairs)
        self._kept: list[ImportedMessage] = []
        self._nearest: dict[str | None, str | None] = {}
        self._calls: dict[str | None, OpenCall | None] = {}
        for placed in order.nodes:
            self._nearest[placed.key] = self._nearest.get(placed.parent)
            self._calls[placed.key] = self._calls.get(placed.parent)
            self._take(placed, nodes[placed.key])

    @property
    def messages(self) -> Messages:
        return tuple(self._kept)

    def nearest(self, key: str) -> str | None:
        """Return the id of the message at the node, or of the closest one kept above it."""
        return self._nearest.get(key)

    def _take(self, placed: Placed, node: object) -> None:
        raw = _message_of(node)
        if isinstance(raw, dict):
            self._keep(placed.key, raw)
        elif raw is not None:
            self.repairs.append(UNREADABLE_MESSAGE)

    def _keep(self, key: str, raw: Raw) -> None:
        message = read_message(raw, Position(key, self._nearest[key], self._calls[key]))
        if is_empty(message):
            self.empty += 1
            return
        self._kept.append(message)
        self._nearest[key] = message.external_id
        self._calls[key] = open_call(message, self._calls[key])
        if not has_known_author(raw):
            self.repairs.append(UNKNOWN_AUTHOR)


def _message_of(node: object) -> object:
    if not isinstance(node, dict):
        return node
    message = node.get("message")
    return {"content": message} if isinstance(message, str) else message


def _links(node: object) -> Links:
    if not isinstance(node, dict):
        return Links(parent=None)
    children = node.get("children")
    names = map(plain_text, children if isinstance(children, list) else ())
    return Links(plain_text(node.get("parent")) or None, tuple(name for name in names if name))


def _conversation_id(raw: Raw, nodes: Mapping[str, object]) -> str:
    for name in ("conversation_id", "id", "uuid"):
        if found := plain_text(raw.get(name)):
            return plain_id(found)
    seed = "\n".join([plain_text(raw.get("title")), str(raw.get("create_time")), *nodes])
    return f"derived-{digest(seed)}"


def _project(raw: Raw) -> str:
    """Return the project the chat is filed under; exports know only its id, `g-p-…`."""
    found = plain_text(raw.get("project_name"))
    ids = (plain_text(raw.get(name)) for name in ("conversation_template_id", "gizmo_id"))
    return found or next((name for name in ids if name.startswith("g-p-")), "")
