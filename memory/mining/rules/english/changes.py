"""What began on a day, what took the place of something else, and what is over."""

from memory.mining.rules.english.classes import HOMELY, PROGRAM
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.lexicon import TECHNOLOGY
from memory.mining.rules.table import Rule

_NAMED = r"(?P<o>(?-i:[^\W\d_a-z][\w'-]*)(?: (?-i:[^\W\d_a-z][\w'-]*)){0,2})"
_TOOL = PROGRAM
_OVER = r"(?=[^\n.;]{0,60}\b(?:any ?more|any longer|after all)\b)"
_NOT = rf"<I'm>(?:no longer |not (?:actually )?{_OVER})"

BEGUN = (
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="place",
        confidence=0.9,
        begins=True,
        pattern=clause(
            rf"<did>(?:just |recently |finally )?(?:moved{HOMELY}|relocated) (?:back |here |over )?"
            r"(?:from (?:\w+ ){1,3})?to <place>"
        ),
        yes=(("We moved to Bristol on Saturday.", "Bristol"), ("I moved to Oslo in May", "Oslo")),
        no=(
            "I moved to the next task.",
            "We're moving to Bristol on Saturday.",
            "Priya moved to Rome.",
        ),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.9,
        begins=True,
        pattern=clause(
            r"(?:<I>(?:just )?(?:started|began)(?: work| working| a new job| my new job)? (?:at|with) "
            r"|(?!(?:tomorrow|next|this coming|on|in|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b[\w ]* is\b)(?:[\w ]{1,25} )?(?:was|is) my (?:very )?first day (?:at|with) )(?!\d|(?:the |a |my )?(?:nursery|school|kindergarten|gym|pool|beach|university|uni|college)\b)<o>"
        ),
        yes=(
            ("I started at Southmead yesterday.", "Southmead"),
            ("Today was my first day at Clínica Ribeira.", "Clínica Ribeira"),
        ),
        no=(
            "I started at noon.",
            "I started at the beginning.",
            "Was Monday my first day at Acme?",
            "Today was her first day at Acme.",
            "tomorrow is my first day at the nursery",
        ),
    ),
    Rule(
        kind="identity",
        key="marital_status",
        predicate="has_marital_status",
        statement="The user is {object}.",
        confidence=0.9,
        begins=True,
        pattern=clause(
            r"<did>(?:just )?got(?:ten)? (?P<o>married|engaged|divorced)\b(?! (?:in|at) (?:an? |the (?!spring|summer|autumn|fall|winter)|my |our |(?-i:(?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[A-Z])))"
        ),
        yes=(("We got married on Saturday!", "married"), ("I got divorced in 2019.", "divorced")),
        no=(
            "We're getting married in May.",
            "My sister got married.",
            "We got married in a registry office.",
            "Have we got married too early?",
        ),
    ),
    Rule(
        kind="identity",
        key="marital_status",
        predicate="has_marital_status",
        statement="The user is {object}.",
        pattern=clause(
            r"we're (?:happily |officially |now |finally )?(?P<o>engaged|married|divorced)"
            r"(?=[.,!]|$| now\b| since\b| and\b)"
        ),
        yes=(("We're engaged!", "engaged"), ("We are married now.", "married")),
        no=("We're engaged in a dispute.", "They're married.", "Are we married?"),
    ),
    Rule(
        kind="constraint",
        key="diet",
        predicate="follows_diet",
        statement="The user's diet is {object}.",
        confidence=0.9,
        pattern=clause(
            r"(?:I've|we've) been (?:an? )?(?:strict(?:ly)? |mostly )?"
            r"(?P<o>vegan|vegetarian|pescatarian|halal|kosher|gluten[- ]free|dairy[- ]free|keto|paleo)\b"
        ),
        yes=(
            ("I've been a vegetarian since last year.", "vegetarian"),
            ("I have been vegan for ages", "vegan"),
        ),
        no=("I've been to a vegan restaurant.", "I haven't been vegan for long."),
    ),
)

INSTEAD = (
    Rule(
        kind="preference",
        key="favourite_{r}",
        predicate="favourite_{r}",
        statement="The user's favourite {r} is {object}.",
        confidence=0.9,
        pattern=sentence(
            r"(?:<my>(?:all[- ]time )?(?:favou?rite|go-to|preferred)|the(?= [^\n,.;:]{2,30} I (?:like|liked|love|loved) (?:best|most)\b)) (?P<r>\w+(?: \w+){0,2}?)(?: I (?:like|liked|love|loved) (?:best|most))? (?:isn't|is not|is no longer"
            r"|used to be|was) [^\n,.;:!?]{1,40}?(?:[,;]? (?:but |and )?(?:now )?(?:it's|it is|is) (?:now )?|,? but (?!it\b|is\b|now\b))<o>"
        ),
        yes=(
            ("My favourite colour isn't green any more, it's teal.", "teal"),
            ("My favorite team used to be Ajax but now it's Feyenoord", "Feyenoord"),
            ("My favourite band is no longer Muse but Wilco.", "Wilco"),
        ),
        no=(
            "My favourite colour isn't green any more.",
            "Her favourite colour isn't green any more, it's teal.",
            "My favourite colour is green, it's a calm one.",
        ),
    ),
)

OVER = (
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        confidence=0.8,
        ended=True,
        only=TECHNOLOGY,
        pattern=clause(
            r"<did>(?:just |recently )?(?:switched|moved|migrated|converted)(?: over| everything| our \w+| my \w+)? from (?P<o>[\w .+#-]{2,30}?) to "
        ),
        yes=(("I switched from Chrome to Firefox last month", "Chrome"),),
        no=("I moved from Boston to Denver", "He switched from Vim to Emacs"),
    ),
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        confidence=0.8,
        shape="tool",
        pattern=clause(
            rf"<did>(?:just |recently |finally )?(?:(?:switched|moved|migrated|converted)(?: over| everything| our \w+| my \w+)? from (?={_TOOL})[\w .+#-]{{2,30}}?(?: over| across| back)? to (?:an? )?"
            rf"|(?:ditched|dropped|dumped|abandoned|swapped|traded) (?={_TOOL})[\w .+#-]{{2,30}}? (?:for|in favou?r of) (?=(?-i:[A-Z])))<o>"
        ),
        yes=(
            ("I moved from WordPress to Ghost", "Ghost"),
            ("I moved from Spotify over to Tidal in March", "Tidal"),
            ("I ditched Notion for Obsidian a fortnight ago", "Obsidian"),
        ),
        no=("I moved from Boston to Denver", "He switched from Vim to Emacs"),
    ),
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        many=True,
        confidence=0.9,
        ended=True,
        pattern=clause(rf"{_NOT}allergic to <list>"),
        yes=(
            ("I'm not allergic to penicillin after all.", "penicillin"),
            ("I am no longer allergic to eggs", "eggs"),
        ),
        no=(
            "I'm not allergic to anything.",
            "My son is no longer allergic to eggs.",
            "Am I no longer allergic to eggs?",
        ),
    ),
    Rule(
        kind="constraint",
        key="diet",
        predicate="follows_diet",
        statement="The user's diet is {object}.",
        confidence=0.9,
        ended=True,
        pattern=clause(
            rf"{_NOT}(?:an? )?"
            r"(?P<o>vegan|vegetarian|pescatarian|halal|kosher|gluten[- ]free|dairy[- ]free|keto|paleo)\b"
        ),
        yes=(
            ("I'm no longer vegetarian.", "vegetarian"),
            ("I'm not vegan any more", "vegan"),
        ),
        no=("I'm not vegan.", "He's no longer vegetarian."),
    ),
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        many=True,
        confidence=0.8,
        ended=True,
        only=TECHNOLOGY,
        pattern=clause(
            r"(?:<I>(?:no longer use|stopped using|don't use(?=[^\n.;]{1,50}any ?more))"
            r"|<did>(?:stopped using|given up on)) <list>"
        ),
        yes=(
            ("I no longer use Ubuntu.", "Ubuntu"),
            ("We don't use Jenkins any more", "Jenkins"),
        ),
        no=("I don't use Windows.", "Should I no longer use Docker?", "I no longer use a spoon."),
    ),
    Rule(
        kind="skill",
        key="plays_{slug}",
        predicate="plays",
        statement="The user plays {object}.",
        many=True,
        ended=True,
        pattern=clause(
            r"(?:<I>(?:no longer play|stopped playing|don't play(?=[^\n.;]{1,50}any ?more))"
            r"|<did>(?:stopped|given up) playing) (?:the )?<list>"
        ),
        yes=(("I no longer play the piano.", "piano"), ("I don't play chess anymore", "chess")),
        no=("I don't play golf.", "She no longer plays the piano."),
    ),
    Rule(
        kind="relationship",
        key="pet_{slug}",
        predicate="has_pet",
        statement="{object} is the user's pet.",
        shape="name",
        confidence=0.85,
        ended=True,
        pattern=clause(
            rf"(?:^|[,;] |\b(?:and|but|because|since) )(?:(?:my|our) (?:dog|cat|puppy|kitten|rabbit|horse|parrot|hamster) )?{_NAMED}"
            r" (?:has )?(?:just )?(?:died|passed away|was put (?:down|to sleep))\b"
        ),
        yes=(
            ("Miso died on Friday.", "Miso"),
            ("Our dog Rex passed away last week", "Rex"),
        ),
        no=("My phone died on Friday.", "Everyone died laughing.", "What if Miso died?"),
    ),
    Rule(
        kind="relationship",
        key="pet_{slug}",
        predicate="has_pet",
        statement="{object} is the user's pet.",
        shape="name",
        confidence=0.85,
        ended=True,
        pattern=clause(
            r"<did>(?:just )?(?:(?:had to |have to )?put (?=[^\n]{1,50} (?:down|to sleep)\b)|lost )(?:my|our) "
            rf"(?:dog|cat|puppy|kitten|rabbit|horse|parrot|hamster) {_NAMED}"
            r"(?= (?:down|to|in|on|last|this|yesterday)\b|$)"
        ),
        yes=(
            ("We had to put our cat Luna down last week.", "Luna"),
            ("I lost my dog Rex in March.", "Rex"),
        ),
        no=("I put my cat Luna on a diet.", "She lost her dog Rex.", "We lost our dog leash."),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        shape="occupation",
        ended=True,
        pattern=clause(
            rf"(?:{_NOT}|<I>(?:no longer work|stopped working|don't work (?=[^\n.;]{{1,50}}any ?more)) as )(?:an? |the )<o>"
        ),
        yes=(
            ("I'm no longer the team lead.", "team lead"),
            ("I no longer work as a nurse", "nurse"),
        ),
        no=("I'm not a doctor.", "She's no longer the manager.", "I'm no longer a fan."),
    ),
)

RULES = (*BEGUN, *INSTEAD, *OVER)
"""Come before the others, which take the same sentences without the day."""
