"""The messages of a chat, with everything a page shows about each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.safestring import SafeString

from chat.attachments import Attachment, split
from chat.branches import Versions, branch, versions
from chat.models import MEMORY_ONLY, Conversation, Message
from chat.pages.rendering import Known, Numbers, markdown, plain, render_quotations
from chat.replies.prompts import passages_in
from chat.replies.sources import Source, sources_of
from chat.replies.tools import parse_arguments
from memory.aaak import Pointer, find_pointers, parse_pointer
from memory.models import Drawer
from memory.text.sanitizing import visible

MAX_LOOKED_UP = 200


def known_pointers(user_id: UUID, texts: Iterable[str]) -> frozenset[Pointer]:
    """The pointers in these texts that were minted for a drawer of this user.

    Beyond the first 200 different ones, none is looked up.
    """
    found = (pointer for text in texts for _, _, pointer in find_pointers(text))
    cited = list(dict.fromkeys(found))[:MAX_LOOKED_UP]
    if not cited:
        return frozenset()
    wanted = Q()
    for pointer in cited:
        wanted |= Q(pointer_wing=pointer.wing, pointer_room=pointer.room, pointer_drawer=pointer.drawer)
    rows = Drawer.objects.filter(wanted, user_id=user_id)
    minted = rows.values_list("pointer_wing", "pointer_room", "pointer_drawer")
    return frozenset(Pointer(*row) for row in minted)


MESSAGES_SHOWN = 60
MAX_SHOWN_LENGTH = 20_000
MAX_PAGE_LENGTH = 40_000
MAX_QUERY_LENGTH = 300
NO_TRACE = UUID(int=0)


@dataclass(frozen=True, slots=True)
class DisplayedMessage:
    """A message on the page.

    `cut` means that it continues on a page of its own; `asked` is the sequence of the message that a reply
    answers. A tool result is shown with the `call` that asked for it; `sought` is the search query, `noted`
    the note to save, and `kept` says whether it was saved. `more_html` holds the further `more` passages of a
    reply from memory.
    """

    message: Message
    html: SafeString
    cut: bool = False
    versions: Versions | None = None
    sources: tuple[Source, ...] = ()
    from_memory: bool = False
    more_html: SafeString | None = None
    more: int = 0
    files: tuple[Attachment, ...] = ()
    asked: int | None = None
    call: Message | None = None
    sought: str = ""
    noted: str = ""
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """The messages of a branch that fit on a page.

    `sequences` are those of all these messages, and `earlier` is the sequence of the message before them.
    """

    shown: tuple[DisplayedMessage, ...]
    sequences: tuple[int, ...]
    earlier: int | None


def thread(conversation: Conversation, end: int) -> Thread:
    """Up to 60 messages that lead to the message `end`, fewer when they are long."""
    messages = _fitting(branch(conversation, upto=end, limit=MESSAGES_SHOWN))
    earlier = messages[0].parent_sequence if messages else None
    sequences = tuple(message.sequence for message in messages)
    return Thread(display_messages(conversation, messages), sequences, earlier)


def _fitting(messages: Sequence[Message]) -> Sequence[Message]:
    """The last of the messages, as many as a page lays out quickly, at least one."""
    room = MAX_PAGE_LENGTH
    for number, message in enumerate(reversed(messages)):
        room -= min(len(message.content), MAX_SHOWN_LENGTH)
        if room < 0 and number:
            return messages[-number:]
    return messages


def display_messages(conversation: Conversation, messages: Sequence[Message]) -> tuple[DisplayedMessage, ...]:
    """Messages with everything the page shows about each."""
    traces = [message.trace_id for message in messages if message.trace_id]
    sources = sources_of(conversation.user_id, traces) if traces else {}
    others = versions(conversation, messages) if messages else {}
    known = known_pointers(conversation.user_id, (message.content for message in messages))
    calls = _answered_calls(messages)
    answered = {call.id for call in calls.values()}
    return tuple(
        DisplayedMessage(
            message=message,
            html=_html(message, known, numbers_of(sources.get(message.trace_id or NO_TRACE, ()))),
            files=_files(message),
            cut=len(message.content) > MAX_SHOWN_LENGTH,
            versions=others.get(message.sequence),
            sources=sources.get(message.trace_id or NO_TRACE, ()),
            from_memory=message.model == MEMORY_ONLY and not message.tool_name,
            asked=_answered_sequence(message, messages),
            **_memory_reply_fields(message),
            **_tool_fields(message, calls.get(message.id)),
        )
        for message in messages
        if message.id not in answered
    )


def _answered_calls(messages: Sequence[Message]) -> dict[UUID, Message]:
    """The tool calls whose results are among the messages, by the result."""
    called: dict[str, Message] = {}
    found: dict[UUID, Message] = {}
    for message in messages:
        if message.role == Message.Role.ASSISTANT and message.tool_name and message.call_id:
            called[message.call_id] = message
        elif message.role == Message.Role.TOOL and message.call_id in called:
            found[message.id] = called.pop(message.call_id)
    return found


def _tool_fields(message: Message, call: Message | None) -> dict[str, Any]:
    arguments = parse_arguments((call or message).tool_arguments)
    return {
        "call": call,
        "sought": arguments.get("query", "")[:MAX_QUERY_LENGTH],
        "noted": arguments.get("text", "")[:MAX_SHOWN_LENGTH],
        "kept": bool(call and find_pointers(message.content[:MAX_QUERY_LENGTH])),
    }


def _answered_sequence(message: Message, messages: Sequence[Message]) -> int | None:
    """The user's message that a reply answers; tool messages may lie between them."""
    if message.role != Message.Role.ASSISTANT or message.tool_name:
        return None
    before = {each.sequence: each for each in messages}
    parent = message.parent_sequence
    while parent in before and before[parent].role != Message.Role.USER:
        parent = before[parent].parent_sequence
    return parent


def full_html(message: Message) -> SafeString:
    """The full text of a message."""
    known = known_pointers(message.user_id, [message.content])
    return plain(message.content, known)


def _html(message: Message, known: Known, numbers: Numbers) -> SafeString:
    content = message.content[:MAX_SHOWN_LENGTH]
    if message.role == Message.Role.USER:
        return plain(split(message.content)[0][:MAX_SHOWN_LENGTH], known)
    if message.role != Message.Role.ASSISTANT:
        return plain(content, known)
    if message.model == MEMORY_ONLY:
        return render_quotations(passages_in(content)[0])
    return markdown(content, known, numbers)


def numbers_of(sources: Iterable[Source]) -> Numbers:
    """The numbers by which a reply cites its sources."""
    pointers = (parse_pointer(source.pointer) for source in sources)
    return {pointer: number for number, pointer in enumerate(pointers, 1) if pointer}


def _files(message: Message) -> tuple[Attachment, ...]:
    if message.role != Message.Role.USER:
        return ()
    files = split(message.content)[1]
    return tuple(replace(file, text=visible(file.text[:MAX_SHOWN_LENGTH])) for file in files)


def _memory_reply_fields(message: Message) -> dict[str, Any]:
    """What a reply from memory quotes below its answer."""
    if message.model != MEMORY_ONLY or message.tool_name:
        return {}
    _, others, count = passages_in(message.content[:MAX_SHOWN_LENGTH])
    return {"more_html": render_quotations(others), "more": count}
