"""What the user does again and again."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule
from memory.mining.rules.templates import HABIT

_HARDLY = replace(
    HABIT,
    predicate="seldom",
    statement="The user hardly ever does this: {object}.",
    shape="deed",
)

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_OFTEN = rf"(?:(?:every|each) (?:other |single |second |few )?(?:day|morning|afternoon|evening|night|week|weekend|month|year|summer|winter|spring|autumn|fall|christmas|lunch break|{_DAY})s?(?: (?:morning|evening|night|afternoon))?|most (?:days|mornings|evenings|nights|weekends|weeks|sundays|saturdays)|(?:once|twice|(?:two|three|four|five|six|a few|several|\d) times) (?:a|per|every) (?:day|week|month|year)|on (?:weekdays|weekends|weeknights|workdays|{_DAYS}(?: and {_DAYS})?)(?: (?:mornings?|evenings?|nights?))?|at weekends|all the time|daily|weekly|before bed|before (?:work|breakfast)|after (?:work|dinner|lunch|school)|in the (?:mornings|evenings)|around the clock|year[- ]round|without fail)"
_USUALLY = r"(?:usually|always|often|normally|typically|generally|tend to|regularly|rarely|seldom|hardly ever|almost always|almost never|nearly always|frequently|routinely|religiously)"
_SELDOM = r"(?:very |only )?(?:rarely|seldom|hardly ever|almost never)"
# "Usually with oil": what follows is no deed.
_DEED = r"(?!(?:about|after|an?|around|as|at|because|before|between|by|during|for|from|in|just|like|my|of|on|our|some|the|to|when|with|without|one|two|three|either|mostly|only)\b)"
_PAST = r"(?:have|had|went|was|were|will|would|did|got|must|plan|can|can't|could|saw|want|need|am|should|might|flew|drove|ran|took|made|met|bought|came|gave|told|said|found|kept|left|spent|slept|ate|drank|wrote|sat|lost|paid|sent|built|broke|chose|woke|wore|won|spoke|stood|swam|sang|began|became|heard|held|rode|fell|felt|taught|thought|caught|brought|knew|grew|threw|see|hear|think|like|love|hate|prefer|get an?|\w+ed)\b"
_NOT_HABIT = r"(?!just\b|make sure\b|\w{3,}(?<!e)ed\b|worry\b|forget(?: (?:that|this|it|about|to)\b|$|,)|start feeling|try\b|mix\b|check in\b|appreciate|manage|managed|believe|strive|ask\b|told\b|tell\b|do\b(?= (?:it|this|that))|like\b|love\b|loved|hated?\b|hating|enjoy|prefer|have (?:a |an |the |this |trouble|problems?|to )|had\b|see\b|saw\b|hear\b|heard\b|get (?:an|the|this|confused|stuck|lost|an error)|need|want|feel|felt|think|thought|wonder|wished?\b|struggle|find\b|found\b|know\b|knew\b|wanted|believed?\b|assumed?\b|understood|understand\b|seem|dream|dreamed|said\b|say\b|was\b|were\b|been\b|am\b|remember\b|use (?:this|that|it)|appreciate|mean|hope|get\b(?= it)|end up\b|mix\b(?= (?:up|these)))"
_WORDS = r"(?P<o>[a-z][\w'-]* (?!(?:those|these|that|this|it|them|so)(?:$|[ .,!]))(?:[^\n,.;:!?()\"]|\.(?=\w)|(?<=\d):(?=\d)){1,90})"

RULES = (
    Rule(
        kind="behaviour",
        key="habit_{slug}",
        predicate="habit",
        statement="The user usually does this: {object}.",
        confidence=0.7,
        shape="deed",
        pattern=clause(rf"(?:I|we) (?!{_SELDOM} ){_USUALLY} {_NOT_HABIT}{_DEED}{_WORDS}"),
        yes=(
            ("I usually go to bed at eleven.", "go to bed at eleven"),
            ("I always forget people's names, it's embarrassing", "forget people's names"),
        ),
        no=(
            "I always feel tired.",
            "Do I usually pay late?",
            "He usually runs.",
            "I hardly ever buy a newspaper",
            "I've been reading a lot, usually before bed",
        ),
    ),
    _HARDLY.worded(
        clause(rf"(?:I|we) {_SELDOM} (?:ever )?{_NOT_HABIT}{_DEED}{_WORDS}"),
        (("I hardly ever buy a newspaper", "buy a newspaper"),),
        ("She hardly ever buys a newspaper", "I hardly ever feel well"),
    ),
    Rule(
        kind="behaviour",
        key="habit_{slug}",
        predicate="habit",
        statement="The user usually does this ({d}): {object}.",
        confidence=0.7,
        shape="deed",
        pattern=sentence(
            rf"(?P<d>{_USUALLY}|{_OFTEN}|as a rule|by default|as a habit|out of habit|most of the time|nine times out of ten|whenever (?:i can|possible)|in (?:summer|winter|spring|autumn)|over the weekend|at (?:lunch|lunchtime|night)),? (?:I|we) (?:{_USUALLY} |will |'ll )?(?!{_PAST}){_NOT_HABIT}{_WORDS}"
        ),
        yes=(
            (
                "Normally I shop at the farmers market on saturdays",
                "shop at the farmers market on saturdays",
            ),
            ("On weekdays I batch cook for the whole family", "batch cook for the whole family"),
            ("every sunday I call my mum", "call my mum"),
        ),
        no=("Usually he cooks.", "Normally I would agree", "On Monday I flew home"),
    ),
    Rule(
        kind="behaviour",
        key="habit_{slug}",
        predicate="habit",
        statement="The user does this regularly: {object}.",
        confidence=0.75,
        shape="deed",
        pattern=clause(
            rf"(?:I|we) (?!{_PAST})(?P<o>(?!make sure\b|(?:\w+ )?(?:it|this|that|them|the same)\b)[a-z]+ (?:[^\n,.;:!?()\"]{{2,70}}? )?{_OFTEN}(?: (?:at|before|after|with|for|to|in|from) [^\n,.;:!?()\"]{{2,40}})?)(?![\w-])"
        ),
        yes=(
            ("I run 5 km every morning.", "run 5 km every morning"),
            ("I cycle to the office most days, rain or shine", "cycle to the office most days"),
            ("i skip breakfast pretty much every day", "skip breakfast every day"),
        ),
        no=("I need this every day.", "If I run every morning, will I lose weight?"),
    ),
    Rule(
        kind="behaviour",
        key="habit_{slug}",
        predicate="habit",
        statement="The user does this regularly: {object}.",
        confidence=0.75,
        shape="deed",
        pattern=clause(
            r"(?:I|we) (?P<o>(?:wake up|get up|rise|go to (?:bed|sleep)|start work|finish work|(?:have|eat) (?:breakfast|lunch|dinner)) (?:at|around|by|before|after|every|early|late)(?: (?:[^\n,.;:!?()\"]|(?<=\d)[:.](?=\d)){1,40})?"
            r"|(?:work|teach|study) (?:nights?|night shifts?|shifts?|late shifts?|weekends|from home|remotely|part[- ]time|full[- ]time|evenings|mornings|early mornings|four days(?: a week)?|mostly from home|odd hours|\d+ hours)(?: [^\n,.;:!?()\"]{1,40})?"
            r"|(?:walk|cycle|bike|commute|drive|take the (?:train|bus|tram|tube|metro|subway)|run|swim) to (?:work|the office|school|uni|college)(?: [^\n,.;:!?()\"]{1,40})?"
            rf"|(?:keep|write) (?:a (?:diary|journal)|bullet journal)(?: [^\n,.;:!?()\"]{{1,40}})?|bite my nails|procrastinate[^\n,.;:!?()\"]{{0,40}}|meditate(?: [^\n,.;:!?()\"]{{1,40}})?|meal prep(?: [^\n,.;:!?()\"]{{1,40}})?|do (?:yoga|pilates|crossfit|intermittent fasting)(?: [^\n,.;:!?()\"]{{1,40}})?|go (?:running|swimming|climbing|hiking|bouldering|dancing|fishing|to the gym|to church|to mosque|to bed|for (?:a|long) (?:run|walk|swim|ride)s?)(?: [^\n,.;:!?()\"]{{1,40}})?|read (?:before|in) bed|never (?!{_PAST})(?!mind|knew|know|heard|said|thought|had|been|seen|understood|understand|got|tried|learn|liked|did|really|worked|would|want|wanted|met)[a-z]+ (?!(?:it|this|that|these|those|them|him|her|you|any|one)(?:$|[ .,!;])(?! (?:of (?:my|our)|\w+ing)))[^\n,.;:!?()\"]{{2,60}})(?![\w-])"
        ),
        yes=(
            ("I work nights, so mornings are sleep for me", "work nights"),
            ("I get up at five", "get up at five"),
            ("I never buy new clothes", "never buy new clothes"),
        ),
        no=(
            "I got up late today.",
            "I went to work by bus",
            "She works nights",
            "I never read those",
        ),
    ),
    Rule(
        kind="behaviour",
        key="habit_{slug}",
        predicate="habit",
        statement="The user has this habit: {object}.",
        confidence=0.75,
        shape="deed",
        pattern=clause(
            r"(?:<have>(?:an? )?(?:bad |terrible |weird |strange |long-standing )?(?:habit of|tendency to|ritual of|routine of|tradition of) |I'm in the habit of )<o>"
        ),
        yes=(("I have a bad habit of skipping lunch", "skipping lunch"),),
        no=("I have a habit.", "He has a habit of lying."),
    ),
)
