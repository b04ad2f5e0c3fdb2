"""Reads conversations of a ChatGPT export: trees of messages, or plain lists of them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from transfer.importing.threads import (
    UNKNOWN_AUTHOR,
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    ImportedMessage,
    MessagePart,
    Messages,
    Node,
    Raw,
    Role,
    as_json,
    conversation,
    derived_id,
    fields,
    file_label,
    items,
    joined,
    label,
    nodes_from_list,
    plain_id,
    plain_text,
)

_PUBLIC_RECIPIENTS = {"", "all", "assistant", "user"}
_INTERNAL_TYPES = {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
_IMAGE_PARTS = {"image_asset_pointer", "image_url", "image"}
_AUDIO_PARTS = {"audio_asset_pointer", "real_time_user_audio_video_asset_pointer", "input_audio"}
_TEXT_FIELDS = (
    "name", "title", "url", "user_profile", "user_instructions", "model_set_context", "repo_summary",
    "repository", "structured_context", "result", "text", "content", "summary", "output_str",
)  # fmt: skip
_STRUCTURED_FIELDS = ("repository", "structured_context")
_BODY_FIELDS = ("text", "content", "result", "output_str")
_KNOWN_KINDS = _INTERNAL_TYPES | {
    "text", "multimodal_text", "code", "execution_output", "audio_transcription", "system_error",
    "tether_browsing_display", "tether_quote",
}  # fmt: skip
_KIND_FIELDS = {"content_type", "type", "language", "direction", "decoding_id", "source_analysis_msg_id"}
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}


def recognises(entry: Raw) -> bool:
    """Whether an entry is a conversation of ChatGPT, or of a tool that writes lists like it."""
    if isinstance(entry.get("mapping"), dict):
        return True
    listed = any(isinstance(entry.get(name), list) for name in ("messages", "chat_messages"))
    return listed and bool(entry.keys() & {"conversation_id", "id", "title", "create_time"})


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation with all its branches, or None if it has no messages."""
    nodes = _nodes(raw)
    if nodes is None:
        return None
    heading = Heading(
        external_id=_conversation_id(raw, nodes),
        title=raw.text("title"),
        created_at=raw.moment("create_time", "created_at"),
        updated_at=raw.moment("update_time", "updated_at"),
        project=_project(raw),
        shown=raw.text("current_node"),
        mine=raw.get("is_do_not_remember") is not True,
    )
    found = conversation(heading, nodes)
    return replace(found, messages=_link_tool_results(found.messages))


def _nodes(raw: Raw) -> Mapping[str, Node] | None:
    mapping = raw.get("mapping")
    if isinstance(mapping, Raw):
        return {key: _node(item) for key, item in mapping.items()}
    for name in ("messages", "chat_messages"):
        listed = raw.get(name)
        if isinstance(listed, list):
            return nodes_from_list(listed, "id", _chained_node)
    return None


def _chained_node(item: object, previous: str | None) -> Node:
    return _node(Raw(message=item, parent=fields(item).text("parent") or previous))


def _node(item: object) -> Node:
    raw = fields(item)
    message = raw.get("message") if isinstance(item, Raw) else item
    parent = raw.text("parent") or None
    children = tuple(filter(None, map(plain_text, raw.listed("children"))))
    if isinstance(message, str) and isinstance(item, Raw):
        message = Raw(content=message)
    if not isinstance(message, Raw):
        flaw = "" if message is None else UNREADABLE_MESSAGE
        return Node(parent, children=children, flaw=flaw)
    part = _message_part(message)
    unknown = part.has_content and _author(message) not in _ROLES
    return Node(parent, (part,), children, UNKNOWN_AUTHOR if unknown else "")


def _conversation_id(raw: Raw, nodes: Iterable[str]) -> str:
    for name in ("conversation_id", "id", "uuid"):
        if found := raw.text(name):
            return plain_id(found)
    seed = "\n".join([raw.text("title"), str(raw.get("create_time")), *nodes])
    return derived_id(seed)


def _project(raw: Raw) -> str:
    """The project the chat is filed under; exports only have its id, `g-p-…`."""
    found = raw.text("project_name")
    ids = (raw.text(name) for name in ("conversation_template_id", "gizmo_id"))
    return found or next((name for name in ids if name.startswith("g-p-")), "")


def _message_part(raw: Raw) -> MessagePart:
    """A message verbatim. Without a known author, it is the assistant's."""
    metadata = raw.object("metadata")
    text = content_text(raw.get("content") or raw.get("text"), metadata.get("attachments"))
    tool = _called_tool(raw)
    return MessagePart(
        role=_role(raw),
        content="" if tool else text,
        tool_name=tool or _source_name(raw),
        tool_arguments=text if tool else "",
        model=metadata.text("model_slug") or raw.text("model"),
        said_at=raw.moment("create_time", "created_at", "timestamp"),
    )


def _role(raw: Raw) -> Role:
    role = _ROLES.get(_author(raw), "assistant")
    if role == "tool" or _called_tool(raw):
        return role
    hidden = raw.object("metadata").get("is_visually_hidden_from_conversation") is True
    return "system" if hidden or _content_type(raw) in _INTERNAL_TYPES else role


def _author(raw: Raw) -> str:
    author = raw.get("author")
    named = author.get("role") if isinstance(author, Raw) else author
    return (plain_text(named) or raw.text("role") or raw.text("sender")).lower()


def _content_type(raw: Raw) -> str:
    return raw.object("content").text("content_type")


def _called_tool(raw: Raw) -> str:
    recipient = raw.text("recipient")
    speaks = _ROLES.get(_author(raw), "assistant") == "assistant"
    return recipient if speaks and recipient not in _PUBLIC_RECIPIENTS else ""


def _source_name(raw: Raw) -> str:
    if _role(raw) == "tool":
        author = raw.get("author")
        return plain_text(author.get("name") if isinstance(author, Raw) else raw.get("name"))
    kind = _content_type(raw)
    return kind if kind in _INTERNAL_TYPES else ""


def _link_tool_results(messages: Messages) -> Messages:
    """Give each call its message's id, and each result that of the latest call of the same tool
    above it: exports do not link them."""
    calls: dict[str | None, ImportedMessage | None] = {}
    linked = []
    for given in messages:
        message, call = given, calls.get(given.parent_external_id)
        if message.role == "assistant" and message.tool_arguments:
            message = call = replace(message, call_id=message.external_id)
        elif message.role == "tool" and call and _tool_family(call) == _tool_family(message):
            message = replace(message, call_id=call.call_id)
        elif message.role == "user":
            call = None
        calls[message.external_id] = call
        linked.append(message)
    return tuple(linked)


def _tool_family(message: ImportedMessage) -> str:
    return message.tool_name.partition(".")[0]


def content_text(content: object, attachments: object = None) -> str:
    """The text of a message verbatim, with labels such as `[image: a.jpg]` for media.

    Content of an unknown kind becomes compact JSON, so that nothing is lost. Empty when the
    message holds nothing.
    """
    names = _attachment_labels(attachments)
    parts = (content.get("parts") or [content]) if isinstance(content, Raw) else content
    pieces = parts if isinstance(parts, list) else [parts]
    told = (piece for piece in map(fields, pieces) if piece.get("content_type") == "audio_transcription")
    transcribed = any(piece.get("text") for piece in told)
    return joined(*[_piece(piece, names, transcribed) for piece in pieces], *names.values())


def _piece(piece: object, names: dict[str, str], transcribed: bool) -> str:
    if isinstance(piece, str):
        return piece
    if not isinstance(piece, Raw):
        return "" if piece is None else as_json(piece)
    kind = _kind(piece)
    if kind in _IMAGE_PARTS:
        return _image_label(piece, names)
    if kind in _AUDIO_PARTS:
        filmed = piece.get("frames_asset_pointers") or piece.get("video_container_asset_pointer")
        return "" if transcribed else "[video]" if filmed else "[audio]"
    if kind == "video_container_asset_pointer":
        return "" if transcribed else "[video]"
    return "[image]" if piece.get("screenshot") else _words(piece)


def _kind(piece: Raw) -> str:
    return piece.text("content_type") or piece.text("type")


def _words(piece: Raw) -> str:
    """The words of known kinds of content, and of others with a text, in the order of reading."""
    if _kind(piece) not in _KNOWN_KINDS and not any(map(piece.text, _BODY_FIELDS)):
        rest = {name: value for name, value in piece.items() if value not in (None, "", [], {})}
        return as_json(rest) if rest.keys() - _KIND_FIELDS else ""
    told = [piece.text(name) for name in _TEXT_FIELDS]
    told += [thought.text(name) for thought in piece.objects("thoughts") for name in ("summary", "content")]
    told += [as_json(value) for name in _STRUCTURED_FIELDS if (value := piece.object(name))]
    return joined(*told)


def _image_label(part: Raw, names: dict[str, str]) -> str:
    pointer = part.text("asset_pointer")
    for identifier in names:
        if identifier in pointer:
            return names.pop(identifier)
    return label("image", part.object("metadata").object("dalle").get("prompt"))


def _attachment_labels(attachments: object) -> dict[str, str]:
    labels: dict[str, str] = {}
    for item in filter(None, map(fields, items(attachments))):
        is_image = item.text("mime_type").startswith("image/")
        key = item.text("id") or f"unnamed {len(labels)}"
        labels[key] = file_label(item.get("name"), is_image=is_image)
    return labels
