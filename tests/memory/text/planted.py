"""Messages that contain secrets, and ordinary messages with numbers that are not secret."""

from itertools import product
from random import Random

from tests.cases import cases

_SECRETS, _TEMPLATES = cases(__file__, "planted.txt").values()
SECRETS = [tuple(line.split(" | ")) for line in _SECRETS]
"""Kind, sentence with {}, and secret."""
_MONTHS = ("January", "March", "May", "July", "October")


def ordinary(count: int = 500) -> list[str]:
    """Messages with dates, phone numbers, prices, orders, addresses, measures and code, always the same."""
    random = Random(19)

    def digits(number: int) -> str:
        return str(random.randint(10 ** (number - 1), 10**number - 1))

    def hexadecimal(number: int) -> str:
        return "".join(random.choice("0123456789abcdef") for _ in range(number))

    lengths = {"digit": 1, "small": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8}

    def message(template: str) -> str:
        values = {name: digits(length) for name, length in lengths.items()}
        values |= {f"hex{length}": hexadecimal(length) for length in (3, 4, 7, 8, 12, 32)}
        values |= {"day": str(random.randint(1, 28)), "hour": str(random.randint(7, 22))}
        return template.format(**values, month=random.choice(_MONTHS))

    rounds = range(-(-count // len(_TEMPLATES)))
    return [message(template) for _, template in product(rounds, _TEMPLATES)][:count]
