"""The people and animals around the user."""

from memory.mining.rules.english.grammar import anywhere, clause, sentence
from memory.mining.rules.table import Rule
from memory.text import kinship

KIN = kinship.KIN["en"]

_WORDS = rf"(?P<r>{'|'.join(sorted(KIN, key=len, reverse=True))})"
_OLDER = r"(?:(?!(?:favourite|least|other|edition|game)\b)(?:[a-z]+(?:-[a-z]+)*|\d+[- ](?:year|month|week)s?[- ]old|(?-i:[A-Z][a-z]+)) ){0,3}?"
_STATEMENT = "{object} is the user's {label}."
_NOT_NAMED = r"(?![\w'-])(?!'s (?!name|called))"
_FROM = r"(?: (?:from|at|in|since) (?![\w' ]{0,20}\b(?:country|city|town|village|state|land|region|home)\b)(?-i:[a-z' ]){2,30}?)?"
_ONE = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?-i:[^\W\d_a-z])[\w'-]*(?: (?-i:[^\W\d_a-z])[\w'-]*){0,2}(?: ?\(\d+\)|, \d{1,2}\b)?"
_NAMES = rf"(?P<o>{_ONE}(?:(?:, and|,| and| &) {_ONE})*)"

NAMED = (
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.9,
        pattern=clause(rf"(?:that )?<name>(?: is|'s) (?:now |also )?(?:my|our) {_OLDER}{_WORDS}{_NOT_NAMED}"),
        yes=(
            ("Wang Min is my wife.", "Wang Min"),
            ("By the way, Anna is my older sister", "Anna"),
            ("王敏 is my wife", "王敏"),
        ),
        no=(
            "Who is my boss?",
            "Coffee is my best friend's drink.",
            "This is my wife.",
            "She is my sister.",
        ),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.85,
        pattern=sentence(
            rf"<name>, (?:who is |who's )?(?:my|our) {_OLDER}{_WORDS}{_NOT_NAMED}{_FROM}(?=[,)]| -|$)"
        ),
        yes=(
            ("Ravi, my oldest mate from uni, is getting married in Goa", "Ravi"),
            ("Noor, my boss, said yes", "Noor"),
        ),
        no=("Yesterday, my boss said no", "In Rome, my sister got lost"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="names",
        many=True,
        confidence=0.9,
        pattern=anywhere(
            rf"(?<![\w'])(?:my|our) {_OLDER}{_WORDS}s?(?:'s names? (?:is|are|was|were)|(?<=s) names? (?:is|are)|s?' names are|(?: is|'s|are| are| was) (?:called|named)| named| called| is| are|:|,(?= (?-i:[A-Z])\w+ (?:and|&) (?-i:[A-Z]))| \()?(?: |(?<=\()){_NAMES}(?! (?:is|are) (?:my|our))"
        ),
        yes=(
            ("My sister Anna lives in Berlin.", "Anna"),
            ("My dog's name is Rex", "Rex"),
            ("my girlfriends name is Saoirse", "Saoirse"),
            ("Our daughter is called Mia.", "Mia"),
            ("my boss Dr. Smith", "Dr. Smith"),
            ("our kids are Lena and Paul", "Lena|Paul"),
            ("Our cat Miso knocked the router off", "Miso"),
        ),
        no=(
            "My sister lives in Berlin.",
            "If my sister Anna calls, what do I say?",
            "Her sister Anna is nice.",
            "My wife and I live in Rome.",
            "My dad Always complains",
            "My boss is German",
        ),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.85,
        pattern=anywhere(
            rf"(?<![\w'])(?:my|our) {_OLDER}{_WORDS}{_NOT_NAMED}{_FROM}(?: of (?:\w+ )?\w+ years)?(?:, | ?\(|,? whose name is | - )(?:called |named )?<name>(?= ?[,.)!?;]|$| - )"
        ),
        yes=(
            ("I went there with my wife, Wang Min, last week", "Wang Min"),
            ("My husband (Ikaika) thinks I overthink it.", "Ikaika"),
            ("my best friend from school, Uta, is here", "Uta"),
        ),
        no=(
            "my boss, Monday or not, is late",
            "his wife, Ann, left",
            "a gift from my grandma in my home country, Sweden",
            "I visited my sister in Portland, Oregon last month",
        ),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.85,
        pattern=anywhere(
            rf"(?<![\w'])(?:my|our) {_OLDER}{_WORDS}(?![\w-])(?: is| was|'s) (?!(?:engaged|married|dating|in|at|with|from|called|named|seeing)\b)(?:an? |the )?(?:(?!to\b|at\b|with\b)[\w-]+ ){{0,4}}(?:called|named|by the name of) <name>"
        ),
        yes=(
            ("My mentor is a lovely woman named Beatriz Figueiredo", "Beatriz Figueiredo"),
            ("Our dog's a three-legged whippet by the name of Tripod.", "Tripod"),
        ),
        no=("My sister bought a car named Desire", "My mentor is a lovely woman."),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="names",
        many=True,
        confidence=0.9,
        pattern=clause(
            rf"(?:<have>|(?:I|we) (?:bought|rescued|foster|have adopted) )(?:an? |one |two |three |four |five |\d |(?=[a-z]+s\b)){_OLDER}{_WORDS}(?:s|es)?{_NOT_NAMED}(?:,? (?:who is |which is )?(?:named|called|by the name of)|:|,| -)? {_NAMES}"
        ),
        yes=(
            ("I have a cat named Miso.", "Miso"),
            ("We adopted a puppy called Bo", "Bo"),
            ("I have two kids, Ines (7) and Mateo (4)", "Ines|Mateo"),
            ("my wife's name is Sun-hee and we have a parrot, Kiko", "Kiko"),
            ("I've a twin brother called Eoin who lives in Perth", "Eoin"),
        ),
        no=("I have a file named Report.", "I don't have a cat named Miso."),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.85,
        pattern=sentence(
            rf"(?:[^\n.!?]{{0,80}} )?(?<!\w)(?:<have>|(?:I|we) (?:bought|rescued) |(?:my|our) )(?:an? )?{_OLDER}{_WORDS}(?!'s)(?: (?!has\b|had\b|got\b|and\b|with\b|met\b|married)[^\n.!?]{{0,40}}?)?[.!,;]? (?:and )?(?:(?:his|her|its|their) name is|(?:he|she|it|they) (?:is|are) called|(?:he|she|it)'s called) (?P<o>(?-i:[^\W\d_a-z][\w'-]*))"
        ),
        yes=(
            ("We have a dog now! Her name is Biscuit and she eats shoes.", "Biscuit"),
            ("I have a sister. She is called Anna.", "Anna"),
        ),
        no=(
            "We have a dog now! Her owner is Anna.",
            "Do we have a dog? His name is Rex.",
            "They have a dog. Its name is Rex.",
        ),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        confidence=0.85,
        shape="name",
        pattern=sentence(
            r"(?:my )?(?P<r>grandson|granddaughter|sister|brother|mum|mom|dad|grandma|grandpa|granny|nana|aunt|auntie|uncle|mama|papa|gran|grandad|cousin) <name>(?=,? (?:my|our|who|raised|taught|used|always|lives?|is|was|has|died|passed|makes|made|gave|left|came|visits?|keeps|turns|starts)\b)"
        ),
        yes=(("Grandma Rosa, my mother's mum, raised me basically", "Rosa"),),
        no=("Uncle Sam wants you", "Aunt May from Spider-Man"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        confidence=0.8,
        shape="name",
        pattern=sentence(
            rf"(?:<after>)(?:the |my |our )?{_WORDS}(?:'s| is| has)(?: [^\n.;!?]{{1,40}}?)?(?:,|\.|;|(?<=\w)) ?(?:and )?(?:(?:her |his |its )?(?<!last )(?<!family )(?<!maiden )(?<!middle )name is|called|he's|she's) (?P<o>(?-i:[^\W\d_a-z][\w'-]*))(?=$|[ ,.;!?()])"
        ),
        yes=(
            ("Wife's a small, name's Ottilie if you want it for the tag", "Ottilie"),
            ("Budgie's called Kevin and he plucks his chest bare", "Kevin"),
        ),
        no=(
            "The wife's name is hard.",
            "Her wife's a small, called Ottilie",
            "Is the cat called Tom?",
        ),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        confidence=0.8,
        shape="name",
        pattern=sentence(
            rf"(?:[^\n.!?]{{0,80}}? )?(?P<o>(?-i:[A-Z][a-z][\w'-]*)) (?:is|was|has|had|won't|wouldn't|can't|does|doesn't|would|will|likes|loves|hates|keeps|needs|wants|eats|said|says|thinks|turns|starts|and)\b[^\n.!?]{{0,60}}[.!,;?] ?(?:he|she)(?:'s| is) (?:my|our) {_OLDER}{_WORDS}(?![\w'-])"
        ),
        yes=(("Ludo won't touch kibble. He's my whippet, four.", "Ludo"),),
        no=("Ludo won't touch kibble. He's her dog.", "It is late. He's my dog"),
    ),
)

HOUSEHOLD = (
    Rule(
        kind="relationship",
        key="child_{slug}",
        predicate="parent_of",
        statement="{object} is the user's child.",
        shape="names",
        many=True,
        confidence=0.85,
        pattern=clause(
            rf"<I'm>(?:the |a |an? )?(?:proud |single |new |lucky )?(?:mum|mom|mother|dad|father|parent)s? (?:of|to) (?:\w+ kids?[,:]? )?{_NAMES}"
        ),
        yes=(("I'm the mother of Zoe and Finn", "Zoe|Finn"),),
        no=("I'm the mother of three", "She's the mother of Zoe"),
    ),
    Rule(
        kind="relationship",
        key="lives_with_{slug}",
        predicate="lives_with",
        statement="The user lives with {object}.",
        shape="names",
        many=True,
        confidence=0.8,
        pattern=clause(
            rf"(?:I|we) (?:live|share (?:an? |my |the |our )?(?:flat|apartment|house|place|room|office|studio)) with {_NAMES}"
        ),
        yes=(("I share a flat with Lucía and Omar", "Lucía|Omar"),),
        no=("I live with fear", "She lives with Tom"),
    ),
    Rule(
        kind="relationship",
        key="partner",
        predicate="partner_of",
        statement="The user's partner is {object}.",
        shape="name",
        confidence=0.8,
        pattern=sentence(
            r"<name> and I(?= |'ve)(?= ?(?:got|are|are getting|have been|'ve been|just got|recently got|will be|were) (?:engaged|married|dating|together|a couple|in a relationship|expecting))"
        ),
        yes=(("Joana and I got engaged", "Joana"),),
        no=("Joana and I are friends", "My sister and I got married in May"),
    ),
)

RULES = (*NAMED, *HOUSEHOLD)
