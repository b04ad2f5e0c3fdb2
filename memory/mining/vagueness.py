"""Which facts say nothing to somebody who has only the fact: they point at what was said before,
name no thing of their own, or tell what is over by this evening."""

import re

from memory.mining.rules.english.kin import KIN
from memory.mining.types import ExtractedFact

_TOLD = frozenset(
    {"preference", "goal", "experience", "behaviour", "project", "technical", "skill"}
)
_NAMES_SOMETHING = r"\b(?:an?|the|my|our|some|every|each|all|(?-i:[A-Z])\w*)\b"
# A pronoun with nothing before it that it could stand for: "met her in 2002", "finish it by May".
_PRONOUN = r"(?<![\w'])(?:him|them|'?em|her|his|it|there)(?![\w'])"
_POINTS_BACK = re.compile(
    rf"(?!(?:(?!{_PRONOUN}).)*{_NAMES_SOMETHING})(?:(?!{_PRONOUN}).)*{_PRONOUN}"
    r"(?! (?:is )?(?:when|if|rains?|snows?|up\b|easy|out to\b))|(?:\w+ )?(?:their|its) ",
    re.IGNORECASE | re.DOTALL,
)
_THIS = re.compile(
    r"\bthat one\b|(?:\b(?:these|those|this)|(?:\b(?:in|of|at|for|with|on|to|like|attended|joined|visited|took|did|saw|watched|read|bought|tried)|^) that) (?!(?:summer|year|week|month|weekend|fall|winter|spring|autumn|semester|term|season"
    r"|quarter|decade|morning|evening|afternoon|christmas|easter|coming|next|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|I|my|we|our|are|is|was|has|have|can|test|make|help|challenge)\b)[a-z]",
    re.IGNORECASE,
)
_BARE = (
    r"(?:new|awesome|amazing|great|cool|nice|good|fun|different|certain|various|few|couple|several|many|some|big|small|huge"
    r"|local|interesting|special|other|own|unique|more|better|similar|an?|the|of|lot|lots|really|very|both|two|three|four|five|all|my|our|one|another)"
)
_NO_THING = (
    r"(?:events?|platforms?|projects?|things?|stuff|places?|opportunit(?:y|ies)|experiences?|ones?|activit(?:y|ies)"
    r"|topics?|ways?|stories|options?|moments?|times?|people|everything|life|magic(?: with .*)?|kinds?|types?|part|parts)"
)
_EMPTY = re.compile(
    rf"(?:(?:attended|joined|visited|started|tried|won|did|made|went to|doing|trying|having|making|being|seeing|meeting|to (?:see|do|try|have|make|meet)) )?"
    rf"(?:{_BARE} )+{_NO_THING}(?: (?:last|this|recently|yesterday|in (?:19|20)\d\d|\w+ \w+ ago)\b.*)?\W*$|(?:different|various|certain|similar|other|many|several|few|two|three) \w+\W*$",
    re.IGNORECASE,
)
_PLATITUDE = re.compile(
    r"(?:to )?(?:keep (?:going|it up|pushing|trying)|(?:keep going and )?make (?:an? |the |some )?(?:\w+ )?(?:difference|impact)|make (?:my|our) dreams? come true"
    r"|(?:do|try) (?:my|our) best|stay (?:strong|positive|focused|motivated)|be (?:happy|better|successful|there)|(?:overcome (?:any|all|my|our|the) [\w ]{3,20} and )?(?:achieve|reach|hit) (?:my|our|all (?:my|our)) (?:goals|dreams|full potential)|(?:work|succeed|improve|grow|learn more|get better) ?(?:in the future|someday)?"
    r"|move forward|give back|follow my dreams?|have fun|make (?:it|things) (?:work|happen)|see what happens|take control|taking control|being me|being stuck|relax|figure (?:it|this|things) out)\W*$",
    re.IGNORECASE,
)
_BETWEEN_US = re.compile(
    r"we(?:'ve)? (?:\w+ly |first |all |both |always |usually |often )*(?:met(?! (?:up )?with)|agree|agreed|argue|argued|fight|fought|kissed|broke up|talk|talked|chat|chatted|spoke|know|knew|look forward)\b",
    re.IGNORECASE,
)
# The sentence goes on about something that is not in the fact.
_OF_IT = re.compile(
    r"\s(?:on|in|with|at|of|for|to|about|from|into) (?:it|them|him|her|this|that)\b"
)
_ADJECTIVE = (
    r"(?:safe|warm|calm|healthy|happy|high|fresh|soft|strong|clean|quiet|cosy|cozy|simple|cool|fun|good|great|big|small|long"
    r"|short|sweet|loving|new|old|bright|dark|light|deep|rich|fine|nice|rare|tight|\w{3,}(?:ful|ive|ous|less|able))"
)
_HALF_NAMED = re.compile(
    rf".*\b(?:an?|more|very|some) {_ADJECTIVE}$|(?:\w+ )?(?:softer|bolder|lighter|darker|brighter|{_ADJECTIVE})$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r", (?:more |very |and )?[a-z]+(?:,| [a-z]+)")
_ERRAND = re.compile(
    r"(?:re)?schedul(?:e|ing)\b|(?:cancel|book|plan|prepare|organi[sz]e|buy|find|choose|check|submit|confirm)\b|work$",
    re.IGNORECASE,
)
# A verb that wants a thing, or an adjective that wants a noun.
_WANTS_MORE = re.compile(
    r"(?:(?:only |always |usually )?(?:playing|making|doing|using|trying|getting|taking|having|finish(?:ed|ing)?|complet(?:ed|ing)|working"
    r"|play|make|do|use|try|get|take|explore|start(?:ed)?|go|do)(?: (?:for (?:a|an|about|\w+) [\w ]{3,20}|on (?:the )?weekends?|all|too))*"
    r"|decide|choose|understand|plan|help|learn"
    r"|(?:go|visit|travel|try|do|see|come|be)(?: (?:one day|some ?day|there|again|back))+"
    r"|.*\b(?:making|creating|trying|buying|finding) (?:new|more|different|various|other)"
    r"|(?:sprint|chapter|part|section|step|task|phase|week|unit|module|version|level|day) \w+"
    r"|never (?:seem|know|have|find|get)\b.*"
    r"|(?:an?|one|two|three|\d+) (?:weeks?|months?|years?|days?|hours?))\W*$",
    re.IGNORECASE,
)
_ANY_EVENT = re.compile(
    r"(?:attended|joined|participated in|took|visited) an? (?:workshop|class|meeting|event|webinar|conference|session|lecture|course|seminar|festival|party|group|club)$|(?:attended|visited|joined) (?:about |around |over )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
_NO_HABIT = re.compile(
    r"(?:until|till|for|(?:around|about)(?! [\w.,-]+(?: an?)? (?:hours?|minutes?|mins?)\b)|at|consisting|including|between|spent|had|went|did|got|was|were|saw|took|made|bought|met|used to)\b",
    re.IGNORECASE,
)
_A_PURCHASE = re.compile(
    r"\b(?:that|which) (?:I|we) (?:bought|purchased|got|ordered|received)\b", re.IGNORECASE
)
_IS_PAST = re.compile(r"\W{0,2}(?:in|of|for) the (?:past|last)\b", re.IGNORECASE)
_ARRANGING = re.compile(r"\borgani[sz]ing (?:my|our|some)\b|\bshopping trip\b", re.IGNORECASE)
_PASSING = re.compile(
    r"\W{0,2}(?:right now|at the moment|this (?:morning|afternoon|evening)|tonight|today|for now)\b",
    re.IGNORECASE,
)
_FOR_ANOTHER = re.compile(
    rf"[^.!?\n]{{0,20}}?\b(?:for (?:my|our|his|her|a) (?:\w+ )?(?:{'|'.join(sorted(KIN, key=len, reverse=True))})s?\b|as an? (?:gift|present))",
    re.IGNORECASE,
)


def says_nothing(fact: ExtractedFact, said: str) -> bool:
    """Whether a fact cannot be understood alone, is empty or only for the moment. `said` is the
    turn it was read in."""
    after = said[fact.span[1] : fact.span[1] + 60]
    if fact.kind == "event":
        return bool(
            _ERRAND.match(fact.object) or _IS_PAST.match(after) or _A_PURCHASE.search(fact.quote)
        )
    if fact.kind not in _TOLD or not fact.object.isascii():
        return False
    return bool(
        _POINTS_BACK.match(fact.object)
        or _THIS.search(fact.object)
        or _EMPTY.match(fact.object)
        or (fact.kind != "technical" and _WANTS_MORE.match(fact.object))
        or _ARRANGING.search(fact.quote)
        or (fact.kind in ("goal", "preference") and _PLATITUDE.match(fact.object))
        or (fact.kind in ("experience", "behaviour") and _BETWEEN_US.match(fact.quote))
        or (fact.kind == "experience" and _ANY_EVENT.match(fact.object))
        or (fact.kind == "behaviour" and _NO_HABIT.match(fact.object))
        or (fact.kind == "project" and _PASSING.match(after))
        or (fact.kind in ("preference", "experience") and _OF_IT.match(after))
        or (_GOES_ON.match(after) and _HALF_NAMED.match(fact.object))
        or (fact.predicate == "owns" and _FOR_ANOTHER.match(after))
    )
