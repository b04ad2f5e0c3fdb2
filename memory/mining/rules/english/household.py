"""Kin and companions that are named or described without a sentence of their own."""

from memory.mining.rules.english.grammar import sentence
from memory.mining.rules.templates import RELATION, Template
from memory.text import kinship

KIN = kinship.KIN["en"]

_FAMILY = Template(
    "relationship", "has_{slug}", "has_family", "Of the user's family: {object}.", confidence=0.8
)
_OF = r"(?P<r>" + "|".join(sorted(KIN, key=len, reverse=True)) + r")"
_NAME = r"(?P<o>(?-i:[^\W\d_a-z])[\w'-]*(?: (?-i:[^\W\d_a-z])[\w'-]*){0,2})"
_CHILD = r"(?:son|daughter|kid|child|boy|girl|toddler|baby|nephew|niece|grandson|granddaughter|grandchild|stepson|stepdaughter|godson|goddaughter|brother|sister|twins|twin boys|twin girls|dog|cat|horse|parrot|rabbit|tortoise|puppy|kitten|husband|wife|mum|mom|dad|mother|father|partner|nan|gran|grandma|grandpa|granddad|grandad|grandmother|grandfather|aunt|uncle)"
_COUNT = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"

RULES = (
    RELATION.worded(
        sentence(
            rf"<after>(?:also,? |and |the |ok,? )*(?:{_OF}'s name is|{_OF.replace('?P<r>', '?:')}'s called)(?: spelled)? {_NAME}"
        ),
        (("Wife's name is Thandiwe, can you come up with a poem", "Thandiwe"),),
        (
            "His wife's name is Ann",
            "The wife's name is a mystery",
            "The hero's brother's name is Tom",
        ),
    ),
    RELATION.worded(
        sentence(
            rf"<after>{_OF} {_NAME}(?=,? (?:says|said|is|has|wants|will|moves|thinks|gave|told|who|got|keeps|turns|loves|hates|just|came|comes|lives|works|needs|and I)\b)(?! (?:has|is) (?:his|her|its) )"
        ),
        (("bandmate Yuki moves back to Osaka in spring, help me word the toast", "Yuki"),),
        ("The coach Ann says no.", "His brother Tom is here"),
    ),
    RELATION.worded(
        sentence(
            rf"<lead>(?:me|I|us),? (?:and|plus) (?:the|our|my) {_OF},? {_NAME}(?=$|[,.;:!?)]| (?:in|and|are|live)\b)"
        ),
        (("Since the divorce it's me and the cat, Mr Tibbs, in a one bed", "Mr Tibbs"),),
        ("Between him and the cat, Mr Tibbs", "me and the manager"),
    ),
    RELATION.worded(
        sentence(
            rf"<lead>{_NAME} (?:= |is |being |\()(?:my|our) (?:[a-z-]+ ){{0,3}}?{_OF}(?=$|[,.;:!?)]| (?:and|who|from|of|so)\b)"
        ),
        (("Aisha and I (Aisha = my business partner, long story) are opening a bakery", "Aisha"),),
        ("This is my wife.", "Who is Ann, my sister?", "Coffee is my best friend's drink"),
    ),
    _FAMILY.worded(
        sentence(
            rf"<lead>(?:my|our) (?P<o>(?:[a-z]+ ){{0,2}}?{_COUNT}[- ](?:years?|months?|weeks?)[- ]?old(?: (?:[a-z]+ )?{_CHILD})?)(?! (?:laptop|car|phone|computer|house|macbook|bike|pc|router|code|system|thinkpad|printer|tv|boiler|fridge|sofa|mattress|company|self)\b)(?=$|[ ,.;:!?)'])"
        ),
        (
            ("ideas for lunch boxes, my six-year-old hates crusts", "six-year-old"),
            ("need a gift for my 80 year old gran", "80 year old gran"),
        ),
        (
            "my ten year old laptop died",
            "her six-year-old son",
            "if my six-year-old asks, what then?",
        ),
    ),
    _FAMILY.worded(
        sentence(
            rf"<lead>(?:my|our) (?P<o>(?:[a-z-]+ ){{0,2}}?{_CHILD})(?:,? (?:(?:who(?:'s| is)?|he|she) (?:turns|turned|is turning|just turned|will be|is)|who's|he's|she's|is|he is|she is|just|will be|has just|has))? (?:turn(?:s|ing|ed)|only|aged|now|about to turn|nearly|almost|\()?(?: just)? ?(?={_COUNT}\b(?!(?:[ -](?:cm|kg|feet|foot|ft|inch|minutes|hours|days|weeks|months late|miles|km|pounds|times|of|kids|dogs|cats|pages|percent|%)))(?!:\d))"
        ),
        (
            ("need a present for my son, he turns 6 in May", "son"),
            ("my daughter is 14 and wants a tattoo", "daughter"),
        ),
        (
            "my son has two dogs",
            "her son turns six",
            "does my son turn 6 in May?",
            "my son is one of them",
        ),
    ),
    _FAMILY.worded(
        sentence(
            r"<lead>(?:I'm|I am|as|being|we're|speaking as) (?:an? )?[\w -]{3,50}? with (?P<o>(?:an? |two |three |four |five |\d |twin )(?:(?:small|young|little|teenage|grown|older|new|tiny|adult) )*(?:toddlers?|kids?|children|babies|baby|newborn|teenagers?|teens?|sons?|daughters?|boys?|girls?|dogs?|cats?|grandchildren|grandkids|horses|rabbits|hens|goats|sheep|alpacas|budgies|guinea pigs|parrots?))(?=$|[,.;:!?)]| (?:and|I|at|under|so|who|in|but)\b)"
        ),
        (("As a night-shift ICU nurse with a toddler I need meals", "a toddler"),),
        ("A film with two dogs", "She is a nurse with a toddler"),
    ),
)
