"""How many it is by now, how far it has come, and at what time: each has one value, and the newest
counts."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import Template

_SO_FAR = Template(
    "experience",
    "{r}_so_far",
    "count_{r}",
    "The user has {object} {r} so far.",
    "as_is",
    "{object} {r}",
    confidence=0.75,
)
_DONE = replace(
    _SO_FAR,
    key="{d}_{r}_so_far",
    predicate="count_{d}_{r}",
    statement="The user has {d} {object} {r} so far.",
)
_LAST = replace(
    _SO_FAR,
    key="last_{r}_{d}",
    predicate="last_{r}_{d}",
    statement="The user has {d} their {object} {r}.",
)
_BOUGHT = replace(_SO_FAR, key="bought_{r}_so_far", predicate="count_bought_{r}")
_TIMES = replace(
    _SO_FAR,
    key="times_{d}_{brief}",
    predicate="times_{d}_{r}",
    value="{object} times",
    statement="The user has {d} their {r} {object} times so far.",
)
_PLACE = replace(
    _SO_FAR,
    key="{r}_of_{d}",
    predicate="is_at_{r}_of_{d}",
    value="{r} {object}",
    statement="The user is on {r} {object} of {d}.",
)
_BEST = replace(
    _SO_FAR,
    key="{r}_personal_best",
    predicate="best_{r}",
    value="{object}",
    statement="The user's personal best in {r} is {object}.",
    confidence=0.8,
)
_SPENDS = Template(
    "behaviour",
    "time_for_{r}",
    "spends_on_{r}",
    "The user spends {object} on {r}.",
    "as_is",
    confidence=0.75,
)
_UP = Template(
    "behaviour",
    "wakes_up_{r}",
    "wakes_up_{r}",
    "The user wakes up at {object} on {r}.",
    "as_is",
    confidence=0.75,
)
_USUAL = Template(
    "behaviour",
    "usual_time_of_{r}",
    "usual_time_of_{r}",
    "The user's usual time for {r} is {object}.",
    "as_is",
    confidence=0.75,
)

_FEW = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
_NUMBER = rf"(?P<o>\d[\d,.]{{0,8}}\d|\d|{_FEW})"
_ORDINAL = (
    r"(?P<o>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\d+(?:th|st|nd|rd))"
)
_VERB = r"(?P<d>finished|completed|watched|read|tried|visited|written|baked|made|attended|played|knitted|painted|run|climbed|learned|saved|lost|earned|caught|sold|raised)"
_KIND = r"(?:(?:different|new|total|more|other|unique) )*"
_THING = rf"(?!more\b|hours?\b|minutes?\b|days?\b|weeks?\b|months?\b|years?\b|times?\b|questions?\b|{_KIND}(?:\w+ )?ones\b|things?\b|or\b|of\b){_KIND}(?P<r>(?:[a-z-]+ )?(?:species|[a-z]+s))"
_HAVE = r"(?:I've|we've|I have|we have) (?:now |already |just |even |recently |actually )*"
_ENDS = r"(?= (?:now|in (?:the|this|that|my|our)|on|from|by|and|for|since|with|at|to my|to our|already|so far|before)\b|$|[,.;!\u2013\u2014-])"
_CLOCK = r"(?P<o>\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\b\.?)?(?: sharp)?|noon|midnight)"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: mornings?)?|weekdays|weekends"
_LONG = r"(?:(?:about |around |roughly |over |almost |nearly )?(?:\d[\d.,]*|an?|one|two|three|four|five|six|half an?)(?:-| to )?\d* (?:hours?|minutes?|mins?) (?:each|every|a|per) (?:day|week|night|evening|morning|month))"
# Whatever a run is called, its distance tells which best it is.
_RUN = r"(?:[a-z]+ (?=\d+ ?k\b|(?:half[- ])?marathon))?"
_RESULT = r"(?P<o>\d[\d:.,]*(?: ?(?:minutes|seconds|hours|kg|km|m|lbs|pounds|reps))?)"

RULES = (
    _DONE.worded(
        clause(rf"{_HAVE}{_VERB} (?:about |around |over |up to )?{_NUMBER} {_THING}{_ENDS}"),
        (
            ("I've now finished 20 videos", "20"),
            ("we've tried four Korean restaurants so far", "four"),
            ("I've already visited seven different castles since May", "seven"),
        ),
        ("She's finished 20 videos", "I haven't finished 20 videos", "I've tried two things"),
    ),
    _LAST.worded(
        clause(
            rf"(?:I|we) (?:just |recently |finally |have just |have )*(?P<d>finished|completed|read|watched|attended|ran) (?:reading |watching )?(?:my|our) {_ORDINAL} (?P<r>[a-z]+)(?= (?:now|of|in|on|from|by|and|last|this|today|yesterday)\b|$|[,.;!])"
        ),
        (("I just finished my fifth jigsaw", "fifth"),),
        ("He finished his fifth jigsaw", "Have I finished my fifth jigsaw?"),
    ),
    _SO_FAR.worded(
        clause(
            rf"{_HAVE}(?:managed to )?(?:seen|spotted|spot|identified|identify|collected|collect|counted|added|add|recorded) (?:about |around |over )?{_NUMBER} (?!new ){_THING}{_ENDS}"
        ),
        (
            ("I've added 20 enamel pins to my collection", "20"),
            ("I've managed to spot 27 different species so far", "27"),
        ),
        ("They've added 20 pins", "I've added 20 more to the cart", "I've added 5 new games"),
    ),
    _SO_FAR.worded(
        sentence(
            rf"<lead>(?:that's|that is|that makes it) (?:now |already )?{_NUMBER} {_THING}(?= (?:now|so far|in total|since I|since we|already)\b)"
        ),
        (("I got a new one, that's 15 enamel pins since I started", "15"),),
        ("That's 15 pins too many.", "That's two weeks now"),
    ),
    _SO_FAR.worded(
        sentence(
            rf"<lead>(?:which |that |it )?(?:brings?|brought|takes?|took|puts) (?:my|our) (?:total )?(?P<r>[a-z]+(?: [a-z]+)?) (?:count|total|tally) (?:up )?to {_NUMBER}{_ENDS}"
        ),
        (("I saw a wren, which brings my total species count to 32", "32"),),
        ("That brings his species count to 32", "It brings us to 32"),
    ),
    _BOUGHT.worded(
        clause(rf"{_HAVE}(?:bought|picked up) {_NUMBER} {_THING}{_ENDS}"),
        (("we've bought three lamps so far", "three"),),
        ("I've bought two more.", "She's bought three lamps"),
    ),
    _BOUGHT.worded(
        clause(rf"{_HAVE}got {_NUMBER} {_THING}(?= from (?:that|the|this|(?-i:[A-Z])))"),
        (("I've already got five mugs from that potter", "five"),),
        ("I've got two questions.", "I've got two kids", "She's got three lamps from Oslo"),
    ),
    _DONE.worded(
        clause(
            rf"(?P<lead>{_HAVE}{_VERB} (?:\d+|{_FEW}) [^\n,]{{3,60}}, )including {_NUMBER} {_THING}{_ENDS}"
        ),
        (("I've watched 12 films this year, including 5 silent films, a lot for me", "5"),),
        ("She's watched 12 films, including 5 silent films",),
    ),
    _TIMES.worded(
        clause(
            rf"{_HAVE}(?P<d>worn|used|visited|played|watched|read|washed|ridden|driven|made|cooked|baked|tried) (?:my|our) (?P<r>[\w'-]+(?: [\w'-]+){{0,7}}?) {_NUMBER} times(?= (?:now|already|so far|since|in|this|before|including|and|but|with)\b|$|[,.;!])"
        ),
        (("I've worn my new hiking boots four times already", "four"),),
        ("She's worn my boots four times", "I've worn my boots many times"),
    ),
    _PLACE.worded(
        sentence(
            r"[^\n\"]{0,120}\"(?P<d>[^\"\n]{3,60})\"[^\n\"]{0,60}?\b(?:I'm|I am|we're) (?:now |already )*(?:on|at|up to) (?P<r>page|chapter|episode|season|lesson|level|volume|part) (?P<o>\d+)"
        ),
        (("I've been reading \"Cold Rooms\" and I'm currently on page 200.", "200"),),
        ("I'm on page 200.", '"Cold Rooms" is dull, she\'s on page 200'),
    ),
    _PLACE.worded(
        sentence(
            r"<lead>(?:I'm|I am|we're) (?:now |already )*(?:on|at|up to) (?P<r>page|chapter|episode|season|lesson|level|volume|part|week|day) (?P<o>\d+) (?:of|in) (?:the |my |our )?(?P<d>(?!this\b|it\b|an? (?:\w+ )?(?:one|series|show)\b)[\w'-]+(?: [\w'-]+){0,4}?)(?=$|[,.;!]| (?:and|but|so|now)\b)"
        ),
        (("I'm currently on episode 10 of the Science series!", "10"),),
        ("I'm on page 3 of it.", "He's on episode 10 of the Science series"),
    ),
    _BEST.worded(
        sentence(
            rf"(?:[^\n]{{0,120}}?\b)?my (?:new |current |previous )?personal best (?:time )?(?:in|for|at) (?:the |a |my )?{_RUN}(?P<r>[\w-]+(?: [\w-]+){{0,3}}?)(?: time| run| race)? (?:is|of|stands at|:)(?: now)? {_RESULT}"
        ),
        (("my personal best in the 5K is now 25:50", "25:50"),),
        ("her personal best in the 5K is 25:50", "What is my personal best in the 5K?"),
    ),
    _BEST.worded(
        sentence(
            rf"(?:[^\n]{{0,120}}?\b)?I (?:just |recently |finally )*(?:set|ran|got|hit|reached|achieved) (?:a|my) (?:new )?personal best(?: time)? (?:in|for|at|on) (?:the |a |my )?{_RUN}(?P<r>[\w-]+(?: [\w-]+){{0,3}}?)(?: run| race)? (?:with|of|at)(?: a time of)? {_RESULT}"
        ),
        (("I recently set a personal best in a 10K run with a time of 52:10", "52:10"),),
        ("She set a personal best in the 10K with 52:10",),
    ),
    _SPENDS.worded(
        clause(
            rf"(?:I|we|I've been|we've been) (?:now |usually |only )?(?:dedicat|spend|devot|put|invest)(?:e|ing|ting)? (?P<o>{_LONG}) (?:to|on|into|for) (?P<r>(?!(?:it|this|that|my|our|the)\b)[a-z][\w-]*(?: [a-z][\w-]*){{0,3}}?)(?=$|[,.;!]| (?:and|but|so|because|now|since|which|with)\b)"
        ),
        (
            (
                "I've been dedicating about an hour each day to coding exercises",
                "about an hour each day",
            ),
        ),
        ("She spends an hour each day on chess", "I spend an hour each day on it"),
    ),
    _UP.worded(
        clause(
            rf"(?:I've been|I|I'm|I like to|I usually|I now) (?:now )?(?:wake|waking|get|getting) up (?:at|around) {_CLOCK} on (?P<r>{_DAYS})"
        ),
        (("I've been waking up around 8:30 am on Saturdays", "8:30 am"),),
        ("She wakes up at 8 on Saturdays", "Should I wake up at 8 on Sundays?"),
    ),
    _USUAL.worded(
        sentence(
            rf"<lead>(?:my|the) (?P<r>[a-z]+)(?: (?:sessions?|class(?:es)?|lessons?|practice|training|workouts?))?,? which (?:I usually (?:go to|do|have|start)|is usually|usually (?:is|starts)) (?:at|around) {_CLOCK}"
        ),
        (("I'll be back before I head to the gym, which is usually at 6:00 pm.", "6:00 pm"),),
        ("the gym, which is usually closed at 6", "her yoga class, which is usually at 6"),
    ),
)
