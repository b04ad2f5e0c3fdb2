"""What the user can do: languages, instruments, trades and papers that prove it."""

from memory.mining.rules.english.grammar import clause
from memory.mining.rules.table import Rule

_LEVEL = r"(?:(?:fluent|fluently|some|a little|a bit of|a little bit of|basic|conversational|decent|good|near-native|native|passable|broken|enough|passable|intermediate|advanced|perfect|both|rusty|okay|ok) )*"
_CAN = r"(?:juggle|cook|code|weld|sew|knit|crochet|drive (?:a|stick|manual|trucks?)|ride (?:a|horses|motorbikes)|fly (?:a|planes|helicopters)|swim|read (?:music|sheet music|hieroglyphs|cyrillic|braille|latin|arabic|hangul|kanji|sanskrit)|touch[- ]type|type \d|sing|dance|ski|snowboard|surf|sail|skate|paint|draw|bake|whistle|solder|lip[- ]read|beatbox|moonwalk|do (?:an? |the )?(?:handstands?|splits|backflips?|cartwheels?|magic tricks?|card tricks?|sudokus?|calligraphy|pull-?ups?|\d+ (?:push|pull)[- ]?ups)|bench|deadlift|hold my breath|recite|solve (?:a|the) rubik|speak (?-i:[A-Z])|sign\b(?! (?:up|in|off|the|this))|write (?:in )?(?:cursive|shorthand|calligraphy|(?-i:[A-Z]))|unicycle|scuba dive|make (?:my own|bread|pasta|sushi|cheese|wine|furniture|clothes)|fold|carve|milk|shear|hunt|fish\b|lay bricks|play (?:the |chess|guitar|piano|poker|drums))"

RULES = (
    Rule(
        kind="skill",
        key="speaks_{slug}",
        predicate="speaks",
        statement="The user speaks {object}.",
        many=True,
        confidence=0.9,
        shape="tongue",
        pattern=clause(
            rf"(?:<I>(?:can )?(?:also )?(?:speak|am fluent in|get by in|grew up speaking) {_LEVEL}(?:in )?(?!sarcasm)|I can get by in {_LEVEL}|<I'm>(?:completely |fully |quite |pretty |also |a |bilingual |trilingual )*(?:fluent in|conversational in|native in|bilingual(?:,| in| -|:)?|trilingual(?:,| in|:)?|a native speaker of|proficient in|native (?=[A-Z]\w+ speaker)|a native ) {{0,1}}{_LEVEL}|<my>(?:native language|mother tongue|first language|second language)s? (?:is|are) |<my>languages (?:are|include) |languages: |I grew up (?:bilingual|speaking) (?:with |in )?{_LEVEL}|I was raised (?:bilingual|speaking) (?:in )?)<list>"
        ),
        yes=(
            ("I speak German and some French.", "German|French"),
            ("I'm fluent in Swahili", "Swahili"),
            ("I speak Portuguese and a bit of Wolof", "Portuguese|Wolof"),
        ),
        no=("I don't speak French.", "I speak too fast.", "Can I speak German there?"),
    ),
    Rule(
        kind="skill",
        key="level_of_{slug}",
        predicate="speaks",
        statement="The user speaks {object}.",
        confidence=0.8,
        shape="tongue",
        pattern=clause(
            r"<my>(?:spoken |written )?(?P<o>[A-Z][a-z]+)(?= (?:is|isn't) (?:about |around |roughly |only |at |pretty |quite |fairly |a bit |very |somewhere |decent|fluent|rusty|basic|good|okay|ok|near|native|conversational|passable|terrible|bad|intermediate|advanced|[ABCN]\d))"
        ),
        yes=(("My Japanese is roughly N3 level", "Japanese"), ("my Spanish is rusty", "Spanish")),
        no=("My Japanese teacher is ill", "His French is good"),
    ),
    Rule(
        kind="skill",
        key="plays_{slug}",
        predicate="plays",
        statement="The user plays {object}.",
        many=True,
        pattern=clause(
            r"(?!we can\b)(?:<I>(?:can |also |have )?(?:play|(?:played|am playing)(?= [^\n]{2,50} (?:for|since)\b(?! (?:fun|hours?|a (?:while|bit|few)|the first)\b))|learned to play)|(?:I've|we've) (?:been playing|played)|<I'm>(?:learning to play|able to play)|I took up|I know how to play) (?![\w ]{2,40} (?:before|once|twice|a few times|a couple of times)\b)(?!\d|my\b|our\b|an?\b|all\b|together\b|one\b|two\b|casually|things\b|lots?\b|catch|with\b|around\b|a role\b|it\b|this\b|that\b|devil|any\b|for\b|games\b|down\b|along\b|some\b|on\b|in\b|to\b|the game\b|a (?:character|paladin|wizard|rogue)|the (?:role|part|lottery|victim|long))(?:the |a |some )?(?P<o>(?:[^\n.;:!?()\",]|, (?=[\w ]{2,20}(?:,| and))){2,60}?)(?= (?:in|at|with|on|every|for|since|when|as)\b|, (?:badly|terribly|poorly|mostly|but|not)|$|[,.;!?()])"
        ),
        yes=(
            ("I play the cello.", "cello"),
            ("I play chess and tennis", "chess|tennis"),
            ("i play the cello, badly", "cello"),
            ("I've been playing the drums for ten years", "drums"),
        ),
        no=(
            "I play with my kids.",
            "He plays the piano.",
            "I've played volleyball before",
            "We can play tennis",
        ),
    ),
    Rule(
        kind="skill",
        key="certified_{slug}",
        predicate="is_certified_as",
        statement="The user is a certified {object}.",
        confidence=0.85,
        pattern=clause(
            r"(?:<I'm>(?:also )?(?:an? )?(?:\w+[- ])?(?:certified|licensed|qualified|registered|trained|accredited|chartered) (?:as (?:an? )?|in |to )?|I got (?:certified|licensed|qualified) (?:as (?:an? )?|in |to )|I qualified as (?:an? )?)<o>"
        ),
        yes=(("I'm a certified diving instructor.", "diving instructor"),),
        no=("I'm not a licensed pilot.",),
    ),
    Rule(
        kind="skill",
        key="has_{slug}",
        predicate="has_qualification",
        statement="The user has {object}.",
        confidence=0.85,
        pattern=clause(
            r"(?:<have>|(?:I|we|I've|we've) (?:got|hold|earned|passed|completed|finally got|obtained|received|been awarded) )(?!(?:an? |some )?(?:new |valid |questions?|problems?|good )\b)(?P<o>(?:(?:an?|my|the|two) )?(?:[\w'-]+ ){0,5}?(?:black belt|brown belt|licen[cs]es?|certificates?|certifications?|diploma|permit|driving test|CCNA|CPA|PMP|TEFL|IELTS|first aid (?:certificate|training)|badge|grade \d \w+)(?: (?:in|for|as|from) [^\n,.;:!?()]{2,50})?)(?![\w-])(?! (?:ready|here|attached|with me|to hand))"
        ),
        yes=(
            ("I got my forklift licence last year", "my forklift licence"),
            ("I have a black belt in judo", "a black belt in judo"),
        ),
        no=("I lost my licence.", "I have a question about licences"),
    ),
    Rule(
        kind="skill",
        key="skill_{slug}",
        predicate="is_skilled_in",
        statement="The user is good at {object}.",
        confidence=0.75,
        many=True,
        pattern=clause(
            r"(?:<I'm>(?:also )?(?:very |pretty |quite |really |rather |fairly |actually |surprisingly |reasonably |extremely |highly |super |not bad |well )*(?:good at|great at|decent at|excellent at|brilliant at|skilled (?:in|at|with)|experienced (?:in|with|at)|proficient (?:in|with|at)|competent (?:in|with|at)|handy with|an? (?:expert|pro|wizard|whiz|ace) (?:in|on|at|with)|adept at|well[- ]versed in|trained in|self-taught in|versed in|not bad at|fluent in)"
            r"|<have>(?:an? )?(?:\d+|many|several|a few|a couple of|some|[a-z]+|\d+\+?) years(?:'|’)?(?: worth)? (?:of )?(?:\w+ )?experience (?:in|with|of|doing|as an?)|<have>(?:an? )?(?:lots of|a lot of|extensive|plenty of|some|solid|good) (?:experience|background) (?:in|with)"
            r"|<have>(?:an? )?(?:strong |solid |good )?background in|I taught myself(?: how)?(?: to)?|<my>(?:strongest|best) (?:skill|language|suit) is|I've been (?:coding|programming) in|I used to be (?:really |very )?good at) (?!it\b|this\b|that\b|sarcasm|nonsense|procrastinat|overthinking|being (?:lazy|late|wrong)|napping|sleeping|nothing|making (?:bad|poor))(?P<o>[^\n.;:!?()\"]{2,80}?)(?= (?:during|in|when|last|over|from|back|at|since|for|by watching|as a) |$|[.;:!?()\"])"
        ),
        yes=(
            ("I'm proficient in Rust.", "Rust"),
            ("I taught myself Blender during lockdown", "Blender"),
            ("I have ten years of experience in logistics", "logistics"),
        ),
        no=("I don't know how to weld.", "I'm not good at maths.", "I'm good at it"),
    ),
    Rule(
        kind="skill",
        key="can_{slug}",
        predicate="can",
        statement="The user can {object}.",
        confidence=0.75,
        pattern=clause(
            rf"(?:(?:I|we) (?:can|could always|know how to|am able to)|<I'm>able to|I know how to) (?P<o>(?:{_CAN})(?: [^\n,.;:!?()\"]{{1,60}})?)(?<! it)(?<! this)(?<! that)(?<! with you)"
        ),
        yes=(
            ("I know how to weld", "weld"),
            ("I can juggle five balls, which has never once been useful", "juggle five balls"),
        ),
        no=("Can I juggle?", "I can see that", "I can't swim"),
    ),
    Rule(
        kind="skill",
        key="skill_{slug}",
        predicate="is_skilled_in",
        statement="The user knows {object}.",
        confidence=0.75,
        many=True,
        pattern=clause(
            r"(?:I|we) (?:already )?know (?:some |a bit of |a little |basic |enough )?(?=(?:python|java|javascript|typescript|sql|c\+\+|c#|rust|go|excel|html|css|latex|morse|sign language|photoshop|blender|matlab|php|ruby|kotlin|swift|haskell|r|bash|docker|figma|autocad|first aid|shorthand|calligraphy|karate|judo)\b)<list>"
        ),
        yes=(("I know Python and SQL", "Python|SQL"),),
        no=("I know that song", "I don't know Python"),
    ),
)
