"""The products whose exports can be imported.

To add one, write a module beside this one with `recognises` and either `parse` (one entry of a JSON
list in, one conversation out) or `gather` (all lines of a JSONL file in, conversations out), build
conversations with `threads.conversation`, and add a line to `FORMATS`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from transfer.importing import chatgpt, claude, claude_code, librechat, open_webui
from transfer.importing.entries import Value
from transfer.importing.types import Entry, ImportedConversation

Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Format:
    """How the exports of one product are recognised and read.

    `parse` gets an entry and the names of projects by id, and returns None if the entry has no
    messages; a format with `gather` gets all lines of a file instead.
    """

    name: str
    recognises: Callable[[Raw], bool]
    parse: Callable[[Raw, Mapping[str, str]], ImportedConversation | None] = chatgpt.parse
    gather: Callable[[Iterable[Value]], Iterator[Entry]] | None = None


FORMATS = (
    Format("Claude.ai", claude.recognises, parse=claude.parse),
    Format("Open WebUI", open_webui.recognises, parse=open_webui.parse),
    Format("LibreChat", librechat.recognises, parse=librechat.parse),
    Format("Claude Code", claude_code.recognises, gather=claude_code.gather),
    Format("ChatGPT", chatgpt.recognises),  # last: it also reads plain lists of messages
)


def recognise(entry: object) -> Format | None:
    """The first format that recognises an entry, or None."""
    if not isinstance(entry, dict):
        return None
    return next((each for each in FORMATS if each.recognises(entry)), None)
