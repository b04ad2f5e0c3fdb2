"""Conditions, medicines and customs of the table that are told in passing."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.english.health import CONDITION
from memory.mining.rules.templates import AVOIDS, Template

_CONDITION = Template(
    "constraint",
    "condition_{slug}",
    "has_condition",
    "The user has this condition: {object}.",
    confidence=0.8,
)
_TAKES = Template("constraint", "medication_{slug}", "takes", "The user takes {object}.", many=True)
_LIMIT = Template(
    "constraint",
    "constraint_{slug}",
    "is_limited_by",
    "The user said: “{said}”.",
    "deed",
    confidence=0.75,
)

_DRUG = r"(?:statins?|blood thinners?|insulin|antidepressants?|beta[- ]?blockers?|metformin|warfarin|lithium|ssris?|antihistamines?|methotrexate|levothyroxine|thyroxine|the pill|ritalin|adderall|sertraline|prozac|steroids?|prednisone|immunosuppressants?|antiepileptics|anticoagulants?|hrt|ozempic|wegovy|ace inhibitors|inhalers?|omeprazole|ppis?|tamoxifen|gabapentin|ibuprofen|estrogen|oestrogen|testosterone|vyvanse|concerta|lamotrigine|mirtazapine|propranolol|dialysis|oxygen|cpap|chemo)"
_MORE = r"(?:(?:hearing|visually|vision|sight|mobility)[- ]impaired|deaf|hard of hearing|blind|colou?r[- ]?blind|dyslexic|dyscalculic|dyspraxic|dysphasic|aphasic|agoraphobic|arachnophobic|haemophiliac|hemophiliac|insomniac|autistic|epileptic|diabetic|asthmatic|coeliac|celiac|lactose[- ]intolerant|neurodivergent|immunocompromised|anosmic|bipolar|anaemic|anemic|pregnant|partially sighted|one[- ]handed|one[- ]armed|disabled|housebound|claustrophobic)"
_FOOD = r"(?:pork|beef|meat|fish|seafood|shellfish|dairy|gluten|nuts|eggs?|alcohol|mushrooms?|onions?|garlic|coriander|cilantro|spicy(?: food)?|cheese|lamb|chicken|wheat|sugar|soy|anything [\w ]{3,20}|vegetables|greens|spinach|tomato(?:es)?|olives)"

RULES = (
    _CONDITION.worded(
        sentence(
            rf"<after>(?!the )(?:fellow )?(?P<o>(?:(?!the )[a-z]+ )?(?:{CONDITION}|{_MORE}))(?: (?:user|person|guy|girl|mum|mom|dad|gal))? here\b"
        ),
        (("Type 2 diabetic here, diagnosed in 2019.", "Type 2 diabetic"),),
        ("The diabetic here is my aunt.", "Are you diabetic here?"),
    ),
    _CONDITION.worded(
        sentence(
            rf"<lead>(?:being|I'm|I am|as I'm|I was born|I've been|as an?|as a severely) (?:an? |not only |also |severely |profoundly |mildly |a bit |pretty much |legally |partially |very |newly |quite )*(?P<o>{_MORE}|(?-i:[Dd])euteranop\w*)(?=$|[,.;:!?)]| (?:I|so|and|since|in|person|mum|mom|dad|student|man|woman|user|from|but|myself|\()\b| \()"
        ),
        (
            ("being colour-blind (deuteranopia) I can't read it", "colour-blind"),
            ("I'm hearing impaired so video doesn't work", "hearing impaired"),
        ),
        ("Being blind is hard.", "She is hearing impaired", "If I'm diabetic, can I eat it?"),
    ),
    _TAKES.worded(
        sentence(
            rf"<lead>(?:(?:put|started|have|has|had|keeps?|prescribed) me (?:back )?(?:on )?|(?:I'm|I am|I've been) (?:now |still |back |put |started )?on |I was (?:put|started) (?:back )?on |I (?:take|started|was prescribed|was put on|have to take) )(?:a (?:low|high) dose of |daily |weekly |\d+ ?mg (?:of )?)?(?P<o>{_DRUG}(?:(?:,| and|, and) {_DRUG})*)(?![\w-])"
        ),
        (("Cholesterol came back at 6.8 and the doctor put me on statins.", "statins"),),
        (
            "My dad is on statins.",
            "What if I'm on statins?",
            "She put him on insulin",
            "I was on statins for a year",
        ),
    ),
    AVOIDS.worded(
        sentence(
            rf"<after>(?:and |we're five, )?(?:nobody|no one|none of us|neither of us|no-one)(?: here| in (?:the|my|our) (?:house|family|home|household))? (?:eats|drinks|likes|can have|can eat|touches|does) (?P<o>{_FOOD})(?=$|[,.;:!?)]| (?:and|so|but|or)\b)"
        ),
        (("There's five of us, nobody eats pork and the youngest is picky", "pork"),),
        ("Nobody eats pork in Iran.", "nobody likes it"),
    ),
    _LIMIT.worded(
        clause(
            r"(?:I|we) (?P<o>(?:use|read|work|browse|navigate|write|type|get around|walk|see|hear|watch)(?: [\w' ]{2,40}?)? (?:with|using|by|on) (?:an? |my )?(?:screen reader|voiceover|nvda|jaws|voice dictation|dictation|one hand|hearing aids?|walking stick|cane|wheelchair|walker|crutches|white cane|guide dog|magnifier|braille display|captions|subtitles|oxygen|prosthe\w+))(?![\w-])"
        ),
        (
            (
                "I read these with a screen reader and lists are bad",
                "read these with a screen reader",
            ),
        ),
        ("I work with a team.", "He reads with a screen reader", "Do I read with a screen reader?"),
    ),
)
