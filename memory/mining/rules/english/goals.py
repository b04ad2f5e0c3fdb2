"""What the user wants to reach."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule
from memory.mining.rules.templates import GOAL

_WANTS = replace(GOAL, shape="deed", confidence=0.8)
_IN_TRAINING = replace(_WANTS, statement="The user is {r} {object}.")

_LIFE = r"(?:become|becoming|(?:finally )?(?:get|earn) (?:my|our|an?) (?:\w+'s |\w+ ){0,3}?(?:licen[cs]e|licence|qualification|degree|diploma|certificate|certification|black belt|visa|citizenship|green card|novel published|phd|master's|bachelor's)|get (?:my|our) [\w ]{2,25}? (?:under|below|down|up to|back to|above|over|to \d)|conceive|have lost|be (?:more|less) (?:patient|organi[sz]ed|active|productive|confident|present|disciplined|social|mindful|assertive|consistent)|be (?:accepted|admitted|an? \w+ \w+(?= (?:when|one|some))|my own boss|able to (?:retire|run|do|play|speak|hold|swim|read|afford))|be debt[- ]free|be (?:fluent|debt|an? (?:better|good|great|teacher|nurse|doctor|pilot|writer|lawyer|chef|mother|mum|mom|dad|father|parent|grandparent)|healthier|fit\b)|lose (?:weight|\d|some weight|\w+ (?:kg|kilos|pounds|stone))|losing weight|quit|quitting|give up|stop (?:smoking|drinking|eating|biting|procrastinating|spending)|run (?:an?|my|our)|running an?|retire|move (?:to|out|back|abroad|into)|moving|relocate|emigrate|travel (?:the world|more|to (?-i:[A-Z])|around|through|across|full)|visit (?-i:[A-Z])\w*|see (?:the northern|more of|(?-i:[A-Z])\w*)|get to (?:\d[\d,.]*|inbox zero)|buy (?:an?|my|our) (?:\w+ ){0,2}(?:house|home|flat|apartment|place|car|boat|van|farm|cabin|land)|buying|get (?:fit|in shape|married|promoted|better at|a (?:dog|cat|puppy|degree|new job|promotion|tattoo|motorbike|job|masters?)|pregnant|healthier|certified|published|stronger)|save|saving|pay off|publish|adopt|climb|hike|start (?:an?|my|our|my own|a family|running|learning)|open (?:an?|my|our)|found|launch|write (?:an?|my) (?:book|novel|memoir|screenplay|phd|cookbook)|read (?:more|\d+|fifty|forty|thirty|twenty)|learn (?!more\b|from\b|how (?:this|it|you)|about\b)|master|speak (?-i:[A-Z])|speak (?:better|fluent)|play (?:the |guitar|piano|chess|in )|cook (?:more|better|healthier)|eat (?:less|more|better|healthier)|drink (?:less|more)|sleep (?:more|better|earlier)|exercise|work (?:out|less|abroad|part|from|in(?! a field)|as|for)|go (?:back to|to (?:uni|university|college|medical|law|grad|art)|vegan|freelance|part-time|self-employed|sailing)|have (?:kids|a (?:baby|second|third|child|family|garden|house)|another|children)|(?:finish|complete) (?:my|an?) |graduate|pass (?:my|the|an?) |qualify|switch|change (?:careers?|jobs?)|build (?:an?|my|our) (?:house|cabin|business|boat|shed|career|portfolio)|cycle|swim|sail|walk|drive across|live (?:in (?-i:[A-Z])|in (?:the|a)|abroad|closer|by|on)|reduce (?=my|our|stress|waste|sugar|meat|screen|alcohol|spending|caffeine|debt|plastic|food|clutter|dining)|(?:see|visit|go to|travel to|been to) (?:all|every)|meditate|journal|improve my (?:public speaking|writing|balance|technique|memory|grades|game|swing|pronunciation|vocabulary|drawing|english|spanish|french|german|italian|japanese|mandarin|health|fitness|diet|sleep|posture|handwriting|cooking|swimming|running|credit|time|backhand|cardio|flexibility|confidence)|grow (?:my own|our own|vegetables|tomatoes)|volunteer|bench|deadlift|squat|break|compete|audition|apply to (?:[\w ]{0,12}(?:school|university|college|programs?)|(?-i:[A-Z]))|study (?!this|it|for|the)|do (?:a|an|my) (?:master|phd|degree|marathon|triathlon|ironman|pull|handstand|split)|spend (?:more|less) time|cut down|cut back|make (?:partner|more friends|a living)|settle|teach (?-i:[A-Z]|maths|yoga|abroad)|earn (?:my|an?) |backpack|declutter|renovate|convert|take up)\b"
_WHEN = r"(?=[^\n]{0,90}\b(?:by (?:the end|\d{4}|next|summer|christmas|spring|autumn|winter|my|january|february|march|april|may|june|july|august|september|october|november|december)|this year|next year|one day|someday|eventually|before (?:I|we|my)|in the next (?:\w+ )?(?:years?|decade|months)|in (?:two|three|four|five|ten|\d+) years|when I (?:retire|grow|turn|graduate|finish)|for my \d|at some point|in the long run|in my lifetime|this (?:summer|winter|spring|autumn|decade)))"
_NOT = r"(?![^\n]{0,30}\b(?:some|any|all|one|both) of (?:it|this|that|them|these|those)\b)(?!go(?: there)?(?: (?:one day|some ?day|again))?$)(?![^\n]{0,20}\b(?:it|this|that|them)$)(?!(?:finish|have some|read (?:it|this|that)|fix|debug|know|ask|understand|see (?:if|how|what|your|it|this)|make sure|write an? (?:function|script|email|letter|query|poem|story|program|class|test)|use|try|check|find out|show|print|sort|convert|get (?:this|it|the|an? (?:overview|idea|list|quote|answer|summary|sense|feel))|do (?:this|that|it)|be (?:clear|sure|honest|careful|able to (?:see|use|click|run))|change (?:this|the|it)|add|create an? (?:table|list|function|file|chart|script|class|database|page|form|new)|talk|discuss|share|say|tell|thank|let you|hear|go (?:with|over|through|for|to bed|home|out|there)|have a (?:look|chat|quick)|avoid|keep (?:it|this|the)|start with|take (?:a look|this)|order|surprise|read (?:this|it|the)|watch|eat|cook (?:tonight|dinner|something|this)|buy (?:it|this|some|a (?:gift|present|new))|learn (?:more|how (?:this|it|you)|about)|it|you|this|that)\b)"

RULES = (
    Rule(
        kind="goal",
        key="learning_{slug}",
        predicate="is_learning",
        statement="The user is learning {object}.",
        pattern=clause(
            r"(?:(?:<I'm>(?:trying to |teaching myself |also |slowly |currently )*(?:learning|relearning|taking up|picking up|taking lessons in|taking classes in|taking (?!online|weekly|private|group|fitness|exercise|evening|night|some|\d|an?\b)(?=[\w ]{2,25} (?:lessons|classes)\b))|<I'm>teaching myself(?: how)?|<did>(?:started|begun|began|been) (?:learning|taking(?! (?:\d+|online|weekly|private|group|fitness|exercise|evening|night|some|an?)\b)(?= [\w ]{2,25} (?:lessons|classes)\b)|teaching myself)) (?!about\b|with\b|by\b|that\b|a lot\b|how (?!to)\b|from\b|the hard\b|it\b|this\b|so much\b|(?:how )?to (?:use|work|do|deal with) (?:it|this|that|them)\b|new things\b|as\b)(?:how (?=to ))?(?!use it|the ropes\b|it\b|other\b|several\b|different\b|more\b))"
            r"(?P<o>[^\n,.;:!?()\"]{2,60}?)(?: (?:lessons|classes))?(?= (?:for|on|with|since|at|because|so|from|in|by|before|using|through|and|but|one|two|three|twice|once|every|\w+ (?:days|weeks|months|years) ago)\b|$|[,.;:!?()])"
        ),
        yes=(("I'm learning Portuguese.", "Portuguese"), ("I'm teaching myself piano", "piano")),
        no=("I'm learning a lot here.", "I'm learning about this", "I'm still learning the ropes"),
    ),
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants this: {object}.",
        confidence=0.8,
        shape="deed",
        pattern=clause(
            rf"(?:(?:my|the|our|main) (?:main |big |biggest |long[- ]term |short[- ]term |current |new year's |next |ultimate |only |personal |career |fitness |financial |lifelong |number one |childhood |life |secret )*(?:(?:goals?|aim|target|plan)(?: (?:for|this|right now|at the moment|by|job|these)[\w '-]{{0,25}}?)? (?:is|are)(?: still| to finally)? to (?={_LIFE}|{_WHEN})|(?:dream|ambition|resolution|bucket list goal)(?: (?:for|this|right now|at the moment)[\w '-]{{0,25}}?)? (?:is|has always been)(?: still)? (?:to |that I )?(?=\w+ \w))"
            rf"|(?:I've|we've) (?:set (?:myself|ourselves) (?:a goal|the goal|a target)|made it my (?:goal|mission)) (?:of |to )|on my bucket list(?: is|:) |bucket list: |it's (?:always been )?my (?:dream|ambition) to ){_NOT}<o>"
        ),
        yes=(
            (
                "My goal is to run a marathon in under four hours.",
                "run a marathon in under four hours",
            ),
            ("my dream is to open a tea house", "open a tea house"),
        ),
        no=("What is my goal?", "Her goal is to win.", "My plan is not clear"),
    ),
    _IN_TRAINING.worded(
        clause(
            r"<I'm>(?:currently |now |also |finally )?(?P<r>(?:training|saving(?: up)?|aiming|preparing|studying|prepping|fundraising|in training|cramming|revising|practi[sc]ing) (?:for|to))"
            r"(?: (?<=for )(?!you\b|this\b|that\b|a (?:while|bit)\b|it\b|at least|about|over\b|years\b|weeks\b|months\b|\w+ (?:years|months|weeks)\b)| (?<=to )(?=buy|be|become|get|pay|go|visit|travel|move))<o>"
        ),
        (
            ("I'm training for a triathlon", "a triathlon"),
            ("I'm saving up for a house because rents are high", "a house"),
            ("I'm training for my first triathlon, the one in Roth", "my first triathlon"),
        ),
        ("I'm preparing for it.", "She's training for a race", "I'm studying for years"),
    ),
    _WANTS.worded(
        clause(
            r"<I'm>(?:slowly )?(?:working towards?|working on (?=improving|getting|becoming|losing|quitting|my (?:fitness|posture|accent|spanish|french|german|english|handstand|sleep))|dreaming of|determined to|on a mission to|(?<!all )set on|hoping for|thinking (?:of|about) (?=moving|becoming|quitting|retiring|buying a (?:house|home|flat)|adopting|going back to|starting (?:a|my)|changing careers|getting (?:a dog|a cat|a tattoo|married))) <o>"
        ),
        (("I'm working towards a black belt", "a black belt"),),
        ("I'm working on it.", "She's dreaming of Rome"),
    ),
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants to {object}.",
        confidence=0.8,
        shape="deed",
        pattern=clause(
            r"(?:<I'm>(?:really |also |still |finally |desperately |seriously |currently )*(?:trying|hoping|planning|determined|aiming|intending|keen|working hard|motivated|resolved|trying hard) (?:to )(?:finally |also |one day |eventually |someday )?|(?:I|we) (?:'d )?(?:really |also |still |someday |one day |eventually |finally |have always |always )*(?:want|plan|hope|intend|aim|aspire|mean|wish|am going|have decided|decided) (?:to |on )(?:finally |eventually |one day |someday |also |get to |be able to )?|(?:I've|we've) (?:always |long )?(?:wanted|dreamed of|decided|decided I want|decided we want|been meaning|been planning|been wanting|resolved|made up my mind)(?: (?:that )?I want)? (?:to |(?!to |I |we |that ))(?:finally )?|I (?:dream|am dreaming) of |(?:I|we)'d (?:love|like) to (?:one day |eventually |someday )?|I decided (?:that )?I want to )"
            rf"{_NOT}(?={_LIFE}|{_WHEN})<o>"
        ),
        yes=(
            ("I want to learn Japanese.", "learn Japanese"),
            ("I help out, and I'd love to see Patagonia before I die", "see Patagonia"),
            ("I'm trying to get to 10,000 steps a day", "get to 10,000 steps a day"),
            ("I'm trying to quit sugar", "quit sugar"),
            ("We're hoping to have a second child soon", "have a second child soon"),
            ("I want to run a marathon before I turn 50", "run a marathon"),
            (
                "I've decided I want to pay off my student loan by 2026",
                "pay off my student loan by 2026",
            ),
            (
                "I'm planning to switch careers into UX by the end of the year",
                "switch careers into UX by the end of the year",
            ),
        ),
        no=(
            "I want to write a function that sorts.",
            "I want to know more.",
            "I'm trying to fix this bug.",
            "I don't want to become a doctor.",
            "I want you to learn this.",
        ),
    ),
    Rule(
        kind="goal",
        key="moves_to_{slug}",
        predicate="wants_to_move_to",
        statement="The user plans to move to {object}.",
        shape="place",
        confidence=0.8,
        pattern=clause(
            r"(?:<I'm>(?:moving|relocating|emigrating)|(?:I|we)(?:'ll| will) (?:move|relocate|be moving)|(?:I|we) (?:move|relocate)) (?:back |out |over |down |up |abroad |permanently )*to (?:a [\w ]{2,30} (?:in|near) )?<place>"
        ),
        yes=(
            (
                "We're moving to Valencia in September, and for now home is still Sheffield",
                "Valencia",
            ),
        ),
        no=("I'm moving to the next chapter.", "She's moving to Oslo"),
    ),
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants to {object}.",
        confidence=0.8,
        shape="deed",
        pattern=sentence(
            rf"(?:one day|some ?day|this (?:year|summer|winter|spring|autumn)|next (?:year|summer|winter|spring|autumn)|in (?:\d{{4}}|the (?:next|coming) [\w ]{{3,20}}|the long run|five years|ten years)|eventually|by (?:the end of [\w ]{{3,20}}|\d{{4}}|next \w+)|before I (?:turn|die|retire)[\w ]{{0,12}}),? (?:I|we)(?:'m| am|'re)? (?:really |finally )?(?:want|hope|plan|intend|aim|'d love|'d like|hoping|planning|trying|going|will) (?:to |(?!to ))(?:finally )?{_NOT}<o>"
        ),
        yes=(("One day I want to see the aurora from a boat", "see the aurora from a boat"),),
        no=("Next year he wants to move.", "This year I was ill"),
    ),
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants this: {object}.",
        confidence=0.8,
        shape="deed",
        pattern=sentence(
            rf"(?:my |our )?(?:(?:main |big |biggest |long[- ]term |short[- ]term |new year's |personal |career |fitness |financial |number one |life )*(?:goals?|resolutions?|dream job)(?: (?:for|this|in)(?: the)? (?:\d{{4}}|year|month|summer|winter|spring|autumn|week|next \w+|new year|\w+ quarter))?(?: is|:| ->| are| would be) )(?!to (?!{_LIFE})|that\b|what\b|how\b|not\b|it\b|this\b|an? (?:function|script|list|table|page|query|report)\b|find(?:ing)? the\b|the (?:minimum|maximum|same|following)\b)(?=(?:[\w'-]+ ){{1,14}}[\w'-]+)<o>"
        ),
        yes=(
            ("Goal for 2025: run a sub-4 marathon", "run a sub-4 marathon"),
            ("New Year's resolution: no more takeaways", "no more takeaways"),
            ("my long-term goal is financial independence", "financial independence"),
            ("my dream job is working for NASA", "working for NASA"),
        ),
        no=("The goal is to sort it.", "Her goal is a medal.", "Goal: a function that sorts"),
    ),
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants this: {object}.",
        confidence=0.8,
        shape="deed",
        pattern=sentence(
            rf"(?:(?:what (?:I|we) (?:really |truly |ultimately )?(?:want|dream of)(?: most| one day)? is|(?:one day|some ?day|eventually),? (?:I'll|I will|we'll|we will|I'm going to)|by (?:christmas|summer|\d{{4}}|the end of [\w ]{{3,14}}|my \w+ birthday),? (?:I'd|I would|we'd|I) (?:like|love|want|hope)) (?:to )?){_NOT}(?={_LIFE}|have lost|have saved|{_WHEN})<o>"
        ),
        yes=(
            ("what I really want is to live by the sea", "live by the sea"),
            ("one day I'll open my own bakery", "open my own bakery"),
            ("by Christmas I'd like to have lost 10 kilos", "have lost 10 kilos"),
        ),
        no=("What she wants is to live by the sea.", "One day I'll see."),
    ),
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants this: {object}.",
        confidence=0.8,
        shape="deed",
        pattern=clause(
            r"(?:<I'm>(?:planning on|intent on|keen on|set on) (?=going back|moving|becoming|retiring|quitting|running an?|starting (?:a|my)|buying (?:a|an|our|my)|learning|getting (?:married|a (?:dog|cat)))|<I'm>(?:thinking about (?=becoming|moving|quitting|retiring|adopting|going back to|starting (?:a|my)|changing careers|getting (?:a dog|a cat|married)))|(?:<I'm>|I've been )trying for (?=an? (?:baby|child|second|third|family))|(?:I've|we've|I have|we have) set (?:myself|ourselves) (?:a|the) (?:goal|target|challenge) of |<I'm>on track to (?=retire|finish|graduate|qualify))(?P<o>[^\n,.;:!?()\"]{1,90}?)(?= for (?:\w+ )?(?:ages|a while|months|years|weeks)\b|$|[,.;:!?()\"])"
        ),
        yes=(
            ("we're trying for a baby", "a baby"),
            ("I'm thinking about becoming a foster parent", "becoming a foster parent"),
        ),
        no=("I'm thinking about it.", "She's trying for a baby", "I'm trying for hours"),
    ),
)
