"""The products whose exports can be imported.

To add one, write a module beside this one with `recognises` and either `parse` (one entry of a JSON
list in, one conversation out), `gather` (all lines of a JSONL file in, conversations out) or `group`
(all entries of a file in, twice if needed, conversations out), build conversations with
`threads.conversation`, and add a line to `FORMATS`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from transfer.importing import (
    ai_studio,
    chatgpt,
    claude,
    claude_code,
    gemini,
    gemini_workspace,
    grok,
    librechat,
    open_webui,
)
from transfer.importing.entries import Value
from transfer.importing.types import Entry, ImportedConversation

Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Format:
    """How the exports of one product are recognised and read.

    `parse` gets an entry and the names of projects by id, and returns None if the entry has no
    messages; a format with `gather` gets all lines of a file instead, and one with `group` a function
    that reads the entries of a file from the start. Chats `named_by_file` have its name as title.
    """

    name: str
    recognises: Callable[[Raw], bool]
    parse: Callable[[Raw, Mapping[str, str]], ImportedConversation | None] = chatgpt.parse
    gather: Callable[[Iterable[Value]], Iterator[Entry]] | None = None
    group: Callable[[Callable[[], Iterator[Value]]], Iterator[Entry]] | None = None
    named_by_file: bool = False


FORMATS = (
    Format("Claude.ai", claude.recognises, parse=claude.parse),
    Format("Open WebUI", open_webui.recognises, parse=open_webui.parse),
    Format("LibreChat", librechat.recognises, parse=librechat.parse),
    Format("Claude Code", claude_code.recognises, gather=claude_code.gather),
    Format("Gemini", gemini.recognises, group=gemini.group),
    Format("Gemini in Workspace", gemini_workspace.recognises, parse=gemini_workspace.parse),
    Format("Grok", grok.recognises, parse=grok.parse),
    Format("Google AI Studio", ai_studio.recognises, parse=ai_studio.parse, named_by_file=True),
    Format("ChatGPT", chatgpt.recognises),  # last: it also reads plain lists of messages
)


def recognise(entry: object) -> Format | None:
    """The first format that recognises an entry, or None."""
    if not isinstance(entry, dict):
        return None
    return next((each for each in FORMATS if each.recognises(entry)), None)
