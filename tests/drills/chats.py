"""Made-up chats in several scripts with changing facts, reproducible from a seed."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.exports import as_exported

BEGIN = datetime(2024, 2, 1, 9, 0, tzinfo=UTC)
CITIES = ("Porto", "Kyiv", "Oslo", "Lima", "Nairobi", "Quito")
NAMES = ("Wang Min", "Inês", "Olga", "Samir", "Kofi", "Maya")
SAID = (
    "I live in {city} and I work as a nurse.",
    "My sister is called {name}, she plays the cello.",
    "My favourite tea is jasmine, number {number}.",
    "I am allergic to cashews. Please remember that my locker code name is Otter{number}.",
    "I moved to {city} last month.",
    "We will meet {name} in {city} on 12 March 2025.",
    "I speak Portuguese and some Japanese.",
    "I want to run a marathon in {city} next year.",
    "我住在上海，我的妻子叫王敏。第{number}次见面在星期天。",
    "Меня зовут Анна, я живу в Москве. Моя собака Бим любит снег {number}.",
    "أنا أعيش في القاهرة وأحب القهوة {number}.",
    "🎉🎂 {number}",
    "Our project Lighthouse uses PostgreSQL {number} and Django.",
    "ok",
)
ANSWERED = (
    "Noted. What else about {city}?",
    "Thank you for telling me about {name}.",
    "明白了。",
    "Here is a plan with {number} steps for Lighthouse.",
    "Хорошо.",
)


def export(count: int, *, seed: int = 7) -> list[dict[str, Any]]:
    """A ChatGPT export of `count` chats of 1 to 26 messages with times, in random order."""
    chance = random.Random(seed)
    chats = [_chat(number, chance) for number in range(count)]
    chance.shuffle(chats)
    return chats


def _chat(number: int, chance: random.Random) -> dict[str, Any]:
    begin = BEGIN + timedelta(hours=5 * number)
    length = chance.choice((1, 2, 4, 6, 9, 10, 11, 17, 26))
    chat = tuple(
        {
            "author": "assistant" if turn % 2 else "user",
            "text": _words(chance, ANSWERED if turn % 2 else SAID),
            "at": (begin + timedelta(minutes=turn)).timestamp(),
        }
        for turn in range(length)
    )
    return as_exported(f"About {chance.choice(CITIES)} {number % 7}", chat, key=f"c{number}")


def _words(chance: random.Random, choices: tuple[str, ...]) -> str:
    picked = chance.choice(choices)
    return picked.format(
        city=chance.choice(CITIES), name=chance.choice(NAMES), number=chance.randrange(1, 99)
    )
