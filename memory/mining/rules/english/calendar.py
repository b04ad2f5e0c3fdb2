"""Days that are coming, whatever it is that takes place on them."""

from memory.mining.rules.english.events import DAY_HINT, EVENT_WORDS
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import hinted
from memory.mining.rules.templates import EVENT
from memory.text import kinship

KIN = kinship.KIN["en"]

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?!\d)|(?:the )?\d{{1,2}}(?:st|nd|rd|th)\b|(?:next |this |coming )?{_WEEKDAY}(?!s)|tomorrow|(?:the )?day after tomorrow|\d{{4}}-\d\d-\d\d"
    rf"|next (?:week|month|weekend|spring|summer|autumn|fall|winter)|(?:late |early |mid-?)?{_MONTH}(?! (?:be|have|not|need|want|well|also)\b)|in (?:a|two|three|four|five|six|ten|\d+) (?:days|weeks|months)|a week (?:today|on {_WEEKDAY}))"
)
_ON = rf"(?:,? (?:is |are |set |booked |scheduled |planned |due )?(?:for |on |at |in |from |the week of |the whole of |all of |until |this coming )*(?={_DATE}))"
_AT = rf"(?:,? (?:is |are |set |booked |scheduled |planned |due )?(?:for |on |at |in |this coming )?(?={_DATE}))"
_KIN = "|".join(sorted(KIN, key=len, reverse=True))
_GONE = r"(?![^\n]{0,60}\b(?:was|were|went|had|did|ago|last (?:week|month|year)|cancell?ed|every|each)\b)"
_HEAD = r"(?!(?:birthday|question|problem|idea|favou?rite|name|guess|plan is|hope|time|point|budget|issue|understanding|bad|way|best|first (?:question|guess))\b)"

RULES = hinted(
    DAY_HINT,
    (
        EVENT.worded(
            clause(
                rf"(?:my|our) {_GONE}{_HEAD}(?!(?:[\w-]+ )?\w+'s (?:flight|exam|interview|meeting|deadline|train|appointment|presentation|class|lecture|shift)s?\b)(?!(?:[\w-]+ ){{0,2}}(?:birthday|{_KIN})(?:'s| is))(?P<o>(?:(?!who\b|that\b|which\b|and\b|is\b|are\b|was\b)[\w&-]+(?:'s)? ){{0,4}}?[\w&-]+?)(?:'s| is| are| falls?| starts?| begins?| opens?| takes place| kicks off| runs?){_AT}"
            ),
            (
                ("Our anniversary's on the 8th of June, 20 years", "anniversary"),
                ("My garden open day is on 3 May", "garden open day"),
            ),
            ("My laptop is slow.", "Her anniversary is on 3 May", "Is our anniversary on 3 May?"),
        ),
        EVENT.worded(
            clause(
                rf"(?:I've got|we've got|I have|we have|I've booked|we've booked|I booked|we booked|I'm down for|I'm booked (?:in )?for|I've been given|there's) {_GONE}(?!to\b|had\b|been\b|a (?:question|problem|feeling|theory|few|lot|couple)\b|no\b|until\b|(?:pre-?)?(?:approved|accepted|rejected|promoted|married|engaged|hired|fired|sick|back|home)\b|\d+ (?:days|weeks|hours|minutes|months)\b)(?P<o>(?:an? |the |my |our |some |two |three |four |\d )?(?:[\w'&-]+ ){{0,5}}?[\w'&-]+){_ON}"
            ),
            (
                ("I've got tickets for Wimbledon on 1 july!!", "tickets for Wimbledon"),
                (
                    "I've got a hospital appointment on thursday at 9 and I'll be late",
                    "a hospital appointment",
                ),
            ),
            ("I have to go on 1 july.", "I have a question on May 3", "She has tickets on 1 July"),
        ),
        EVENT.worded(
            sentence(
                rf"<lead>{_GONE}(?P<o>(?:my|our|the (?=twins|kids|boys|girls|children|baby|in-laws)) (?:[a-z-]+ ){{0,2}}?(?:{_KIN})s?(?: in law)?(?: (?-i:[A-Z])[\w'-]+)?(?: \([^)\n]{{2,40}}\))? (?:is |are |will be )?(?:getting (?:married|hitched|engaged|christened|baptised|confirmed)|coming(?: to (?:stay|visit)(?: us| me)?| over| home| back)?|flying (?:in|over|home)|visiting(?: us| me)?|moving (?:in|out|away|house|home|to [\w ]{{2,20}})|having (?:surgery|an operation|a baby|her [\w ]{{2,20}}|his [\w ]{{2,20}})|graduating|arriving|due|turning \w+|turns \w+|retiring|marrying [\w ]{{2,20}}|gets married|gets back|comes (?:home|back|over)|starts? [\w' ]{{3,25}}?|starting [\w' ]{{3,25}}?|finishes [\w' ]{{3,25}}|graduates)(?: (?:in|at|from) (?!(?:{_DATE}))(?-i:[A-Z])[\w'-]+)?){_ON}"
            ),
            (
                (
                    "my brother-in-law Dov is getting hitched in Haifa on 11 September and I need a toast",
                    "my brother-in-law Dov is getting hitched in Haifa",
                ),
                (
                    "My mother in law (she is 81, very particular) is coming to stay for the whole of October.",
                    "My mother in law",
                ),
            ),
            (
                "my brother is getting hitched",
                "her brother is getting hitched on 11 September",
                "my son is at home on 11 May",
            ),
        ),
        EVENT.worded(
            sentence(
                rf"<after>(?:and |but |the |my |our )*{_GONE}(?!his\b|her\b|their\b|your\b)(?P<o>(?:(?!(?:\w+'s|the|my|our|his|her|their|your|a|an|is|if|when|what|and|but|for|of|world|final|christmas|easter)\b)[\w-]+ ){{0,2}}?(?:(?!birthday|christmas|easter|thanksgiving|eid|diwali|hanukkah|dinner|lunch)(?:{EVENT_WORDS})))(?:'s| is| are| falls| starts| begins)(?: on| from| at)? (?={_DATE})"
            ),
            (
                (
                    "make flash cards for the JLPT N2, exam is 7 December and kanji is killing me",
                    "exam",
                ),
                (
                    "we put an offer in on a house and it got accepted, closing is april 22nd",
                    "closing",
                ),
            ),
            ("Her exam is 7 December", "Christmas is on 25 December", "Is the exam on 7 May?"),
        ),
        EVENT.worded(
            sentence(
                rf"(?!(?:the|my|our|his|her|their|an?|this|that|what|which|who|if|when|it|he|she|they|we|you|everything|nobody|school|class|season|christmas|easter)\b){_GONE}(?P<o>(?:(?!(?:is|are|and|or|to|the|of)\b)[\w'-]+ ){{0,3}}?[\w'-]+) (?:starts|begins|is due|is(?= on (?:the \d|mon|tues|wednes|thurs|fri|satur|sun|\d))|ends|is set|is booked|is scheduled|kicks off|opens|closes){_ON}(?=[^\n]{{0,120}}\b(?:I|I'm|my|we|our|me)\b)"
            ),
            (
                ("Jury duty starts Monday so I need an out-of-office", "Jury duty"),
                ("MOT is due on the 20th and my Fiesta's making a noise", "MOT"),
            ),
            (
                "The match starts Monday.",
                "It starts Monday so I need help",
                "Spring starts in March",
            ),
        ),
        EVENT.worded(
            clause(
                rf"(?:my|our) {_GONE}(?P<o>(?:[\w'-]+ ){{1,3}}?(?:sits?|takes?|starts?|has|have|plays?|performs?|runs?|defends?|presents?|opens?|hosts?) (?:the |an? |their |his |her |my |our )?(?:[\w'-]+ ){{0,3}}?(?:{EVENT_WORDS})s?){_ON}"
            ),
            (
                (
                    "Our grade 12s sit the Cambridge exam on 6 May and I'm behind",
                    "grade 12s sit the Cambridge exam",
                ),
            ),
            ("Our teacher has a test.", "Her class sits the exam on 6 May"),
        ),
        EVENT.worded(
            clause(
                rf"(?:I'm|we're|I|we) {_GONE}(?P<o>(?:entering|enter|exhibiting|exhibit|showing|competing|compete|playing|play|racing|race|performing|perform|singing|sing|reading|speaking|speak|presenting|present|launching|launch|moving|move|closing|opening|open|releasing|release|publishing|publish|submitting|submit|shipping|ship|interviewing|interview|sitting|sit|retaking|retake|resitting) (?:(?:the|an?|my|our|at|in|for|into|with|to|out of|on|house|flat) )*[^\n,.;:!?()]{{2,50}}?){_ON}"
            ),
            (
                (
                    "I'm entering the Ravenscroft open studio in June with seven prints",
                    "entering the Ravenscroft open studio",
                ),
            ),
            (
                "I'm opening it in May.",
                "He is entering the open studio in June",
                "I'm playing with this",
            ),
        ),
    ),
)
