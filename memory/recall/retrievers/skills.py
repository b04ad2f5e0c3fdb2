"""Retrieve the drawers behind published skills, for questions about how to do something."""

from collections.abc import Iterator

from memory.projections.skills import SkillView, published_skills
from memory.recall.types import Finding, SearchContext
from memory.text import tokenization
from memory.text.patterns import compile_words
from memory.text.stop_words import COMMON_WORDS

MIN_SHARE = 0.5

_HOW_TO_WORDS = (
    r"how (?:do|did|can|could|should|would|to)|what(?:'s| is) the (?:best )?way|steps? to|"
    r"wie (?:kann|mach\w*|haben|habe|geht|bekomm\w*|lös\w*|soll\w*)|cómo (?:\w+)|comment (?:\w+)|"
    r"как|каким образом"
)
_HOW_TO_UNSPACED = "怎么|如何|怎样|どうやって|어떻게"
_HOW_TO = compile_words(_HOW_TO_WORDS, _HOW_TO_UNSPACED)


def search(context: SearchContext, limit: int) -> Iterator[Finding]:
    """The drawers a published skill rests on, with the signal `skill`: the share (0 to 1) of the question's
    content words that the skill contains."""
    content_words = {word for word in context.query.words if word not in COMMON_WORDS}
    if not content_words or not _HOW_TO.search(context.query.text):
        return
    rated = [(_share(content_words, skill), skill) for skill in published_skills(context.user_id)]
    matching = [(share, skill) for share, skill in rated if share >= MIN_SHARE]
    matching.sort(key=lambda each: (-each[0], str(each[1].skill.id)))
    for share, skill in matching[:limit]:
        for drawer_id in skill.drawer_ids[:limit]:
            yield Finding(drawer_id, {"skill": share})


def _share(content_words: set[str], skill: SkillView) -> float:
    text = f"{skill.text.goal} {skill.text.applies} {skill.text.worked}"
    return len(content_words.intersection(tokenization.query_words(text, 1_000))) / len(content_words)
