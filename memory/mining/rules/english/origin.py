"""Where the user lives, lived and comes from."""

from memory.mining.rules.english.classes import HOMELY
from memory.mining.rules.english.grammar import clause
from memory.mining.rules.lexicon import NATIONALITIES
from memory.mining.rules.table import Rule

_NEAR = (
    r"(?:(?:just |right |a bit |way |deep |somewhere |still |here |out |back |over |up |down |now |together |alone |full[- ]time |permanently |mostly |happily )*"
    r"(?:in|near|outside(?: of)?|close to|at|on|by|around)"
    r"(?: (?:the|a|an) (?:[\w-]+ ){0,4}?(?:town|village|city|suburbs?|outskirts|countryside|part|island|corner|district|region|houseboat|boat|street|ground floor|top floor|border|banks|edge|shore|lake|beach|campus|base|estate|island off the coast|canal|middle|heart|centre|center|north|south|east|west|hills|mountains|coast|area|neighbou?rhood|flat|house|apartment|farm|place)(?: in the| of| in| near| outside| called| named| just outside| close to)+)?)"
)

# "moved house in February, from Leith …"
_FROM = rf"<did>(?:just |finally )?(?:moved{HOMELY}|relocated)(?: (?:house|home|flats?|out|up|down|over|across|back|here))?(?: (?:in|last|this|back|after|on|at|during|two|three|four|a|\d+) [^\n,;:!?]{{2,25}}?)?,? from "

RULES = (
    Rule(
        kind="experience",
        key="lived_in_{slug}",
        predicate="lived_in",
        statement="The user used to live in {object}.",
        shape="place",
        ended=True,
        pattern=clause(
            rf"(?:(?:I|we) (?:once |both |previously )?(?:used to live|lived|grew up and lived|was living|were living|was based|resided) {_NEAR} "
            rf"|<did>(?:just )?(?:moved{HOMELY} (?:here |away |back |out )?(?:from|out of)) (?=(?-i:[A-Z]))"
            r"|<I>no longer live in |<I>don't live in (?=[^\n]{1,40}any ?more)|<I'm>no longer (?:in|based in|living in) "
            r"|<did>(?:spent|lived) (?:[\w-]+ ){0,3}(?:years?|decades?|months?|childhood|twenties|thirties) (?:living )?in (?=(?-i:[A-Z])))<place>"
        ),
        yes=(
            ("I used to live in Madrid.", "Madrid"),
            ("We moved here from Boston.", "Boston"),
            ("I no longer live in Paris", "Paris"),
            ("I don't live in Paris anymore.", "Paris"),
            ("I lived in Nairobi for six years before coming back here", "Nairobi"),
            ("I spent three years in Kyoto", "Kyoto"),
        ),
        no=(
            "I've lived in Japan for a decade",
            "If I lived in Rome, I'd be happy.",
            "I don't live in Paris.",
            "I left early.",
        ),
    ),
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="place",
        confidence=0.9,
        pattern=clause(
            rf"(?:<I>(?:live|reside|stay|have (?:lived|been living)|am based|are based) (?:with [\w ]{{2,30}} )?{_NEAR} "
            rf"|(?:<I'm>|I've |we've )(?:living|based|located|settled|lived) {_NEAR} "
            rf"|<did>(?:just )?(?:moved{HOMELY}|relocated|emigrated|immigrated) (?:back |here |over |down |up |out )?(?:from [\w' ]{{2,30}} )?(?:back )?to (?:a [\w ]{{2,30}} (?:in|near|outside) )?"
            rf"|{_FROM}(?=(?-i:[A-Z])|my |our |the |an? )[^\n,;:!?]{{2,40}}? (?:in)?to (?:an? [\w ]{{2,30}} (?:in|near|outside) )?"
            r"|<did>settled (?:down )?in |<my>(?:home(?: town| city| base)?|current city|flat|apartment|house|place) is (?:in |near |just outside )?|home is |home for me is |home base is )<place>"
        ),
        yes=(
            ("I live in Zürich.", "Zürich"),
            ("I live in Portland, Oregon with my cat", "Portland, Oregon"),
            ("We just moved to the Netherlands last year", "the Netherlands"),
            ("I'm based in são paulo btw", "são paulo"),
            ("I live in Zürich, can you recommend a bakery?", "Zürich"),
            ("I moved from Boston to Denver in May", "Denver"),
            ("We moved house in February, from Leith to Dunbar", "Dunbar"),
            ("We're based in a tiny village near Tartu, so delivery takes ages", "Tartu"),
            ("We've lived in Hilo forever so we know the rain.", "Hilo"),
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
            "I moved from Spotify over to Tidal in March",
            "I would live in Oslo if I could",
            "assuming I live in Texas, can I own a capybara?",
        ),
    ),
    Rule(
        kind="experience",
        key="lived_in_{slug}",
        predicate="lived_in",
        statement="The user used to live in {object}.",
        shape="place",
        ended=True,
        pattern=clause(rf"{_FROM}<place>"),
        yes=(
            ("I moved from Boston to Denver in May", "Boston"),
            ("We moved house in February, from Leith to Dunbar", "Leith"),
        ),
        no=("I moved the files from A.", "She moved from Boston", "I moved from Gmail to Fastmail"),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="place",
        pattern=clause(
            rf"(?:<I'm>(?:originally |actually |a native of |born and raised in |born and bred in |an? \w+ from )?from (?:(?:a|an|the) (?:[\w-]+ ){0, 3}?(?:town|village|city|island|suburbs?|farm|part|north|south|east|west|coast)(?: (?:off the coast of|in the|of|in|near|called|outside|just outside|north of|south of))+ )?|<I'm>(?:a native of|born and raised in|raised in) |<I>(?:come|originally come|hail) from |<did>(?:grew up|was raised|were raised) (?:mostly |partly )?{_NEAR} (?:a [\w ]{{2,30}} (?:in|of|near) )?"
            r"|<my>(?:home ?town|birth town|home country) (?:is|was) |<my>family (?:is|comes?|are) (?:originally )?from )<place>"
        ),
        yes=(
            ("I'm originally from Ghana.", "Ghana"),
            ("I grew up in Lyon", "Lyon"),
            ("My hometown is Ljubljana, though I left when I was nine.", "Ljubljana"),
            ("I grew up in a fishing town in Hokkaido called Yoichi", "Hokkaido"),
        ),
        no=("I'm from the marketing team.", "I'm back from Paris."),
    ),
    Rule(
        kind="identity",
        key="birthplace",
        predicate="born_in",
        statement="The user was born in {object}.",
        shape="place",
        confidence=0.9,
        pattern=clause(
            r"(?:I was|I'm) born (?:and raised |and bred |and grew up )?(?:in|near|at|just outside) (?:a [\w ]{2,30} (?:in|near|outside) )?<place>"
        ),
        yes=(("I was born in Hanoi in 1990", "Hanoi"),),
        no=("I was born in 1990.", "I was born in May"),
    ),
    Rule(
        kind="identity",
        key="nationality_{slug}",
        predicate="has_nationality",
        statement="The user is {object}.",
        only=NATIONALITIES,
        many=True,
        pattern=clause(
            r"(?:<I'm>(?:an? |half |part |originally |a proud |a naturali[sz]ed |ethnically |partly |a dual )*"
            r"|<have>(?:an? |both )?(?:dual )?(?:citizenship|nationality|passports?),? |<have>(?:an? |both an? |both )|I hold (?:an? |both )?)"
            r"(?P<o>(?-i:[A-Z])[a-z]+(?:-(?-i:[A-Z])[a-z]+)?(?:(?:,| and| &) (?:an? |half )?(?-i:[A-Z])[a-z]+)?)"
            r"(?= citizen| national|(?: passports?| citizenship)|[.,!;)]|$| and\b| but\b| so\b| living\b| by birth| through| on my)"
        ),
        yes=(
            ("I'm Brazilian.", "Brazilian"),
            ("I am German and I live in Rome", "German"),
            ("I have dual citizenship, Canadian and Croatian", "Canadian|Croatian"),
            ("I have a Swiss passport", "Swiss"),
        ),
        no=("I'm Hungry.", "I'm learning Polish.", "I'm fine."),
    ),
)
