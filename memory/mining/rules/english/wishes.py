"""What the user wants the assistant to do from now on, and what it is to remember."""

from memory.mining.rules.english.grammar import sentence
from memory.mining.rules.table import Rule

# What makes "that" a conjunction: "remember that I …", not "remember that film".
_CLAUSE = (
    r"(?:I|I'\w+|my|we|we're|our|the|an?|he|she|they|it|it's|his|her|their|there|if|when\w*|once|you|your"
    r"|all|every|each|no|any|in|on|at|for|from|never|always|(?-i:[A-Z])[\w']+"
    r"|[\w'-]+ (?:[\w'-]+ ){0,2}(?:is|are|was|were|has|have|had|will|can|must|should|does|lives?"
    r"|likes?|works?|moves?|needs?|hates?|goes|starts?|ends?|changes?|opens?|closes?))\b"
)
_MINE = r"(?=[^\n]{0,120}\b(?:I|I'm|I've|my|we|we're|our|me|us)\b)"
_PLEASE = r"(?:(?:please|pls|also|and|so|ok|hey|can you|could you|I want you to|I need you to|I'd like you to|you should|just) )*"
_NOT_FACT = r"(?:that (?!\w+ (?:\w+ )?(?:is|are|was|has|have|can|will|need|needs|live|lives)\b|I\b|my\b|we\b|the\b|our\b)|(?:when|about|and|even|all|these|those|how|to|if|what|where|me|it|you|your|of|as|in|down|for|from|with|them|this(?! is))\b|the (?:time|days?|good|old)\b|me\?)"
_DO = (
    r"(?:answer|reply|respond|use|write|give|call|address|include|explain|format|start|end|add|mention|cite|show|suggest|recommend"
    r"|speak|talk|ask|assume|put|keep(?! (?:up|going|it up|on|pushing|rocking|shining|being|doing|at it|in touch|me posted|us posted)\b)|convert|list|quote|sign|apologi[sz]e|summari[sz]e|translate|default|double-check|check|tell|send|propose|refer|round|begin|spell|stick|provide|offer|remind|avoid|skip|leave|make|treat|warn|be|do|say|point|lead|open|finish|break|think|link|label|number|highlight|prefer|bring|consider)"
)
_ASKING = r"(?:(?:please|pls|and|also|hey|ok|can you|could you|would you|I want you to|I'd like you to|I need you to|I'd prefer (?:it )?if you|you should|you can|make sure (?:you|to)|be sure to|try to|I'd appreciate it if you) )*"

RULES = (
    Rule(
        kind="instruction",
        key="instruction_{slug}",
        predicate="instructs",
        value="{said}",
        statement="The user asked the assistant: “{said}”.",
        shape="clause",
        confidence=0.85,
        pattern=sentence(
            rf"{_ASKING}(?![^\n]*\b(?:you (?:are|aren't)|you're|u are|you will|you'll|act as|pretend|like you|your system|as if)\b)(?P<o>(?:from (?:now|here|today|this point) on(?:wards?)?|in (?:the )?future|going forward|moving forward|henceforth|for all future|as a (?:general )?rule|by default|as a default)"
            rf"(?:,| please)* (?!(?:I|we|he|she|they|my|our|it|there|the)\b)[^\n]{{3,200}}"
            rf"|(?:always|never|don't ever|do not ever|ever) (?:please )?{_DO}\b(?! (?:mind|forget|up on|never))[^\n]{{3,200}}"
            rf"|(?:don't|please don't|no need to|stop|quit|avoid) (?!(?:think|say|believe|know|guess|remember) (?:I|I'\w+|we|it|it's|he|she|they|that|there)\b)(?:\w+ing|{_DO}) [^\n]{{2,120}}?,? (?:ever(?: again)?|in (?:the )?future|from now on|going forward|every time|in (?:every|each|all|any of) (?:your |our )?(?:replies|reply|messages?|answers?|responses?|chats?|conversations?)|when (?:you )?(?:talk|writ|answer|reply|respond)(?!\w* (?:it|this)\b)[^\n]{{0,60}}|in drafts[^\n]{{0,60}})(?=$|[ ,.;!?])[^\n]{{0,60}}"
            rf"|{_DO} [^\n]{{2,140}}?,? (?:from now on|going forward|in (?:the )?future|every time|at all times|by default|in (?:all|every|each) (?:of )?(?:your |our )?(?:future )?(?:replies|reply|messages?|answers?|responses?|chats?|conversations?)|whenever (?!your ready)(?:you|I|we)(?! (?:are |'re )?(?:ready|done|want|like|can|feel|have time))[^\n]{{2,80}}|as a (?:general )?rule|unless I (?:ask|say|tell)[^\n]{{0,60}})(?=$|[ ,.;!?])[^\n]{{0,60}}"
            rf"|(?:when|whenever|every time|any time|each time) (?:you|I) [^\n]{{3,80}}?, ?(?:please |always |never |don't |do not )*{_DO}\b[^\n]{{3,120}})"
        ),
        yes=(
            ("From now on, answer in German.", "From now on, answer in German"),
            ("Please always use metric units.", "always use metric units"),
            ("Never use emojis", "Never use emojis"),
            (
                "Don't suggest anything with mushrooms, ever",
                "Don't suggest anything with mushrooms, ever",
            ),
        ),
        no=(
            "Answer in German.",
            "It always uses metric units.",
            "Use metric units here.",
            "People always ask me that.",
            "You should never mix bleach and ammonia",
            "Don't use the oven today",
        ),
    ),
    Rule(
        kind="instruction",
        key="instruction_{slug}",
        predicate="instructs",
        value="{said}",
        statement="The user asked the assistant: “{said}”.",
        shape="clause",
        confidence=0.8,
        pattern=sentence(
            rf"{_ASKING}(?P<o>(?:keep (?:your|all|the) (?:answers|replies|responses|messages|explanations)(?: to me)? [^\n]{{3,120}}"
            r"|(?:talk|speak|reply|respond|write|answer) to me in (?-i:[A-Z])[^\n]{2,60}|(?:refer to|address) me (?:as|by|with) [^\n]{2,80}"
            r"|(?:no|skip the|drop the|less|fewer) (?:emojis?|bullet points|small talk|pleasantries|disclaimers|filler|flattery|apologies|exclamation marks|jargon|fluff)[^\n]{0,20} (?:please|ever|in your [^\n]{3,40}|with me)"
            r"|stop (?:apologi[sz]ing|calling me|using (?:emojis?|exclamation|bullet|em ?dash|slang|my (?:full|last|first) name)|starting (?:your|every|each)|ending (?:your|every|each)|adding (?:disclaimers|emojis)|praising me)\b(?![^\n]*\b(?:now|immediately)\b)[^\n]{0,120}))"
        ),
        yes=(
            ("keep your answers short and plain", "keep your answers short and plain"),
            ("stop apologising in every reply, ok?", "stop apologising in every reply"),
        ),
        no=("Keep it short.", "keep the second answer", "They stop using it"),
    ),
    Rule(
        kind="other",
        key="remember_{slug}",
        predicate="asked_to_remember",
        value="{said}",
        statement="The user asked to remember: “{said}”.",
        shape="clause",
        confidence=0.9,
        pattern=sentence(
            rf"{_PLEASE}(?:(?:remember|don't forget)(?: (?:this|that))?(?:,? that|:) (?={_CLAUSE}|[^\n]{{6}})"
            rf"|(?:remember|don't forget) (?!{_NOT_FACT})(?![\w' ]{{2,30}} from (?:earlier|before|yesterday|last (?:time|week|night)|the other day)\b)(?=[^\n]{{0,80}}\b(?:is|are|was|were|has|have|had|will|lives?|likes?|needs?|starts?|I|my|we|our)\b)"
            rf"|(?:keep|bear) (?:(?:this|that) )?in mind(?:,? that|:|,)? (?={_MINE})|(?:please )?note (?:down )?that (?={_MINE})|take note(?: that|:) (?={_MINE})"
            r"|(?:keep (?:this|that)(?: (?:one|info|fact))? for later|make a (?:mental )?note(?: of this| for later)?|(?:note|save|store|log|record|write down|jot down) (?:this|that|it)(?: down)?(?: (?:to|in|for) (?:your |my )?(?:memory|later|notes?|future reference|the record))?"
            r"|note to self(?: via you)?|mental note|memo to self|for the record|for (?:your|my|future) (?:reference|records?|notes|information)|fyi|commit (?:this )?to memory|add (?:this )?to (?:your |my )?(?:memory|notes))(?: that|,? that|:|,| -| \u2013| \u2014) (?!please\b|see\b|refer\b|here (?:is|are)\b|here's\b|below\b|this is\b|I (?:want|need|am|have (?:a )?question)\b)(?=[^\n]{6}))"
            r"(?P<o>(?!(?:that )?(?:I'm (?:just |only )?(?:giving|asking|sending|showing)|you (?:are|have|need|must) to|you're to|I will be the author|(?:the|this|your|our|my|each|every|all) (?:\w+ ){0,2}(?:persona|audience|article|word count|tone|title|output|response|essay|story|prompt|blog|text|character|reader|readers|client's|keyword|paragraph|post|function|variable)s?)\b)[^\s]+(?: [^\s]+){2,60})"
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
            (
                "Keep this for later: Aunt Mei's dumplings need 2 tsp white pepper",
                "Aunt Mei's dumplings need 2 tsp white pepper",
            ),
        ),
        no=(
            "Do you remember that film?",
            "Remember my puppy from earlier",
            "I remember when we met.",
            "I can't remember that song.",
            "Remember to be kind.",
            "I remember that well.",
            "And remember that memory thing.",
            "You need to remember these points.",
        ),
    ),
)
