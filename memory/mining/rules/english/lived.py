"""What somebody has lived through: losses, operations, years spent, papers earned."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import Template
from memory.text import kinship

KIN = kinship.KIN["en"]

_DEED = Template(
    "experience",
    "experience_{slug}",
    "experienced",
    "The user said: “I {said}”.",
    "deed",
    confidence=0.7,
)
_BLOW = Template(
    "experience",
    "lived_through_{slug}",
    "lived_through",
    "The user lived through this: {object}.",
    confidence=0.75,
)
_LONG = Template(
    "experience",
    "for_long_{slug}",
    "has_long_been",
    "The user has long been {object}.",
    "deed",
    confidence=0.7,
)
_WAS = Template(
    "experience",
    "was_{slug}",
    "was",
    "The user used to be {object}.",
    "occupation",
    confidence=0.75,
)

_COUNT = r"(?:\d+\+?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|several|many|a few|a couple of|most of my|half my|donkey's|almost \w+|nearly \w+|over \w+|about \w+)"
_LONGER = rf"(?:for {_COUNT} (?:years?|summers|winters|seasons|decades?|months|semesters?)|(?:back in '?\d\d\b|(?:since|back in|in|until) (?:(?:19|20)\d\d|the (?:early |late |mid )?(?:19)?[5-9]0s|lockdown|covid|childhood|college|university|uni|high school|(?:I|we) (?:was|were) (?:\d+|a (?:kid|child|teenager|student)|\w+teen|little|young)))|going on \w+ (?:years|months)|(?:all|most of) my (?:life|career|twenties|thirties|childhood)|as a (?:kid|child|teenager|teen|student|girl|boy|young \w+)|when I was (?:\d+|a (?:kid|child|teenager|student)|\w+teen|little|young|at (?:school|uni|university|college))|at (?:age|the age of) \w+|in my (?:\w+ )?(?:teens|twenties|thirties|forties|fifties|youth|childhood|20s|30s|40s))"
_NOT = r"(?!(?:had|was|were|did|got|needed|wanted|liked|loved|hated|thought|knew|asked|tried|used|said|told|heard|saw|felt|noticed|realised|realized|remembered|forgot|found|mentioned|looked|seemed|decided|talked|discussed|planned|hoped|lived|moved|preferred|enjoyed|read|watched|updated|installed|upgraded|downloaded|created|bookmarked|posted|emailed|opened|clicked|changed|checked|believed|assumed|worked|turned)\b)"
_PAST = r"(?:\w{2,}ed|taught|ran|sang|drove|flew|rode|sailed|swam|grew|kept|led|built|wrote|made|won|lost|sold|bought|caught|fought|dug|drew|gave|went to (?:school|college|university|uni)|spent|sat|stood|shot|shut|sewed|wove|bred|brought|taught|broke|tore|fell|wore|spoke|beat|hung|left|met)"
_BLOWS = r"(?:stroke|heart attack|accident|car accident|car crash|crash|concussion|divorce|separation|break-?up|burn-?out|op|operation|surgery|transplant|bypass|amputation|c-section|miscarriage|layoffs?|redundancy|bankruptcy|chemo|chemotherapy|diagnosis|mastectomy|stillbirth|fire|flood|burglary|break-?in|fall|injury|hip (?:op|replacement)|knee (?:op|replacement|surgery)|seizure|aneurysm|pregnancy|deployment|birth of [\w ]{3,20})"
_BODY = r"(?:knees?|hips?|shoulders?|appendix|gall ?bladder|tonsils|wisdom teeth|thyroid|spleen|kidney|womb|uterus|prostate|cataracts?|heart valve|valve|back|spine|ankles?|elbow|ACL|meniscus|stomach)"
_FAMILY = "|".join(word for word, kin in KIN.items() if kin.predicate.endswith(("_of", "_to", "friend_of")))
_LOST = (
    r"(?:house|home|flat|farm|business|job|savings|baby|pregnancy|licence|license|leg|arm|finger|sight|hearing|shop|restaurant|(?:first |older |little |younger |big |only )?(?:"
    + _FAMILY
    + r"))"
)

RULES = (
    _BLOW.worded(
        sentence(
            rf"<lead>(?:since|after|following|because of|due to|recovering from|coming back from|thanks to|ever since) (?:my|our|the|a|an) (?P<o>(?:[a-z]+ ){{0,2}}?{_BLOWS})\b(?: (?:in|at|last|two|three) \w+(?: ago)?)?(?=,? (?:I|my|we|and I|which)\b)"
        ),
        (
            ("Since the concussion I lose words mid sentence", "concussion"),
            ("so after the stroke in 2019 I had to relearn how to paint", "stroke"),
        ),
        (
            "After the accident he moved.",
            "After a stroke, what helps?",
            "since the update I see red",
        ),
    ),
    _DEED.worded(
        clause(
            rf"(?:I|I've|we) (?P<o>(?:had|have had|'ve had|got) (?:both |my |a |an |one |the )?(?:[a-z]+ )?{_BODY} (?:replaced|removed|fused|out|done|operated on|rebuilt|repaired|taken out|reconstructed)(?: [^\n,.;!?()]{{2,40}})?|(?:had|got) (?:an? )?(?:[a-z]+ )?(?:hysterectomy|vasectomy|mastectomy|pacemaker|bypass|hip replacement|knee replacement|stent|transplant|liver transplant|kidney transplant|prosthesis)(?: [^\n,.;!?()]{{2,40}})?)"
        ),
        (("I had both knees replaced", "had both knees replaced"),),
        ("I had the car done.", "She had both knees replaced", "Should I have my knees replaced?"),
    ),
    _DEED.worded(
        clause(
            rf"(?:I|we|I've|we've|I have) (?P<o>lost (?:my|our|the|a) {_LOST}\b(?! (?:listing|keys?|mind|temper|way|phone))(?: (?:in|to|when|at|last|after|during|two|three|a few|back) [^\n,.;!?()]{{2,40}})?)"
        ),
        (("we lost the house in the 2008 crash", "lost the house in the 2008 crash"),),
        ("I lost the plot.", "He lost the house", "I lost my job listing"),
    ),
    _BLOW.worded(
        clause(
            rf"(?P<o>(?:my|our) (?:late |first |older |little |big |younger |only )?(?:{_FAMILY})(?: (?-i:[A-Z])\w+)? (?:has )?(?:passed(?: away)?|died|was killed|took (?:his|her) own life|walked out)(?= |$|[,.;!]))(?! (?:the|a|his|her|my|it|on|out|by|gas|every|me)\b)(?P<tail>(?: (?:in|last|this|when|of|from|at|two|three|four|five|six|a|during|back) [^\n,.;!?()]{{2,30}})?)"
        ),
        (("My husband passed two years ago", "My husband passed"),),
        ("My husband passed the salt.", "Her husband died", "my phone died last week"),
    ),
    _DEED.worded(
        clause(
            rf"(?:I|we) {_NOT}(?P<o>{_PAST} (?!(?:it|this|that|them|to|for you|you)\b)[^\n.;:!?()\"]{{2,80}}? {_LONGER})(?![\w-])"
        ),
        (
            (
                "I grew all of my own veg for two summers on a roof",
                "grew all of my own veg for two summers",
            ),
            ("Sold my Harley in 2022, still regret it", "Sold my Harley in 2022"),
            ("I competed in judo as a teenager", "competed in judo as a teenager"),
        ),
        (
            "I updated it in 2022.",
            "She sold her Harley in 2022",
            "If I sold my Harley in 2022, what tax?",
            "I read that book in 2019",
        ),
    ),
    _LONG.worded(
        clause(
            rf"(?:I've|we've) been (?P<o>(?!(?:waiting|struggling|trying|looking|having|getting|thinking|wondering|feeling|using|meaning|wanting|seeing|dealing|being|asking|hoping|going|living|planning|stuck|working|dating|learning)\b)[a-z]+ing\b(?: [^\n,.;:!?()\"]{{2,60}}?)? (?:for (?:like |about |maybe |almost |nearly |over |around )*{_COUNT} (?:years|decades|summers|seasons|months)|since (?:(?:19|20)\d\d|lockdown|covid|childhood|college|uni|university|high school|school|(?:I|we) (?:was|were) [\w ]{{1,15}})|going on \w+ years|all my life|most of my life))(?![\w-])"
        ),
        (
            ("I've been lifting since lockdown, 140 kg now", "lifting"),
            ("Been baking for maybe three years every weekend", "baking for maybe three years"),
        ),
        (
            "I've been waiting for two years.",
            "She's been lifting since lockdown",
            "I've been lifting boxes",
        ),
    ),
    _LONG.worded(
        sentence(
            rf"(?:I've been |I'm |almost |nearly |just over )*(?P<o>{_COUNT} years (?:sober|clean|smoke[- ]free|nicotine[- ]free|cancer[- ]free|seizure[- ]free|debt[- ]free|married|divorced|widowed|vegan|vegetarian|in recovery|off (?:alcohol|cigarettes|the booze))|(?:sober|clean|smoke[- ]free|cancer[- ]free|in recovery) (?:for |since )[^\n,.;!?]{{3,25}})(?= (?:in|this|next|on|and|now|today|as)\b|[,.;!?]|$)"
        ),
        (
            ("nine years sober in March!!", "nine years sober"),
            ("Ten years clean this November.", "Ten years clean"),
        ),
        ("He is nine years sober.", "Ten years is a long time.", "Is she nine years sober?"),
    ),
    _WAS.worded(
        sentence(
            r"<lead>(?:back )?(?:when|while|since|after|before|until) I (?:was (?:working as )?|worked as |stopped being |quit being |retired as |gave up being )(?:an? |the )(?!(?:kid|child|teenager|student|boy|girl|baby|beginner)\b)<o>"
        ),
        (("back when I was a merchant sailor we'd splice rope for hours", "merchant sailor"),),
        ("When I was a kid we had a dog.", "when he was a sailor", "When I was at sea"),
    ),
    _DEED.worded(
        clause(
            r"(?:I|we|I've|we've) (?P<o>(?:platinumed|platinum'd|speedran|beat|completed|finished|100%ed|read all of|watched all of|got through) (?-i:[A-Z])[^\n,.;:!?()]{2,50}?)(?= (?:after|on|last|this|in|for|and|but|with|yesterday|today)\b|$|[,.;!?()])"
        ),
        (("platinumed Elden Ring after six years", "platinumed Elden Ring"),),
        ("I finished the book.", "He finished Elden Ring", "Have I finished Elden Ring?"),
    ),
    _DEED.worded(
        clause(
            r"(?:my|our) (?P<o>(?:gap year|childhood|twenties|thirties|forties|teens|teenage years|student years|career|working life|sabbatical|apprenticeship|national service|military service|year abroad|exchange year|honeymoon) (?:was|were) (?:spent|all|in|at) [^\n,.;:!?()]{3,60}?)(?= (?:and (?:I|we)|but|so)\b|$|[,.;:!?()])"
        ),
        (
            (
                "My gap year was spent picking kiwis in Te Puke",
                "gap year was spent picking kiwis in Te Puke",
            ),
        ),
        ("My childhood was nice.", "Her gap year was spent in Rome"),
    ),
)
