"""A value that is another one now: "my commute is now 45 minutes", "we raised our budget to …"."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause
from memory.mining.rules.templates import Template
from memory.text import kinship

KIN = kinship.KIN["en"]

_VALUE = Template("other", "{r}", "has_{r}", "The user's {r} is {object}.", "as_is", confidence=0.75)
_USES = Template("technical", "uses_{slug}", "uses", "The user uses {object}.", "as_is", confidence=0.75)

_PEOPLE = "|".join(sorted(KIN, key=len, reverse=True))
_NOT = rf"(?!(?:[\w-]+ ){{0,2}}(?:{_PEOPLE}|name|question|problem|issue|favou?rite|code|file|script|version|email|draft|answer|birthday|age|point|plan|idea|goal|time|turn|job|question)s?\b)"
_WHAT = rf"{_NOT}(?P<r>[a-z][\w-]*(?: [a-z][\w-]*){{0,3}}?)"
_AMOUNT = r"(?P<o>(?:about |around |roughly |under |over )?(?:[$€£¥] ?)?\d[\d.,:]*\d?(?: ?(?:[ap]m|%|k|kg|g|lbs?|km|miles?|minutes?|mins?|hours?|days?|weeks?|months?|calories|kcal|euros?|pounds|dollars|francs|€|£|a (?:day|week|month|year)|per \w+|words|pages|steps|mbps|gb|tb|mg|followers|subscribers))*)"
_NEW = r"(?P<o>(?:an? |the )?(?:(?-i:[A-Z])[\w.+&'-]*(?: (?-i:[A-Z\d])[\w.+&'-]*){0,3}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|every (?:other )?\w+|twice a \w+|once a \w+|weekly|monthly|daily))"
_END = r"(?=$|[,;!?()]|\.(?!\d)| (?:and|but|so|because|instead|from|since|now|up|down|not|which|after|at|for|with|until)\b)"
_NAME = r"(?-i:[A-Z])[\w.+&-]*(?: (?-i:[A-Z\d])[\w.+&-]*){0,2}"

RULES = (
    _VALUE.worded(
        clause(
            rf"(?:my|our) (?:new |current )?{_WHAT} (?:is|are) (?:now |down to |up to |back to |currently )+(?:at )?{_AMOUNT}{_END}"
        ),
        (
            ("My commute is now 45 minutes.", "45 minutes"),
            ("my daily calorie limit is now 1,800 and I'm hungry", "1,800"),
        ),
        (
            "My commute is long now.",
            "Her commute is now 45 minutes",
            "My son is now 5",
            "Is my commute now 45 minutes?",
        ),
    ),
    _VALUE.worded(
        clause(rf"(?:my|our) {_WHAT} (?:is|are) {_AMOUNT} now{_END}"),
        (("my mortgage rate is 3.9% now", "3.9%"),),
        ("my son is 5 now", "Her rate is 3.9% now"),
    ),
    _VALUE.worded(
        clause(rf"(?:my|our) (?:new )?{_WHAT} (?:is|are) now (?:on )?{_NEW}{_END}"),
        (("My gym day is now Thursday instead of Tuesday", "Thursday"),),
        ("My gym day is now over.", "My wife is now Ann", "His gym day is now Thursday"),
    ),
    _VALUE.worded(
        clause(
            rf"(?:I|we|I've|we've|I have|we have) (?:just |recently |now |finally )?(?:raised|increased|lowered|cut|reduced|upped|bumped|changed|set|dropped|stretched|extended|shortened|lifted|moved|adjusted|pushed) (?:my|our) {_WHAT}(?: up| down| back)?(?: from [\w$€£.,% ]{{1,20}}?)? to {_AMOUNT}{_END}"
        ),
        (
            ("We've raised our budget to 1200 euros.", "1200 euros"),
            ("I cut my hours from 40 to 32 a week", "32 a week"),
        ),
        (
            "I raised my hand to ask.",
            "They raised our rent to 900 euros",
            "Should I cut my hours to 32?",
        ),
    ),
    replace(
        _USES.worded(
            clause(
                rf"(?:I|we|I've|we've|I have|we have) (?:just |recently |now |finally )?(?:switched|changed|swapped|went over|migrated)(?: over)?(?: [\w' ]{{2,20}})? from (?P<o>{_NAME}) to {_NAME}"
            ),
            (("I switched from Vodafone to Telekom.", "Vodafone"),),
            ("I switched from tea to coffee.", "She switched from Vodafone to Telekom"),
        ),
        ended=True,
    ),
    _USES.worded(
        clause(
            rf"(?:I|we|I've|we've|I have|we have) (?:just |recently |now |finally )?(?:switched|changed|swapped|went over|migrated)(?: over)?(?: [\w' ]{{2,20}})? from {_NAME} to (?P<o>{_NAME})"
        ),
        (("I've switched from Spotify to Tidal", "Tidal"),),
        ("I switched from tea to coffee.", "Should I switch from Vodafone to Telekom?"),
    ),
)
