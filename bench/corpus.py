"""Ordinary chat, made up: what speed and size are measured on. The same numbers give the same
words."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

from bench.cases import BenchSession, BenchTurn

PLACES = (
    "Lisbon",
    "Porto",
    "Zürich",
    "Kyoto",
    "Oslo",
    "Bergamo",
    "Tartu",
    "Galway",
    "Utrecht",
    "Ghent",
    "Bilbao",
    "Turku",
)
PEOPLE = (
    "Ana",
    "Jonas",
    "Mei",
    "Olga",
    "Pablo",
    "Ruth",
    "Samir",
    "Tomas",
    "Ulla",
    "Vera",
    "Wim",
    "Yusuf",
    "Zoe",
    "Nils",
    "Ines",
)
THINGS = (
    "a blue road bike",
    "an old upright piano",
    "the balcony garden",
    "a sourdough starter",
    "a film camera",
    "the tax return",
    "a hiking tent",
    "the kitchen shelves",
    "a telescope",
    "a second-hand canoe",
    "the winter coat",
    "a rescue greyhound",
    "the garden shed",
    "a pottery wheel",
    "a bread oven",
)
DOINGS = (
    "bought",
    "repaired",
    "sold",
    "lent",
    "borrowed",
    "painted",
    "measured",
    "photographed",
    "promised",
    "finally cleaned",
    "took apart",
    "gave away",
    "looked for",
    "insured",
    "moved",
)
MOODS = (
    "It took longer than I thought, but I am glad that it is done now.",
    "I would like to do it again in spring, if the weather lets me.",
    "My neighbour helped and we had soup together afterwards.",
    "I am still not sure whether that was the right decision.",
    "It cost a little more than I had planned for this month.",
    "The instructions were of no use at all, so I improvised.",
)
ADVICE = (
    "That sounds like a good plan. You could begin with the part that worries you most and leave the rest for another day.",
    "A simple list helps here: what you need, who can lend it, and what it would cost to buy.",
    "Many people find that the first step is the hardest. After that it goes almost by itself.",
    "I would check the forecast first, and ask somebody who has done it before for advice.",
)


def sessions(count: int, turns: int, seed: int, end: datetime) -> Iterator[BenchSession]:
    """`count` chats of `turns` messages each, one a day up to `end`."""
    chance = random.Random(seed)  # noqa: S311 - made-up words need no secrecy
    for number in range(count):
        yield BenchSession(
            key=f"made-up-{seed}-{number}",
            said_at=end - timedelta(days=count - number),
            turns=tuple(_turn(chance, index) for index in range(turns)),
        )


def questions(count: int, seed: int) -> Iterator[str]:
    """Questions about such chats."""
    chance = random.Random(seed)  # noqa: S311 - made-up words need no secrecy
    for _ in range(count):
        person, place = chance.choice(PEOPLE), chance.choice(PLACES)
        yield f"What did I do with {chance.choice(THINGS)} when {person} was in {place}?"


def _turn(chance: random.Random, index: int) -> BenchTurn:
    person, place = chance.choice(PEOPLE), chance.choice(PLACES)
    thing, doing = chance.choice(THINGS), chance.choice(DOINGS)
    if index % 2:
        advice = " ".join(chance.choice(ADVICE) for _ in range(5))
        return BenchTurn("assistant", f"{advice} Is {person} still in {place}?")
    cost = chance.randrange(10, 900)
    return BenchTurn(
        "user",
        f"When {person} was in {place} I {doing} {thing}, number {cost} on my list. "
        f"{chance.choice(MOODS)}",
    )
