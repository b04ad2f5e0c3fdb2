"""How many it is by now where the thing was named before: "… Korean restaurants? I've tried four
different ones so far"."""

from dataclasses import replace

from memory.mining.rules.english.amounts import (
    ABOUT,
    ALREADY,
    COUNTED,
    DURATION,
    FEW,
    I_HAVE,
    NAMED,
    NUMBER,
    SO_FAR,
    STOP,
    THINGS,
)
from memory.mining.rules.english.grammar import context
from memory.mining.rules.table import hinted
from memory.mining.rules.templates import Template

SO_FAR_HAS = Template(
    "experience",
    "{r}_so_far",
    "count_{r}",
    "The user has {object} {R} so far.",
    "as_is",
    "{object} {R}",
    confidence=0.75,
)
_DONE = replace(
    SO_FAR_HAS,
    key="{d}_{r}_so_far",
    predicate="count_{d}_{r}",
    statement="The user has {d} {object} {R} so far.",
)
# What somebody makes is written, made or finished: one count.
_COMPLETED = replace(
    SO_FAR_HAS,
    key="completed_{r}_so_far",
    predicate="count_completed_{r}",
    statement="The user has completed {object} {R} so far.",
)
_TIMES = replace(
    SO_FAR_HAS,
    key="times_{d}_{brief}",
    predicate="times_{d}_{r}",
    value="{object} times",
    statement="The user has {d} their {R} {object} times so far.",
)
_TRIPS = replace(
    SO_FAR_HAS,
    key="trips_with_{brief}",
    predicate="trips_with_{r}",
    value="{object} trips",
    statement="The user has taken their {R} on {object} trips so far.",
)
_PLACE = replace(
    SO_FAR_HAS,
    key="{r}_of_{d}",
    predicate="is_at_{r}_of_{d}",
    value="{r} {object}",
    statement="The user has finished {object} {r}s of {D}.",
)
_SPENT = replace(
    SO_FAR_HAS,
    key="time_spent_on_{r}",
    predicate="time_spent_on_{r}",
    value="{object}",
    statement="The user has spent {object} on their {R} so far.",
)

_TRIED = r"(?P<d>tried|visited|read|watched|seen|played|baked|cooked|attended|bought|collected|joined|hiked|climbed|painted|knitted)"
_MADE = r"(?:written|made|completed|finished|built|sewn|recorded)"
_USED = r"(?P<d>worn|used|visited|played|watched|read|washed|ridden|driven|made|cooked|baked|tried|practi[cs]ed|tried making|tried cooking|tried baking|tried playing)"
_SOME = r"(?:any|some|more|other|many|few|best|favou?rite)"
_END = r"(?=$|[,.;:!?)\u2013\u2014]| -| (?:and|but|so|in|on|since|with|this|from|at|for|of|which|lately|recently|already|now)\b)"
_SKILL = r"(?: (?:recipe|game|skills?|technique|dish|version))?"

RULES = hinted(
    COUNTED,
    (
        _DONE.worded(
            context(
                rf"(?P<lead>[^\n]*\b{_SOME} {THINGS}\b[^\n]{{0,160}}?){I_HAVE}{_TRIED}(?: out)? {ABOUT}{NUMBER} (?:different |new |other |good |of those |really good )*ones?{_END}"
            ),
            (
                (
                    "Know any good Thai restaurants around here? I've tried four different ones so far.",
                    "four",
                ),
                ("I love watching some old westerns. I've seen 12 new ones this year", "12"),
            ),
            (
                "Any good Thai restaurants? She's tried four different ones.",
                "Any good suggestions? I've tried four different ones.",
                "Any good Thai restaurants? I want to try four different ones.",
            ),
        ),
        _COMPLETED.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:number of|some|more|writing|making|building|sewing|recording) {THINGS}\b[^\n]{{0,160}}?){I_HAVE}{_MADE} {ABOUT}{NUMBER}(?={SO_FAR})"
            ),
            (
                (
                    "Is a number of short stories a month a good goal? I've written four so far since May.",
                    "four",
                ),
            ),
            ("I like writing short stories.", "He likes writing poems. He's written four so far."),
        ),
        _COMPLETED.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}(?:managed to complete|managed to write|managed to finish|written|completed|finished writing|sewn|recorded) {ABOUT}{NUMBER} (?!videos\b){THINGS}(?={SO_FAR}|[.!?,]|$)"
            ),
            (
                (
                    "It's been great, I've even managed to complete 7 short stories since I started.",
                    "7",
                ),
                ("I've written 12 songs so far", "12"),
            ),
            ("I've written two emails to you about it", "She's written 12 songs so far"),
        ),
        _DONE.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}{_TRIED}(?: out)? {ABOUT}{NUMBER} of (?P<r>(?-i:[A-Z])[\w-]+'s [a-z-]+s){_END}"
            ),
            (("I've tried out 3 of Emma's recipes so far, all good", "3"),),
            ("I've tried out 3 of his recipes", "Have you tried 3 of Emma's recipes?"),
        ),
        _DONE.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?P<r>(?-i:[A-Z])[\w-]+'s [a-z-]+s)\b[^\n]{{0,120}}?){I_HAVE}{_TRIED}(?: out)? {ABOUT}{NUMBER} of (?:them|those|these){_END}"
            ),
            (
                (
                    "I've been loving Emma's recipes on her channel, I've already tried out two of them.",
                    "two",
                ),
            ),
            (
                "I love Emma's recipes, she's tried out two of them.",
                "I like recipes. I've tried two of them.",
            ),
        ),
        _TIMES.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:my|our) {NAMED}{_SKILL}{STOP}[^\n]{{0,200}}?){I_HAVE}{_USED} (?:it|them)(?: at home| myself| out)?(?: for)? {ABOUT}{NUMBER} times{_END}"
            ),
            (
                (
                    "I've been perfecting my Negroni game - I've tried making it at home 10 times now.",
                    "10",
                ),
                ("I love my red boots. I've worn them six times already!", "six"),
            ),
            (
                "I love my red boots. She's worn them six times.",
                "I've worn them six times.",
                "I love my red boots. I've worn them many times.",
            ),
        ),
        _TIMES.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}{_USED} (?:my|our) {NAMED} {ABOUT}{NUMBER} times(?={SO_FAR}|,|\.|!|$)"
            ),
            (("I've worn my new black Converse Chuck Taylors four times already", "four"),),
            ("I've worn my boots many times", "He's worn my boots four times"),
        ),
        _TIMES.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}(?P<d>tried making|tried cooking|tried baking|made|cooked|baked) (?:an?|the|my) {NAMED}(?: at home| from scratch)? {ABOUT}{NUMBER} times{_END}"
            ),
            (("Speaking of gin, I've tried making a Negroni at home 10 times now.", "10"),),
            ("She's tried making a Negroni 10 times", "I've made a Negroni many times"),
        ),
        _TIMES.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:my|our) {NAMED}{STOP}[^\n]{{0,120}}?)(?:so )?that(?:'s| is| makes it) {ALREADY}{NUMBER} times {ALREADY}(?:that )?(?:I|we)(?:'ve| have) {ALREADY}{_USED}(?: (?:it|them))?{_END}"
            ),
            (
                (
                    "I wore my new black Converse to run errands, so that's six times now that I've worn them.",
                    "six",
                ),
            ),
            ("That's six times now that I've asked.", "I wore my boots, that's nice."),
        ),
        _TRIPS.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:I|we)(?:'ve| have) {ALREADY}(?:taken|had|brought|carried|used) my {NAMED} (?:with me |along )?on {ABOUT}{NUMBER} (?:\w+ )?trips\b"
            ),
            (("I've had my Canon EOS 80D with me on five trips now.", "five"),),
            ("I've had my camera with me.", "She's had my Canon with her on five trips"),
        ),
        _TRIPS.worded(
            context(
                rf"(?P<lead>[^\n]*\bmy (?P<r>(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z\d])[\w-]*){{0,3}}) (?P<d>[a-z]+)\b[^\n]{{0,160}}?)(?:I|we)(?:'ve| have) {ALREADY}(?:taken|had|brought|carried) my (?P=d) (?:with me )?on (?:[a-z ]{{2,40}}, including )?{NUMBER} trips\b"
            ),
            (
                (
                    "Does it fit my Canon EOS 80D camera? I've taken my camera on a few adventures, including three trips to Rome.",
                    "three",
                ),
            ),
            ("Does it fit my Canon camera? I've taken my tent on three trips.",),
        ),
        _PLACE.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:watching|reading|listening to|taking|doing|playing|following|through) (?:the |my |(?-i:[A-Z])[\w' ]{{0,30}}?'s )?(?P<d>(?:[\w-]+ ){{1,3}}?(?:series|course|podcast|show|program|programme|playlist|audiobook))\b[^\n]{{0,60}}?)I(?:'ve| have)? {ALREADY}(?:completed|finished|watched|done|read|listened to) {ABOUT}{NUMBER} (?P<r>episode|chapter|lesson|module|part|unit|volume)s\b"
            ),
            (
                (
                    "I've been watching Crash Course's Science series, and I just completed 50 episodes.",
                    "50",
                ),
            ),
            (
                "He's been watching the Science series, and he completed 50 episodes.",
                "I've been watching the Science series.",
            ),
        ),
        _SPENT.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:working on|time on|writing|building|painting|knitting|restoring|sewing) (?:an?|my|our|the) {NAMED}{STOP}[^\n]{{0,120}}?)(?:I've|we've|I have|we have) {ALREADY}(?:spent|put in|invested|logged|clocked|put)(?: in)? (?P<o>{DURATION})(?: (?:on|into) (?:it|this|that))?(?={SO_FAR}|,|\.|!|$)"
            ),
            (
                (
                    "I've been working on an ocean sculpture at home, and I've spent around 5-6 hours on it so far.",
                    "around 5-6 hours",
                ),
                (
                    "I've been spending time on my ocean sculpture lately - I've already put in 10-12 hours, and it's good",
                    "10-12 hours",
                ),
            ),
            (
                "He's working on a sculpture, he's spent 5 hours on it.",
                "I've spent 5 hours on it.",
            ),
        ),
        _SPENT.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}(?:spent|put in|put|invested|logged|clocked)(?: in)? (?P<o>{DURATION}) (?:on|into) (?:my|our|the) {NAMED}(?= so far|[.,;!?]| and\b|$)"
            ),
            (
                (
                    "I've already spent 10-12 hours on my ocean sculpture, and it shows",
                    "10-12 hours",
                ),
            ),
            ("She's spent 10 hours on my sculpture", "I've spent hours on my sculpture"),
        ),
        SO_FAR_HAS.worded(
            context(
                rf"(?P<lead>[^\n]*\bI (?:have|own|had|said I had|said I have) {ABOUT}(?:\d+|{FEW}) {THINGS}\b[^\n]{{0,80}}?(?:actually|wait|no|sorry|correction),? )(?:it's|that's|make that|I have|I've got|I own) {ALREADY}{NUMBER}(?: of them)?(?: now)?(?=[.!,;]|$)"
            ),
            (("I said I had four bikes. Actually, it's five now.", "five"),),
            (
                "I have four bikes. Actually, it's fine.",
                "She has four bikes. Actually it's five now.",
            ),
        ),
    ),
)
