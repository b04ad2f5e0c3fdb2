"""Plain statements about oneself that need no occasion: looks, a place of work without a name, whom one
belongs to, what one fears, and short wishes about every answer."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import (
    CONDITION,
    GOAL,
    HABIT,
    HOME,
    INSTRUCTION,
    LIMIT,
    SURNAME,
    TRAIT,
    Template,
)

_IS = replace(TRAIT, confidence=0.75)
_LOOKS = Template("identity", "looks_{slug}", "has_looks", "The user has {object}.", "deed", confidence=0.75)
_WORKS = Template("identity", "workplace_{slug}", "works_in", "The user works at {object}.", "deed")
_FROM = Template("identity", "family_{slug}", "has_origins", "The user comes from {object}.", "deed")
_MEMBER = Template("identity", "member_{slug}", "is_member_of", "The user is a member of {object}.", "deed")
_TURNS = Template("identity", "age_next", "turns", "The user turns {object}.", "as_is", confidence=0.75)
_FEARS = Template("constraint", "fear_{slug}", "fears", "The user is afraid of {object}.", confidence=0.75)
_ILL = replace(CONDITION, confidence=0.75)
_HOME = replace(HOME, confidence=0.75)
_LIMIT = replace(LIMIT, shape="deed", confidence=0.75)
_WISH = replace(INSTRUCTION, confidence=0.75)
_HABIT = replace(HABIT, shape="deed")
_GOAL = replace(GOAL, shape="deed")

_STOP = r"(?= (?:and|but|so|because|which|since|where|who|though|while|as)\b|$|[,.;:!?()])"
_WORKPLACE = r"(?:library|hospital|school|primary school|nursery|university|college|bakery|caf[eé]|pub|bar|restaurant|hotel|shop|bookshop|supermarket|garage|garden cent(?:re|er)|farm|zoo|museum|gallery|theatre|theater|cinema|post office|bank|airport|station|harbour|port|shipyard|factory|warehouse|brewery|vineyard|call cent(?:re|er)|care home|hospice|clinic|surgery|practice|pharmacy|vet's|prison|court|police station|fire station|council|embassy|town hall|lab|laboratory|recycling plant|power station|quarry|mine|mill|sawmill|swimming pool|leisure cent(?:re|er)|gym|stables|kennels|animal shelter|food ?bank|charity shop|foundry|print shop|salon|barber's|florist's|butcher's|chemist's|deli)"
_FEW = r"(?:an?|one|two|three|four|five|six|several|lots of|no|\d+)"
_LOOK = r"(?:(?:(?:long|short|curly|straight|red|ginger|blonde?|brown|black|grey|gray|white|dark|fair|blue|green|hazel|thick|wavy|afro|dyed|pale|freckled|oily|dry|sensitive|big|size \w+) ){1,3}(?:hair|eyes|beard|skin|feet|hands|moustache)|freckles|dimples|tattoos|piercings|dreadlocks|dreads|a (?:beard|moustache|mohawk|tattoo|nose ring|lisp|glass eye|wooden leg)|perfect pitch|no sense of direction)"
_NUMBER = r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|eighteen|nineteen|[1-9]\d)"
_STYLE = r"(?:emojis?|emoticons|exclamation (?:marks?|points?)|bullet points?|bullets|headings?|headers|bold(?: text)?|italics|markdown|tables|footnotes|jargon|slang|acronyms|abbreviations|semicolons|em[- ]?dash(?:es)?|capitals|all caps|swear words|long words|big words|foreign words|passive voice|the passive|americanisms|clichés|metaphors|pet names|hashtags|links|imperial(?: units)?|fahrenheit|ounces|inches|miles)"
_NOW = r"(?![^\n]*\b(?:this|today|for now|tonight|the (?:text|email|letter|essay|post|story|poem|article|following|output|image|title|code|table)|below|above|attached)\b)"
_PLEASE = r"(?:(?:please|pls|and|also|oh|but|so|ok|just|kindly),? )*"
_MANNER = r"(?:briefly|concisely|plainly|simply|slowly|informally|formally|politely|honestly|directly|frankly|casually|warmly|in (?:full|short|complete|simple|plain|rhyme|one|two|my|british|american|metric) ?[\w-]*)"

RULES = (
    _IS.worded(
        clause(
            r"<I'm>(?:about |nearly |over |only |just over |just under )?(?P<o>(?:four|five|six|seven|\d) (?:foot|feet|ft)(?: (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|\d{1,2}))?(?: tall)?)(?![\w-])(?! (?:away|from|deep|under|of|apart))"
        ),
        (("I'm six foot four.", "six foot four"),),
        ("I'm six feet away.", "She's six foot four", "Am I six foot four?"),
    ),
    _WORKS.worded(
        clause(
            rf"(?:(?:I|we) (?:now |currently )?work|I'm working|I've (?:worked|been working))(?: (?:part|full)[- ]time| nights| evenings| weekends)? (?:at|in|for) (?P<o>(?:an?|the|our|my) (?:(?:[\w'-]+|local) ){{0,3}}?{_WORKPLACE}(?: (?:in|on|near|at|outside) [^\n,.;:!?()\"]{{2,30}}?)?){_STOP}"
        ),
        (("I work at the library in Kirkwall.", "the library in Kirkwall"),),
        ("She works at the library.", "Should I work at a bakery?", "I work at the moment"),
    ),
    _FROM.worded(
        clause(
            rf"(?:I|we) come from (?P<o>(?:an? (?:long line(?! of (?:worriers|procrastinators|idiots|liars|losers|hoarders))|(?:[\w-]+ )?family|(?:big|large|small|musical|religious|mixed) [\w-]+)(?: of [^\n,.;:!?()]{{3,30}}?)?)){_STOP}"
        ),
        (("I come from a family of bakers.", "a family of bakers"),),
        ("I come from a place.", "He comes from a family of bakers"),
    ),
    SURNAME.worded(
        sentence(
            r"<lead>(?:my )?(?:surname|last name|name)(?:'s| is) (?:pronounced|said) [^\n,;]{2,25}?,? (?:but|and) (?:it's |is |I )?(?:spelled|spelt|written|spell it|write it) (?P<o>(?-i:[A-Z])[\w'-]+)"
        ),
        (
            (
                "My surname's pronounced Chumley but it's spelled Cholmondeley, blame the Normans.",
                "Cholmondeley",
            ),
        ),
        ("My surname is pronounced oddly.", "It's pronounced so but spelled Foo"),
    ),
    _MEMBER.worded(
        clause(
            rf"(?:<I'm>(?:an? )?(?:proud |active |paid-up |lifelong |founding |committee |board )?(?:member|trustee|treasurer|secretary|chair|patron|governor) (?:of|for|at) |I've joined (?=the (?-i:[A-Z])))(?P<o>(?!(?:it|this|that|the (?:team|group|project|human|gym|club|library|family|committee|board))\b)(?:the |an? |my |our )?[^\n,.;:!?()\"]{{3,50}}?){_STOP}"
        ),
        (("I'm a member of the Green Party.", "the Green Party"),),
        ("I'm a member of it.", "She's a member of the Green Party", "Am I a member of the club?"),
    ),
    _LOOKS.worded(
        clause(rf"<have>(?P<o>(?:{_FEW} )?{_LOOK}(?: and {_LOOK})?){_STOP}"),
        (
            ("I have red hair and freckles.", "red hair and freckles"),
            ("I've got three tattoos.", "three tattoos"),
        ),
        ("I have a table.", "She has red hair", "Do I have red hair?"),
    ),
    _TURNS.worded(
        clause(
            rf"(?:I turn|I'll be|I'm turning|I'll turn|I'm going to be) (?P<o>{_NUMBER})(?= (?:on|in|next|this|tomorrow|soon)\b)(?! in the\b)(?! (?:in|on) (?:total|time|line))"
        ),
        (("I turn forty in June.", "forty"), ("I'll be 50 next week, help", "50")),
        ("She turns forty in June.", "I'll be 20 minutes", "Will I be 50 in June?"),
    ),
    _ILL.worded(
        clause(
            r"I (?:speak|talk|walk|read|live|hear) with an? (?P<o>(?:bad |slight |heavy |strong |mild |severe )?(?:stammer|stutter|lisp|limp|tremor|hearing loss|stoma|pacemaker|feeding tube|catheter))(?![\w-])"
        ),
        (("I speak with a stammer.", "stammer"),),
        ("I speak with an accent.", "He walks with a limp"),
    ),
    _FEARS.worded(
        clause(
            rf"(?:<I'm>(?:properly |really |deeply |absolutely |a bit |quite |so )?(?:scared|afraid|terrified|frightened|phobic) (?:of|about) |<have>(?:an? )?(?:phobia|terror|morbid fear|real fear|lifelong fear|fear) (?:of|about) )(?P<o>(?:flying|heights|needles|injections|blood|dogs|cats|horses|snakes|spiders|wasps|bees|birds|pigeons|mice|rats|moths|water|deep water|swimming|the dark|lifts|elevators|escalators|tunnels|bridges|ferries|boats|driving|motorways|crowds|thunder(?:storms)?|dentists?|the dentist|hospitals|enclosed spaces|small spaces|open water|public speaking|clowns|fire|loud noises|balloons)(?: and [a-z]+)?){_STOP}"
        ),
        (("I'm scared of dogs, so no parks", "dogs"),),
        ("I'm afraid of the answer.", "She's scared of dogs", "Am I scared of dogs?"),
    ),
    _LIMIT.worded(
        sentence(
            r"<after>(?P<o>nothing (?:spicy|fried|raw|sweet|sugary|salty|fatty|greasy|with|containing|made with)\b[^\n,.;!?()]{0,40}?)(?: for (?:me|us))(?=$|[,.;!?)]| (?:and|but|please)\b)"
        ),
        (("Nothing spicy for me, please.", "Nothing spicy"),),
        ("Nothing spicy here.", "Nothing for me"),
    ),
    _LIMIT.worded(
        sentence(
            r"<after>(?P<o>no (?:bread|carbs|sugar|sweets|snacks|alcohol|wine|beer|coffee|caffeine|tea|meat|food|eating|screens?|phones?|telly|tv|calls|meetings|emails|work|social media)(?: or [a-z]+)? (?:after|before|past|between|during|at|on|in) (?!(?:this|that|it|here|the (?:world|list|text|recipe))\b)[\w' :]{2,30}?)(?=$|[,.;!?)]| (?:and|but|so|because|as|for (?:me|us))\b)"
        ),
        (("So am I, in theory: no bread after six.", "no bread after six"),),
        ("There is no bread after all.", "Is there no bread after six?", "no bread in this text"),
    ),
    _WISH.worded(
        sentence(
            rf"{_PLEASE}{_NOW}(?P<o>(?:don't|never|stop|avoid|no need to) (?:ever )?(?:use|using|add|adding|include|including|put|putting|write|writing in|send|sending|give me|giving me|end with|start with|overuse) (?:any |me |so many |too many |the )?{_STYLE}(?: (?:or|and) (?:{_STYLE}|[a-z]+))?(?: (?:please|ever|at all|with me|in (?:your|my|any) [\w ]{{3,20}}))*)(?=$|[,.;!)])"
        ),
        (("Please don't use emojis.", "don't use emojis"),),
        ("They don't use emojis.", "Don't use emojis in this post", "Don't use the oven"),
    ),
    _WISH.worded(
        sentence(
            rf"{_PLEASE}{_NOW}(?P<o>(?:don't|never|stop|no need to) (?:ever )?(?:mention(?:ing)?|bring(?:ing)? up|ask(?:ing)? (?:me )?about|joke about|joking about|talk(?:ing)? about|remind(?:ing)? me (?:of|about)) (?:my|our|the (?=divorce|war|accident|funeral|baby|breakup|break-up|election|weather)) ?[\w' -]{{2,40}}?|(?:don't|stop|never|no need to) (?:apologi[sz]e|apologi[sz]ing|lectur\w+|patroni[sz]\w+|flatter\w*|prais\w+|nag\w*|sugar-?coat\w*|thank\w* me|repeat\w* (?:yourself|my question|the question)|waffl\w+|rambl\w+)(?: (?:me|things?|it|to me|so much|all the time|every time|for everything|over and over|at me|please))*)(?=$|[,.;!)])"
        ),
        (
            ("Don't mention my ex.", "Don't mention my ex"),
            ("Don't apologise all the time.", "Don't apologise all the time"),
        ),
        ("They never mention my ex.", "Don't mention it.", "Don't ask me why"),
    ),
    _WISH.worded(
        sentence(
            rf"{_PLEASE}{_NOW}(?P<o>(?:speak|talk|write|reply|answer|respond|explain things|explain everything)(?: to me| me)? {_MANNER})(?:,? (?:please|thanks|always))?(?=$|[.;!)]|, (?:I|my|not|please|thanks|don't|no)\b)"
        ),
        (("Speak to me informally.", "Speak to me informally"),),
        ("They speak slowly.", "Write in full in this text", "Could they answer briefly?"),
    ),
    _WISH.worded(
        sentence(
            rf"{_PLEASE}{_NOW}(?P<o>(?:remind|tell|warn|stop|nudge|nag|poke) me (?:to|when|if|about|every time|whenever) [^\n?]{{3,70}} (?:when(?:ever)? I|if I|every (?:day|time|week|evening|morning|monday|friday|sunday)|each time)\b[^\n?]{{0,60}})(?=$|[.!])"
        ),
        (
            (
                "Remind me to drink water when I seem stressed.",
                "Remind me to drink water when I seem stressed",
            ),
        ),
        ("She reminds me to drink when I forget.", "Remind me to call Ann tomorrow."),
    ),
    _GOAL.worded(
        clause(
            r"(?:I'd (?:love|like) to (?=(?:buy|build|own|open|run) (?:an?|my own|our own) (?:[\w-]+ ){0,2}(?:cottage|house|home|boat|narrowboat|farm|caf[eé]|shop|bookshop|bakery|studio|cabin|barn|campervan|flat|business|school|bar|pub|restaurant|tea ?room|workshop|gallery|vineyard|smallholding)\b)|I dream of (?=(?:open|own|buy|build|runn|liv|mov|retir|sail|cycl|walk|publish|play|becom)\w*ing\b))(?P<o>[^\n,.;:!?()\"]{5,60}?)(?= (?:and|but|so|because|when|before|once)\b|[.!;,)]|$)"
        ),
        (
            ("I'd like to buy a cottage in Donegal.", "buy a cottage in Donegal"),
            ("I dream of opening a bookshop", "opening a bookshop"),
        ),
        ("I'd like to see this.", "She dreams of opening a bookshop", "I'd like to build a query"),
    ),
    _HABIT.worded(
        clause(
            rf"(?:I|we) (?P<o>(?:skip (?:breakfast|lunch|dinner)|do the (?:crossword|sudoku|ironing|cooking|school run|night feeds)|nap|snore|fast|hum|whistle|sleepwalk|chew gum|smoke|vape|roll my own|sleep (?:badly|lightly|in|late|naked|on my \w+)|eat (?:late|early|standing up)|wake (?:early|late|at [\w ]{{1,10}}))(?: (?:over|at|after|before|during|on|every|in|while) [^\n,.;:!?()]{{3,30}}?)?){_STOP}"
        ),
        (
            ("I skip breakfast.", "skip breakfast"),
            ("I do the crossword over breakfast.", "do the crossword over breakfast"),
        ),
        ("I skip it.", "He skips breakfast", "Should I skip breakfast?"),
    ),
    _FROM.worded(
        clause(
            r"(?:<I'm>|I am )(?:partly |half |mostly )?(?P<o>of (?:(?:half|mixed|part|partly) )?(?-i:[A-Z])\w+(?:(?:-| and )(?-i:[A-Z])\w+)? (?:descent|origins?|heritage|ancestry|extraction|stock))"
        ),
        (("I'm of Lebanese descent.", "of Lebanese descent"),),
        ("She's of Lebanese descent.", "I'm of two minds"),
    ),
    _HOME.worded(
        clause(
            r"(?:(?:I've|we've) been (?:here )?in (?=[^\n]{2,40} (?:since (?:the |\d{4}|I|we)|for (?:\w+ )?(?:years|decades)|all (?:my|our)))|<I'm>based out of |home for (?:me|us) is (?:an? [\w ]{3,30} (?:in|on|near) ))(?=(?-i:[A-Z]))(?!(?:IT|HR|PR|AI|QA|DevOps)\b)<place>"
        ),
        (
            ("We've been in Cardiff since the nineties.", "Cardiff"),
            ("Home for us is a lighthouse in Fife.", "Fife"),
        ),
        (
            "We've been in Cardiff.",
            "They've been in Cardiff since 1990",
            "I've been in IT for years",
        ),
    ),
    _LIMIT.worded(
        clause(
            r"(?![^\n]*\b(?:today|tonight|right now)\b)(?P<o>(?:my|our) (?:hands|fingers|legs|knees|feet|joints|ankles|hips|wrists) (?:shake|tremble|ache|swell|cramp|seize up|give (?:out|way)|hurt|go numb)(?: [^\n,.;!?()]{2,30}?)?)(?= (?:so|and|but|because|if)\b|$|[,.;!?()])"
        ),
        (("My hands shake, so typing is slow.", "My hands shake"),),
        ("Her hands shake.", "My legs hurt today", "Do my hands shake?"),
    ),
    _GOAL.worded(
        clause(
            rf"(?:(?:I've|we've) (?:got )?|(?:I|we) have )(?:my|our) (?:heart|sights|mind) set on (?!(?:it|this|that)\b)(?P<o>[^\n,.;:!?()\"]{{3,60}}?){_STOP}"
        ),
        (("I've got my heart set on a Border collie.", "a Border collie"),),
        ("She's got her heart set on it.", "I've got my heart set on it"),
    ),
    _WISH.worded(
        sentence(
            rf"{_PLEASE}{_NOW}(?P<o>I(?:'d)? (?:want|need|prefer|like)(?: all)? (?:my|your|the|all) (?:answers|replies|responses|explanations|recipes|summaries|lists|code|numbers|units|drafts) (?:in|with|without|as|to be|kept|under|short|long|brief) ?[^\n?]{{2,60}}?)(?=$|[.;!])"
        ),
        (
            (
                "I want my answers in French, no exceptions.",
                "I want my answers in French, no exceptions",
            ),
        ),
        ("She wants her answers in French.", "I want my code in this file"),
    ),
)
