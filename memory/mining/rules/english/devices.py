"""The devices of the user, of which the newest counts, and the parts in them."""

from memory.mining.rules.english.grammar import clause
from memory.mining.rules.table import Rule

_DEVICE = (
    r"(?P<r>phone|mobile|smartphone|laptop|tablet|e-?reader|computer|desktop|camera|watch|smartwatch"
    r"|car|van|bike|bicycle|e-bike|motorbike|scooter|printer|router|console|tv|vacuum(?: cleaner)?)"
)
_PART = (
    r"(?P<r>batter(?:y|ies)|tyres?|tires?|engine|motor|screen|filter|processor|cpu|graphics card|gpu|ssd"
    r"|hard (?:disk|drive)|sim card|lens|bulb|saddle|chain|strings|toner|cartridge|thermostat)"
)
_WHOSE = r"(?:in|of|on|for) (?:my|our) (?P<d>[\w'-]+(?: [\w'-]+){0,2}?)"
# Something with a name or a number, not what it is like: "a PowerPack 500", not "a problem".
_MODEL = r"(?!about|around|almost|over|nearly|\d+ (?:years|months|weeks|days))(?:now )?(?:an? |the )?(?:new )?(?=(?-i:[A-Z])|[\w -]{0,20}\d)<o>"

RULES = (
    Rule(
        kind="technical",
        key="{r}",
        predicate="has_{r}",
        statement="The user's {r} is {object}.",
        confidence=0.85,
        pattern=clause(rf"<my>(?:new |current |main |work )?{_DEVICE} is {_MODEL}"),
        yes=(
            ("My phone is a Pixel 6 and it is full.", "Pixel 6"),
            ("My laptop is a MacBook Air now.", "MacBook Air"),
            ("my new camera is a Canon EOS R6", "Canon EOS R6"),
        ),
        no=(
            "My phone is a problem.",
            "My laptop is slow.",
            "Her phone is a Pixel 6.",
            "Is my phone a Pixel 6?",
            "If my phone is a Pixel 6, which case fits?",
        ),
    ),
    Rule(
        kind="technical",
        key="{d}_{r}",
        predicate="has_{d}_{r}",
        statement="The {r} of the user's {d} is {object}.",
        confidence=0.85,
        pattern=clause(rf"\bthe (?:new )?{_PART} {_WHOSE} (?:is|are) {_MODEL}"),
        yes=(
            (
                "The battery in my e-bike is a Bosch PowerPack 400 and it hardly lasts.",
                "Bosch PowerPack 400",
            ),
            ("The tyres on my bike are Schwalbe Marathons", "Schwalbe Marathons"),
        ),
        no=(
            "The battery in my phone is dead.",
            "The battery in her e-bike is a Bosch PowerPack 400.",
            "Is the battery in my e-bike a Bosch?",
        ),
    ),
    Rule(
        kind="technical",
        key="{d}_{r}",
        predicate="has_{d}_{r}",
        statement="The {r} of the user's {d} is {object}.",
        confidence=0.85,
        begins=True,
        pattern=clause(
            rf"<did>(?:just )?(?:swapped|replaced|changed|exchanged) the (?:old )?{_PART} {_WHOSE}"
            rf" (?:for|with|by) {_MODEL}"
        ),
        yes=(
            ("I've swapped the battery in my e-bike for a PowerPack 500.", "PowerPack 500"),
            ("I replaced the lens of my camera with a Sigma 30", "Sigma 30"),
        ),
        no=(
            "I replaced the battery in my watch with ease.",
            "He swapped the battery in my e-bike for a PowerPack 500.",
            "Should I swap the battery in my e-bike for a PowerPack 500?",
        ),
    ),
)
