"""What lies ahead of the user or behind: goals, limits, dated events, lasting experiences."""

from memory.mining.rules.lexicon import EVENTS
from memory.mining.rules.table import Rule, said

_EVENT = "|".join(sorted((word.replace("_", " ") for word in EVENTS), key=len, reverse=True))
_DATED = r"(?=[^\n]{0,160}?(?:\d|day\b|to(?:morrow|night)|next |last |this |week|month))"

GOALS = (
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants this: {object}.",
        confidence=0.8,
        pattern=said(
            r"(?:<my>(?:main |big |long[- ]term |current |new year['\u2019]s )?(?:goal|aim|dream|ambition|resolution)(?: for [\w ]{3,20})? is (?:to )?"
            r"|<I'm>(?:training|saving(?: up)?|aiming|preparing|studying) for "
            r"|<I'm>(?:trying|hoping|planning|learning|determined|aiming) (?:to |how to )(?=learn (?!more)|lose|quit|run|save|become|get into|get fit|move to|buy (?:an?|my|our) (?:\w+ )?(?:house|home|flat|apartment|car|boat|farm)|travel|visit|retire|start a|launch|publish|write a|adopt|speak|play|reduce|improve|exercise|sleep|cook|grow|build a (?:house|business))"
            r"|<I>(?:want|plan|hope|intend|aim|dream) (?:to |of )(?=become|becoming|learn (?!more|how (?:this|it|you))|lose weight|quit (?:smoking|my)|run a|retire|move to|travel to|visit|buy a (?:house|home|flat|car)|get (?:fit|married|promoted)|save (?:for|up)|publish|adopt|climb|start (?:a|my own) (?:business|company|family)))"
            r"(?!fix|debug)<o>"
        ),
        yes=(
            (
                "My goal is to run a marathon in under four hours.",
                "run a marathon in under four hours",
            ),
            ("I'm training for a triathlon", "a triathlon"),
            ("I want to learn Japanese.", "learn Japanese"),
            ("I'm trying to quit sugar", "quit sugar"),
            ("I'm saving up for a house because rents are high", "a house"),
        ),
        no=(
            "I want to write a function that sorts.",
            "I want to know more.",
            "I'm trying to fix this bug.",
            "What is my goal?",
            "I don't want to become a doctor.",
            "I want you to learn this.",
        ),
    ),
    Rule(
        kind="goal",
        key="learning_{slug}",
        predicate="is_learning",
        statement="The user is learning {object}.",
        pattern=said(
            r"<I'm>(?:learning|taking lessons in|taking classes in) (?!about\b|that\b|a lot\b|how\b|to\b|from\b|the\b|it\b)<o>"
        ),
        yes=(("I'm learning Portuguese.", "Portuguese"),),
        no=("I'm learning a lot here.", "I'm learning about this"),
    ),
)

LIMITS = (
    Rule(
        kind="constraint",
        key="avoids_{slug}",
        predicate="avoids",
        statement="The user does not have: {object}.",
        many=True,
        pattern=said(
            r"<we>(?:can['\u2019]t|cannot|can not|don['\u2019]t|do not|never|must not|am not allowed to) "
            r"(?:eat|drink|have|consume|tolerate) (?=[^\n]{0,40}?(?:meat|pork|beef|fish|seafood|shellfish|gluten|dairy|lactose|milk|eggs?|nuts|peanuts|sugar|alcohol|caffeine|coffee|wheat|soy|spicy|fried|raw|red|wine|beer))<list>"
        ),
        yes=(("I don't eat pork.", "pork"), ("I can't eat gluten or dairy", "gluten|dairy")),
        no=("I don't have time.", "I can't eat this much.", "Why can't I eat gluten?"),
    ),
    Rule(
        kind="constraint",
        key="budget",
        predicate="has_budget",
        statement="The user's budget is {object}.",
        shape="as_is",
        pattern=said(
            r"(?:<my>(?:[\w-]+ ){0,3}budget (?:is|of) (?:about |around |roughly |only |up to |under )?|<I've>a budget of |<we>have a budget of )"
            r"(?P<o>(?:[$€£¥]|USD|EUR|CHF|GBP) ?\d[\d,.']{0,12}\d?[kKmM]?(?: (?:a|per) (?:month|year|week|day|night|person))?|\d[\d,.']{0,12} ?(?:dollars|euros?|pounds|francs|CHF|EUR|USD|GBP|€|k)(?: (?:a|per) (?:month|year|week|day|night|person))?)"
        ),
        yes=(
            ("My budget is around $1,500.", "$1,500"),
            ("My monthly budget is 800 euros", "800 euros"),
        ),
        no=("My budget is tight.",),
    ),
    Rule(
        kind="constraint",
        key="constraint_{slug}",
        predicate="is_limited_by",
        statement="The user is limited by this: {object}.",
        confidence=0.75,
        pattern=said(
            r"(?:<I>(?:only have (?=[^\n]{0,24}(?:[$€£]|\d+ ?(?:minutes|hours|euros|dollars|pounds|days)|weekends|budget))|have to avoid|need to avoid|must avoid|can only (?!see|find|think))"
            r"|<I'm>only (?:free|available) )<o>"
        ),
        yes=(
            ("I can only work out on weekends.", "work out on weekends"),
            ("I need to avoid screens after nine", "screens after nine"),
        ),
        no=("Can I only use one?", "I have to go."),
    ),
)

EVENT_RULES = (
    Rule(
        kind="event",
        key="event_{slug}",
        predicate="has_event",
        statement="On the user's calendar: {object}.",
        confidence=0.85,
        pattern=said(
            rf"(?<![\w'\u2019])(?:my|our) {_DATED}(?P<o>(?:[\w'\u2019-]+ ){{0,4}}?(?:{_EVENT})(?: (?:{_EVENT}))?(?: (?:to|in|with|at) (?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)?)?)"
            r"(?= (?:is|are|starts|begins|was moved|got moved|will be|['\u2019]s|on|at|this|next|tomorrow)\b)"
        ),
        yes=(
            ("My flight is on May 3.", "flight"),
            ("My sister's wedding is next Saturday", "sister's wedding"),
            ("Our trip to Japan starts on 2024-06-01", "trip to Japan"),
        ),
        no=("My flight is delayed.", "When is my flight on Friday?", "My birthday is fun."),
    ),
    Rule(
        kind="event",
        key="event_{slug}",
        predicate="has_event",
        statement="On the user's calendar: {object}.",
        confidence=0.85,
        pattern=said(
            rf"(?:<we>have |<I've>(?:got )?|we['\u2019]ve got |<I'm>(?:going to|attending|having|flying out for) ){_DATED}"
            rf"(?:an? |my |the |our |another )(?P<o>(?:[\w'\u2019-]+ ){{0,4}}?(?:{_EVENT})(?: (?:{_EVENT}))?(?: (?:to|in|with|at) (?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*)?)?)(?!\w)"
        ),
        yes=(
            ("I have a dentist appointment tomorrow at 3pm.", "dentist appointment"),
            ("I've got an exam on Friday", "exam"),
        ),
        no=(
            "I have a meeting.",
            "I don't have an exam on Friday.",
            "Do I have a meeting on Monday?",
        ),
    ),
    Rule(
        kind="event",
        key="event_{slug}",
        predicate="has_event",
        statement="On the user's calendar: {object}.",
        confidence=0.7,
        pattern=said(
            rf"^(?P<o>(?:[\w'\u2019-]+ ){{0,2}}(?:{_EVENT}))(?: appointment)? (?:is )?(?=(?:on |at |next |this )?(?:tomorrow|tonight|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))[^\n]{{0,40}}$)"
        ),
        yes=(("Dentist tomorrow.", "Dentist"), ("team meeting on Monday at 10:00", "team meeting")),
        no=("The exam tomorrow will be hard for everyone in the whole country, say experts.",),
    ),
    Rule(
        kind="event",
        key="travels_to_{slug}",
        predicate="travels_to",
        statement="The user travels to {object}.",
        shape="place",
        confidence=0.8,
        pattern=said(
            r"(?:<I'm>|we['\u2019]re |we are )(?:flying|travell?ing|going|heading|driving|moving) (?:back |out )?to "
            rf"{_DATED}(?P<o>(?-i:[^\W\d_a-z])[^\n.;:!?()\",]{{1,40}})"
        ),
        yes=(
            ("I'm flying to Lisbon on Friday.", "Lisbon"),
            ("We're traveling to Peru next month", "Peru"),
        ),
        no=(
            "I'm going to Paris.",
            "I'm going to bed at 9.",
            "Should I be flying to Rome on Friday?",
        ),
    ),
)

PAST = (
    Rule(
        kind="experience",
        key="visited_{slug}",
        predicate="has_visited",
        statement="The user has been to {object}.",
        shape="place",
        pattern=said(
            r"(?:<we>(?:visited|(?:have )?(?:travell?ed|been) to|went on (?:a trip|holiday|vacation) to|spent [\w ]{3,20} in)"
            r"|<I've>been to|<I>(?:just )?(?:got|came) back from(?: (?:a|my) [\w-]+(?: [\w-]+)? (?:to|in))?) "
            r"(?P<o>(?-i:[^\W\d_a-z])[^\n.;:!?()\"]{1,60})"
        ),
        yes=(
            ("I visited Iceland in 2019.", "Iceland"),
            ("I've been to Japan twice", "Japan"),
            ("I just got back from a trip to Hawaii", "Hawaii"),
        ),
        no=("I've never been to Japan.", "I visited the doctor."),
    ),
    Rule(
        kind="experience",
        key="experience_{slug}",
        predicate="experienced",
        statement="The user said: “I {said}”.",
        confidence=0.7,
        pattern=said(
            r"(?<![\w'\u2019])I(?:['\u2019]ve| have)? (?:just |recently |finally |also |actually |already )?(?P<o>(?:attended|joined|adopted|graduated|completed|finished (?:reading|my|the|a)|ran an?|won|climbed"
            r"|volunteered|participated in|took part in|started (?:taking|learning|attending|volunteering|my own)|signed up for|enrolled in|broke my"
            r"|bought (?:an?|my|some|two|\d+)|hosted|served (?:in|as)|led an?|published|founded|planted|booked|harvested|celebrated)"
            r" [^\n.;:!?()\",]{2,90}|(?:got (?:married|divorced|engaged|promoted|laid off)|gave birth|retired)(?: [^\n.;:!?()\",]{2,90})?)"
        ),
        yes=(
            ("I ran a marathon in Berlin last year.", "ran a marathon in Berlin last year"),
            ("I recently attended a photography workshop", "attended a photography workshop"),
            ("I got promoted in June", "got promoted in June"),
        ),
        no=(
            "If I completed the course, would it help?",
            "I haven't finished reading it.",
            "She won a prize.",
            "Have I booked a table?",
        ),
    ),
)

RULES = (*GOALS, *LIMITS, *EVENT_RULES, *PAST)
