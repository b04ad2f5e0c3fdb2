"""What somebody has by now and how far they are: things counted, people led, sessions had, scores
and levels, of which the newest value counts."""

from dataclasses import replace

from memory.mining.rules.english.amounts import ABOUT, ALREADY, COUNTED, I_HAVE, NUMBER, THINGS
from memory.mining.rules.english.grammar import context
from memory.mining.rules.english.tallies import SO_FAR_HAS
from memory.mining.rules.table import hinted

_OWNS = replace(SO_FAR_HAS, kind="other", statement="The user has {object} {R}.", value="{object} {R}")
_LISTED = replace(
    _OWNS,
    key="{r}_on_{d}",
    predicate="count_{r}_on_{d}",
    statement="The user has {object} {R} on their {D}.",
)
_LEADS = replace(_OWNS, key="{r}_led", predicate="leads_{r}", statement="The user leads {object} {R}.")
_SESSIONS = replace(
    SO_FAR_HAS,
    key="had_{r}_{d}_so_far",
    predicate="count_{r}_{d}",
    statement="The user has had {object} {R} {D} so far.",
)
_READ_OF = replace(
    SO_FAR_HAS,
    key="read_{d}_{r}_so_far",
    predicate="count_{d}_{r}",
    statement="The user has read {object} of {D}'s {R} so far.",
)
_SCORE = replace(
    SO_FAR_HAS,
    key="best_score_in_{r}",
    predicate="best_score_in_{r}",
    value="{object}",
    statement="The user's highest score in {R} is {object}.",
)
_LEVEL = replace(
    SO_FAR_HAS,
    key="{d}_of_{r}",
    predicate="is_at_{d}_of_{r}",
    value="{d} {object}",
    statement="The user is at {d} {object} in {R}.",
)

_START = r"(?P<lead>(?:[^\n]*?(?:^|[.!?,;:(\u2013\u2014-] |\b(?:and|but|because|since|so|as|that|though|while|now) ))??)"
_HAS = r"(?:I|we)(?:'ve| have|'ve got| have got| own| now own| now have|'ve now got| currently have| currently own| already have| already own)"
_LIST = r"(?P<d>(?:(?:to|must)-[\w-]+ |(?:wish|watch|reading|bucket|shopping|play|waiting) ?|[\w-]+ )?(?:list|watchlist|wishlist|playlist|queue|shelf|backlog))"
_COLLECTION = r"(?: (?:so far|now|in total|altogether|in (?:my|our|that|the) (?:[\w-]+ )?(?:collection|garage|closet|wardrobe|fridge|freezer|pantry|library|portfolio|garden|tank|aquarium|coop|stable|fleet)))"
_MEETINGS = (
    r"(?P<r>(?:[a-z][\w-]* )?(?:sessions|lessons|classes|appointments|rehearsals|treatments|coaching calls))"
)
_GAME = r"(?P<r>(?-i:[A-Z\d])[\w'-]*(?: (?:of|to|the|and|(?-i:[A-Z\d])[\w'-]*)){0,4}(?<! of)(?<! to)(?<! the)(?<! and))"

RULES = hinted(
    COUNTED,
    (
        _OWNS.worded(
            context(rf"{_START}{_HAS} {ABOUT}{NUMBER} {THINGS}(?={_COLLECTION})"),
            (
                ("I've got 25 postcards now, all from friends", "25"),
                ("I have a total of 37 old coins in that collection.", "37"),
                ("It's true that I currently own four bikes in total.", "four"),
            ),
            (
                "I've got 25 questions now.",
                "She has 25 postcards now.",
                "If I have 25 postcards now, what next?",
                "I have three kids now",
                "I have four postcards.",
            ),
        ),
        _OWNS.worded(
            context(rf"{_START}(?:I|we) (?:now |currently |actually |already )*own {ABOUT}{NUMBER} {THINGS}"),
            (("I own three bikes, one of them old", "three"),),
            ("He owns three bikes", "Should I own three bikes?", "I want to own three bikes"),
        ),
        _OWNS.worded(
            context(
                rf"{_START}(?:I|we)(?:'ve got| have| own| have got) {NUMBER} {THINGS}(?= ?(?:-|\u2013|\u2014|:) ?(?:an?|one|two|my|the)\b)"
            ),
            (("I have three bikes - a road bike, a mountain bike, and an old one", "three"),),
            (
                "I have three questions - a big one first",
                "She has three bikes: a road bike and two more",
                "I have three bikes",
            ),
        ),
        _OWNS.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:my|our) {THINGS}[^\n]{{0,40}}?)(?:I|we)(?:'ve got| have| own| have got| now have| now own) {ALREADY}{NUMBER} of them\b"
            ),
            (("Speaking of my bikes, I've got three of them and use all.", "three"),),
            ("Speaking of my bikes, she's got three of them", "I've got three of them"),
        ),
        _OWNS.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:my|our|I have an?|we have an?|I've got an?|I now have an?) (?:[\w-]+ )?(?:small |but |valuable |growing |large |huge |modest |little )*collection of {ABOUT}{NUMBER} {THINGS}"
            ),
            (("I'm excited to add it to my collection of 57 rare records.", "57"),),
            ("his collection of 57 rare records", "my collection of rare records"),
        ),
        _LISTED.worded(
            context(rf"{_START}{_HAS} {ABOUT}{NUMBER} {THINGS} (?:on|in) (?:my|our) {_LIST}\b"),
            (("I've got 25 titles on my to-watch list", "25"),),
            ("He's got 25 titles on his list", "I've got 25 titles on a shelf"),
        ),
        _LISTED.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:my|our) {_LIST} (?:now |currently |already )*(?:has|is at|holds|contains|is up to) {ALREADY}{ABOUT}{NUMBER} {THINGS}"
            ),
            (("By the way, my to-watch list now has 25 titles", "25"),),
            ("her to-watch list has 25 titles", "my list has many titles"),
        ),
        _LEADS.worded(
            context(
                rf"{_START}(?:I|I'm) (?:now |currently |actually )*(?:lead|leading|manage|managing|supervise|supervising|mentor|mentoring) (?:a (?:\w+ )?(?:team|group) of )?{ABOUT}{NUMBER} (?P<r>(?:[a-z]+ )?(?:people|[a-z]{{4,}}s))(?![\w'-])"
            ),
            (
                ("In my role I'm leading. I now lead a team of five engineers.", "five"),
                ("I manage 12 people at work", "12"),
            ),
            ("She leads a team of five engineers", "Could I lead a team of five engineers?"),
        ),
        _SESSIONS.worded(
            context(
                rf"{_START}{I_HAVE}(?:done|had|attended|taken|completed|been to) {ABOUT}{NUMBER} {_MEETINGS} (?P<d>(?:with|of|at) (?:my |the |our )?[\w'.-]+(?: (?!so\b|now\b|and\b|but\b|in\b|since\b)[\w'-]+){{0,3}})"
            ),
            (
                ("we've done three sessions with our counsellor so far", "three"),
                ("I've had five therapy sessions with Dr. Lee", "five"),
            ),
            ("She's had five sessions with Dr. Lee", "I've had five sessions"),
        ),
        _READ_OF.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?P<d>(?-i:[A-Z])[\w.'-]+ (?-i:[A-Z])[\w'-]+)\b[^\n]{{0,120}}?){I_HAVE}read {ABOUT}{NUMBER} of (?:his|her|their) (?P<r>[a-z ]{{0,12}}(?:books|novels|stories|essays|plays|poems))"
            ),
            (("I love Haruki Murakami. I've read 4 of his books so far", "4"),),
            ("I love him. I've read 4 of his books", "Ann Lee is good, she's read 4 of his books"),
        ),
        _SCORE.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:in|playing|of|at|on|for|play|love) {_GAME}[^\n]{{0,160}}?)my (?:new |current )?(?:highest|best|top|high) score (?:so far |yet |to date |ever )?(?:is|was|being) (?:now |currently )?{ABOUT}(?P<o>\d[\d,.]*(?: points)?)(?![\d-])"
            ),
            (
                (
                    "We've been playing Ticket to Ride a lot. My highest score so far is 124 points!",
                    "124 points",
                ),
            ),
            (
                "We play Ticket to Ride. Her highest score is 124.",
                "My highest score is 124.",
            ),
        ),
        _SCORE.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)my (?:new |current )?(?:highest|best|top|high) score (?:in|on|for|at) {_GAME} (?:so far |yet )?(?:is|was) (?:now |currently )?{ABOUT}(?P<o>\d[\d,.]*(?: points)?)(?![\d-])"
            ),
            (("my best score in Ticket to Ride is now 132 points", "132 points"),),
            ("his best score in Tetris is 132", "What is my best score in Tetris?"),
        ),
        _LEVEL.worded(
            context(
                rf"{_START}(?:I|I'm|I've|we've|I am|I have) {ALREADY}(?:reached|hit|got to|made it to|at|on) (?P<d>level|rank|stage|tier) (?P<o>\d+) (?:in|on|of) {_GAME}"
            ),
            (("I just reached level 100 in Apex Legends!", "100"),),
            ("He reached level 100 in Apex Legends", "I want to reach level 100 in Apex Legends"),
        ),
    ),
)
