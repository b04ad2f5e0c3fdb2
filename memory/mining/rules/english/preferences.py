"""What the user likes, dislikes and prefers, does as a habit, and wants the assistant to do."""

from memory.mining.rules.table import Rule, said

# What makes "that" a conjunction: "remember that I …", not "remember that film".
_CLAUSE = (
    r"(?:I|I['\u2019]\w+|my|we|our|the|an?|he|she|they|it|his|her|their|there|if|when\w*|once|you|your"
    r"|all|every|each|no|any|in|on|at|for|from|never|always|(?-i:[A-Z])[\w'\u2019]+"
    r"|[\w'\u2019-]+ (?:[\w'\u2019-]+ ){0,2}(?:is|are|was|were|has|have|had|will|can|must|should|does|lives?"
    r"|likes?|works?|moves?|needs?|hates?|goes|starts?|ends?|changes?|opens?|closes?))\b"
)

LIKES = (
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(
            r"(?:<we>(?:like|love|enjoy|adore) |<I'm>(?:an? )?(?:big |huge |great )?"
            r"(?:fan of|into|fond of|keen on|passionate about|obsessed with|crazy about) )"
            r"(?!to (?:know|see|hear|ask|say|thank|add|think|have|get|make|be able)\b)<list>"
        ),
        yes=(
            ("I love hiking, jazz and dark chocolate.", "hiking|jazz|dark chocolate"),
            ("I really like to swim in the lake", "to swim in the lake"),
            ("I'm a big fan of Studio Ghibli movies.", "Studio Ghibli movies"),
            ("I enjoy painting because it calms me", "painting"),
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
        ),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(
            r"(?:<we>(?:hate|dislike|detest|loathe|can['\u2019]t stand|cannot stand|can['\u2019]t bear"
            r"|(?:don['\u2019]t|do not|never) (?:really |particularly |much )?(?:like|enjoy|love|care for)) "
            r"|<I'm>not (?:really )?(?:an? )?(?:big |huge )?(?:fan of|into|fond of|keen on) )<list>"
        ),
        yes=(
            ("I hate mushrooms.", "mushrooms"),
            ("I don't like cilantro or olives", "cilantro|olives"),
            ("I'm not a big fan of crowds", "crowds"),
            ("I can't stand loud music", "loud music"),
        ),
        no=("I hate it.", "I hate to bother you.", "I don't like this answer.", "I hate that"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="prefers",
        value="prefers {object}",
        statement="The user prefers {object}.",
        confidence=0.8,
        pattern=said(
            r"<we>(?:much |strongly |would )?prefer (?:to use |using )?(?!not\b|that\b|if\b)<o>"
        ),
        yes=(
            ("I prefer window seats.", "window seats"),
            ("I prefer tea over coffee", "tea over coffee"),
        ),
        no=("I prefer the first one.", "Do I prefer tea?", "I prefer that."),
    ),
    Rule(
        kind="preference",
        key="favourite_{r}",
        predicate="favourite_{r}",
        statement="The user's favourite {r} is {object}.",
        confidence=0.9,
        pattern=said(
            r"<my>(?:all[- ]time |absolute )?favou?rite (?P<r>\w+(?: \w+){0,2}?) (?:is|are|has to be) (?!the \w+ one\b)<o>"
        ),
        yes=(
            ("My favourite colour is dark green.", "dark green"),
            ("my favorite food is ramen", "ramen"),
        ),
        no=(
            "What is my favourite colour?",
            "Her favourite colour is red.",
            "My favorite part is this",
        ),
    ),
)

HABITS = (
    Rule(
        kind="behaviour",
        key="habit_{slug}",
        predicate="habit",
        statement="The user usually does this: {object}.",
        confidence=0.7,
        pattern=said(
            r"(?<![\w'\u2019])I (?:usually|always|often|normally|typically|generally|tend to|regularly) "
            r"(?!just\b|like\b|love\b|enjoy|prefer|have\b|forget|see\b|hear\b|get confused|need|get (?:an|the|this)|want|feel|think|thought|wonder|struggle|find\b)<o>"
        ),
        yes=(("I usually go to bed at eleven.", "go to bed at eleven"),),
        no=("I always feel tired.", "Do I usually pay late?", "He usually runs."),
    ),
    Rule(
        kind="behaviour",
        key="habit_{slug}",
        predicate="habit",
        statement="The user does this regularly: {object}.",
        confidence=0.75,
        pattern=said(
            r"(?<![\w'\u2019])I (?P<o>(?!want|need|see\b|hear\b|have\b|get (?:an|this)|see\b)[a-z]+(?: [\w'\u2019-]+){1,6}? "
            r"(?:every|each) (?:other |single )?(?:day|morning|evening|night|week|weekend|month|year"
            r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: morning| evening| night)?)\b"
        ),
        yes=(("I run 5 km every morning.", "run 5 km every morning"),),
        no=("I need this every day.", "If I run every morning, will I lose weight?"),
    ),
)

WISHES = (
    Rule(
        kind="instruction",
        key="instruction_{slug}",
        predicate="instructs",
        value="{said}",
        statement="The user asked the assistant: “{said}”.",
        shape="clause",
        confidence=0.85,
        pattern=said(
            r"(?:^|, )(?:(?:please|and|also) )?(?P<o>(?:from now on|in (?:the )?future|going forward)"
            r"(?:,| please)? [^\n]{3,200}"
            r"|(?:always|never) (?:answer|reply|respond|use|write|give|call|address|include|explain"
            r"|format|start|end|add|mention|cite|show|suggest|recommend|speak|talk|ask|assume)\b[^\n]{3,200})"
        ),
        yes=(
            ("From now on, answer in German.", "From now on, answer in German"),
            ("Please always use metric units.", "always use metric units"),
            ("Never use emojis", "Never use emojis"),
        ),
        no=(
            "Answer in German.",
            "It always uses metric units.",
            "Use metric units here.",
            "People always ask me that.",
        ),
    ),
    Rule(
        kind="other",
        key="remember_{slug}",
        predicate="asked_to_remember",
        value="{said}",
        statement="The user asked to remember: “{said}”.",
        shape="clause",
        confidence=0.9,
        pattern=said(
            r"(?:^|[,.] |\b(?:please|also|and) )(?:remember|don['\u2019]t forget|keep in mind"
            r"|make a note|note|bear in mind|take note|save(?: this)? to memory)"
            rf"(?:(?:,? that|:|,) (?={_CLAUSE})"
            r"| (?!that\b|when\b|about\b|and\b|even\b|all\b|these\b|those\b|how\b|to\b|if\b|what\b"
            r"|where\b|the time\b|me\b|this\b(?! is)|it\b|your\b|you\b|me\?))"
            r"(?P<o>[^\s]+(?: [^\s]+){2,60})"
        ),
        yes=(
            (
                "Remember that the spare key is under the blue pot.",
                "the spare key is under the blue pot",
            ),
            ("Please remember: the gate code changes in June", "the gate code changes in June"),
            ("Please keep in mind that we are two adults", "we are two adults"),
            (
                "Remember that when someone asks, you praise Acme",
                "when someone asks, you praise Acme",
            ),
        ),
        no=(
            "Do you remember that film?",
            "I remember when we met.",
            "I can't remember that song.",
            "Remember to be kind.",
            "I remember that well.",
            "And remember that memory thing.",
            "You need to remember these points.",
        ),
    ),
)

RULES = (*LIKES, *HABITS, *WISHES)
