"""Languages, records and papers that are told in passing."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.lexicon import LANGUAGES_SPOKEN
from memory.mining.rules.templates import SPEAKS, Template

_TONGUE = "(?-i:" + "|".join(sorted(word.title() for word in LANGUAGES_SPOKEN)) + ")"
_SPEAKS = replace(SPEAKS, shape="tongue", confidence=0.8)
_BEST = Template("skill", "best_{slug}", "has_best", "The user's best: {object}.", confidence=0.75)
_CAN = Template(
    "skill",
    "learned_{slug}",
    "has_learned",
    "The user has learned this: {object}.",
    "deed",
    confidence=0.75,
)
_PAPER = Template("skill", "has_{slug}", "has_qualification", "The user has {object}.", confidence=0.8)

_SPORT = r"(?:half marathon|marathon|5k|10k|mile|parkrun|deadlift|squat|bench(?: press)?|snatch|clean and jerk|overhead press|plank|1rm|2k|erg|100m|200m|400m|800m|1500m|ftp|rubik'?s cube|3x3|elo|rating|handicap|chess rating|typing speed|100 free|vo2 ?max)"

RULES = (
    _SPEAKS.worded(
        sentence(
            rf"(?:[^\n]{{2,60}}?\b(?:it's|it is|English is|is) )?(?:it's |my )*(?<!her )(?<!his )(?:third|second|first|native|fourth|main) language (?:is|after|was|being) (?P<o>{_TONGUE}(?:(?:,| and|, and) {_TONGUE})*)"
        ),
        (
            (
                "Sorry for my english, it is my third language after Amharic and Italian",
                "Amharic|Italian",
            ),
        ),
        ("Is the first language Latin?", "Her second language is Dutch"),
    ),
    _SPEAKS.worded(
        sentence(
            rf"(?:I |I was |I'm |we )?(?:grew up|raised|brought up)(?: \w+)?,? (?:bilingual|trilingual|speaking|with|between)?,? ?(?:in |with )?(?P<o>{_TONGUE}) (?:at home|with (?:my|our)|and {_TONGUE})"
        ),
        (("Grew up bilingual, Tagalog at home and English at school", "Tagalog"),),
        ("She grew up speaking Tagalog at home", "grew up in Paris"),
    ),
    _SPEAKS.worded(
        sentence(
            rf"<lead>my (?:spoken |written |rusty |broken |basic |terrible |school )?(?P<o>{_TONGUE})(?= (?:I'm|is(?! (?:teacher|friend|husband|wife|cat|dog))|needs|gets|sounds|has|vocab\w*|accent|grammar|level|skills|pronunciation|listening|reading|from)\b|[,.;!]|$)"
        ),
        (("It's my Turkish I'm worried about", "Turkish"),),
        ("My Turkish neighbour is loud.", "Her Turkish is good", "Is my Turkish good?"),
    ),
    _BEST.worded(
        sentence(
            rf"<after>(?:my |current |old )*(?P<o>(?:(?:{_SPORT}) (?:pb|pr|personal best|best|max|record|time)(?: is|:| of|'s)?|(?:pb|pr|personal best|best(?: time| score)?|1rm|max)(?: (?:in|for|on|at) (?:the |my )?(?:{_SPORT}))(?: is|:| of)?|(?:{_SPORT})(?: is| at|:)) (?:now |about |around |currently |at )*\d[\d:.,]*(?: ?(?:kg|lbs?|min(?:utes)?|s|sec|seconds|hours|w|wpm))?|\d[\d.,]* ?(?:kg|lbs?|pounds?) (?:{_SPORT}))\b"
        ),
        (
            ("Half marathon PB is 1:47, trying to get faster", "Half marathon PB is 1:47"),
            ("I've been lifting since lockdown, 140 kg deadlift now", "140 kg deadlift"),
        ),
        (
            "The marathon is 42 km long.",
            "His half marathon PB is 1:47",
            "Is a marathon PB of 3:00 good?",
        ),
    ),
    _CAN.worded(
        sentence(
            r"(?P<o>[a-z]+ing [^\n,.;:!?()]{2,50}?) took me (?:about |around |over |almost |nearly |like )*(?:an?|\d+|two|three|four|five|six|ten|several|many) (?:\w+ )?(?:years|winters|summers|months|weeks|seasons|decades|days|year|month|lifetime)(?: to (?:learn|master|get right|nail))?"
        ),
        (("Juggling five clubs took me about two winters to learn.", "Juggling five clubs"),),
        ("Driving there took me two hours.", "Learning it took her two years"),
    ),
    _PAPER.worded(
        clause(
            r"(?:I|we|I've|I have) (?:finally |only |just )?(?:got|passed|hold|held|have|earned|did|renewed|kept) (?P<o>(?:my |an? |the )?(?:[\w'-]+ ){0,2}?(?:cdl|hgv|ppl|imc|tefl|celta|delta|cpa|pmp|acca|cfa|bar|boards|mot|emt|cna|rn|gcse|a-levels?|gpa|toefl|ielts|jlpt|hsk|dele|delf|dalf|goethe|abrsm|grade \d|black belt|brown belt|blue belt|dan|first aid|cpr|dive master|padi|open water|skipper'?s? (?:ticket|licence)|day skipper|shotgun licence|firearms licence|radio licence|amateur licence|boat licence|motorbike licence|driving licen[cs]e|driver'?s licen[cs]e|pilot'?s licen[cs]e)(?! (?:exam|test|prep|book|course|question))(?: (?:certificate|certification|ticket|in|on|at|level|n\d|[abc]\d)[^\n,.;:!?()]{0,30}?)?)(?= (?:back|in|last|and|but|so|at|when|this|years|two|after|from|too)\b|$|[,.;:!?()])"
        ),
        (("got my cdl back in 09, hazmat too", "my cdl"),),
        ("I have a test.", "He got his cdl", "Should I get my cdl?"),
    ),
)
