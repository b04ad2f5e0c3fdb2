"""What belongs to somebody, told by its kind alone: a dwelling, animals, a plate, a lack of talent, a
second tool for the same work."""

from dataclasses import replace

from memory.mining.rules.english.classes import NOT_MINE, PET
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import HABIT, HOME, ORIGIN, REMEMBER, USES, Template
from memory.text import kinship

KIN = kinship.KIN["en"]

_DWELLING = Template(
    "identity", "dwelling", "lives_in_a", "The user lives in {object}.", "deed", confidence=0.8
)
_PETS = Template("relationship", "has_{slug}", "has_family", "The user has {object}.")
_NUMBER = Template("other", "{r}", "has_{r}", "The user's {r} is {object}.", "as_is", confidence=0.75)
_POOR = Template("skill", "bad_at_{slug}", "is_bad_at", "The user is bad at {object}.", confidence=0.75)
_BY = Template(
    "experience",
    "brought_up_{slug}",
    "experienced",
    "The user was {object}.",
    "deed",
    confidence=0.75,
)
_USES = replace(USES, many=False, shape="tool", confidence=0.75)
_FAMILY = Template(
    "relationship", "has_{slug}", "has_family", "Of the user's family: {object}.", confidence=0.75
)
_HABIT = replace(HABIT, shape="deed")
_NEW = replace(_HABIT, statement="New in the user's week: {object}.")
_ORIGIN = replace(ORIGIN, confidence=0.75)
_REMEMBER = replace(REMEMBER, confidence=0.75)
_HOME = replace(HOME, confidence=0.75)

_KIN = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?!(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?-i:[^\W\d_a-z])[\w'-]*(?: (?-i:[^\W\d_a-z])[\w'-]*)?)"
_CAP = r"(?P<o>(?-i:[A-Z])[\w+#-]*(?:\.\w+)*(?: (?-i:[A-Z\d])[\w+#-]*(?:\.\w+)*){0,2})"
_STOP = r"(?= (?:and|but|so|because|which|since|where|with|who)\b|$|[,.;:!?()])"
_KEPT = r"(?:sync|back|host|store|share|edit|print|publish|track|log|send|post|upload|export|deploy|manage|file|mix|cut|tag|index)s?(?: up)?"

RULES = (
    _DWELLING.worded(
        clause(
            r"(?:I|we) (?:now |currently )?live (?:in|on|aboard|above) (?P<o>(?:an? |my |our )(?:[\w'-]+ ){0,3}?(?:houseboat|narrowboat|boat|barge|caravan|campervan|camper|van|motorhome|yurt|cottage|farmhouse|farm|smallholding|croft|bungalow|loft|(?:studio|bedsit|flat|flatshare|apartment|condo|dorm)(?= (?:on|in|by|near|above|over|at|outside) )|townhouse|tower block|high-rise|converted \w+|commune|co-op|boarding house|hall of residence|lighthouse|mill|vicarage|manse|castle|shop|pub|chip shop)(?: (?:on|in|by|near|above|over|at|outside) [^\n.;:!?()\"]{2,40}?)?)(?= (?:and|but|so|because|which|since|where)\b|$|[,.;:!?()])"
        ),
        (
            ("I live in a houseboat on the Lea, near Hackney.", "a houseboat on the Lea"),
            ("We live above a chip shop and smell of it", "a chip shop"),
        ),
        ("I live in fear.", "She lives in a flat", "Should I live in a van?"),
    ),
    _HOME.worded(
        sentence(
            r"<after>(?:I|we|I've|we've) (?:just |finally )?(?:got|picked up|collected|have) the keys (?:to|for) (?:my|our) (?:new |first )?(?:place|flat|house|home|apartment) (?:in|near|outside) <place>"
        ),
        (("we got the keys to our new place in Aarhus!!", "Aarhus"),),
        ("They got the keys to our place in Aarhus.", "we got the keys to our place"),
    ),
    _ORIGIN.worded(
        sentence(
            rf"<lead>(?:(?:my|our) (?:{_KIN})(?:, [^\n,.;!?]{{2,30}},)?|(?:{_KIN}) (?-i:[A-Z])\w+,?|who|both) (?:raised|brought up|reared) (?:me|us)(?: up)? (?:in|near|outside) <place>"
        ),
        (("my grandmother, Philippa, raised me in Kingston.", "Kingston"),),
        ("my grandmother raised him in Kingston", "my gran raised me in fear"),
    ),
    _BY.worded(
        clause(
            r"I was (?P<o>(?:taught|raised|brought up|educated|trained|coached|mentored|fostered|adopted|looked after) (?:at \w+ |mostly |mainly )?(?:by|among) (?!(?:it|experience|life|the|this|that|them|him|her|you|wolves|default|mistake|hand)\b)[^\n.;:!?()\"]{3,60}?)(?= (?:and|but|so|because|which|until|who)\b|$|[,.;:!?()])"
        ),
        (("At school I was taught by nuns, in Kilkenny.", "taught by nuns"),),
        ("She was taught by nuns.", "I was raised by it", "Was I taught by nuns?"),
    ),
    _PETS.worded(
        clause(
            rf"<have>(?P<o>(?:an? |two |three |four |five |six |\d )(?:(?:old|young|rescue|little|small|big|black|white|ginger|grumpy|elderly|deaf|three-legged) ){{0,2}}{PET}s?(?:(?:,| and|, and) (?:an? |two |three |four |five |six |\d )(?:[a-z]+ )?{PET}s?){{1,3}}|(?:an? )(?:[a-z]+ )?(?:chihuahua|whippet|greyhound|lurcher|labrador|spaniel|terrier|collie|poodle|dachshund|beagle|husky|pug|corgi|retriever|alsatian|rottweiler|staffie|schnauzer|dalmatian|budgie|cockatiel|gecko|axolotl|gerbil|tortoise|pony))(?! (?:named|called|by the name)|'s|,? (?-i:[A-Z])){_STOP}"
        ),
        (("I've got a chihuahua and two budgies. One swears.", "a chihuahua and two budgies"),),
        ("I have a cat.", "She has a pug and two budgies", "I've got a pug called Max"),
    ),
    _NUMBER.worded(
        clause(
            r"(?:my|our) (?:[\w'-]+ ){0,2}?(?P<r>number plate|licen[cs]e plate|registration(?: number)?|reg|membership number|customer number|library card number|frequent flyer number|house number|seat number|locker|parking space|bus number|shirt number|call sign|callsign|collar size|glove size|hat size|inside leg) (?:is|:) (?P<o>(?=[^\n]{0,20}\d)[\w -]{1,20}?)(?=$|[,.;:!?()]| (?:and|but|so|if|in case)\b)"
        ),
        (("My car's number plate is KX19 ZPD, keep that in mind", "KX19 ZPD"),),
        ("My number plate is dirty.", "Her number plate is KX19 ZPD"),
    ),
    _POOR.worded(
        clause(
            r"<I'm>(?:really |pretty |quite |so |also |absolutely )*(?:rubbish|terrible|hopeless|useless|awful|dreadful|no good|crap|lousy|not (?:very |much |any )?good|bad) (?:at|with) (?!(?:it|this|that|them|these|those|all|the moment|my|your|least|first|best|making (?:this|these)|you|what)\b)(?![^\n]*\b(?:today|tonight)\b)(?P<o>[^\n,.;:!?()\"]{2,40}?)(?= (?:and|but|so|because|which|though)\b|$|[,.;:!?()])"
        ),
        (("I have a PhD and I'm rubbish at spelling.", "spelling"),),
        ("I'm bad at this.", "She's rubbish at spelling", "Am I rubbish at spelling?"),
    ),
    _USES.worded(
        sentence(
            rf"{NOT_MINE}<lead>(?:I|we) (?!(?:want|need|tried|should|can|can't|don't|would)\b)[^\n.;!?]{{3,70}}? and (?:then )?{_KEPT} (?:it|them|everything|those|that) (?:all )?(?:with|using|to|in|on|via|through|over) {_CAP}(?=$|[,.;:!?()]| (?:and|so|but|every|for|at)\b)"
        ),
        (("I do all my notes in Obsidian and sync them with Syncthing.", "Syncthing"),),
        ("She writes in Obsidian and syncs it with Dropbox.", "Do I write and sync it to Rome?"),
    ),
    _USES.worded(
        sentence(
            rf"{NOT_MINE}<lead>(?:I|we) (?:mostly |mainly )?(?:code|program|write|work|build|develop|script|use|run) (?:mostly |mainly )?(?:in |with |on )?(?-i:[A-Z])[\w.+#-]* (?:at|for|in) (?:work|the day job|uni|school|clients)(?:,| and|, and|, but| but) (?:in |with |on )?{_CAP} (?:for fun|at home|on the side|in my (?:spare|free) time|at weekends|for (?:side|hobby|pet|personal|my) \w+)"
        ),
        (("I code in C# at work and Rust for fun.", "Rust"),),
        ("She codes in C# at work and Rust for fun", "I code in C# at work"),
    ),
    _USES.worded(
        clause(
            rf"(?:I|we) (?:always |mostly |usually )?(?:write|draw|plan|edit|store|sync|track|log|organi[sz]e|record|make|take|scan|design|sketch|type|back up|draft|lay out|cut|mix|send|file|balance|do|keep) (?:all )?(?:of )?(?:my|our) (?:[\w'-]+ ){{0,2}}?(?:invoices?|notes?|budget|accounts|books?|diagrams|e?mails|drafts?|podcasts?|videos?|music|photos|slides|essays?|articles?|reports?|tasks|recipes|workouts|runs|rides|spreadsheets|calendars?|to-?dos|passwords|expenses|time|blog|code|tests|scripts?|lectures|lessons|patterns|designs|models|drawings|plans?|maps|tax(?:es)?|scores|chapters|novels?|thesis|papers?|files|documents|backups|diary|journal|finances|bookkeeping|homework|newsletters?|songs?|beats) (?:in|with|using|on) {_CAP}(?! (?:Street|Road|Square|Station))(?= (?:for|at|on|these|and|but|so|because)\b|$|[,.;:!?()])(?! on (?:mon|tues|wednes|thurs|fri|satur|sun)day)(?<!day)(?<!\bJanuary)(?<!\bMay)"
        ),
        (("I write my invoices in LibreOffice, and it crashed", "LibreOffice"),),
        ("He writes his invoices in LibreOffice", "I write my name on Monday"),
    ),
    _FAMILY.worded(
        sentence(
            rf"<after>(?:the|our|my) (?:eldest|oldest|youngest|middle one|little one|newest),? (?:is |called |named )?(?:little |baby |wee |big )?{_NAME}(?=,|\.|$| (?:is|has|was|just)\b)"
        ),
        (("I'm a grandfather of seven, and the youngest, little Ezra, has a cold", "Ezra"),),
        ("The youngest, Monday or not, is ill", "His youngest, Ezra, is ill"),
    ),
    _FAMILY.worded(
        sentence(
            rf"<after>(?:I|we|I've|we've) (?:gave birth to|had|welcomed|adopted|fostered|christened|named) (?:our|my) (?:first|second|third|fourth|baby|little one|youngest|son|daughter|first child|first baby|little girl|little boy)(?: child| baby)?,? {_NAME}(?=,|\.|$| (?:on|in|last|this|at)\b)"
        ),
        (("I gave birth to our first, Leonie, on 11 January this year.", "Leonie"),),
        ("She gave birth to our first, Leonie.", "We had our first, Monday"),
    ),
    _FAMILY.worded(
        sentence(
            rf"(?:(?:team|crew|band|household|family|staff|us|people)(?: is|:) |it's |there's |we're )(?:just |only )?(?:me|I) and {_NAME}(?=$|[,.;:!?)]| (?:and|so|in|on|at)\b)"
        ),
        (("Team: just me and Farida, we're building an app", "Farida"),),
        ("just me and you", "It's just him and Farida", "just me and London"),
    ),
    _NEW.worded(
        clause(
            r"(?:I've|we've|I|we) (?:just |recently |finally )?(?P<o>(?:taken up|took up|signed up for|started|joined) (?!taking|doing|going|with)(?:[\w'-]+ ){0,2}?(?:lessons|classes|evening classes|knitting|crochet|running|jogging|swimming|climbing|bouldering|yoga|pilates|gardening|baking|pottery|painting|drawing|birdwatching|cycling|rowing|fencing|archery|sewing|woodwork|woodturning|beekeeping|chess|bridge|golf|bowls|tennis|salsa|tango|meditation|journaling|photography|singing))(?! with\b)(?= (?:and|but|so|because|which|since|last|this|in|at|on|again)\b|$|[,.;:!?()])"
        ),
        (
            ("My aunt left me her piano, so I've taken up lessons.", "taken up lessons"),
            ("I took up bouldering last year", "took up bouldering"),
        ),
        ("She took up lessons.", "I took up space", "Should I have taken up lessons?"),
    ),
    _HABIT.worded(
        clause(
            r"(?:I|we) have (?P<o>a (?:standing order|direct debit|season ticket|weekly order|veg box|regular slot|standing appointment|standing reservation|box at|table at|monthly subscription)(?::| for| to| with| at| every)? ?[^\n;.!?()\"]{3,70}?)(?=$|[.;!?()])"
        ),
        (
            (
                "I have a standing order: every first of the month, 50 quid to the RNLI.",
                "a standing order: every first of the month, 50 quid to the RNLI",
            ),
        ),
        ("She has a standing order.", "Do I have a standing order for gas?"),
    ),
    _REMEMBER.worded(
        sentence(
            r"(?:(?:please|and|also|just|ok|so),? )*(?:note for (?:later|the future|next time|future reference)|for later|(?:keep|bear) in mind(?: that|:|,)(?! (?:you|your|the (?:audience|reader|tone|text|following)|this|these|we're writing)\b)|worth remembering|one to remember|to remember|for your notes|(?:keep|store) for later) ?(?:: |, |- |that )?(?=[^\n]{0,90}\b(?:is|are|was|were|has|have|had|will|costs?|opens?|closes?|starts?)\b)(?P<o>[^\s]+(?: [^\s]+){2,40})"
        ),
        (
            (
                "Note for later: our boiler was serviced on 2 May by a firm called Heatwise.",
                "our boiler was serviced on 2 May by a firm called Heatwise",
            ),
            ("Keep in mind that bin day is Thursday here.", "bin day is Thursday here"),
        ),
        ("Keep in mind that you are an expert.", "Note for later.", "I keep it for later"),
    ),
)
