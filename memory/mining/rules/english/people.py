"""The people and animals around the user."""

from memory.mining.rules.table import Kin, Rule, kinship, said

KIN: Kin = {
    "wife": kinship("married_to", "wife", only_one=True, key="spouse"),
    "husband": kinship("married_to", "husband", only_one=True, key="spouse"),
    "spouse": kinship("married_to", "spouse", only_one=True),
    "fiancé": kinship("engaged_to", "fiancé", only_one=True, key="fiance"),
    "fiancée": kinship("engaged_to", "fiancée", only_one=True, key="fiance"),
    "fiance": kinship("engaged_to", "fiancé", only_one=True, key="fiance"),
    "fiancee": kinship("engaged_to", "fiancée", only_one=True, key="fiance"),
    "girlfriend": kinship("partner_of", "girlfriend", only_one=True, key="partner"),
    "boyfriend": kinship("partner_of", "boyfriend", only_one=True, key="partner"),
    "partner": kinship("partner_of", "partner", only_one=True),
    "sister": kinship("sibling_of", "sister"),
    "brother": kinship("sibling_of", "brother"),
    "twin": kinship("sibling_of", "twin"),
    "mother": kinship("child_of", "mother", only_one=True),
    "mom": kinship("child_of", "mother", only_one=True),
    "mum": kinship("child_of", "mother", only_one=True),
    "father": kinship("child_of", "father", only_one=True),
    "dad": kinship("child_of", "father", only_one=True),
    "son": kinship("parent_of", "son"),
    "daughter": kinship("parent_of", "daughter"),
    "kid": kinship("parent_of", "child"),
    "child": kinship("parent_of", "child"),
    "grandmother": kinship("grandchild_of", "grandmother"),
    "grandma": kinship("grandchild_of", "grandmother"),
    "grandfather": kinship("grandchild_of", "grandfather"),
    "grandpa": kinship("grandchild_of", "grandfather"),
    "grandson": kinship("grandparent_of", "grandson"),
    "granddaughter": kinship("grandparent_of", "granddaughter"),
    "aunt": kinship("relative_of", "aunt"),
    "uncle": kinship("relative_of", "uncle"),
    "cousin": kinship("relative_of", "cousin"),
    "niece": kinship("relative_of", "niece"),
    "nephew": kinship("relative_of", "nephew"),
    "mother-in-law": kinship("relative_of", "mother-in-law"),
    "father-in-law": kinship("relative_of", "father-in-law"),
    "sister-in-law": kinship("relative_of", "sister-in-law"),
    "brother-in-law": kinship("relative_of", "brother-in-law"),
    "friend": kinship("friend_of", "friend"),
    "best friend": kinship("friend_of", "best friend"),
    "roommate": kinship("acquainted_with", "roommate"),
    "flatmate": kinship("acquainted_with", "flatmate"),
    "neighbour": kinship("acquainted_with", "neighbour"),
    "neighbor": kinship("acquainted_with", "neighbour"),
    "colleague": kinship("colleague_of", "colleague"),
    "coworker": kinship("colleague_of", "colleague"),
    "boss": kinship("reports_to", "boss", only_one=True, key="boss"),
    "manager": kinship("reports_to", "manager", only_one=True, key="boss"),
    "supervisor": kinship("reports_to", "supervisor", only_one=True),
    "dog": kinship("has_pet", "dog"),
    "puppy": kinship("has_pet", "dog"),
    "cat": kinship("has_pet", "cat"),
    "kitten": kinship("has_pet", "cat"),
    "rabbit": kinship("has_pet", "rabbit"),
    "horse": kinship("has_pet", "horse"),
    "parrot": kinship("has_pet", "parrot"),
    "hamster": kinship("has_pet", "hamster"),
}

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_OLDER = (
    r"(?:(?:older|younger|elder|little|big|twin|oldest|youngest|eldest|middle|late|new|old|good|close"
    r"|dear|golden retriever|\d+[- ]year[- ]old) ){0,2}"
)
_STATEMENT = "{object} is the user's {label}."
_NAME = (
    r"(?P<o>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?-i:[^\W\d_a-z][\w'\u2019-]*)(?: [\w'\u2019-]+){0,3})"
)

RULES = (
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.9,
        pattern=said(
            rf"(?:^|[,;] |\b(?:and|but|that|so|because) ){_NAME} is my {_OLDER}(?P<r>{_WORDS})(?![\w'\u2019-])"
        ),
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
        pattern=said(
            rf"(?<![\w'\u2019])(?:my|our) {_OLDER}(?P<r>{_WORDS})(?:['\u2019]s name is|['\u2019]s called| is (?:called|named)| named| called|,)? "
            rf"{_NAME}"
        ),
        yes=(
            ("My sister Anna lives in Berlin.", "Anna"),
            ("I went there with my wife, Wang Min, last week", "Wang Min"),
            ("My dog's name is Rex", "Rex"),
            ("Our daughter is called Mia.", "Mia"),
            ("my boss Dr. Smith", "Dr. Smith"),
        ),
        no=(
            "My sister lives in Berlin.",
            "If my sister Anna calls, what do I say?",
            "Her sister Anna is nice.",
            "My wife and I live in Rome.",
            "My dad Always complains",
        ),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.9,
        pattern=said(
            rf"(?:<I've>|<we>have |<we>(?:just )?(?:got|adopted) )(?:an? |one |two |three |\d )?{_OLDER}"
            rf"(?P<r>{_WORDS})s? (?:named|called) {_NAME}"
        ),
        yes=(("I have a cat named Miso.", "Miso"), ("We adopted a puppy called Bo", "Bo")),
        no=("I have a file named Report.", "I don't have a cat named Miso."),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement=_STATEMENT,
        shape="name",
        confidence=0.85,
        pattern=said(
            rf"(?:<I've>(?:got )?|<we>have |we['\u2019]ve (?:got )?|<we>(?:just )?(?:got|adopted|bought) )(?:an? )?{_OLDER}"
            rf"(?P<r>{_WORDS})(?: [^\n.!?]{{0,40}})?[.!] (?:(?:(?:his|her|its|their) name is|(?:he|she|it) is called"
            rf"|(?:he|she|it)['\u2019]s called) )(?P<o>(?-i:[^\W\d_a-z][\w'\u2019-]*))"
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
        key="spouse",
        predicate="married_to",
        statement="The user is married to {object}.",
        shape="name",
        confidence=0.9,
        pattern=said(rf"(?:<I'm>(?:happily )?married to |<I>(?:got married to|married) ){_NAME}"),
        yes=(("I'm married to Tom Baker.", "Tom Baker"),),
        no=("I'm married to my job.", "I'm not married to Tom."),
    ),
    Rule(
        kind="relationship",
        key="partner",
        predicate="partner_of",
        statement="The user's partner is {object}.",
        shape="name",
        pattern=said(rf"(?:<I'm>(?:dating|engaged to) ){_NAME}"),
        yes=(("I'm dating Julia.", "Julia"),),
        no=("I'm dating advice columnists.", "I'm dating again."),
    ),
)
