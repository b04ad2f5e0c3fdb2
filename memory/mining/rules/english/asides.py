"""Who somebody is, told aside or in other words: "I'm Aleksandra on paper", "Born and bred in Tbilisi",
"in a former life I was a locksmith"."""

from dataclasses import replace

from memory.mining.rules.english.classes import KIN_WORDS, NOT_MINE, TONGUE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import (
    EMPLOYER,
    HOME,
    LIVED,
    NAME,
    NICKNAME,
    OCCUPATION,
    ORIGIN,
    RELATION,
    SPEAKS,
    WAS,
    WORKED,
    Template,
)

_SPEAKS = replace(SPEAKS, shape="tongue")
_SIGNS = replace(SPEAKS, confidence=0.75)
_EMPLOYER = replace(EMPLOYER, shape="phrase", confidence=0.8)
_LEFT = replace(WORKED, shape="deed", confidence=0.8)
_HOME = replace(HOME, confidence=0.8)
_WAS = replace(WAS, confidence=0.75)
_NATION = Template("identity", "nationality_{slug}", "has_nationality", "The user is {object}.", many=True)
_FRIEND = replace(RELATION, confidence=0.8)
_NAME = replace(NAME, confidence=0.8)
_JOB = replace(OCCUPATION, confidence=0.8)

_STOP = r"(?=$|[,.;:!?()]| (?:and|but|so|because|since|which|who|where|though|while|for|over|on|in|near|until|till|as|these|now|if)\b)"
_SOME = r"(?:a (?:little|bit of|smattering of) |some |basic |conversational |rusty )?"
_HI = r"(?:(?:hi|hello|hey|hiya|greetings|good (?:morning|evening|afternoon))(?: there| all| everyone| everybody)?[^\w\n]{1,6})"
_MET = r"(?:nice|pleased|good|lovely|glad|great|happy|delighted) to"
_MONTH = r"(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)"
_UNNAMED = r"(?!(?:it|this|that|them|me|myself|someone|somebody|nobody|anyone|you|one|people|kids|children|the (?:elderly|public|kids|children|same|best|wrong|thing))\b)"
_BEEN = r"an? (?!(?:bit|lot|few|while|year|month|week|day|long|kid|child|baby|little|mess|wreck|fan|cat|dog|king|queen|pirate|witch|different|big|huge|better|second|third|bunch|couple|good|great|bad|new)\b)"
_TITLE = r"(?:(?:deputy|assistant|acting|vice|associate|interim|joint) (?:head(?:teacher| teacher)?|principal|director|manager|editor|dean|captain|chair|chief|secretary|treasurer|conductor|stage manager|ward manager)|head (?:chef|gardener|nurse|coach|teacher|keeper|brewer|waiter|porter|librarian)|headteacher|headmaster|headmistress|station master|shop steward|duty manager)"

RULES = (
    _SPEAKS.worded(
        sentence(
            rf"<after>(?:I'm|I|we|we're) (?:(?:fluent|native|at home) in|speak|know|understand|read|grew up with) [^\n,.;:!?]{{3,40}}?,? (?:and|but|plus) (?:I )?(?:can )?(?:also |just about |almost |sort of )*(?:get by|hold a conversation|hold my own|make myself understood|muddle through) in (?P<o>{TONGUE}(?:(?:,| and|, and) {TONGUE})*)"
        ),
        (("I'm fluent in Catalan and can get by in Tagalog", "Tagalog"),),
        (
            "She's fluent in Catalan and can get by in Tagalog",
            "Can I get by in English in Rome?",
            "If I speak French and get by in Dutch, will I cope?",
        ),
    ),
    _SIGNS.worded(
        clause(
            rf"(?:I|we) (?:also )?(?:know|speak|understand) (?P<o>{_SOME}(?:{TONGUE})(?:(?:,| and|, and| plus) {_SOME}(?:{TONGUE}|(?:\w+ )?sign language))*)(?=$|[,.;!]| (?:but|so|well|from|since|too|because|though)\b)"
        ),
        (("I know Urdu and a little sign language", "Urdu|sign language"),),
        (
            "I know Spanish people.",
            "She knows Urdu and sign language",
            "Do I know Urdu?",
            "If I know Urdu, is Hindi easy?",
        ),
    ),
    _EMPLOYER.worded(
        clause(
            rf"(?:(?:I'm|I am|I've been) (?:now )?employed (?:by|at|with)|my (?:day )?job(?:'s| is) with) (?:an? (?:outfit|firm|company|place|charity|start-?up|business) (?:named|called) )?{_UNNAMED}(?P<o>(?:the |an? )?[^\n,.;:!?()\"]{{3,50}}?){_STOP}"
        ),
        (
            ("I'm employed by the water board, over in billing", "the water board"),
            ("I'm employed by an outfit named Ocado, maybe you know it", "Ocado"),
            ("my job's with the national railway, on the signals", "the national railway"),
        ),
        (
            "She's employed by the water board",
            "I'm employed by someone else",
            "Is my job with the railway safe?",
        ),
    ),
    _JOB.worded(
        clause(rf"I'm (?:the |an? )?(?P<o>{_TITLE})(?= (?:at|of|for|in|on) )"),
        (("I'm deputy head at a primary school in Dundee.", "deputy head"),),
        ("He's deputy head at a school", "Am I deputy head of it?", "I'm head over heels"),
    ),
    _WAS.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:speaking as|as|coming from|from|I'm) (?:an? )(?:former|one-time|onetime|erstwhile|lapsed|ex-) ?(?P<o>(?!(?:president|king|wife|husband|partner|friend|life|owner|version)\b)[a-z][\w' -]{{3,40}}?)(?=, (?:I|my|that|this|the|we|it|can|could|what|how|do)\b|[.!]|$| and (?:I|my)\b)"
        ),
        (
            (
                "Speaking as a former air traffic controller, that timeline makes no sense.",
                "air traffic controller",
            ),
        ),
        (
            "As a former nurse, she knows it.",
            "He's a former nurse.",
            "Write a poem: I'm a former nurse.",
        ),
    ),
    _WAS.worded(
        sentence(
            rf"{NOT_MINE}<after>in (?:a|my|another) (?:former|previous|earlier) (?:life|career),? I (?:was|worked as) (?P<o>{_BEEN}[a-z][\w' -]{{2,40}}?){_STOP}"
        ),
        (("in a former life I was a locksmith, and after that a croupier", "a locksmith"),),
        (
            "In a former life he was a cook.",
            "In a former life I was a cat",
            "Was I a cook in a former life?",
        ),
    ),
    _WAS.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:in (?:a|my) (?:former|previous) life,? )?(?:I|we) (?:was|used to be|worked as|started out as) an? [^\n.;:!?]{{3,50}}?,? (?:and|but) (?:before|after) that (?:I was |as )?(?P<o>{_BEEN}[a-z][\w' -]{{2,30}}?)(?=$|[,.;!])"
        ),
        (
            ("I used to be a postman for years and before that a shepherd", "a shepherd"),
            ("I was a locksmith, and after that a croupier", "a croupier"),
        ),
        (
            "She used to be a postman and before that a shepherd",
            "I was a bit ill and after that a bit better",
            "Was I a cook and before that a waiter?",
        ),
    ),
    _LEFT.worded(
        clause(
            r"(?:I|we) (?:don't|no longer) work (?:at|for|in) (?P<o>(?:the|an?|my) [\w' -]{3,40}?) (?:any ?more|any longer)(?![\w-])"
        ),
        (("I don't work at the shipyard anymore, they laid us off", "the shipyard"),),
        (
            "I don't work at the shipyard.",
            "She doesn't work at the shipyard anymore",
            "What if I don't work at the shipyard anymore?",
        ),
    ),
    _NATION.worded(
        clause(
            r"(?:I|we) (?:hold|have|carry|own|travel on) (?:two|three|both|dual) passports?[,:]? (?:an? |one )?(?P<o>(?-i:[A-Z])[a-z]+(?:,? and (?-i:[A-Z])[a-z]+)?)(?: ones?)?(?=(?: one)?,? and (?:an? |one )(?-i:[A-Z])|$|[,.;!])"
        ),
        (("I hold two passports, a Chilean and a Maltese one", "Chilean"),),
        ("She holds two passports, a Chilean and a Maltese one", "I have two passports"),
    ),
    _NATION.worded(
        clause(
            r"(?:I|we) (?:hold|have|carry|own|travel on) (?:two|three|both|dual) passports?[,:]? (?:an? |one )?(?-i:[A-Z])[a-z]+(?: one)?,? and (?:an? |one )(?P<o>(?-i:[A-Z])[a-z]+)(?: ones?)?(?=$|[,.;!])"
        ),
        (("I hold two passports, a Chilean and a Maltese one", "Maltese"),),
        ("She holds two passports, a Chilean and a Maltese one", "I have two passports"),
    ),
    _NAME.worded(
        sentence(
            rf"{NOT_MINE}<after>I'm (?P<o>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?) (?:on paper|on my passport|in my passport|on my birth certificate)(?=$|[,.;]| (?:and|but)\b)"
        ),
        (("I'm Aleksandra on paper, though all my friends say Ola", "Aleksandra"),),
        ("She's Aleksandra on paper", "Am I Aleksandra on paper?", "I'm fine on paper"),
    ),
    NICKNAME.worded(
        sentence(
            r"<after>I'm (?-i:[A-Z])[\w'-]+ on paper,? (?:but|though|and|although) (?:all |most of )?(?:my )?(?:friends|family|everyone|everybody|people|colleagues|mates)(?: all)? (?:say|know me as|call me|use) <name>(?=$|[,.;!])"
        ),
        (("I'm Aleksandra on paper, though all my friends say Ola", "Ola"),),
        ("She's Ola on paper, but friends say Ala", "Do my friends say Ola?"),
    ),
    _NAME.worded(
        sentence(
            r"<after>full name(?:'s| is|:)? (?P<o>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+){0,2}),? (?:but|though) (?=[^\n]*\bI'm\b)"
        ),
        (
            (
                "Full name Bartholomew, but to everyone at the club I'm Barty",
                "Bartholomew",
            ),
        ),
        ("Her full name Ann, but she's tall.", "Full name Bob, but who cares"),
    ),
    NICKNAME.worded(
        sentence(
            r"<after>(?:but |and |though )?to (?:everyone|everybody|(?:my )?(?:friends|mates|family|colleagues)|most people)(?: (?:at|in|on) (?:the|my) \w+)?,? I'm <name>(?=$|[,.;!])"
        ),
        (("Full name Bartholomew, but to everyone at the club I'm Barty", "Barty"),),
        ("To everyone I'm boring.", "To friends he's Barty"),
    ),
    _NAME.worded(
        sentence(rf"(?:{_HI}|(?=[^\n]{{2,60}}, (?:and (?:no|yes)|{_MET})\b))the name is <name>(?=$|[,.;!])"),
        (
            ("The name is Zebedee, and no, it's not a nickname", "Zebedee"),
            ("hello :) the name's Yusra, glad to be chatting", "Yusra"),
        ),
        ("The name is too long.", "The name is Photosynth.", "Is the name Bob?"),
    ),
    _NAME.worded(
        sentence(rf"{_HI}?(?P<o>(?-i:[A-Z])[\w'-]+) here,? (?:and )?{_MET}\b"),
        (("hey there, Dmitri here, pleased to meet you!", "Dmitri"),),
        ("Over here, nice to see.", "hey, the dog here, nice to pet"),
    ),
    _FRIEND.worded(
        clause(
            rf"my (?:\w+ )?(?P<r>{KIN_WORDS}) (?:goes by|answers to|is better known as) <name>(?=$|[,.;!]| and\b)"
        ),
        (("my daughter goes by Wren and she's off to uni", "Wren"),),
        ("Her daughter goes by Wren", "My daughter goes by train", "Does my son go by Al?"),
    ),
    _FRIEND.worded(
        sentence(
            rf"{NOT_MINE}(?P<o>(?-i:[A-Z])[\w'-]+), (?:(?:an?|my) )(?:(?:very|good|old|close|dear|great|former|best) )*(?P<r>friend|mate|roommate|flatmate|housemate|colleague|neighbour|neighbor|classmate)(?: of mine| from (?:my|our|school|uni|university|college|work|back home)[^\n,.;]{{0,30}}),"
        ),
        (("Oluwaseun, a good friend from my army days, is opening a bar", "Oluwaseun"),),
        ("Bob, a good friend of Alice, is late.", "Tom, a friend, left", "Yesterday, a friend, Al"),
    ),
    ORIGIN.worded(
        sentence(
            rf"{NOT_MINE}(?![^\n]*\b(?:she|her|his)\b)<after>born and (?:bred|raised) in (?=(?-i:[A-Z])){_MONTH}(?=[^\n]*\b(?:I|I'm|I've|my|me|home)\b)<place>"
        ),
        (("Born and bred in Tbilisi, though Toronto's been home since 2012", "Tbilisi"),),
        ("Born and bred in Tbilisi, she left.", "He was born and bred in Rome."),
    ),
    ORIGIN.worded(
        sentence(
            r"<after>the (?:town|city|village|place|island|country) (?:that )?(?:I|we) (?:come|hail|am) from(?: originally)? is (?:called |a \w+ called )?<place>"
        ),
        (("The town I come from is Tromsø, not that I've been back", "Tromsø"),),
        ("The town he comes from is Tromsø", "The town I come from is small"),
    ),
    _HOME.worded(
        sentence(
            rf"<after>(?:(?:I|we) (?:hail|come|am)|I'm|we're)(?: originally)? from [^\n,.;]{{2,30}}?,? (?:but|and|though) (?:I |we )?(?:have|'ve|I've|we've) (?:been|lived|been living|been based) in (?!a\b){_MONTH}<place>(?<=\w)"
        ),
        (("I hail from Aberystwyth but have been in Perth for nine years now", "Perth"),),
        (
            "She hails from Rome but has been in Perth for years",
            "I'm from Rome but have been in pain for years",
        ),
    ),
    _HOME.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:though |but |and )?(?=(?-i:[A-Z])){_MONTH}(?P<o>(?!I\b|My\b|The\b|It\b|This\b|He\b|She\b|That\b)[\w'-]+?(?: (?-i:[A-Z])[\w-]+)?)(?:'s| has) been (?:my |our )?home (?:since|for (?:\w+ )?(?:years|decades|months)|now)"
        ),
        (("Born and bred in Tbilisi, though Toronto's been home since 2012", "Toronto"),),
        (
            "It's been home since May.",
            "Her Rome has been home since May",
            "He's been home since noon",
        ),
    ),
    _HOME.worded(
        sentence(
            r"<after>(?:until|till|up to) then,? (?:I'm|we're|I|we) (?:still )?(?:based |living |live )?in (?!(?:January|February|March|April|May|June|July|August)\b)(?=(?-i:[A-Z]))(?![^\n]*\b(?:holiday|visiting|hotel|meeting|conference)\b)<place>"
        ),
        (("We relocate to Turin in November; until then we're in Dundee", "Dundee"),),
        (
            "Until then she's in Dundee",
            "Until then we're in limbo",
            "Until then I'm in Rome on holiday",
        ),
    ),
    _HOME.worded(
        clause(
            r"(?:I'm|we're) (?:(?:out|way out|up|down|deep) )?in the (?:sticks|countryside|middle of nowhere|woods|suburbs|boonies|backwoods|hills) (?:close to|near|outside(?: of)?|not far from) (?=(?-i:[A-Z]))<place>"
        ),
        (("We're out in the sticks close to Viljandi, the internet is bad", "Viljandi"),),
        ("They're in the sticks near Viljandi", "Are we in the woods near Rome?"),
    ),
    LIVED.worded(
        sentence(
            rf"{NOT_MINE}(?=(?-i:[A-Z])){_MONTH}(?P<o>(?!I\b|My\b|The\b|It\b|This\b|He\b|She\b|That\b)[\w'-]+(?: (?-i:[A-Z])[\w-]+)?) was (?:my |our )?home for (?:an? |\w+ |nearly |about )*(?:decades?|years?)(?=[^\n]*\b(?:I|we|my|our)\b)"
        ),
        (("Antwerp was home for a decade until I came back north", "Antwerp"),),
        ("It was home for a decade until I left", "Antwerp was home for years to her"),
    ),
)
