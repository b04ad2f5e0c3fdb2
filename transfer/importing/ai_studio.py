"""Reads prompts that Google AI Studio saves in Google Drive.

A file holds one chat, without any id. A chat is recognised by its beginning and a message by all
words up to it, so that copies of a chat which were continued differently become its branches.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from transfer.importing.threads import (
    ATTACHMENT,
    SOURCES,
    UNKNOWN_AUTHOR,
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    MessagePart,
    Node,
    Raw,
    Role,
    as_json,
    below_instructions,
    conversation,
    derived_id,
    digest,
    fields,
    joined,
    label,
    moment,
    plain_text,
)

CODE = "code_execution"

_ROLES: dict[str, Role] = {"user": "user", "model": "assistant"}
_FILES = {
    "driveImage": "image",
    "inlineImage": "image",
    "driveDocument": "file",
    "inlineFile": "file",
    "driveAudio": "audio",
    "inlineAudio": "audio",
    "driveVideo": "video",
    "inlineVideo": "video",
}


def recognises(entry: Raw) -> bool:
    """Whether an entry is a prompt of AI Studio."""
    return isinstance(entry.object("chunkedPrompt").get("chunks"), list)


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation, without thoughts and unsent drafts."""
    if not recognises(raw):
        return None
    listed = raw.object("chunkedPrompt").listed("chunks")
    chunks = [chunk for chunk in listed if fields(chunk).get("isThought") is not True]
    builder = _ChatBuilder(model=raw.object("runSettings").text("model").removeprefix("models/"))
    for chunk in chunks:
        builder.add_chunk(chunk)
    instructions = _instructions(raw.get("systemInstruction"))
    start = fields(next(iter(chunks), None)).get("createTime")
    seed = "\n".join([plain_text(start), instructions, next(iter(builder.nodes), "")])
    heading = Heading(derived_id(seed), created_at=moment(start))
    return conversation(heading, below_instructions(instructions, builder.nodes))


@dataclass(slots=True)
class _ChatBuilder:
    """The messages read so far; `_call` is the id of the code that runs."""

    model: str
    nodes: dict[str, Node] = field(default_factory=dict)
    _parent: str | None = None
    _call: str = ""

    def add_chunk(self, chunk: object) -> None:
        """Add a chunk, whose key is a digest of itself and everything above it."""
        raw = fields(chunk)
        said = [raw.get("role"), raw.get("text") or raw.get("parts")] if raw else chunk
        key = digest(f"{self._parent}\n{as_json(said)}")
        role = _ROLES.get(raw.text("role").lower())
        flaw = "" if role else UNKNOWN_AUTHOR if raw else UNREADABLE_MESSAGE
        said_at = raw.moment("createTime")
        model = self.model if role == "assistant" else ""
        pieces = self._pieces(raw, MessagePart(role or "assistant", model=model, said_at=said_at), key)
        self.nodes[key] = Node(self._parent, tuple(pieces), flaw=flaw)
        self._parent = key

    def _pieces(self, raw: Raw, speaker: MessagePart, key: str) -> Iterator[MessagePart]:
        """Words with labels of files, code and its output, text of files, sources, and an error."""
        parts = [part for part in raw.objects("parts") if part.get("thought") is not True]
        text = raw.text("text") or "".join(part.text("text") for part in parts)
        runs_code = any("executableCode" in part for part in parts)
        for number, part in enumerate(parts if runs_code else [Raw({**raw, "text": text})]):
            names = _labels(raw) if number == 0 else ()
            yield replace(speaker, content=joined(part.text("text"), *names))
            yield from self._code(part, speaker, f"{key}/{number}")
        yield MessagePart("tool", _attachment_text(raw.object("inlineFile")), ATTACHMENT)
        sources = raw.object("grounding").objects("groundingSources")
        cited = "\n".join(joined(source.text("title"), source.text("uri")) for source in sources)
        yield MessagePart("tool", cited, SOURCES)
        yield MessagePart("system", raw.text("errorMessage"), "error", said_at=speaker.said_at)

    def _code(self, part: Raw, speaker: MessagePart, call: str) -> Iterator[MessagePart]:
        if code := part.object("executableCode"):
            self._call = call
            arguments = as_json(code)
            yield replace(speaker, role="assistant", tool_name=CODE, tool_arguments=arguments, call_id=call)
        if result := part.object("codeExecutionResult"):
            output = result.text("output") or result.text("outcome")
            yield MessagePart("tool", output, CODE, call_id=self._call)


def _labels(raw: Raw) -> Iterator[str]:
    for name, kind in _FILES.items():
        if about := raw.object(name):
            yield label(kind, about.get("name") or about.get("displayName"))
    if video := raw.object("youtubeVideo").text("id"):
        yield label("video", f"https://youtu.be/{video}")


def _attachment_text(file: Raw) -> str:
    """The text of a text file, which is saved as Base64."""
    if not file.text("mimeType").startswith("text/"):
        return ""
    try:
        data = base64.b64decode(file.text("data"), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return data.decode("utf-8", "replace")


def _instructions(given: object) -> str:
    """The system instruction: text, `{"text": …}` or `{"parts": [{"text": …}]}`."""
    parts = fields(given).objects("parts")
    words = "\n".join(part.text("text") for part in parts)
    return plain_text(given) or fields(given).text("text") or words
