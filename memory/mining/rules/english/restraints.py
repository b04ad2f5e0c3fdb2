"""What somebody does not do, has not and never learned, with all that limits it: "does not drive on
motorways" is not "does not drive"."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause
from memory.mining.rules.templates import CANNOT, Template

_DOES_NOT = Template("constraint", "does_not_{slug}", "does_not", "The user does not {object}.", "limited")
_HAS_NOT = replace(_DOES_NOT, kind="identity")
_NEVER_LEARNED = replace(CANNOT, kind="skill", statement="The user never learned to {object}.", shape="deed")

_NOT = r"(?:I|we) (?:don't|do not|no longer) (?:really |actually |even )?"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_LIMIT = r"(?: (?:alone|indoors|outdoors|inside|outside|abroad|solo|socially|professionally))?(?: (?:on|in|at|with|without|near|for|to|before|after|past|during|around|through|between|over|under|by|within|across|along|except|unless|when|if|while|until) [^\n,.;:!?()\"]{1,60}?)?"
_OVER = r"(?=$|[,.;:!?()\"\u2013\u2014]| (?:and|but|so|or|nor|because|as|since|any ?more|any longer|now|either|at all|though|thanks|ever)\b| -)"
_LATE = rf"(?:before|after|past|at night|alone|on (?:{_DAYS}|the sabbath|weekdays|weekends|weeknights))"
# What a plan or a recipe has to do without.
_NEEDED = r"(?:car|oven|dishwasher|garden|balcony|driving licen[cs]e|driver's licen[cs]e|licen[cs]e|air fryer|microwave|freezer|blender|passport|credit card|washing machine|dryer|dining table|bathtub|food processor|stand mixer|grill)"
_THING = r"(?:car|tv|telly|television|smartphone|printer|bike|oven|microwave|dishwasher|suit|iron|dryer)"
_SKILL = r"(?:drive|swim|fly|ride|cook|smell|dance|whistle|sing|ski|skate|sew|knit|type|juggle|sail|draw|tie|read (?:sheet |small )?music)"

RULES = (
    _DOES_NOT.worded(
        clause(
            rf"{_NOT}(?P<o>(?:(?:smoke|drink(?! and drive)|drive|fly|vape|gamble)(?: or (?:smoke|drink|drive|fly|vape|gamble|swear|gossip))?|do (?:drugs|caffeine|alcohol|social media|dairy|gluten|spicy(?: food)?|sugar|mornings)|work (?:on )?(?:{_DAYS}|weekends)|use (?:social media|facebook|instagram|whatsapp|twitter|tiktok)(?: or (?-i:[A-Z])\w+)?){_LIMIT}|(?:eat|work|sleep|cook) {_LATE}[\w ]{{0,20}}?){_OVER}"
        ),
        (
            ("I don't smoke.", "smoke"),
            ("Ever since the accident I don't drive on motorways", "drive on motorways"),
            ("I don't drink at all, never have", "drink"),
            ("I don't drink when I'm on call", "drink when I'm on call"),
            ("I don't use Instagram for work and won't start", "use Instagram for work"),
        ),
        (
            "I don't drink this.",
            "He doesn't smoke",
            "I don't drink much",
            "I don't drive my husband's car",
            "I don't drive yet",
        ),
    ),
    _DOES_NOT.worded(
        clause(rf"{_NOT}(?P<o>celebrate [\w' ]{{3,30}}|believe in [\w' ]{{3,30}})"),
        (("We don't celebrate Christmas", "celebrate Christmas"),),
        ("They don't celebrate Christmas", "I don't believe it"),
    ),
    _DOES_NOT.worded(
        clause(
            rf"{_NOT}(?P<o>have (?:an?|any) {_NEEDED}(?! (?:yet|to|that|which)\b)(?: (?:at|in|on|during|with) (?!the moment\b)[^\n,.;:!?()\"]{{2,30}}?)?)(?![\w-])(?: (?:yet|or|and|but|so|because|as|since|any ?more|now)\b|(?=$|[,.;:!?()\"\u2013\u2014]| -))"
        ),
        (
            ("we don't have a car", "have a car"),
            ("I don't have an oven in the van, only a hob", "have an oven in the van"),
        ),
        ("I don't have a clue.", "They don't have a car", "I don't have a car that works"),
    ),
    _HAS_NOT.worded(
        clause(
            rf"{_NOT}(?P<o>(?:own an? {_THING}|have an? (?:tv|telly|television|smartphone|bike|printer)))(?![\w-])"
        ),
        (("I don't own a television.", "own a television"),),
        ("I don't own the file.", "She doesn't own a television", "Do I own a television?"),
    ),
    _NEVER_LEARNED.worded(
        clause(
            rf"(?:I|we|I've|we've) (?:never (?:quite |really |properly )?(?:learned|learnt|managed)(?: how)? to|(?:don't|never) (?:really )?kn[eo]w how to(?= {_SKILL}\b)) (?!(?:use|do|handle|fix|solve|write|say|deal with) (?:it|this|that|them|the|these)\b|(?:it|this|that|be|love|trust|say no|let go)\b)<o>"
        ),
        (
            ("I never learned to ride a bike.", "ride a bike"),
            ("I don't know how to cook, sorry", "cook"),
        ),
        (
            "I don't know how to fix this.",
            "She never learned to swim",
            "Did I never learn to swim?",
            "I never learned to use it",
        ),
    ),
)
