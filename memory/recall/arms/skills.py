"""The arm of skills: a question for a way leads to where it worked, if its owner published it."""

import re
from collections.abc import Iterator

from memory import lexical
from memory.common_words import COMMON_WORDS
from memory.projections.skills import ToldSkill, published_skills
from memory.recall.arms.mention_words import HOW_TO
from memory.recall.arms.types import Asked, Finding

LEAST = 0.5

_HOW_TO = re.compile(HOW_TO, re.IGNORECASE)


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """For a question of how, the drawers that published skills were drawn from: `way`, 0 to 1,
    the share of the question's telling words that the skill has."""
    telling = {word for word in asked.query.words if word not in COMMON_WORDS}
    if not telling or not _HOW_TO.search(asked.query.text):
        return
    rated = [(_share(telling, skill), skill) for skill in published_skills(asked.user_id)]
    fitting = [(share, skill) for share, skill in rated if share >= LEAST]
    fitting.sort(key=lambda each: (-each[0], str(each[1].skill.id)))
    for share, skill in fitting[:most]:
        for drawer_id in skill.drawer_ids[:most]:
            yield Finding(drawer_id, {"way": share})


def _share(telling: set[str], skill: ToldSkill) -> float:
    text = f"{skill.text.goal} {skill.text.applies} {skill.text.worked}"
    return len(telling.intersection(lexical.query_words(text, 1_000))) / len(telling)
