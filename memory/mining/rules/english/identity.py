"""Who the user is: names, age, birthday, family status, faith and body."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.lexicon import FIRST_NAMES
from memory.mining.rules.table import Rule

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = (
    rf"(?:{_MONTHS} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{{2,4}})"
)

NAME = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.9,
        pattern=clause(
            r"(?:(?:my )?(?:full |first |real |given |legal )?name is(?: spelled)?|I'm called) <o>"
        ),
        yes=(
            ("My name is Anna Müller.", "Anna Müller"),
            ("Hi, my name's Lee and I need help.", "Lee"),
            ("my name is anna", "anna"),
            ("Name's Ptolemy, yes really", "Ptolemy"),
        ),
        no=(
            "What is my name?",
            "My name is hard to spell.",
            "If my name is Bob, what rhymes with it?",
            "My name is not Bob.",
            "My dog's name is Rex.",
            "Name five rivers in France.",
        ),
    ),
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.8,
        pattern=sentence(
            r"(?:(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: there| all)?[,!.]? (?:and )?)?"
            r"(?:(?<=\w[,!. ] )|(?<=\w )|(?=I'm [^,]{2,40}, (?:nice|pleased|good|glad) to)|(?=I'm [A-Z]\w+ from ))(?:I'm |this is |it's )(?!so |very |the |an? )<o>"
        ),
        yes=(
            ("Hi, I'm Priya and I just moved.", "Priya"),
            ("Hello, this is Jonas", "Jonas"),
            ("hi! im Marta, nice to meet you :)", "Marta"),
        ),
        no=("Hi, I'm looking for advice.", "Hi, I'm so tired", "I'm Batman's biggest fan."),
    ),
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.8,
        only=FIRST_NAMES,
        pattern=clause(
            r"I'm (?P<o>(?-i:[^\W\d_a-z][\w'-]+)(?: (?-i:[^\W\d_a-z][\w'-]+)){1,2})(?=[,.!]|$| and I\b)"
        ),
        yes=(
            ("I'm Nora Keller, I'm a physiotherapist.", "Nora Keller"),
            ("I've kept my name: I'm still Nora Keller.", "Nora Keller"),
        ),
        no=(
            "I'm Nora's sister.",
            "I'm Deeply Sorry.",
            "I'm Anna Karenina's biggest fan.",
            "I'm Nora.",
        ),
    ),
    Rule(
        kind="identity",
        key="{r}",
        predicate="{r}",
        statement="The user's {r} is {object}.",
        shape="name",
        confidence=0.9,
        pattern=clause(
            r"my (?P<r>surname|(?:last|family|middle|maiden|married|birth|pen|stage) name)(?: is|:| used to be)(?: spelled| spelt| written)? <o>"
        ),
        yes=(("my surname is spelled Ó Súilleabháin, with both accents", "Ó Súilleabháin"),),
        no=("What's my surname?", "Her maiden name is Blum."),
    ),
    Rule(
        kind="identity",
        key="nickname",
        predicate="nickname",
        statement="The user likes to be called {object}.",
        shape="name",
        confidence=0.9,
        pattern=clause(
            r"(?:(?:please |do |and |so |but |you can |you may |feel free to )*call me |(?:everyone|everybody|people|folks(?: here)?|my friends|friends|most people|they|my family|colleagues|my \w+) (?:all |mostly |usually )?calls? me "
            r"|(?:folks|people|everyone|friends)(?: here| around here)? know me as |<I>go by |<I'm>(?:known as|better known as|called) |my nickname is |<I>prefer (?:to be called|being called|going by) )<o>"
        ),
        yes=(
            ("Please call me Al.", "Al"),
            ("Call me Ishmael", "Ishmael"),
            ("I go by Sam.", "Sam"),
            ("My name's Oluwaseun but everyone calls me Seun", "Seun"),
        ),
        no=("Please call me back tomorrow.", "Call me crazy, but it works.", "please Help"),
    ),
    Rule(
        kind="identity",
        key="pronouns",
        predicate="has_pronouns",
        statement="The user's pronouns are {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=clause(r"(?:my pronouns are |<I>use |<I>go by )(?P<o>(?:he|she|they|xe|ze|it)/\w+(?:/\w+)?)"),
        yes=(("My pronouns are they/them.", "they/them"), ("I use she/her pronouns", "she/her")),
        no=("Their pronouns are they/them.", "I use pronouns."),
    ),
    Rule(
        kind="identity",
        key="{r}",
        predicate="{r}",
        statement="The user's {r} is {object}.",
        shape="as_is",
        confidence=0.85,
        pattern=clause(
            r"<my>(?P<r>blood type|blood group|shoe size|star sign|zodiac sign|eye colou?r|hair colou?r|native language|mother tongue|first language"
            r"|time ?zone|email(?: address)?|e-mail(?: address)?|phone number|postcode|zip code|home address|address|clothing size|ring size|height|weight|gender|religion|middle initial|user ?name|handle|heritage|ethnicity)"
            r"(?: is|:) (?!not\b|on\b|in the\b|changing\b|coffee|wine|pizza)(?P<o>[^\n,;!?()]{1,60}?)(?=\.?$|[,;!?()]|\.\s| (?:and|but|so|because) )"
        ),
        yes=(
            ("My blood type is O negative.", "O negative"),
            ("my shoe size is 43", "43"),
            ("My native language is Tamil", "Tamil"),
        ),
        no=("What is my blood type?", "My blood type is not known.", "Her shoe size is 38."),
    ),
)

AGE = (
    Rule(
        kind="identity",
        key="age",
        predicate="aged",
        statement="The user is {object} years old.",
        shape="as_is",
        confidence=0.9,
        pattern=clause(
            r"(?:I'm (?:now |an? )?|I (?:turned|just turned) |my age is |as an? )(?P<o>1?\d\d|[6-9])(?:[- ]years?(?:[- ]old| of age)\b| y/?o\b|m\b|f\b|(?= (?:and|but|so|now|last|this|next|in|on|today|yesterday)\b|[.,](?!\d)|[!;)]|$))(?! (?:at this point|in |years|lol))"
        ),
        yes=(
            ("I'm 34 years old", "34"),
            ("I am 27.", "27"),
            ("I just turned 40!", "40"),
            ("I'm a 29 year old teacher", "29"),
        ),
        no=(
            "I'm 5 minutes late",
            "I'm 100% sure.",
            "My son is 5 years old.",
            "I'm 6 feet tall",
            "I'm basically 90 years old at this point",
        ),
    ),
    Rule(
        kind="identity",
        key="age_range",
        predicate="aged_about",
        statement="The user is in their {object}.",
        shape="as_is",
        pattern=clause(
            r"I'm (?:well )?(?:in|into) my (?P<o>(?:early |mid[- ]?|late )?(?:teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|[2-9]0'?s))"
        ),
        yes=(("I'm in my late forties", "late forties"), ("I'm in my 30s and tired", "30s")),
        no=("My parents are in their sixties.", "I'm in my room"),
    ),
    Rule(
        kind="identity",
        key="birthday",
        predicate="born_on",
        statement="The user's birthday is {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=clause(
            rf"(?:<my>(?:birthday|date of birth|dob)(?:'s| is| falls)(?: always)? (?:on )?(?:the )?|<my>(?:birthday|date of birth|dob): |I was born (?:on )?(?:the )?)(?P<o>{_DAY})"
        ),
        yes=(
            ("My birthday is on May 3rd.", "May 3rd"),
            ("I was born on 12 June 1990", "12 June 1990"),
            ("my bday is the 4th of july", "4th of july"),
        ),
        no=("My birthday is coming up soon.", "My wife's birthday is June 5."),
    ),
    Rule(
        kind="identity",
        key="birth_year",
        predicate="born_in_year",
        statement="The user was born in {object}.",
        shape="as_is",
        pattern=clause(
            rf"I was born (?:back )?in (?P<o>(?:{_MONTHS} )?(?:19|20)\d\d|the (?:early |mid |late )?(?:19)?[3-9]0s)"
        ),
        yes=(("I was born in 1985.", "1985"), ("I was born in March 1990", "March 1990")),
        no=("She was born in 1985.", "I was born in Rome"),
    ),
)

STATUS = (
    Rule(
        kind="identity",
        key="marital_status",
        predicate="has_marital_status",
        statement="The user is {object}.",
        pattern=clause(
            r"<I'm>(?:happily |recently |newly |long |freshly |a )?(?P<o>single|married|divorced|widow(?:ed|er)?|engaged|separated|a newlywed)"
            r"(?=[.,!;)]|$| (?:and|with|but|now|for|since)\b)"
        ),
        yes=(
            ("I'm happily married.", "married"),
            ("I am divorced and have two kids", "divorced"),
            ("I'm single, since May", "single"),
        ),
        no=(
            "I'm engaged in a project.",
            "I'm a single mum of three",
            "I'm not married.",
            "married to my laptop haha",
        ),
    ),
    Rule(
        kind="identity",
        key="trait_{slug}",
        predicate="is",
        statement="The user is {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:<I'm>|I identify as |(?:I've|I have) become |I became |I was (?=adopted))(?:an? )?(?:practi[sc]ing |devout |proud(?:ly)? |lifelong |recovering |non-practi[sc]ing |raised |very much an? |definitely an? |total |bit of an? |fully |openly |complete )?"
            r"(?P<o>left[- ]handed|right[- ]handed|ambidextrous|(?:a )?lefty|an only child|only child|the (?:oldest|eldest|youngest|middle|second) (?:child |one )?of (?:two|three|four|five|six|seven|eight|\d+)(?: (?:kids|children|siblings|sisters|brothers))?"
            r"|muslim|jewish|catholic|buddhist|hindu|sikh|atheist|agnostic|christian|protestant|orthodox|mormon|quaker|hard of hearing"
            r"|gay|lesbian|bisexual|trans(?:gender)?|non-?binary|queer|asexual|introvert(?:ed)?|extrovert(?:ed)?|(?:early bird|night owl|morning person)|perfectionist|minimalist"
            r"|wheelchair user|expat|immigrant|refugee|veteran|stay-at-home (?:mum|mom|dad|parent)|retired(?=$|[.,;!]| (?:and|but|now|since|so|from|in|last)\b)|self[- ]employed|unemployed|between jobs|job[- ]hunting|looking for (?:work|a (?:new )?job)|in (?:\d+(?:th|st|nd|rd)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth) grade|in (?:high|middle|primary|secondary|elementary|grad|medical|law) school|in (?:sixth form|kindergarten)|in year \d+|(?:a )?(?:grand(?:mother|father|ma|pa)|mother|father|mum|mom|dad|parent|uncle|aunt)(?= (?:now|again|at|last|in|this|for)\b|[.,!]|$)|a permanent resident (?:of|in) [\w ]{3,20}|twin|widower|orphan|adopted(?= (?:as|when|at|from|by)\b|$|[,.])|a (?:brit|scot|texan|londoner|new yorker|parisian|berliner|kiwi|aussie|yank)|(?:aquarius|pisces|aries|taurus|gemini|leo|virgo|libra|scorpio|sagittarius|capricorn)"
            r"|(?:a )?(?:(?:single|widowed|divorced|married|working|adoptive|foster|new|first-time|lone|solo) )?(?:mum|mom|mother|dad|father|parent|grandmother|grandfather|grandparent|grandma|grandpa|granny|grandad|nan|stepmum|stepdad|aunt|uncle|godmother|godfather) (?:of|to) (?!(?:be|nobody|everyone|everybody|none|all|the|this|that|my|no)\b)(?:(?:two|three|four|five|six|seven|eight|nine|ten|twelve|\d+|an?|twin|teenage|little|small|young|grown-up|grown) )*\w+|(?:a )?(?:single|lone|solo|adoptive|foster|first-time) (?:mum|mom|mother|dad|father|parent)(?=[.,!;)]|$| (?:and|with|but|now|who|in|raising|here)\b)|(?:about |around |roughly |only |quite short, |quite tall, |very short, |very tall, )?(?:\d['’]\s?\d{0,2}(?:\"|'')?|\d{3} ?cm|1[.,]\d\d ?m|\d+ (?:feet|foot|ft)(?: \d+)?(?: inches)?)(?: tall)?)(?![\w-])"
        ),
        yes=(
            ("Dunno if it matters but I'm left-handed, so it won't work", "left-handed"),
            ("I'm a practising Muslim.", "Muslim"),
            ("I'm 182 cm tall", "182 cm tall"),
            ("I'm a mother of three", "mother of three"),
            ("I'm a single dad of three girls", "single dad of three girls"),
            ("I'm a single mum and work nights", "single mum"),
        ),
        no=("I'm not Catholic.", "She is left-handed.", "I'm mixed up"),
    ),
    Rule(
        kind="identity",
        key="trait_{slug}",
        predicate="is",
        statement="The user is a {object}.",
        confidence=0.8,
        pattern=sentence(
            r"(?P<o>wheelchair user|guide dog (?:owner|user|handler)|cane user|hearing aid (?:user|wearer)|lip[- ]?reader|left[- ]hander|lefty|single (?:mum|mom|dad|parent)|(?:new|first-time) (?:mum|mom|dad|parent)|night owl|early bird|introvert|expat)(?: here|,? so\b)"
        ),
        yes=(("Wheelchair user here, so step-free routes only please!", "Wheelchair user"),),
        no=("The wheelchair user next door.", "Left-handed scissors are rare."),
    ),
)

RULES = (*NAME, *AGE, *STATUS)
