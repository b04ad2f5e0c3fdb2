"""Whom the user is with, and how many are in the family."""

from memory.mining.rules.english.grammar import clause
from memory.mining.rules.table import Rule

RULES = (
    Rule(
        kind="relationship",
        key="spouse",
        predicate="married_to",
        statement="The user is married to {object}.",
        shape="name",
        confidence=0.9,
        pattern=clause(
            r"(?:<I'm>(?:happily |now )?married to (?:a \w+ (?:called|named) )?|<did>(?:been )?(?:got |get )?married (?:to )?)<name>"
        ),
        yes=(("I'm married to Tom Baker.", "Tom Baker"), ("I married Ida in June", "Ida")),
        no=("I'm married to my job.", "I'm not married to Tom."),
    ),
    Rule(
        kind="relationship",
        key="fiance",
        predicate="engaged_to",
        statement="The user is engaged to {object}.",
        shape="name",
        pattern=clause(r"(?:<I'm>(?:now )?engaged to|<did>(?:got|been) engaged to) <name>"),
        yes=(("I'm engaged to Priya", "Priya"),),
        no=("I'm engaged to nobody", "She's engaged to Tom"),
    ),
    Rule(
        kind="relationship",
        key="partner",
        predicate="partner_of",
        statement="The user's partner is {object}.",
        shape="name",
        pattern=clause(
            r"(?:<I'm>(?:now )?(?:dating|seeing(?![^\n.;:!?]{2,60} (?:on|at|live|tonight|tomorrow|next|this|in)\b)|going out with|together with|in a relationship with) (?:a \w+ (?:called|named) )?|(?:I|we)'ve been (?:dating|seeing|with|together with) |(?:me and|I and) )(?![^\n,.;]{0,40}\b(?:Corp|Corporation|Inc|Ltd|LLC|GmbH|Company|Group|Bank|Solutions|Systems|Technologies|Partners|Industries)\b)<name>(?! (?:are|were|is) (?:friends|colleagues|sibl))(?=$|[,.!]| (?:for|since|and|now|from|who|are together|are dating|have been)\b)"
        ),
        yes=(("I'm dating Julia.", "Julia"), ("I've been with Theo for six years", "Theo")),
        no=(
            "I'm dating advice columnists.",
            "I'm dating again.",
            "I'm seeing Radiohead on 12 July",
        ),
    ),
    Rule(
        kind="relationship",
        key="partner",
        predicate="partner_of",
        statement="The user's partner is {object}.",
        shape="name",
        ended=True,
        pattern=clause(
            r"(?:<did>(?:broke up with|split (?:up )?(?:with|from)|divorced|separated from|dumped)|<I'm>no longer (?:with|dating|seeing|together with)) <name>(?=$|[,.!]| (?:in|last|after|this|and|two|a)\b)"
        ),
        yes=(("I broke up with Ana last month", "Ana"),),
        no=("I left Berlin Mitte behind", "She divorced Tom"),
    ),
    Rule(
        kind="relationship",
        key="has_{slug}",
        predicate="has_family",
        statement="The user has {object}.",
        confidence=0.8,
        pattern=clause(
            r"<have>(?P<o>(?:an? |one |two |three |four |five |six |seven |\d )(?:(?:older|younger|little|big|twin|half|adopted|grown(?:-up)?|small|young|wonderful|teenage|adult|step|rescue|identical) ){0,2}(?:sisters?|brothers?|siblings?|kids?|children|child|sons?|daughters?|boys?|girls?|twins|grandchild(?:ren)?|grandkids?|grandsons?|granddaughters?|nieces?|nephews?|stepsons?|stepdaughters?|dogs?|cats?|horses?|rabbits?|chickens?|hens|goats?|parrots?|hamsters?|ponies|snakes?|guinea pigs|goldfish|ferrets?|budgies|tortoises?)(?: and (?:an? |one |two |three |four |five |\d )?(?:\w+ )?(?:sisters?|brothers?|kids?|sons?|daughters?|boys?|girls?|dogs?|cats?|horses?))?)(?! (?:named|called|\w+ing|for dinner|issue|allergy|food)|'s)(?=$|[.!;]|,(?! (?-i:[A-Z]))| (?:and|who|so|in|at|under|aged|but|with|already)\b)"
        ),
        yes=(
            ("I have two older sisters.", "two older sisters"),
            ("We have three kids and it's loud", "three kids"),
        ),
        no=("I have two options.", "He has two kids.", "I have a dog named Rex"),
    ),
)
