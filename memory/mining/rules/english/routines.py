"""How often and at what time something is done, and where it is kept: one value each, and the
newest counts."""

import re
from dataclasses import replace

from memory.mining.rules.english.amounts import (
    ABOUT,
    ALREADY,
    CLOCK,
    NAMED,
    OFTEN,
    PER,
    STOP,
    TIMES,
)
from memory.mining.rules.english.grammar import context
from memory.mining.rules.table import hinted
from memory.mining.rules.templates import Template

_HABIT = Template(
    "behaviour",
    "how_often_{brief}",
    "habit",
    "The user does this regularly: {object}.",
    "as_is",
    confidence=0.75,
)
_DOING = replace(_HABIT, key="how_often_{brief}{d}")
_WEEKLY = replace(_HABIT, statement="The user has {object} {R} sessions.")
_HOURS = replace(_HABIT, key="hours_worked_a_week", statement="The user works {object}.", confidence=0.7)
_SEEN = replace(_HABIT, statement="The user and their {R}: {object}.")
_STOPS = replace(_HABIT, key="when_{d}_{r}", predicate="habit")
_ROUTINE = replace(_HABIT, statement="How often the user does {R}: {object}.")
_USUAL = Template(
    "behaviour",
    "usual_time_of_{r}",
    "usual_time_of_{r}",
    "The user's usual time for {R} is {object}.",
    "as_is",
    confidence=0.75,
)
_UP = replace(
    _USUAL,
    key="wakes_up_{r}",
    predicate="wakes_up_{r}",
    statement="The user wakes up at {object} on {R}.",
)
_DAY_OF = replace(
    _HABIT,
    key="day_of_{r}",
    predicate="day_of_{r}",
    statement="The user has {R} on {object}.",
)
_KEPT = Template(
    "other",
    "place_of_{brief}",
    "keeps_{r}",
    "The user keeps their {R} {object}.",
    "as_is",
    confidence=0.75,
)

_DOES = r"(?:go to (?:the |my |a )?|go |attend (?:a |the |my )?|practi[cs]e |play (?:the )?|take (?:a |my )?|do |have (?:a |my )?|see |visit |meet (?:with )?)"
_WHAT = r"(?P<r>(?!(?:it|this|that|them|these|so|something|to|home|out|back|some|an?|each|every|once|twice)\b)(?:(?:my|our|Dr\.?) )?[\w'-]+(?: (?!(?:on|at|about|for|with|and|or|every|once|twice|three|four|each|in|from|to)\b)[\w'-]+){0,2}?)"
_KIND = r"(?: (?:class(?:es)?|sessions?|lessons?|practice|training|workouts?))?"
_USUALLY = r"(?:usually |normally |now |currently |typically |still |already |always |generally |mostly |regularly |also |only |actually |try to )*"
_PLACE = r"(?:bed|closet|living room|dining room|wardrobe|drawers?|dresser|garage|attic|loft|basement|cellar|shelf|shelves|bookshelf|bookcase|cupboard|box|boxes|bag|backpack|purse|wallet|fridge|freezer|pantry|cabinet|rack|shed|kitchen|bathroom|bedroom|living room|hallway|office|desk|safe|trunk|car|locker|storage unit|jar|tin|folder|binder|case|bin|basket|chest|nightstand|counter|stand|hook|wall|mantel|suitcase|container|display case|study)"
_WHERE = rf"(?P<o>(?:in|under|on|at|inside|behind|next to|by|above|below) (?:the|my|our|an?) (?:[\w'-]+ ){{0,3}}?{_PLACE}(?: (?:in|of|under|by|next to) (?:the|my|our) (?:[\w'-]+ ){{0,2}}?{_PLACE})?)(?![\w'-])"
_WITH = r"(?: (?:with|at) (?:my |the |our |a )?[\w']+(?: (?!every\b|once\b|twice\b|on\b)[\w']+){0,2}?(?: at (?:the|my|our|a) [\w']+(?: [\w']+)?)?)?"
_START = r"(?P<lead>(?:[^\n]*?(?:^|[.!?,;:(\u2013\u2014-] |\b(?:and|but|because|since|so|as|that|though|while) ))??)"
_DAYS_OF_WEEK = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"

_HINT = re.compile(
    r"\d|\b(?:once|twice|thrice|times|days|nights|evenings|mornings|every|each|weekly|daily|monthly|fortnightly|bi-?weekly|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|keep|kept|keeping|stored?|storing|hang|hanging|moved|put|displayed|parked|sitting|framed|noon|midnight)\b",
    re.IGNORECASE,
)

RULES = hinted(
    _HINT,
    (
        _USUAL.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:my|the) (?P<r>[a-z]+){_KIND},? which (?:I usually (?:go to|do|have|start|attend)|is usually|usually (?:is|starts)) (?:at|around) (?P<o>{CLOCK})"
            ),
            (
                (
                    "How do I set reminders for my gym sessions, which I usually go to at 7:00 pm on Mondays?",
                    "7:00 pm",
                ),
            ),
            (
                "How do I find the gym, which is usually closed at 6?",
                "his class, which is usually at 6 pm",
            ),
        ),
        _UP.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:considering|since|because|given|as|that|and|but|now|lately|,|\.|!) )(?:I|I've been|I'm) (?:like to |usually |now |normally |always )*(?:wake|waking|get|getting) up (?:at|around) (?P<o>{CLOCK}) on (?P<r>{_DAYS_OF_WEEK})"
            ),
            (
                (
                    "What time should I start my jog, considering I like to wake up at 7:30 am on Saturdays?",
                    "7:30 am",
                ),
            ),
            ("What time should he start, considering he wakes up at 7:30 am on Saturdays?",),
        ),
        _HABIT.worded(
            context(
                rf"{_START}(?:I|we) {_USUALLY}(?P<o>{_DOES}{_WHAT}{_KIND}{_WITH} (?:on )?(?:{OFTEN}))(?![\w'-])"
            ),
            (
                ("I go to yoga three times a week.", "go to yoga three times a week"),
                (
                    "I don't work out on Mondays. I go to the gym on Tuesdays, Thursdays, and Saturdays.",
                    "go to the gym on Tuesdays, Thursdays, and Saturdays",
                ),
                (
                    "I'm nervous, but I see Dr. Smith every two weeks",
                    "see Dr. Smith every two weeks",
                ),
            ),
            (
                "She goes to yoga three times a week.",
                "Should I go to yoga three times a week?",
                "I want to go to yoga three times a week.",
                "I did it three times a week",
            ),
        ),
        _HABIT.worded(
            context(
                rf"{_START}(?:I|we) {_USUALLY}(?P<o>(?P<r>work out|run|swim|cycle|jog|meditate|volunteer|exercise|train|journal|fast|bake|babysit|stretch)(?: (?:with|at|in|for) [\w' -]{{2,30}}?)? (?:on )?{OFTEN})(?![\w'-])"
            ),
            (("I meditate three times a week, that helps", "meditate three times a week"),),
            ("He runs twice a week", "Should I run twice a week?", "I run every so often"),
        ),
        _DOING.worded(
            context(
                rf"{_START}(?:I've been|we've been|I'm) {_USUALLY}(?P<o>(?:(?:going to|attending|practi[cs]ing|playing|taking|doing|having|seeing|visiting|meeting with) (?:the |my |our |a )?{_WHAT}{_KIND}|(?P<d>working out|running|swimming|cycling|jogging|meditating|volunteering|exercising|training)){_WITH} (?:on )?{OFTEN})(?![\w'-])"
            ),
            (
                ("I've been doing yoga twice a week for my nerves", "doing yoga twice a week"),
                (
                    "I've been seeing Dr. Smith, sorry, I've been seeing Dr. Lee every other week",
                    "seeing Dr. Lee every other week",
                ),
            ),
            (
                "She's been doing yoga twice a week",
                "I'm thinking of doing yoga twice a week",
                "I've been doing yoga.",
            ),
        ),
        _DOING.worded(
            context(
                rf"{_START}(?:I've been|we've been) {_USUALLY}(?P<o>(?P<r>(?!(?:thinking|considering|planning|trying|wanting|hoping|looking|meaning|having|getting|feeling|wondering|noticing|asked|told|doing (?:it|this|that))\b)[a-z]+ing (?!(?:it|this|that|them|about)\b)(?:my |our |the )?[\w'-]+(?: (?!(?:for|with|and|or|that|at)\b)[\w'-]+){{0,3}}?) (?:{TIMES} {PER}|every (?:other|second) (?:day|week|month)))(?![\w'-])"
            ),
            (
                (
                    "I've been testing my blood sugar levels three times a day with a meter.",
                    "testing my blood sugar levels three times a day",
                ),
                (
                    "I've been commuting by bike three times a week",
                    "commuting by bike three times a week",
                ),
            ),
            (
                "I've been thinking about running three times a week",
                "He's been commuting by bike three times a week",
            ),
        ),
        _WEEKLY.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:I've been|I'm|we're|we've been) {_USUALLY}(?:taking|having|attending|going to|doing) (?:my |our )?(?P<o>daily|weekly|bi-?weekly|fortnightly|monthly) (?P<r>[a-z]+(?: [a-z]+)?) (?:lessons|sessions|classes|appointments|meetings|workouts)\b"
            ),
            (("By the way, I've been taking weekly guitar lessons with Alex", "weekly"),),
            (
                "He's been taking weekly guitar lessons",
                "I'm thinking of taking weekly guitar lessons",
            ),
        ),
        _HOURS.worded(
            context(
                rf"{_START}I(?:'m)? {_USUALLY}(?:work|working) {ABOUT}(?P<o>\d{{1,2}}(?:(?:-| to )\d{{1,2}})? hours (?:a|per|each|every) week)"
            ),
            (("I typically work 40 hours a week, sometimes more", "40 hours a week"),),
            ("He works 40 hours a week", "I want to work 30 hours a week"),
        ),
        _SEEN.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:my (?:[a-z]+ ){{0,2}}?)?(?P<r>Dr\.? (?-i:[A-Z])[\w-]+|therapist|counsell?or|trainer|tutor|coach|physio(?:therapist)?|nutritionist),? (?:(?-i:[A-Z])[\w. -]{{2,20}}, )?(?:who|whom|that) )(?:I|we) {_USUALLY}(?P<o>(?:see|visit|meet|meet with|work with|talk to) (?:on )?{OFTEN})(?![\w'-])"
            ),
            (
                (
                    "I'll ask my therapist, Dr. Smith, who I see every other week.",
                    "see every other week",
                ),
            ),
            ("I'll ask my therapist, who she sees every other week.",),
        ),
        _ROUTINE.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)my (?P<r>(?!(?:own|new)\b)[a-z]+(?: [a-z]+)?) (?:routine|practice|sessions|workouts|classes|lessons)(?:,| -|:| is| are)? (?:is |are |now |currently )*(?P<o>{OFTEN})(?=[,.;!?]| (?:now|actually|and|but|so)\b|$)"
            ),
            (
                (
                    "I've been consistent with my gym routine - four times a week, actually.",
                    "four times a week",
                ),
            ),
            (
                "his gym routine - four times a week",
                "my gym routine - what about four times a week?",
            ),
        ),
        _STOPS.worded(
            context(
                rf"{_START}(?:I|we) {_USUALLY}(?P<o>(?P<d>start|stop|finish|quit) (?P<r>(?:[a-z-]+ing|work|school)(?: [a-z'-]+){{0,4}}?) (?:at|by|around|after) {CLOCK})(?! (?:on|tomorrow|today|this|next)\b)(?![\w'-])"
            ),
            (
                (
                    "I stop checking work emails at 7 pm, that's a rule",
                    "stop checking work emails at 7 pm",
                ),
            ),
            (
                "She stops checking emails at 7 pm",
                "I start working at 9 am on Monday",
                "Can I stop working at 7 pm?",
            ),
        ),
        _DAY_OF.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:I|we) {_USUALLY}(?:have|take|attend|go to|teach) (?:an? |my |our )(?P<r>(?:[\w'-]+ ){{0,3}}(?:class|lesson|session|practice|rehearsal|meeting|course))(?:es|s)? (?:on )?(?P<o>(?:{_DAYS_OF_WEEK}|every (?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: (?:mornings?|evenings?|afternoons?|nights?))?)(?![\w'-])"
            ),
            (("By the way, I have a cocktail-making class on Fridays, so let's see.", "Fridays"),),
            (
                "She has a cocktail class on Fridays",
                "I have a class on Friday",
                "Do I have a class on Fridays?",
            ),
        ),
        _KEPT.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:I|we|I've|we've|I'm|I've been|we've been) {_USUALLY}(?:keep|kept|keeping|store|stored|storing|hang|moved|put) my {NAMED} {_WHERE}"
            ),
            (
                ("I keep my old sneakers under my bed", "under my bed"),
                ("I've moved my bike to work. I store my skis in the garage.", "in the garage"),
            ),
            (
                "I keep my mind on the job",
                "She keeps my skis in the garage",
                "Should I keep my skis in the garage?",
                "I want to keep my skis in the garage",
            ),
        ),
        _KEPT.worded(
            context(
                rf"{_START}(?:my|our) {NAMED} (?:is|are) {ALREADY}(?:hanging|kept|stored|displayed|parked|framed|sitting) {_WHERE}"
            ),
            (("my grandmother's quilt is now displayed in the living room", "in the living room"),),
            ("her quilt is displayed in the living room", "Is my quilt stored in the attic?"),
        ),
        _KEPT.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:my|our) {NAMED}{STOP}[^\n]{{0,80}}?)(?:I|we|I've|I've been|we've been) {ALREADY}(?:keep|kept|keeping|store|stored|storing) (?:it|them) {_WHERE}"
            ),
            (
                (
                    "I need to take care of my old sneakers, I've been keeping them under my bed for storage.",
                    "under my bed",
                ),
            ),
            (
                "I need new sneakers, I keep them under my bed",
                "my sneakers? He keeps them under the bed",
            ),
        ),
    ),
)
