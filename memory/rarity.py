"""How rare the words of a question are in what one person said. SQL for words, as in
`memory.searching`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from uuid import UUID

from django.db import connection

from memory.common_words import COMMON_WORDS
from memory.word_forms import FORMS


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question with the forms of it that were said, in how many drawers the commonest of
    them is, and its share (0 to 1) of the question's rarity."""

    lexemes: tuple[str, ...]
    drawers: int
    weight: float

    @property
    def query(self) -> str:
        """Any of its forms, as a query."""
        return " | ".join(_quoted(lexeme) for lexeme in self.lexemes)


def rarity_of(user_id: UUID, words: Sequence[str]) -> list[Term]:
    """The question's terms, rarest first, each with its share of the question's rarity. Of the
    forms of one word those count that somebody has said; the commonest tells how rare it is. A
    common word that nobody has said ("tell") is no part of it."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT asked.word, asked.lexeme, coalesce(known.drawers, 0), palace.drawers_indexed
            FROM (SELECT word, unnest(tsvector_to_array(
                    to_tsvector('english', translate(word, '|', ' ')))) AS lexeme
                  FROM unnest(%s::text[]) AS word) AS asked
            JOIN memory_palace palace ON palace.user_id = %s
            LEFT JOIN memory_lexeme known
              ON known.user_id = palace.user_id AND known.lexeme = asked.lexeme
            WHERE known.drawers > 0
               OR NOT asked.lexeme = ANY(tsvector_to_array(to_tsvector('english', %s)))
            """,
            [list(words), user_id, " ".join(COMMON_WORDS.intersection(words))],
        )
        rows = cursor.fetchall()
    total = rows[0][3] if rows else 0
    found = _terms([(word, lexeme, drawers) for word, lexeme, drawers, _ in rows])
    weighed = [(lexemes, count, _idf(count, total)) for lexemes, count in found]
    whole = sum(weight for _, _, weight in weighed)
    terms = [Term(lexemes, count, weight / whole) for lexemes, count, weight in weighed if count]
    return sorted(terms, key=lambda term: (term.drawers, term.lexemes))


def _terms(rows: Sequence[tuple[str, str, int]]) -> list[tuple[tuple[str, ...], int]]:
    """The forms of each word that were said, and in how many drawers the commonest of them is;
    words whose forms are the same are one."""
    by_word: dict[str, dict[str, int]] = {}
    for word, lexeme, drawers in rows:
        one = word if FORMS in word else lexeme
        by_word.setdefault(one, {})[lexeme] = drawers
    found: dict[tuple[str, ...], int] = {}
    for forms in by_word.values():
        said = {lexeme: drawers for lexeme, drawers in forms.items() if drawers} or forms
        found[tuple(sorted(said))] = max(said.values())
    return list(found.items())


def _idf(drawers: int, total: int) -> float:
    seen = min(max(drawers, 1), total)
    return log(1 + (total - seen + 0.5) / (seen + 0.5))


def rarest(rarity: Sequence[Term], most: int) -> list[Term]:
    """The first of the terms that about so many drawers have at most; at least one."""
    chosen: list[Term] = []
    expected = 0
    for term in rarity:
        expected += term.drawers
        if chosen and expected > most:
            break
        chosen.append(term)
    return chosen


def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
