"""Differences of one word that change a fact, although a model of meaning hardly sees them."""

import re

_WORD = re.compile(r"[\w]+(?:['’]\w+)?")
_NEGATIONS = frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "without",
        "cannot",
        "longer",
        "stopped",
        "quit",
    ]
)
_NUMBERS = frozenset(
    [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "once",
        "twice",
        "thrice",
        "half",
        "first",
        "second",
        "third",
    ]
)
_DAYS = frozenset(
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mondays",
        "tuesdays",
        "wednesdays",
        "thursdays",
        "fridays",
        "saturdays",
        "sundays",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)
_LATIN_ENDS = 0x0250


def tells_apart(one: str, other: str) -> bool:
    """Whether two statements differ in a number, a date, a negation, a name, a word in a script
    that is not Latin, or only in the order of their words."""
    left, right = _WORD.findall(one), _WORD.findall(other)
    mine, theirs = _folded(left), _folded(right)
    return (
        _counted(mine) != _counted(theirs)
        or _is_negative(mine) != _is_negative(theirs)
        or _foreign(mine) != _foreign(theirs)
        or (mine != theirs and sorted(mine) == sorted(theirs))
        or _names_differ(left, right)
    )


def _folded(words: list[str]) -> list[str]:
    return [word.casefold().replace("’", "'").removesuffix("'s") for word in words]


def _counted(words: list[str]) -> list[str]:
    counted = _NUMBERS | _DAYS
    return sorted(word for word in words if word in counted or any(char.isdigit() for char in word))


def _is_negative(words: list[str]) -> bool:
    return any(word in _NEGATIONS or word.endswith("n't") for word in words)


def _foreign(words: list[str]) -> set[str]:
    return {word for word in words if any(ord(char) >= _LATIN_ENDS for char in word)}


def _names_differ(left: list[str], right: list[str]) -> bool:
    """Each has a name that the other lacks. The first word has its capital for another reason."""
    names = [
        set(_folded([word for word in words[1:] if word[0].isupper()])) for words in (left, right)
    ]
    words = [set(_folded(words)) for words in (left, right)]
    return bool(names[0] - words[1]) and bool(names[1] - words[0])
