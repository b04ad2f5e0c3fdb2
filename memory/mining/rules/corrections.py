"""What somebody takes back: "I wrote that I live in Rome, but it's actually Milan"."""

import re

_EARLIER = re.compile(
    r"(?<![\w'\u2019])I(?:['\u2019]ve)? (?:wrote|written|said|told you|mentioned|thought)\b",
    re.IGNORECASE,
)
_PUT_RIGHT = re.compile(
    r"\b(?:actually|a slip|mistaken?|a typo|wrong|correction|in fact|I meant|that(?:['\u2019]s| is) not)\b",
    re.IGNORECASE,
)


def taken_back(sentence: str, start: int, said: str) -> bool:
    """Whether the words from `start` on are what the user had said before and now puts right
    somewhere in `said`, the whole turn."""
    earlier = _EARLIER.search(sentence[:start])
    if not earlier or _PUT_RIGHT.search(sentence[earlier.end() : start]):
        return False
    return bool(_PUT_RIGHT.search(said))
