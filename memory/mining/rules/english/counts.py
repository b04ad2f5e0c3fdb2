"""How many it is by now, and the best so far: each has one value, and the newest counts."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_NUMBER = r"(?P<o>\d[\d,.]{0,8}\d|\d|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty)"
_VERB = r"(?P<d>finished|completed|watched|read|tried|collected|visited|written|baked|made|attended|played|seen|knitted|painted|run|climbed|learned|saved|lost|earned|caught|sold|raised)"
_THING = r"(?!more\b|hours?\b|minutes?\b|days?\b|weeks?\b|months?\b|years?\b|times?\b|questions?\b|(?:\w+ )?ones\b|things?\b|or\b|of\b)(?P<r>(?:different |new )?(?:[a-z]+ )?[a-z]+s)"

RULES = (
    Rule(
        kind="experience",
        key="{d}_{r}_so_far",
        predicate="count_{d}_{r}",
        value="{object} {r}",
        statement="The user has {d} {object} {r} so far.",
        shape="as_is",
        confidence=0.75,
        pattern=clause(
            rf"(?:I've|we've|I have|we have) (?:now )?{_VERB} (?:about |around |over |up to )?{_NUMBER} {_THING}(?= (?:now|in (?:the|this|that|my)|on|from|by|and|for|since|with|at)\b|$|[,.;!])"
        ),
        yes=(
            ("I've now finished 20 videos", "20"),
            ("we've tried four Korean restaurants so far", "four"),
        ),
        no=("She's finished 20 videos", "I haven't finished 20 videos", "I've tried two things"),
    ),
    Rule(
        kind="experience",
        key="{r}_personal_best",
        predicate="best_{r}",
        value="{object}",
        statement="The user's personal best in {r} is {object}.",
        shape="as_is",
        confidence=0.8,
        pattern=sentence(
            r"(?:[^\n]{0,120}?\b)?my (?:new |current |previous )?personal best (?:time )?(?:in|for|at) (?:the |a |my )?(?P<r>[\w-]+(?: [\w-]+){0,3}?)(?: time| run| race)? (?:is|of|stands at|:)(?: now)? (?P<o>\d[\d:.,]*(?: ?(?:minutes|seconds|hours|kg|km|m|lbs|pounds|reps))?)"
        ),
        yes=(("my personal best in the 5K is now 25:50", "25:50"),),
        no=("her personal best in the 5K is 25:50", "What is my personal best in the 5K?"),
    ),
)
