"""Who somebody is, told without "I am": "Luthier in Izmir", "widowed two years", "pacemaker since 2020"."""

from dataclasses import replace

from memory.mining.rules.english.classes import (
    AILMENT,
    FAITH,
    FRESH,
    MEDICINE,
    NOT_MINE,
    RANK,
    TRADE,
    TRADE_ALONE,
)
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import AGE, CONDITION, HOME, MARITAL, OCCUPATION, TRAIT, Template

_TRADE = replace(OCCUPATION, confidence=0.75)
_IS = replace(TRAIT, confidence=0.75)
_AGED = replace(AGE, confidence=0.8)
_ILL = replace(CONDITION, confidence=0.8)
_HOME = replace(HOME, confidence=0.75)
_TAKES = Template("constraint", "medication_{slug}", "takes", "The user takes {object}.", confidence=0.8)
_TRADES = rf"{RANK}{{0,2}}{TRADE}"
_NO_LETTERHEAD = r"(?![^\n]*\b(?:ltd|llc|llp|inc|plc|gmbh|corp|pvt|pty)\b)"
_AT = r"(?:at|in|for|up in|down in|out in|over in|based in|here|by (?:day|trade|weekday|profession|night)|turned|with|w/|since|from|on (?:an?|the)|of (?!the (?:year|month|week)))"

RULES = (
    _TRADE.worded(
        sentence(
            rf"{NOT_MINE}{_NO_LETTERHEAD}{FRESH}(?P<o>{RANK}{{0,2}}{TRADE_ALONE}(?: of [a-z]+ (?:children|students|adults|kids|music|law))?)(?= {_AT}[ ,.]|,? by (?:trade|day|weekday))"
        ),
        (
            ("Luthier by weekday in Izmir, my teacher used walnut", "Luthier"),
            ("G'day, magpies again. Postie up in Ballina, on the bike most days", "Postie"),
            ("Teacher of deaf children in Nairobi. I look for stories", "Teacher of deaf children"),
        ),
        (
            "The luthier in Izmir is good.",
            "Lawyer at Winwood Consultancy Ltd",
            "Is a luthier in Izmir cheap?",
            "Write a story about this: nurse in Leeds",
        ),
    ),
    _TRADE.worded(
        sentence(
            rf"{NOT_MINE}(?:[^\n.;!?]{{0,120}}?[ (])?(?:from|asking for|asking as) (?:one|a fellow|an?) (?P<o>{_TRADES})(?=(?: here)?,? (?:who|with|whose|and|to another|myself|I(?! (?:met|know|knew|hired|found|booked|saw|follow)\b)|in [A-Z])\b)(?=[^\n]*\b(?:I|my|me|I'm)\b)"
        ),
        (("A question from a nurse who can't do maths: help me", "nurse"),),
        ("A question from a nurse.", "A message from a nurse: act as if I knew it"),
    ),
    _TRADE.worded(
        clause(
            rf"(?:<I'm>|I've been |I was |I )(?:[^\n,.;:!?()]{{0,40}} )?(?:left \w+ (?:and|to) (?:became|become)|retrained as|became|working as|employed as|moonlighting as|signed off as|registered as|certified as|qualified as|turned into|going from [\w ]{{3,30}} to) (?:an? )?(?P<o>{_TRADES})(?![\w-])"
        ),
        (("I left law and became a florist", "florist"),),
        ("I met a florist.", "She became a florist", "Should I become a florist?"),
    ),
    _TRADE.worded(
        sentence(
            rf"{NOT_MINE}<lead>(?:best|smartest|worst|only|hardest) (?:thing|decision|choice|move) I (?:ever )?(?:did|made|took) was (?:to )?(?:leave [\w ]{{2,30}} (?:and|to) )?(?:becom\w+|retrain\w* as|train\w* as) (?:an? )?(?P<o>{_TRADES})(?![\w-])"
        ),
        (("Best thing I ever did was leave law and become a florist", "florist"),),
        ("Best thing he did was become a florist.", "Is the best thing to become a florist?"),
    ),
    _TRADE.worded(
        sentence(
            rf"{NOT_MINE}(?:[^\n.;!?]{{0,120}}?)(?P<o>{_TRADES}) (?:problems|(?<!marine )life|brain|humou?r|hours|hands|here)(?=$|[,.;:!?(])"
        ),
        (("Wife says I snore in 7/8. drummer problems", "drummer"),),
        ("The drummer is here.", "A story of drummer problems: she left"),
    ),
    _IS.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:(?:an? )?(?:lifelong|practi[sc]ing|devout|lapsed|proud|staunch|strict|non-practi[sc]ing|recovering|secular) )*(?P<o>{FAITH})(?: (?:to the (?:bone|core)|here|myself|by (?:birth|upbringing)|my whole life|all my life|household|family))(?=$|[,.;:!?()]| and\b| so\b)"
        ),
        (
            ("No God please, that's me, atheist to the bone.", "atheist"),
            ("Hindu household, so no beef please", "Hindu"),
        ),
        ("Are you Catholic here?", "They are a Hindu family", "The atheist here is rude"),
    ),
    MARITAL.worded(
        clause(
            r"(?:<I'm>(?:been )?)?(?:been )?(?:newly |recently |freshly |happily |long )?(?P<o>widowed|divorced|separated|single again|newly single|engaged)(?= (?:since|for \w+ (?:years|months)|in (?:19|20)|last|now|at \d|two|three|four|five|six|seven|eight|nine|ten|a year|\d+ (?:years|months)|again|this)\b)"
        ),
        (("widowed two years come february and the club wants a plus one", "widowed"),),
        ("She's widowed since May.", "Is engaged since May a state?", "Am I divorced since May?"),
    ),
    _AGED.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?P<o>[1-9]\d)(?: ?(?:[mf]|yo|y/o))?(?=, (?:[mf]|male|female|single|tall|short|retired|married|divorced|widowed|living|working|never|no kids|left-handed|{TRADE}|{RANK}|vegan|vegetarian|(?:terrible|excellent|bad|good) at|w/|with a (?:bad|dodgy)|broke|fit|unfit|healthy)(?![\w-]))"
        ),
        (("tinder bio help: 34, tall, terrible at bowling", "34"),),
        ("Rooms 34, tall ones.", "He is 34, tall", "34, 35 and 36 are even?"),
    ),
    _AGED.worded(
        clause(
            rf"<I'm>(?=[^\n]{{0,60}}\b(?:learning|studying|renting|starting|coming|going|retraining|switching|sitting|training|changing|moving|retiring|living|tired|still|back|new|trying|single|dating|working|running)\b){NOT_MINE}[^\n,.;:!?()]{{3,70}}? at (?:age |the age of |the ripe old age of )?(?P<o>[2-9]\d)(?=$|[.,!?;)]| (?:and|with|so|but)\b)(?! ?(?:%|mph|km|degrees|am|pm|kg))"
        ),
        (("Tired of renting at 58!", "58"),),
        ("I'm running at 30 mph", "She's learning Polish at 61.", "I'm at 58 now"),
    ),
    _AGED.worded(
        clause(
            r"(?:I'm|I am|I'll be|I) (?:about to (?:turn|be)|turning|turn|nearly|almost|pushing|going to be|just shy of|the wrong side of|approaching|hitting|gonna be|now|rising) (?P<o>[1-9]\d)(?=$|[.,!?;)]| (?:and|this|next|in|on|so|but|years|soon|now|with|tomorrow|later)\b)(?! (?:minutes|percent|degrees|hours|km|miles|kg|in the)\b)"
        ),
        (("turning 40 in june and I want a quiet party", "40"),),
        ("She is turning 40 in June.", "I'm hitting 90 km an hour", "Am I turning 40?"),
    ),
    _ILL.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:(?:my|got|bad|mild|severe|chronic|also|and|dealing with|living with|down to|thanks to|because of|diagnosed with|blame) )*(?P<o>{AILMENT})(?= (?:since|flared|flares|again|acting up|makes|is (?:bad|back|killing)|here|w/|with me|goes|rules out|means|diagnosis|machine|sufferer|for \w+ years|has (?:been|got|taken)|in (?:both|my)|stops|won't|keeps)\b|,| ?\(|\.(?: |$)|$)(?=[^\n]*)(?<!a )(?<!is )(?<!of )"
        ),
        (
            ("Pacemaker since 2020. Hobs: yay or nay?", "Pacemaker"),
            ("Sciatica flared again so recommend a mattress", "Sciatica"),
            ("Parkinson's makes small buttons impossible", "Parkinson's"),
        ),
        (
            "What is sciatica?",
            "Her sciatica flared again",
            "My son has asthma, diagnosed with it in May",
            "Is asthma worse since May?",
        ),
    ),
    _TAKES.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:(?:still |now |also |I'm |been |just |long-term |lifelong )*(?:on|started|taking|take|prescribed|started on|put on) )(?:\d+ ?mg (?:of )?)?(?P<o>{MEDICINE})(?=$|[,.;:!?()]| (?:for|since|and|so|but|daily|now|every|twice|these|in)\b)"
        ),
        (("Flu jab soon? On methotrexate for arthritis.", "methotrexate"),),
        ("He is on methotrexate.", "Is warfarin bad?", "Effects of being on warfarin"),
    ),
    _HOME.worded(
        sentence(
            rf"{NOT_MINE}<lead>(?:at|in|(?<!moved )(?<!away )from|for|(?<!out )of|to) (?:my|our) (?:(?:little|tiny|small|new|old|rented|terraced|one-bed|two-bed|studio|council|basement|top-floor) )*(?:flat|apartment|house|home|place|cottage|studio|bungalow|condo|allotment|garden|kitchen|terrace|village) (?:up |down |over |out )?(?:in|near|outside|outside of) (?!(?:May|June|April|March|August)\b)<place>"
        ),
        (("the whole family is at my flat in Ealing", "Ealing"),),
        (
            "I moved out of my flat in Bonn",
            "at her flat in Ealing",
            "in my house in May",
            "at my flat in there",
        ),
    ),
    _HOME.worded(
        clause(
            r"(?:I'm|we're|I am|we are) (?:(?:up|down|out|over|back|based|way|tucked away|living|here)(?: here)? )+(?:at \d+ (?:metres|meters|feet|ft) |on (?:a|the) (?:farm|croft|island|coast|hill|boat|estate|moor) )?(?:just )?(?:outside|near|in|on) (?![^\n]{0,60}\b(?:for (?:a|the|two|three|\d)|until|till|this week|today|tomorrow|on holiday|visiting|next week|right now|meeting|airport|hotel|trip|conference)\b)(?=(?:the (?-i:[A-Z])|(?-i:[A-Z])))(?!(?:May|June|March|April|August|January|February|July|September|October|November|December)\b)<place>"
        ),
        (("We're up at 300 metres outside Brecon.", "Brecon"),),
        ("We're in trouble.", "I'm in Rome for two days", "He's outside Brecon"),
    ),
    _HOME.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:home is|home's|born (?:and bred|and raised) [\w ]{{3,30}},? (?:now )?in|living|based|now based|now living|currently based|exiled|transplanted) (?:[\w' -]{{0,40}} )?(?:in|near|outside|off|close to|to) (?=(?-i:[A-Z]))<place>"
        ),
        (("Home is a lighthouse cottage near Stranraer, so no delivery", "Stranraer"),),
        ("Her home is near Stranraer", "Is home near Stranraer?", "living in fear"),
    ),
)
