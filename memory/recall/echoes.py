"""A stage of recall: the person's own questions are not answers to them."""

import re
from collections.abc import Sequence

from django.utils.translation import gettext_noop

from memory.recall.types import Cut, Hit, RecallRequest

ECHO = gettext_noop("It is this very question, asked before.")
LONGEST_BARE_QUESTION = 160

_SENTENCE_END = re.compile(r"[.!?…。！？؟]+")
_NOT_WORDS = re.compile(r"[\W_]+")


def without_echoes(
    request: RecallRequest, hits: Sequence[Hit]
) -> tuple[tuple[Hit, ...], tuple[Cut, ...]]:
    """The hits without the message itself as it was said before; bare questions come last, since
    a question tells less than a statement that is a little further away."""
    asked = _words(request.message)
    echoes = [hit for hit in hits if hit.role == "user" and _words(hit.text) == asked]
    told = {hit.drawer_id for hit in echoes}
    others = [hit for hit in hits if hit.drawer_id not in told]
    telling = [hit for hit in others if not is_bare_question(hit)]
    asking = [hit for hit in others if is_bare_question(hit)]
    return (*telling, *asking), tuple(Cut(hit.drawer_id, ECHO, "echo") for hit in echoes)


def is_bare_question(hit: Hit) -> bool:
    """Whether a hit is one short question of the person and nothing else."""
    text = hit.text.strip()
    if hit.role != "user" or len(text) > LONGEST_BARE_QUESTION or "pointer" in hit.scores:
        return False
    return text.endswith(("?", "？", "؟")) and len(_SENTENCE_END.findall(text)) == 1


def _words(text: str) -> str:
    return _NOT_WORDS.sub(" ", text).strip().casefold()
