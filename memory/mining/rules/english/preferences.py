"""What the user likes, dislikes and prefers."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_ODDS = r"(?!to (?:know|see|hear|ask|say|thank|add|think|have|get|make|be (?:able|(?:that|the|this|your) \w+|rude|blunt|difficult|a (?:pain|bother|nuisance|pest|nag|stickler|downer|killjoy))|start|break (?:it|the|this)|admit|interrupt|disappoint|bother|bug|pry|nag|complain|burst|rain on|hate|love|trouble|nitpick|bring|point|disagree|tell|sound|impose|beg|repeat|keep|rush|brag|boast|burden|do (?:this|that|it)|use (?:this|that|it))\b)(?!the (?!(?:smell|sound|taste|scent|feeling|sight|quiet|music|films|movies|books|works|novels) of |sea\b|ocean|mountains?|beach|outdoors|rain|cold|heat|snow|sun\b|dark|theat|opera|cinema|gym|forest|woods|countryside|desert|city|winter|summer|beatles|rolling stones|simpsons|office\b))(?![^\n]{0,60} (?:like (?:this|that)|again|as much)\b)"
_FAN = r"(?:an? )?(?:(?:big|huge|massive|great|lifelong|long-?time|real|die-?hard|avid|bit of an?|secret|major|super|total|quite) )*(?:fan of|lover of|sucker for|aficionado of)"
_INTO = r"(?:into|fond of|keen on|passionate about|obsessed with|crazy about|mad about|nuts about|hooked on|addicted to|partial to|in love with|enthusiastic about|big on|all about|devoted to)"

LIKES = (
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        many=True,
        confidence=0.8,
        pattern=clause(
            rf"(?:<I>(?:hate|dislike|detest|loathe|despise|abhor|can't (?:stand|bear|abide)|couldn't stand|resent|(?:don't|do not|never|didn't) (?:really |particularly |much |actually |even |ever )?(?:like|liked|enjoy|enjoyed|love|care for|dig|go for|get on with)|have never (?:liked|enjoyed|cared for)|could do without|can't be doing with|have gone off|have no time for|avoid (?=crowds|small talk)) "
            rf"|(?:I've|we've) (?:never (?:really )?(?:been (?:into|fond of|keen on|{_FAN})|liked|enjoyed|cared for|loved)|always (?:hated|disliked|loathed)|gone off) "
            rf"|<I'm>(?:not|never|no) (?:really |exactly |particularly |so |that |very |much )?(?:{_FAN}|{_INTO}|one for|a \w+ for) |<I'm>(?:sick(?: and tired)?|fed up|so done) (?:of|with) |no fan of )"
            rf"{_ODDS}<list>"
        ),
        yes=(
            ("I hate mushrooms.", "mushrooms"),
            ("I don't like cilantro or olives", "cilantro|olives"),
            ("I'm not a big fan of crowds", "crowds"),
            ("I can't stand loud music", "loud music"),
            ("honestly can't stand coriander, tastes like soap to me", "coriander"),
            ("I'm not a fan of horror films, too jumpy for me", "horror films"),
            ("I've never liked mondays", "mondays"),
        ),
        no=(
            "I hate to be that person, but the toast is burnt.",
            "I hate it.",
            "I hate to bother you.",
            "I don't like this answer.",
            "I hate that",
        ),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?!(?:it|this|that|he|she|they|which|you|what)\b)(?P<o>[\w' -]{3,50}?) (?:isn't|is not|aren't|are not|was never|has never been|have never been) (?:really )?(?:my (?:thing|cup of tea|favou?rite|style|jam))\b"
        ),
        yes=(("Opera isn't my thing.", "Opera"),),
        no=("This isn't for me.", "It isn't my favourite", "That font is not my style"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:<my>(?:biggest )?(?:pet peeve|pet hate)(?: ever)? is |<my>least favourite [\w ]{2,25}? (?:is|are|has to be) )<o>"
        ),
        yes=(
            ("My pet peeve is loud chewing.", "loud chewing"),
            ("my least favorite chore is ironing", "ironing"),
        ),
        no=("My least favourite is this one.", "His pet peeve is noise."),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="prefers",
        value="prefers {object}",
        statement="The user prefers {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:(?:I|we) (?:now |much |strongly |would |always |generally |usually |far |tend to |have always |vastly )*(?:prefer|favou?r) (?:to use |using )?|I'd (?:always |much )?(?:rather|sooner) (?!not\b|you\b|see\b|know\b|have (?:it|this|that)\b)(?=[^\n]{2,60} than )|I'll (?:always )?take (?=[^\n]{2,40} over )|give me (?=[^\n]{2,40} over [^\n]{2,40} (?:any|every)))"
            r"(?!not\b|that\b|if\b|the (?:first|second|last|other|former|latter)\b)(?P<o>(?:[^\n,.;:!?()\"]|(?<=\d):(?=\d)){2,90}?)(?: any (?:day|time)| every time)?(?=$|[,.;!?()]|:(?!\d))"
        ),
        yes=(
            ("I prefer window seats.", "window seats"),
            ("I prefer tea over coffee", "tea over coffee"),
            ("When it comes to holidays I prefer mountains to beaches", "mountains to beaches"),
            ("I'd rather cycle than drive", "cycle than drive"),
            (
                "I favour short answers with bullet points over essays",
                "short answers with bullet points over essays",
            ),
        ),
        no=("I prefer the first one.", "Do I prefer tea?", "I prefer that."),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        many=True,
        confidence=0.8,
        pattern=clause(
            rf"(?:<I>(?:love )*(?:like|love|enjoy|adore|dig|cherish|worship|(?:have|got|'ve) (?:always )?(?:an? )?(?:soft spot|weakness|thing|passion|sweet tooth|love) for|take pleasure in|can't (?:get enough of|live without|do without|resist|go without|start (?:the|my) day without|say no to)|could (?:eat|drink|listen to|watch) (?=[^\n]{{2,40}} (?:every|all|forever))|never get tired of|live for|swear by|am into|could live (?:on|off)|stan) "
            rf"|(?:I've|we've|I have|we have) (?:always|long|really|truly|come to|grown to|grown|fallen) (?:been )?(?:loved|love|enjoyed|liked|like|adored|in love with|{_INTO}|{_FAN}) |<I'm>(?:an? )?(?:really |very |super |totally |big |so |enjoying |loving (?!it|this|that))?(?:{_FAN}|{_INTO}) |(?:very |super |really )?{_FAN} )"
            rf"{_ODDS}<list>"
        ),
        yes=(
            ("I love hiking, jazz and dark chocolate.", "hiking|jazz|dark chocolate"),
            ("I really like to swim in the lake", "to swim in the lake"),
            ("I'm a big fan of Studio Ghibli movies.", "Studio Ghibli movies"),
            ("I enjoy painting because it calms me", "painting"),
            ("I've always loved maps. Paper ones.", "maps"),
            ("can't get enough of Studio Ghibli movies tbh", "Studio Ghibli movies"),
            ("Big fan of mid-century furniture here 🙌", "mid-century furniture"),
        ),
        no=(
            "I would like a coffee.",
            "I'd love some help.",
            "I like your idea.",
            "I love it!",
            "I like the second option.",
            "Do I like tea?",
            "I look like my father.",
            "I don't like cilantro.",
            "I'd like to know more.",
            "I like the routine you provided.",
            "He thinks I like golf.",
            "I like this version better, thanks",
        ),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        confidence=0.75,
        pattern=clause(
            r"(?:nothing beats |nothing makes me happier than |there's nothing (?:better|nicer|like) (?:than )?|you can't beat |I'm (?:very much |more of |definitely |such |totally |(?:a (?:little )?bit|something) of )*an? (?!bit of)(?=[\w' -]{2,25} (?:person|lover|enthusiast|nerd|junkie|addict|buff|geek|aficionado|freak|nut|fanatic)\b))(?P<o>(?!morning person|night person|evening person|good |bad |new |nice |kind |happy |busy |private |simple |normal |sane |certain |people |chill |calm |quiet |shy |private |relaxed |laid[- ]back |easy[- ]going |social |creative |visual |practical |positive |lazy |busy |different )[^\n,.;:!?()\"]{2,60}?)(?: (?:person|lover|enthusiast|nerd|junkie|addict|buff|geek|aficionado|freak|nut|fanatic)\b|(?=$|[,.;:!?()\"]))"
        ),
        yes=(
            ("I'm more of a tea person", "tea"),
            ("I'm a bit of a word game enthusiast", "word game"),
            ("I'm a history buff", "history"),
        ),
        no=("I'm a good person.", "She's a cat person.", "I'm a people person"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:I|we) (?:always |usually )?(?:take|drink|have|like|order|want) (?P<o>my (?:coffee|tea|steak|eggs|toast|pizza|burger|bagel|espresso|whisky|whiskey|martini|matcha|hot chocolate|curry|ramen)s? [^\n,.;:!?()\"]{3,40})"
        ),
        yes=(("I take my coffee black", "my coffee black"),),
        no=("I drink my tea.", "She takes my coffee black"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?!(?:it|this|that|he|she|they|which|you|what|these|those|one|there)\b)(?P<o>(?:[\w'-]+ ){0,4}?[\w'-]+) (?:is|are) (?:totally |really |so |very much |definitely |exactly )?(?:my (?:thing|jam|happy place|guilty pleasure|comfort (?:food|show)|favourites?|cup of tea)(?=$|[.,;!)]| (?:and|but|because)\b)|what I (?:like|love|enjoy|prefer)(?: (?:most|best))?(?=$|[.,;!)]))"
        ),
        yes=(("Jazz is my thing", "Jazz"), ("Thai food is my favourite", "Thai food")),
        no=("This is my jam", "Jazz is his thing.", "Is jazz my thing?"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        confidence=0.8,
        pattern=sentence(
            r"(?:what I (?:really )?(?:love|like|enjoy)(?: (?:most|best|the most))?|(?:the |one )thing I (?:love|enjoy|like)(?: (?:most|best|the most))?|my (?:happy place|guilty pleasure|comfort food|comfort show)) (?:is|are) (?!that\b|how\b|when\b|the way\b|your\b|it\b|this\b)<o>"
        ),
        yes=(("what I love most is gardening", "gardening"),),
        no=("What I love is that it works.", "What she loves is gardening"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        confidence=0.8,
        pattern=sentence(
            r"(?:(?:the |one |a )thing I (?:really )?(?:hate|can't (?:stand|bear)|dislike)(?: (?:most|the most))?|what I (?:really )?(?:hate|can't stand|dislike)(?: (?:most|the most))?) (?:is|are) (?!that\b|how\b|when\b|your\b|it\b|this\b)<o>"
        ),
        yes=(("one thing I can't stand is people chewing loudly", "people chewing loudly"),),
        no=("One thing I hate is that it crashes.", "What she hates is noise"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        confidence=0.75,
        pattern=clause(
            r"(?:(?!(?:it|this|that|he|she|they|which|you|what|these|those|one|there|everything|nothing)\b)(?=[\w' -]{3,40} (?:bores?|leaves?|creeps?|freaks?|grosses|drives?|terrif(?:y|ies)|disgusts?) me)|I find (?=[\w' -]{3,30} (?:exhausting|boring|disgusting|tedious|unbearable|annoying|gross)(?=$|[.,;!])))(?P<o>(?!(?:it|this|that|these|those|him|her|them|your)\b)[\w' -]{3,40}?) (?:bores? me|leaves? me cold|creeps? me out|freaks? me out|grosses me out|gross me out|drives? me (?:mad|crazy|nuts|up the wall)|terrif(?:y|ies) me|disgusts? me|exhausting|boring|disgusting|tedious|unbearable|annoying|gross)(?=$|[.,;!)]| (?:to tears|and|but|because|so)\b)"
        ),
        yes=(
            ("opera leaves me cold", "opera"),
            ("Musicals bore me to tears", "Musicals"),
            ("I find crowds exhausting", "crowds"),
        ),
        no=("This bores me.", "Opera leaves her cold.", "My boss drives me to work"),
    ),
)

FAVOURITES = (
    Rule(
        kind="preference",
        key="favourite_{r}",
        predicate="favourite_{r}",
        statement="The user's favourite {r} is {object}.",
        confidence=0.9,
        pattern=clause(
            r"(?:<my>)?(?:all[- ]time |absolute |current |new |number one )?(?:favourite|go-to|preferred) (?P<r>(?!(?:is|are|was|parts?|things?|bits?|ones?|of|so)\b)[\w-]+(?: (?!(?:of|which|is|are)\b)[\w-]+){0,3}?)(?: of all time| ever| in the world| at the moment| right now| of choice)?(?: used to be [^\n,;]{2,40}[,;]? (?:but )?(?:now )?it's| is| are| has to be| has always been| would be| must be| is definitely| was always|:| ->| =) (?:now |probably |definitely |always |easily |still |hands down )?(?!the \w+ one\b|(?:so|super|really|very|quite|pretty|too|such|kind of)\b|used to\b|when\b|that\b|how\b|hard\b|not\b|no longer\b|to be\b)<o>"
        ),
        yes=(
            ("My favourite colour is dark green.", "dark green"),
            ("my favorite food is ramen", "ramen"),
            ("fav band of all time: Stereolab", "Stereolab"),
            ("My go-to breakfast is porridge with figs", "porridge with figs"),
            ("My favourite film used to be Amélie, now it's Paddington 2", "Paddington 2"),
        ),
        no=(
            "What is my favourite colour?",
            "Her favourite colour is red.",
            "My favorite part is this",
            "My favorite sweater is super soft and lightweight",
        ),
    ),
    Rule(
        kind="preference",
        key="favourite_{r}",
        predicate="favourite_{r}",
        statement="The user's favourite {r} is {object}.",
        confidence=0.85,
        pattern=clause(
            r"(?!(?:that|this|it|what|which|who|there|these|those|one|you|he|she|they)\b)(?P<o>[^\n,.;:!?()\"]{2,50}?) (?:is|are|has to be|will always be|remains?) (?:by far |probably |definitely |easily |still |hands down )?(?:my|our) (?:all[- ]time |absolute |new |current )?(?:favourite|go-to) (?P<r>(?!(?:parts?|things?|bits?|ones?|of|because|so|and|but|at|in)\b)[\w-]+(?: (?!of\b)[\w-]+){0,2})(?! of\b)"
        ),
        yes=(("Dune is my all-time favourite book.", "Dune"), ("Ramen is my go-to meal", "Ramen")),
        no=("This is my favourite part.", "Is tea my favourite drink?", "She is my favourite"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user's favourites are {object}.",
        many=True,
        confidence=0.8,
        pattern=sentence(
            r"(?:my|our) (?:all[- ]time |absolute |current |top )*favourites?(?: (?:[\w-]+ ){1,2})? ?(?:are|include|:) <list>"
        ),
        yes=(("My favourites are jazz and soul.", "jazz|soul"),),
        no=("Their favourites are here.", "What are my favourites?"),
    ),
)

RULES = (*FAVOURITES, *LIKES)
