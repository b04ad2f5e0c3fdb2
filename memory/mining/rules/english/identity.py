"""Who the user is: names, age, home, origin, family status, allergies and diet."""

from memory.mining.rules.lexicon import FIRST_NAMES, NATIONALITIES
from memory.mining.rules.table import Rule, said

NAME = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.9,
        pattern=said(
            r"(?:<my>(?:full |first |real |given )?name(?: is|['\u2019]s) |<I'm>called )<o>"
        ),
        yes=(
            ("My name is Anna Müller.", "Anna Müller"),
            ("Hi, my name's Lee and I need help.", "Lee"),
            ("my name is anna", "anna"),
        ),
        no=(
            "What is my name?",
            "My name is hard to spell.",
            "If my name is Bob, what rhymes with it?",
            "My name is not Bob.",
            "My dog's name is Rex.",
        ),
    ),
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.8,
        pattern=said(
            r"^(?:(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: there| all)?[,!.]? )"
            r"(?:I am|I['\u2019]m|this is) (?!so |very )<o>"
        ),
        yes=(("Hi, I'm Priya and I just moved.", "Priya"), ("Hello, this is Jonas", "Jonas")),
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
        pattern=said(
            r"(?:^|[:,] )<I'm>(?P<o>(?-i:[^\W\d_a-z][\w'\u2019-]+)(?: (?-i:[^\W\d_a-z][\w'\u2019-]+)){1,2})"
            r"(?=[,.!]|$| and I\b)"
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
        key="nickname",
        predicate="nickname",
        statement="The user likes to be called {object}.",
        shape="name",
        confidence=0.9,
        pattern=said(
            r"(?:(?:^|[,.!] |\b(?:and|to|can|please|just) )call me "
            r"|\b(?:everyone|everybody|people|my friends|friends) calls? me |<I>go by )<o>"
        ),
        yes=(
            ("Please call me Al.", "Al"),
            ("Call me Ishmael", "Ishmael"),
            ("I go by Sam.", "Sam"),
        ),
        no=("Please call me back tomorrow.", "Call me crazy, but it works.", "please Help"),
    ),
    Rule(
        kind="identity",
        key="age",
        predicate="aged",
        statement="The user is {object} years old.",
        shape="as_is",
        confidence=0.9,
        pattern=said(
            r"(?:<I'm>|<I>(?:just )?turned )(?P<o>1?\d{1,2})(?: years old| years of age| y/?o\b|(?= and\b|[.,!](?!\d)|$))"
        ),
        yes=(("I'm 34 years old", "34"), ("I am 27.", "27"), ("I just turned 40!", "40")),
        no=("I'm 5 minutes late", "I'm 100% sure.", "My son is 5 years old.", "I'm 6 feet tall"),
    ),
    Rule(
        kind="identity",
        key="birthday",
        predicate="born_on",
        statement="The user's birthday is {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(
            r"(?:<my>birthday is (?:actually |really )?(?:on )?(?:the )?|<I>was born (?:on )(?:the )?)"
            r"(?P<o>(?:[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{1,2}(?:st|nd|rd|th)?"
            r"(?: of)? [A-Z][a-z]+(?:,? \d{4})?|\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{2,4}))"
        ),
        yes=(
            ("My birthday is on May 3rd.", "May 3rd"),
            ("I was born on 12 June 1990", "12 June 1990"),
        ),
        no=("My birthday is coming up soon.", "My wife's birthday is June 5."),
    ),
)

ORIGIN = (
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="place",
        confidence=0.9,
        pattern=said(
            r"(?:<we>(?:live|reside) (?:here )?in |<I'm>(?:living|based) in "
            r"|(?:<we>|we['\u2019]ve )(?:just |recently )?moved (?:back |here |over )?"
            r"(?:from (?:\w+ ){1,3})?to |<my>home(?: town| city)? is (?:in )?)<place>"
        ),
        yes=(
            ("I live in Zürich.", "Zürich"),
            ("I live in Portland, Oregon with my cat", "Portland, Oregon"),
            ("We just moved to the Netherlands last year", "the Netherlands"),
            ("I'm based in são paulo btw", "são paulo"),
            ("I live in Zürich, can you recommend a bakery?", "Zürich"),
            ("I moved from Boston to Denver in May", "Denver"),
        ),
        no=(
            "If I lived in Paris I would eat croissants.",
            "If I live in Paris, what do I need?",
            "Do I live in Paris?",
            "I don't live in Paris.",
            "I live in constant fear.",
            "My sister lives in Berlin.",
            'She said "I live in Rome".',
            "I moved to the next task.",
            "I would live in Oslo if I could",
        ),
    ),
    Rule(
        kind="experience",
        key="lived_in_{slug}",
        predicate="lived_in",
        statement="The user used to live in {object}.",
        shape="place",
        ended=True,
        pattern=said(
            r"(?:<we>(?:used to live|lived) in |(?:<we>|we['\u2019]ve )(?:just )?moved (?:here |away )?from "
            r"|<we>no longer live in |<we>(?:don['\u2019]t|do not) live in (?=[^\n]{1,40}any ?more))<place>"
        ),
        yes=(
            ("I used to live in Madrid.", "Madrid"),
            ("We moved here from Boston.", "Boston"),
            ("I no longer live in Paris", "Paris"),
            ("I don't live in Paris anymore.", "Paris"),
        ),
        no=("If I lived in Rome, I'd be happy.", "I don't live in Paris."),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="place",
        pattern=said(r"(?:<I'm>(?:originally )?from |<I>come from |<I>grew up in )<place>"),
        yes=(("I'm originally from Ghana.", "Ghana"), ("I grew up in Lyon", "Lyon")),
        no=("I'm from the marketing team.", "I'm back from Paris."),
    ),
    Rule(
        kind="identity",
        key="birthplace",
        predicate="born_in",
        statement="The user was born in {object}.",
        shape="place",
        confidence=0.9,
        pattern=said(r"<I>was born (?:and raised )?in <place>"),
        yes=(("I was born in Hanoi in 1990", "Hanoi"),),
        no=("I was born in 1990.", "I was born in May"),
    ),
    Rule(
        kind="identity",
        key="nationality_{slug}",
        predicate="has_nationality",
        statement="The user is {object}.",
        only=NATIONALITIES,
        pattern=said(
            r"<I'm>(?:an? |half )?(?P<o>[A-Z][a-z]+)(?= citizen| national|[.,!;]|$| and\b| but\b| living\b)"
        ),
        yes=(("I'm Brazilian.", "Brazilian"), ("I am German and I live in Rome", "German")),
        no=("I'm Hungry.", "I'm learning Polish.", "I'm fine."),
    ),
)

BODY = (
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        many=True,
        confidence=0.9,
        pattern=said(
            r"(?:<I'm>(?:severely |very |deathly |highly |mildly )?allergic to "
            r"|<I>(?:have |suffer from )an? (?:severe |bad )?allergy to )<list>"
        ),
        yes=(
            ("I'm allergic to peanuts and shellfish", "peanuts|shellfish"),
            ("I have a severe allergy to penicillin.", "penicillin"),
            ("I'm allergic to nuts, what can I eat?", "nuts"),
        ),
        no=(
            "Am I allergic to cats?",
            "I'm not allergic to anything.",
            "My son is allergic to eggs.",
        ),
    ),
    Rule(
        kind="constraint",
        key="diet",
        predicate="follows_diet",
        statement="The user's diet is {object}.",
        confidence=0.9,
        pattern=said(
            r"(?:<I'm>(?:an? |on a )?(?:strict(?:ly)? |mostly )?|<I>(?:eat |follow an? |keep )(?:strictly )?)"
            r"(?P<o>vegan|vegetarian|pescatarian|halal|kosher|gluten[- ]free|dairy[- ]free|keto|paleo)\b"
        ),
        yes=(("I'm a strict vegetarian.", "vegetarian"), ("I eat halal", "halal")),
        no=("I'm not vegan.", "Is this vegan?", "I made a vegan cake."),
    ),
    Rule(
        kind="constraint",
        key="condition_{slug}",
        predicate="has_condition",
        statement="The user has this condition: {object}.",
        confidence=0.85,
        pattern=said(
            r"(?:<I'm>|<I've>(?:been diagnosed with )?|<I>(?:have|suffer from|was diagnosed with) )(?:an? )?"
            r"(?P<o>(?:type [12] )?diabet(?:ic|es)|lactose[- ]intoleran(?:t|ce)|coeliac(?: disease)?"
            r"|celiac(?: disease)?|asthma(?:tic)?|colou?r[- ]?blind|dyslexi(?:a|c)|ADHD|autis(?:m|tic)"
            r"|epilep(?:sy|tic)|migraines|arthritis|high blood pressure|hypertension|deaf|blind"
            r"|tinnitus|anxiety disorder|bipolar disorder|eczema|hay fever)\b"
        ),
        yes=(
            ("I'm lactose intolerant.", "lactose intolerant"),
            ("I was diagnosed with ADHD last year", "ADHD"),
        ),
        no=("My mother has diabetes.", "I don't have asthma."),
    ),
    Rule(
        kind="identity",
        key="marital_status",
        predicate="has_marital_status",
        statement="The user is {object}.",
        pattern=said(
            r"<I'm>(?:happily |recently |newly )?(?P<o>single|married|divorced|widowed|engaged)"
            r"(?=[.,!]|$| and\b| with\b| but\b| now\b)"
        ),
        yes=(("I'm happily married.", "married"), ("I am divorced and have two kids", "divorced")),
        no=("I'm engaged in a project.", "I'm not married."),
    ),
)

RULES = (*NAME, *ORIGIN, *BODY)
