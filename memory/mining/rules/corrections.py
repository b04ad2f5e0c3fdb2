"""What somebody takes back: "I wrote that I live in Rome, but it's actually Milan"."""

import re

_EARLIER = re.compile(
    r"(?<![\w'\u2019])I(?:['\u2019]ve)? (?:wrote|written|said|told you|mentioned|thought)\b",
    re.IGNORECASE,
)
# What comes right after the words and says that they were not meant, or are no longer so.
_DENIED = re.compile(
    r"[^\n.!?;]{0,60}(?:[.!,;(]|\s-+|\s?[\u2013\u2014]) ?(?:(?:just|only|ha+|haha|well,?|no,?|nah,?|oh,?|lol,?) )*(?:(?:(?<=no )|(?<=no, )|(?<=, ))wait\b|make that|or rather|kidding|joking|scratch that|strike that|sorry,? wrong (?:chat|window|person|thread)|wrong (?:chat|window|thread)|not(?=[.!)]|$)|said no ?(?:one|body)|or (?:that|this) was the plan|is what I (?:told|tell|said)|that was (?:my|meant for|a joke|autocorrect)|or so (?:it|I) (?:feels|seems|felt|feel|like to (?:think|believe|say)|I(?:['\u2019]m told| tell))|or (?:at least )?(?:that|it)(?:['\u2019]s| is) (?:how it feels|what it feels like)|of procrastination)|[^\n.!?;]{0,60} is what I (?:told|tell|said)\b|[^\n.!?;]{0,60}(?:\d|old) (?:emotionally|mentally|at heart)\b",
    re.IGNORECASE,
)
_PUT_RIGHT = re.compile(
    r"\b(?:actually|a slip|mistaken?|a typo|wrong|correction|in fact|I meant|that(?:['\u2019]s| is) not)\b",
    re.IGNORECASE,
)


def taken_back(sentence: str, start: int, said: str, at: int) -> bool:
    """Whether the words from `start` on are what the user had said before and now puts right
    somewhere in `said`, the whole turn, or are denied right after `at`, where they begin in it."""
    if _DENIED.match(said, at):
        return True
    earlier = _EARLIER.search(sentence[:start])
    if not earlier or _PUT_RIGHT.search(sentence[earlier.end() : start]):
        return False
    return bool(_PUT_RIGHT.search(said))
