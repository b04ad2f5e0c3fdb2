"""Reads conversations of an xAI account export (`prod-grok-backend.json`)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from transfer.importing.threads import (
    SOURCES,
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    MessagePart,
    Node,
    Raw,
    as_json,
    conversation,
    fields,
    items,
    joined,
    label,
    moment,
    plain_id,
    plain_text,
    with_keys,
)

THOUGHTS = "thinking"

_CITATION = "<grok:render", "</grok:render>"
_CARD = "<xai:tool_usage_card>", "</xai:tool_usage_card>"
_CDATA = re.compile(r"<!\[CDATA\[(.*)\]\]>", re.DOTALL)


def recognises(entry: Raw) -> bool:
    """Whether an entry is a conversation of Grok."""
    return isinstance(entry.get("conversation"), dict) and isinstance(entry.get("responses"), list)


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation with all its branches. A private chat is kept, but not learned from."""
    if not recognises(raw):
        return None
    about = raw.object("conversation")
    heading = Heading(
        external_id=plain_id(about.text("id")),
        title=about.text("title"),
        created_at=_moment(about.get("create_time")),
        updated_at=_moment(about.get("modify_time")),
        shown=about.text("leaf_response_id"),
        mine=about.get("temporary") is not True,
    )
    return conversation(heading, _nodes(raw.listed("responses")))


def _nodes(listed: Iterable[object]) -> dict[str, Node]:
    """The responses by id. Where none names its parent, each follows the one before it."""
    responses = [response if (response := fields(item).get("response")) else item for item in listed]
    is_tree = any(fields(response).get("parent_response_id") for response in responses)
    nodes: dict[str, Node] = {}
    previous: str | None = None
    for key, response in with_keys(responses, "_id"):
        raw = fields(response)
        parent = raw.text("parent_response_id") or None if is_tree else previous
        nodes[key] = Node(parent, tuple(_parts(raw, key)), flaw="" if raw else UNREADABLE_MESSAGE)
        previous = key
    return nodes


def _parts(raw: Raw, key: str) -> Iterator[MessagePart]:
    """Thoughts, tool calls and their results, words with labels of files, sources, and an error.

    Only "human" is a person: replies are signed "assistant", "ASSISTANT" or with a model's name.
    """
    said_at = _moment(raw.get("create_time"))
    is_human = raw.text("sender").lower() == "human"
    model = "" if is_human else raw.text("model")
    for thought in _thoughts(raw):
        yield MessagePart("system", thought, THOUGHTS, model=model, said_at=said_at)
    yield from _tools(raw, key, said_at)
    yield MessagePart("user" if is_human else "assistant", _message_text(raw), model=model, said_at=said_at)
    yield MessagePart("tool", _sources(raw.get("web_search_results")), SOURCES)
    yield MessagePart("system", raw.text("error"), "error", said_at=said_at)


def _thoughts(raw: Raw) -> Iterator[str]:
    traces = [raw, *raw.objects("agent_thinking_traces")]
    steps = (step.object("tagged_text") for step in raw.objects("steps"))
    told = [trace.get("thinking_trace") for trace in traces] + [step.get("summary") for step in steps]
    yield from filter(None, map(plain_text, told))


def _tools(raw: Raw, key: str, said_at: datetime | None) -> Iterator[MessagePart]:
    for number, step in enumerate(raw.objects("steps"), start=1):
        _, *cards = step.object("tagged_text").text("tool_usage_card").split(_CARD[0])
        for place, piece in enumerate(cards, start=1):
            card = piece.partition(_CARD[1])[0]
            call = _field(card, "tool_usage_card_id") or f"{key}/{number}.{place}"
            name = _field(card, "tool_name") or "tool"
            arguments = _field(card, "tool_args") or "{}"
            yield MessagePart("assistant", "", name, arguments, call, raw.text("model"), said_at)
            yield MessagePart("tool", "\n\n".join(_results(step, call)), name, call_id=call)


def _field(card: str, name: str) -> str:
    inner = card.partition(f"<xai:{name}>")[2].partition(f"</xai:{name}>")[0].strip()
    quoted = _CDATA.fullmatch(inner)
    return quoted[1].strip() if quoted else inner


def _results(step: Raw, call: str) -> Iterator[str]:
    for result in step.objects("tool_usage_results"):
        if result.text("tool_usage_card_id") == call:
            rest = {name: value for name, value in result.items() if name != "tool_usage_card_id" and value}
            yield _sources(result.get("web_results")) or as_json(rest)


def _message_text(raw: Raw) -> str:
    """The message without citation marks. Uploads have only ids in the export, so they are unnamed."""
    files = [label("file", "") for _ in raw.listed("file_attachments")]
    images = [label("image", raw.get("query")) for _ in raw.listed("generated_image_urls")]
    return joined(_strip_citations(raw.text("message")), *files, *images)


def _strip_citations(text: str) -> str:
    opening, closing = _CITATION
    head, *cited = text.split(opening)
    pieces = ((piece, *piece.partition(closing)[1:]) for piece in cited)
    return head + "".join(rest if closed else opening + piece for piece, closed, rest in pieces)


def _sources(listed: object) -> str:
    """Title, address and excerpt of each page that was looked up."""
    pages = map(fields, items(listed))
    told = (joined(*(page.text(name) for name in ("title", "url", "preview"))) for page in pages)
    return joined(*told, by="\n\n")


def _moment(value: object) -> datetime | None:
    """A time, which MongoDB writes as `{"$date": {"$numberLong": "1705312200000"}}`."""
    date = fields(value).get("$date", value)
    return moment(fields(date).get("$numberLong", date))
