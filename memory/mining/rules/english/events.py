"""What stands in the user's calendar."""

import re

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.lexicon import EVENTS
from memory.mining.rules.table import Rule, hinted

EVENT_WORDS = "|".join(sorted((word.replace("_", " ") for word in EVENTS), key=len, reverse=True))
# "a flight ticket" and "the conference paper" are no flight and no conference.
_PARTS = r"(?:tickets?|dress|gifts?|presents?|cake|photos?|pictures?|videos?|playlist|invitations?|invites?|outfit|budget|fees?|venue|papers?|materials?|notes|submission|draft|report|project)"
_EVENTS = rf"(?:{EVENT_WORDS})s?(?! {_PARTS}\b)"
_DATED = r"(?=[^\n]{0,160}?(?:\d|day\b|to(?:morrow|night)|next |last |this |week|month|in (?:a|two|three|four|five|six|ten) |january|february|march|april|may|june|july|august|september|october|november|december))"
_WHERE = r"(?: (?:to|in|with|at|for|from|on) (?!(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|may|june|july|august|september|october|november|december)\b)(?:the |my |our |dr\.? )?(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*)?)?"
# What has happened, did not happen, or is what somebody else does.
_GONE = r"\b(?:was|were|went|did|had|took|turned|cancell?ed|called off|will be (?:hard|fun|great|easy)|last|ago)\b(?! (?:moved|rescheduled|postponed|pushed|booked|scheduled|brought))"
_OTHERS = r"(?!(?:\w+ )?\w+'s (?:\w+ )?(?:flight|exam|interview|meeting|deadline|train|appointment|presentation|class|lecture|shift)s?\b)"
_WORD = r"(?!(?:I|we|you|he|she|it|they|if|when|whenever|say|suppose|imagine|once|until|unless|because|my|our|his|her|their|your|the|this|that|these|an?|is|was|were|are|no|any|every|for|at|on|in|and|or|but|not|remind|add|plan|book|cancel|about|after|before)\b)(?!\w+'s )[\w'&-]+ "
_DEED = r"(?:(?:giving|give) (?:a|my|the) [\w' ]{2,30}?|getting (?:married|engaged|my [\w ]{2,20}|an? [\w ]{2,20}|the keys)|having (?:surgery|an operation|a baby|my [\w ]{2,20} (?:out|removed)|[\w ]{2,25} over)|retiring|graduating|giving birth|starting (?:at|as|my new|a new|school|uni|university|work|chemo|therapy|physio)[^\n,.;!?()]{0,30}|defending my \w+|turning \d+|turn \d+|(?:start|starting|begin) (?:my |a |the )?(?:new )?(?:job|role|position|school|kindergarten|uni|university|college|nursery|therapy|chemo|course)|arriv(?:e|es|ing)|land(?:ing)?|visits?|comes? (?:to visit|over|home|back)|close on [\w' ]{2,30}?|defend my [\w' ]{2,30}?|due(?= (?:on|in|at))|moving (?:house|out|in|flat|into [^\n,.;!?()]{2,30}?)|seeing (?:my |the |a |dr\.? )?[\w' ]{2,30}?|meeting (?:my |the |a |with |up with )?[\w' ]{2,30}?|picking up [\w' ]{2,30}?|visiting(?: us| me)?|coming to (?:visit|stay)|hosting [\w' ]{2,30}?|performing [\w' ]{2,30}?|playing [\w' ]{2,30}?|(?:run|running) (?:the|my|a) [\w' ]{2,30}?|taking (?:my|the) [\w' ]{2,30}?|leaving (?:my job|for [\w' ]{2,30}?)|closing on [\w' ]{2,30}?|signing [\w' ]{2,30}?|expecting [\w' ]{2,30}?|speaking at [\w' ]{2,30}?)"
_KIN = r"(?:mum|mom|dad|my (?:brother|sister|mum|mom|mother|dad|father|son|daughter|wife|husband|partner|girlfriend|boyfriend|best friend|cousin|niece|nephew|grandma|grandpa|gran|boss|kids?)|the (?:baby|kids|children|little one))"
_FIRST = r"(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)day(?: (?:morning|afternoon|evening|night))?|(?:next|this) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|weekend|month)|tomorrow(?: (?:morning|afternoon|evening|night))?|tonight|(?:the )?day after tomorrow|in (?:\w+ ){1,2}(?:days|weeks|months)|on (?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? \w+|on \w+ \d{1,2}(?:st|nd|rd|th)?)"
_CALLERS = r"(?:(?:plumber|electrician|movers?|builders?|painters?|cleaners?|roofers?|landlord|technician|inspector|engineer|furniture|sofa|new \w+|fridge|washing machine|guests?|visitors|in-laws|midwife|estate agent|photographer|handyman|chimney sweep|gas man|internet guy|vet)s?)"
_WHAT = rf"(?P<o>(?:[\w'&-]+ ){{0,4}}?{_EVENTS}(?: {_EVENTS})?{_WHERE}(?: (?:deadline|appointment|interview|exam|party|trip))?)"

_DAY_WORDS = (
    *("day", "tomorrow", "tonight", "next", "last", "this", "week", "month", "christmas"),
    *("summer", "winter", "spring", "autumn", "jan", "feb", "mar", "apr", "may", "jun", "jul"),
    *("aug", "sep", "oct", "nov", "dec"),
)
# Cheap to look for; without any of it there is no day.
DAY_HINT = re.compile(
    "|".join(
        [
            *"0123456789",
            *(word for lower in _DAY_WORDS for word in (lower, lower.title(), lower.upper())),
        ]
    )
)

RULES = hinted(
    DAY_HINT,
    (
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.85,
            pattern=clause(
                rf"(?:my|our) {_OTHERS}(?!\w+'s (?:on|at|in|off)\b)(?!birthday (?:is|falls) (?:always )?(?:on )?(?:the )?(?:\w+ )?\d){_DATED}{_WHAT}(?:, [^\n,]{{3,40}},)?"
                r"(?= (?:(?:is|are)(?! (?!starting|taking)\w+ing\b)|starts?|begins?|was moved|got moved|has been moved|has moved|moved|will be|'s|on|at|this|next|tomorrow|in|falls|takes place|happens|expires?|runs out|is up|opens|meets|leaves|departs|arrives|was booked|is booked|got (?:rescheduled|postponed|scheduled|pushed back|moved|brought forward)|(?:has )?been (?:rescheduled|postponed|scheduled|booked)|was (?:rescheduled|postponed|scheduled)|closes|ends)\b|: )"
            ),
            yes=(
                ("My flight is on May 3.", "flight"),
                ("My sister's wedding is next Saturday", "sister's wedding"),
                ("Our trip to Japan starts on 2024-06-01", "trip to Japan"),
                ("our wedding is on 14 September 2024 and I'm panicking", "wedding"),
            ),
            no=("My flight is delayed.", "When is my flight on Friday?", "My birthday is fun."),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.85,
            pattern=clause(
                rf"(?:(?:I|we) have (?!been|had|to\b)|(?:I've|we've) (?:got )?(?=an? |my |our |the |another )|(?:I'm|we're|I'll be|we'll be) (?:going (?:to|on)|attending|having|flying out for|hosting|giving|taking|sitting|doing|running|throwing|presenting at|speaking at|running in|booked (?:in )?for|scheduled for|defending|starting|invited to) |(?:I|we)(?:'ve| have)? (?:booked|scheduled|signed up for|registered for|been invited to|an upcoming) |(?:I|we) (?:take|sit|start|begin|defend|present|see|am seeing|host|attend|run|have) |there's |it's ){_DATED}"
                rf"(?:an? |my |the |our |another |some |his |her )?{_WHAT}(?![\w-])"
            ),
            yes=(
                ("I have a dentist appointment tomorrow at 3pm.", "dentist appointment"),
                ("I've got an exam on Friday", "exam"),
                (
                    "We're having a housewarming party this Saturday, about 20 people",
                    "housewarming party",
                ),
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
            pattern=sentence(
                rf"(?:(?:my|our|an?|the(?! (?:[\w'-]+ )?(?-i:[A-Z]))) )?(?!birthday (?:is|falls) (?:always )?(?:on )?(?:the )?(?:\w+ )?\d)(?P<o>(?:{_WORD}){{0,3}}?{_EVENTS}(?: (?:appointment|deadline|interview|party|exam))?{_WHERE})(?![^\n]{{0,60}}{_GONE})(?: (?:is|are|has been|was|got))?(?: (?:scheduled|booked|set|moved|rescheduled|due|confirmed|planned))?(?: (?:for|to))?:? ?,?(?=(?:on |at |next |this |in |the |for )*(?:tomorrow|tonight|today|day after|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d|weekend|christmas|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d|(?:one|two|three|four|five|six|ten|a) (?:days|weeks|week|months)|week\b|month\b)[^\n]{{0,80}}$)"
            ),
            yes=(
                ("Dentist tomorrow.", "Dentist"),
                ("team meeting on Monday at 10:00", "team meeting"),
                ("surgery is scheduled for the day after tomorrow, nothing dramatic", "surgery"),
                ("thesis deadline: 1 July 2024.", "thesis deadline"),
                ("Job interview with Siemens on Friday, help!!", "Job interview with Siemens"),
            ),
            no=(
                "The exam tomorrow will be hard for everyone in the whole wide country and beyond it, say experts who know such things.",
            ),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=clause(
                rf"(?:I'm|we're|I'll be|we'll be|I|we|(?:my )?(?:parents|kids|children|family|mum|mom|dad|sister|brother|in-laws|best friend|daughter|son|wife|husband|partner|cousin|cousins|friends)(?: and \w+)?(?: is| are|'s)?(?= (?:visit|com(?:e|es|ing) |arriv|land|start))) {_DATED}(?P<o>{_DEED})(?= (?:on|next|this|tomorrow|today|tonight|in (?:a|two|three|four|five|six|\d|january|february|march|april|may|june|july|august|september|october|november|december|the)|at|by|the|for|sometime|later|coming)\b|[,.;!?()]|$)"
            ),
            yes=(
                ("I'm retiring at the end of next month!!", "retiring"),
                ("We're getting married on 4 May", "getting married"),
                ("I'm seeing the physio on Friday", "seeing the physio"),
            ),
            no=(
                "I'm getting tired.",
                "She's getting married on Friday",
                "Should I be retiring next month?",
            ),
        ),
        Rule(
            kind="event",
            key="travels_to_{slug}",
            predicate="travels_to",
            statement="The user travels to {object}.",
            shape="place",
            confidence=0.8,
            pattern=clause(
                r"(?:(?:I'm|we're|I'll be|we'll be) (?:flying|travell?ing|going|heading|driving|moving|off|jetting|sailing|cycling|taking the (?:train|ferry|bus)|on my way|visiting|flying out|booked) (?:back |out |over |down |up |away |home |off )?(?:to |for )?|(?:I|we) (?:fly|leave|travel|depart|head|go|drive|sail|set off|land in|arrive in|have (?:a )?(?:flights?|train|tickets?|trip|booked a trip|booked flights)|'ve (?:got |booked )?(?:a )?(?:flights?|tickets?|trip)) (?:out |off |back |over |down |up )?(?:to|for|in) |(?:I'm|we're) in (?=[^\n]{2,40}(?:next week|from )))"
                rf"{_DATED}(?P<o>(?-i:[^\W\d_a-z])[^\n.;:!?()\",]{{1,40}})"
            ),
            yes=(
                ("I'm flying to Lisbon on Friday.", "Lisbon"),
                ("We're traveling to Peru next month", "Peru"),
                ("we leave for Crete in three days, need a packing list", "Crete"),
                ("We fly to Lisbon tomorrow, first holiday in ages", "Lisbon"),
            ),
            no=(
                "I'm going to Paris.",
                "I'm going to bed at 9.",
                "Should I be flying to Rome on Friday?",
            ),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=sentence(
                rf"(?:it's|it is|that's) {_DATED}(?:on |at |next |this )[^\n]{{2,40}}?, (?:my|our) (?P<o>(?:[\w'&-]+ ){{0,4}}?{_EVENTS})"
            ),
            yes=(("It's on the 2nd of March, my pharmacology exam I mean", "pharmacology exam"),),
            no=("It's my exam.", "It's on Friday"),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=sentence(
                rf"(?:and |so |ok |also )?{_FIRST},? (?:I'm|we're|I'll be|we'll be|I|we) (?:going to |having to |gonna )?(?P<o>{_DEED}|(?:have|having|going to|got|hosting|attending|at) (?:an? |my |the |our )?(?:{_WORD}){{0,3}}?{_EVENTS}{_WHERE}|(?:fly|flying|travel|travelling|traveling|drive|driving|leave|leaving|move|moving) (?:back |out |up |down |over )?(?:to|for) (?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*)?)(?=[,.;!?()]|$| (?:and|but|so|with|for|which|because|then|from|by|there)\b)"
            ),
            yes=(
                (
                    "on Saturday I'm running the Berlin half marathon",
                    "running the Berlin half marathon",
                ),
                ("next Tuesday I fly to Oslo for a conference", "fly to Oslo"),
                ("On May 22 I'm giving a talk at PyCon", "giving a talk at PyCon"),
            ),
            no=(
                "On Saturday he's running the marathon.",
                "On Saturday I'm free.",
                "Tomorrow I might fly to Oslo",
            ),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=sentence(
                rf"(?:{_FIRST} (?:is|it's) (?:my |our )(?P<o>(?:[\w'&-]+ ){{0,3}}?{_EVENTS}{_WHERE})"
                r"(?! (?:was|were)\b))"
            ),
            yes=(
                ("tomorrow is my daughter's first day at school", "daughter's first day"),
                ("On Friday it's my driving test", "driving test"),
            ),
            no=("Tomorrow is another day.", "Tomorrow is her birthday"),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=clause(
                rf"(?P<o>(?:{_KIN} (?:is |are |'s |gets? |has |have )?(?:having (?:surgery|an operation|(?:her|his|their) [\w ]{{2,20}} (?:done|out|removed))|turn(?:s|ing)? (?:\d+|\w+teen|\w+ty(?:-\w+)?|one|two|three|four|five|six|seven|eight|nine|ten)|graduat(?:es|ing|e)|due|married|getting married)|the (?:baby|twins) (?:is|are) due|{_OTHERS}{_KIN}'s (?:\w+ ){{0,2}}(?:{_EVENTS})))"
                r"(?:,? (?:is|are))?(?= (?:on |in |at |next |this |the )*(?:tomorrow|\d|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month|weekend|january|february|march|april|may|june|july|august|september|october|november|december))"
            ),
            yes=(
                ("the baby is due in October", "the baby is due"),
                ("my daughter turns six on Sunday", "my daughter turns six"),
                ("dad's funeral is on Tuesday", "dad's funeral"),
            ),
            no=("The bus is due on Sunday.", "His dad's funeral is on Tuesday", "my dad's funny"),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=clause(
                rf"(?:(?:the|our|my|we have|we've got|I have) )(?P<o>{_CALLERS} (?:is |are )?(?:com(?:e|es|ing)(?: over| by| round)?|arriv(?:es|ing|e)|(?:is |are )?(?:being )?delivered))(?= (?:on |in |at |next |this |the )*(?:tomorrow|\d|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend))"
            ),
            yes=(
                ("the plumber is coming tomorrow between 8 and 12", "plumber is coming"),
                ("the movers come on the 28th", "movers come"),
            ),
            no=("The plumber is coming.", "Is the plumber coming tomorrow?"),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=clause(
                rf"(?:(?:they|the (?:clinic|hospital|dentist|school|airline|company|doctor|office)|I|we)(?:'ve| have)? (?:moved|rescheduled|postponed|pushed back|brought forward|pushed|changed) (?:my|our) (?P<o>(?:{_WORD}){{0,3}}?{_EVENTS}{_WHERE}) (?:back )?(?:to|until|till)\b)"
            ),
            yes=(("they moved my interview to Tuesday", "interview"),),
            no=("They moved my desk to Tuesday.", "they moved his interview to Tuesday"),
        ),
        Rule(
            kind="event",
            key="event_{slug}",
            predicate="has_event",
            statement="On the user's calendar: {object}.",
            confidence=0.75,
            pattern=clause(
                r"(?:the deadline for|(?:I|we) (?:have to|need to|must) (?=[^\n]{5,60} by ))"
                r" (?P<o>(?:(?:hand in|submit|file|send in|turn in|renew|return) )?(?:my|our) [\w' -]{3,40}?) (?:is|falls on|falls|by|is on)(?= (?:the |next |this |end of )*(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|january|february|march|april|may|june|july|august|september|october|november|december))"
            ),
            yes=(("The deadline for my grant application is May 30", "my grant application"),),
            no=("The deadline for the grant is May 30.", "the deadline for my patience is near"),
        ),
    ),
)
