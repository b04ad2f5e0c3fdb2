"""What somebody can do and does for pleasure, told by a level, an instrument or a pastime alone."""

from dataclasses import replace

from memory.mining.rules.english.classes import FRESH, INSTRUMENT, NOT_MINE, TONGUE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import CAN, HABIT, LIKES, PLAYS, SPEAKS, Template

_TONGUE = replace(SPEAKS, many=False, shape="tongue", confidence=0.75)
_SPEAKS = replace(SPEAKS, many=False, confidence=0.75)
_PLAYS = replace(PLAYS, many=False, confidence=0.75)
_HABIT = replace(HABIT, shape="deed")
_LIKES = replace(LIKES, many=False, confidence=0.75)
_CAN = replace(CAN, confidence=0.75)
_GOOD_AT = replace(_CAN, statement="The user is good {r} {object}.")
_PASSED = Template("skill", "passed_{slug}", "has_passed", "The user has passed: {object}.", confidence=0.75)
_LEVEL = r"(?:native|fluent|near-native|intermediate|upper[- ]intermediate|advanced|beginner|conversational|rusty|basic|decent|passable|broken|bad|terrible|[abc][12]|(?:jlpt )?n[1-5]|hsk ?\d)"
_SPORT = r"(?:running|swimming|climbing|bouldering|cycling|rowing|sailing|surfing|skiing|snowboarding|skating|fencing|judo|karate|taekwondo|boxing|kickboxing|rugby|football|netball|hockey|cricket|tennis|squash|badminton|volleyball|basketball|baseball|softball|handball|lacrosse|roller derby|ultimate|golf|bowls|darts|snooker|curling|archery|gymnastics|powerlifting|weightlifting|crossfit|parkour|orienteering|triathlon|hiking|kayaking|canoeing|paddleboarding|scuba diving|diving|freediving|horse riding|dressage|showjumping|ballet|salsa|tango|swing|lindy hop|ceilidh|morris dancing|line dancing|yoga|pilates|chess|bridge|poker|scrabble|d&d|warhammer|magic|larping|cosplay|knitting|crochet|quilting|sewing|embroidery|cross[- ]stitch|pottery|ceramics|woodturning|woodwork|carpentry|whittling|blacksmithing|welding|leatherwork|bookbinding|calligraphy|watercolou?rs?|oil painting|life drawing|linocut|printmaking|photography|birding|birdwatching|bird ringing|astronomy|stargazing|gardening|allotmenteering|beekeeping|homebrewing|brewing|baking|sourdough|foraging|fishing|fly[- ]fishing|angling|geocaching|metal detecting|model railways|trainspotting|stamp collecting|stand-?up|improv|am[- ]dram|choir|karaoke|bellringing|bell ringing|refereeing|umpiring|coaching|speedrunning|genealogy)"
# Who sells an instrument may never have played it, and a computer's keyboard is none.
_KEPT = r"(?![^\n]*\b(?:sell|selling|sold|list|listing|craigslist|ebay|donat\w+|get(?:ting)? rid|giv\w+ away|auction\w*|wireless|bluetooth|mechanical|mouse|laptop)\b)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_FOR_LONG = r"(?:for (?:about |over |nearly |almost |maybe )?(?:\w+ )?(?:years|months|decades)|since (?!(?:then|that|this|yesterday|breakfast|lunch|noon|midnight|\d{1,2} ?[ap]m)\b)[\w' ]{2,20}|every (?:\w+day|week|weekend|morning|night|evening|day)|most (?:weekends|days|evenings|mornings|nights)|on (?:weekends|\w+days)|at weekends)"

RULES = (
    _TONGUE.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:(?:with|have|my|some|in|got|about) )*{_LEVEL} (?P<o>{TONGUE})(?=$|[,.;!()]| (?:and|but|so|since|at best|only|learner|here|level|please)\b)(?! (?:version|translation|text))"
        ),
        (("Give me vocab drills, intermediate Welsh, passed last June", "Welsh"),),
        ("Is this basic French?", "Her French, intermediate French", "write it in basic English"),
    ),
    _SPEAKS.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?P<o>{TONGUE})(?: is)? (?:to|at|up to|about|around) (?:about |around )?(?:jlpt |hsk |level |an? )*(?:[abc][12]|n[1-5]|hsk ?\d|\d|fluent|intermediate|conversational|near-native|native)\b"
        ),
        (("Mandarin to HSK 4, that was the pandemic's one gift", "Mandarin"),),
        ("Translate the Mandarin to B2", "Is Mandarin at B1?", "his Mandarin to HSK 4"),
    ),
    _SPEAKS.worded(
        sentence(
            rf"<after>(?P<o>{TONGUE})(?:'s| is| was) (?:my|our) (?:\w+ )?(?:mother tongue|first language|native language|native tongue|second language|home language|third language)"
        ),
        (("Spanish is my mother tongue, English I learned later", "Spanish"),),
        ("Is Spanish my first language?", "Spanish is her mother tongue"),
    ),
    _SPEAKS.worded(
        sentence(
            rf"<after>(?P<o>{TONGUE}) I (?:learned|learnt|picked up|studied|speak|know|taught myself)\b"
        ),
        (("Spanish is my mother tongue, English I learned at 30", "English"),),
        ("English I never learned.", "the English I love"),
    ),
    _PASSED.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:(?:got|have|passed|did|hold|just) )*(?:my )?(?P<o>grade (?:\d|one|two|three|four|five|six|seven|eight) (?:in )?(?:the )?(?:{INSTRUMENT}|singing|theory|voice))(?![\w-])(?! (?:piece|student|exam pieces|syllabus|book))"
        ),
        (("Grade 8 viola came through with merit this morning", "Grade 8 viola"),),
        ("A grade 8 viola piece.", "Her grade 8 viola is done", "Is grade 8 viola hard?"),
    ),
    _PASSED.worded(
        clause(
            r"(?:I|I've|I have) (?:just |only |finally |recently )?(?:passed|cleared|aced|scraped through|qualified in|got certified in|am certified in|hold|completed) (?:my |the |an? )?(?P<o>(?!(?:it|this|that|out|away|by|through|on|them|test|time|up|the|a)\b)[^\n,.;:!?()]{2,50}?)(?= (?:with (?:a )?(?:distinction|merit|honours|flying)|last (?:\w+)|in (?:19|20)\d\d|first time|at \d\d|on my (?:first|second|third))\b)"
        ),
        (("passed Canolradd with distinction last June", "Canolradd"),),
        ("I passed out last June.", "She passed Canolradd last June", "I passed it last week"),
    ),
    _PLAYS.worded(
        sentence(
            rf"{NOT_MINE}{_KEPT}(?:[^\n.;!?]{{0,100}}[ (])?(?:my|our) (?:(?!(?:daughter|son|wife|husband|sister|brother|mother|father|mum|dad|kid|friend|teacher|neighbour|neighbor|partner|child|pupil|student)s?(?:'s)? )[\w'-]+ ){{0,2}}?(?P<o>{INSTRUMENT})(?: (?:teacher|lessons?|exam|practice|recital|tutor|solo|embouchure|bow|case|grade|tone|reed|strings|part|tuner))?(?= (?:is|keeps|won't|sounds|has|needs|and|at|for|teacher|lessons?|exam|practice|recital|in|on|solo|bow|reed|strings|to)\b|[,.;:!)]|$)"
        ),
        (
            ("My cello keeps going flat in winter", "cello"),
            ("the bow of my old viola is warped", "viola"),
        ),
        (
            "my daughter's cello",
            "Her cello is flat",
            "Is my cello flat?",
            "I'm thinking of listing my old keyboard on Craigslist",
        ),
    ),
    _PLAYS.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?P<o>{INSTRUMENT})(?: (?:player|teacher|student|learner|beginner)(?: here)?| (?:embouchure|fingering|reed|bowing|tuning) (?:question|help|problem)| for \w+ (?:years|months)|, \w+ (?:years|months) in)(?=$|[ ,.;:!?])"
        ),
        (("Trumpet embouchure question from someone with braces", "Trumpet"),),
        ("The trumpet player here is good", "Who is the best trumpet player?"),
    ),
    _LIKES.worded(
        sentence(
            r"<after>(?P<o>(?!(?:this|that|it|which|what|who|here|there|he|she|they|you|not)\b)(?:[\w'-]+ ){0,3}?[\w'-]+)(?:'s| is| are) (?:my|our) (?:(?:big|main|one|only|guilty|secret|favourite|new|true|first|great|sunday|saturday|friday|weekend|winter|summer|evening|morning|lockdown|after-work) )*(?:thing|jam|passion|hobby|hobbies|pleasure|weakness|vice|addiction|comfort (?:food|film|read)|happy place|obsession|first love|cup of tea|escape|therapy|religion|poison)(?=$|[,.;:!?)]| (?:and|but|so|since|these|now|because)\b)"
        ),
        (
            ("Ringing birds is my Sunday thing", "Ringing birds"),
            ("Crisps are my weakness so hide them", "Crisps"),
        ),
        ("This is my thing.", "Ringing birds is her thing", "Is jazz my thing?"),
    ),
    _HABIT.worded(
        clause(
            rf"(?:(?:I've|we've) been (?:\w+ly )?|I'm (?:usually |always |often )?|(?:I've|we've) (?:always |mostly )?)(?P<o>(?!(?:resting|working(?! (?:nights|from home|part|shifts|the (?:land|door)))|doing (?!my\b|yoga|pilates|crossfit|stand)|having|getting|trying|going|coming|talking|being|feeling|looking|thinking|wondering|wanting|meaning|waiting|feeling|told|using|seeing|struggling|working on|living|married|going through|dealing|avoiding|craving|debating|dreading|eyeing|finding|hearing|hoping|hunting|missing|noticing|planning|postponing|procrastinating|putting off|searching|suffering)\b)\w+ing (?:[^\n,.;:!?()]{{2,60}} )?{_FOR_LONG})(?![\w-])"
        ),
        (
            (
                "been rebuilding eurorack modules in the garage most weekends",
                "rebuilding eurorack modules in the garage most weekends",
            ),
            ("been baking for maybe three years", "baking for maybe three years"),
        ),
        (
            "She's been baking for years",
            "I've been feeling ill for years",
            "Been waiting for years",
            "That's the bike I've been missing for months",
            "I've been playing catch-up since then",
        ),
    ),
    _HABIT.worded(
        sentence(
            rf"{NOT_MINE}(?:(?:I|we) )?(?:[^\n,.;:!?()]{{0,40}} )?(?P<o>{_SPORT}(?: (?:practice|training|club|class|lessons|league|team|rehearsals?))?(?: (?:at|in|with|for) [^\n,.;:!?()]{{2,30}}?)?(?:,)? (?:(?:takes up|eats (?:up )?|is|are|on|twice|three times|once) (?:every|each|most|a week|per week|weekends|my weekends|{_DAY}s)|every (?:week|weekend|{_DAY}))[^\n,.;:!?()]{{0,30}})(?=[,.;:!?()]|$)"
        ),
        (
            (
                "Refereeing at county level takes up most weekends, hence the question",
                "Refereeing at county level takes up most weekends",
            ),
        ),
        (
            "The running is fun.",
            "Chess is fun",
            "Is yoga every day good?",
            "I'm planning to go for a jog on Saturday",
        ),
    ),
    _CAN.worded(
        clause(
            r"I can (?P<o>(?:type|sign|swim|ski|skate|juggle|knit|sew) (?:blind|fast|backwards|one-handed|without looking|underwater)(?: at [^\n,.;:!?()]{2,30})?|[a-z]+ (?:[^\n,.;:!?()]{2,40} )?(?:in my sleep|blindfolded|backwards|with my eyes (?:closed|shut)|a bit|by heart|by ear|from memory|at a push|well enough|fluently|like a pro))(?![\w-])"
        ),
        (
            ("i can cable in my sleep but colourwork defeats me", "cable in my sleep"),
            ("I can type blind at 90 words a minute", "type blind at 90 words a minute"),
        ),
        ("She can cable in her sleep", "Can I do it in my sleep?"),
    ),
    _GOOD_AT.worded(
        clause(
            r"I'm (?:also |quite |pretty |very |really |only )*(?:good|great|excellent|brilliant|decent|competent|comfortable|handy|not bad|skilled|experienced|proficient|strong|solid|confident) (?P<r>at|in|with(?! (?:the|an?|any)\b)) (?!(?:this|that|it|them|the moment|all|my|your|what|least|first)\b)(?P<o>[^\n,.;:!?()]{2,40}?)(?=$|[,.;:!?()]| (?:and|but|so|because|now)\b)"
        ),
        (
            ("I'm good at sketching, less so at paint", "sketching"),
            ("I'm good with people", "people"),
        ),
        (
            "I'm good at it.",
            "I'm comfortable with the driving distance",
            "She's good at chess",
            "Am I good at chess?",
        ),
    ),
    _CAN.worded(
        clause(
            r"in (?P<o>(?-i:[A-Z])[\w+#]+) I'm (?:quite |pretty |very |fairly )?(?:comfortable|fluent|good|fine|at home|confident|experienced|decent)"
        ),
        (("In Rust I'm comfortable, it's the lifetimes that lose me", "Rust"),),
        ("In Rust he's comfortable", "In Rust am I comfortable?"),
    ),
)
