"""How the assistant is to answer from now on, told without "from now on"."""

from memory.mining.rules.english.grammar import sentence
from memory.mining.rules.templates import Template

_WISH = Template(
    "instruction",
    "instruction_{slug}",
    "instructs",
    "The user asked the assistant: “{said}”.",
    "clause",
    value="{said}",
)
_ASKING = r"(?:(?:please|pls|plz|kindly|and|also|oh|hey|ok|okay|so|but|absolutely|one thing|can you|could you|would you|will you|I want you to|I'd like you to|I need you to|I'd prefer (?:it )?if you|just|try to|make sure (?:you|to)),? )*"
# What answers are made of, whatever they are about.
_PART = (
    r"(?:bullet(?:ed)?(?: points?| lists?)?|(?:numbered )?lists|emojis?|emoticons|exclamation (?:marks?|points?)|em[- ]?dash(?:es)?|headers?|headings|markdown|latex|bold(?: text)?|italics"
    r"|jargon|slang|swearing|small talk|pleasantries|preambles?|disclaimers?|caveats|filler|flattery|praise|compliments|apologies|spoilers?|platitudes|pep ?talks?|lectures?|lecturing|moralising|moralizing|hashtags"
    r"|metaphors|analogies|abbreviations|acronyms|buzzwords|clichés|puns|sugar[- ]?coating|hand[- ]?holding|follow[- ]?up questions|trailing questions|one[- ]word answers|walls of text|long paragraphs|waffle|corporate speak|imperial(?: units)?|cups(?: and ounces)?|fahrenheit|celsius|all caps|code comments|inline comments|semicolons|oxford commas?|[\w.+#-]+ examples)"
)
_STYLE = r"(?:(?:plain|simple|short|proper|clear|everyday|formal|informal|british|american|australian|canadian|uk|us|lower ?case|full|complete|metric|bullet|prose|point form|layman'?s?|second person|one (?:sentence|line|paragraph)|max(?:imum)? \w+|at most|no more than|under \d+|a (?:friendly|formal|dry|neutral|casual|blunt|warm|direct) (?:tone|way|voice|manner))\b)"
_VERB = r"(?:answer|reply|respond|write|speak|talk|explain|summari[sz]e|give|show|use|put|keep|start|end|add|include|format|cite|call|address|ask|check|correct|translate|tell|spell|round|list|be|stick|assume|treat|skip|leave|make|send|suggest|sign|quote|mention|wrap|label|number|default|describe|lay|phrase|point|remind|warn)"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|messages?|explanations?|summar(?:y|ies)|code(?: samples?| examples?| snippets?| blocks?)?|snippets?|samples?|examples?|recipes?|suggestions?|drafts?|lists?|units|numbers|dates|prices|measurements|quantities|distances|temperatures|amounts|times)"
_NOW = r"(?![^\n]*\b(?:this (?:text|email|mail|letter|one|essay|post|paragraph|message|story|poem|article|draft|code|function|list|translation)|the (?:text|email|letter|essay|post|paragraph|story|poem|article|following|output|translation|above|below)|in the style of|today|for now|you are|you're|act as|below|attached|words? (?:essay|story|article))\b)"

RULES = (
    _WISH.worded(
        sentence(
            rf"<after>(?:so |and |but )*(?P<o>(?:please,? |pls |plz |kindly )?(?:absolutely )?no (?:more )?{_PART}\b(?: (?:ever|please|pls|thanks|thank you|in (?:your|the|any) [\w ]{{3,20}}|past [\w' ]{{3,40}}|with me|at all))*)(?=$|[.,;!)]| (?:as|because|since|when|I)\b)"
        ),
        (
            ("No bullet points please. Ever.", "No bullet points please"),
            ("Terraform is what we use, so please no Pulumi examples", "please no Pulumi examples"),
        ),
        ("There are no bullet points here.", "No idea, sorry.", "Is there no markdown?"),
    ),
    _WISH.worded(
        sentence(
            rf"{_ASKING}{_NOW}(?P<o>(?:drop|skip|lose|cut|ditch|leave out|spare me|quit|enough with|go easy on|lay off|avoid|without) (?:out )?(?:on )?(?:all )?(?:the |your |any |those |with the )?{_PART}(?: (?:as well|too|please|altogether|entirely|completely))*)(?=$|[.,;!)]| (?:and|when|with|in|I)\b)"
        ),
        (("Drop the exclamation marks as well", "Drop the exclamation marks"),),
        ("Drop the box here.", "He should drop the jargon", "Cut the lists in the text below"),
    ),
    _WISH.worded(
        sentence(
            rf"{_ASKING}{_NOW}(?P<o>(?:reply|respond|answer|speak|talk|explain (?:things|everything|stuff))(?: back)?(?: to me)? (?:only |always |just )?(?:(?:in|with) {_STYLE}|like (?:I'm|I am|you're|we're|a (?:friend|colleague|human))|as if (?:I|you|we)|as though (?:I|you|we))<rest>{{0,90}})"
        ),
        (
            (
                "Speak to me like I'm a colleague, not a customer.",
                "Speak to me like I'm a colleague, not a customer",
            ),
            ("Reply in plain British English, thanks", "Reply in plain British English, thanks"),
        ),
        (
            "Answer in German.",
            "Write in plain words what this text says",
            "Explain quantum physics like I'm five",
            "They reply in plain English.",
        ),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>(?:write|use|put|give|show|express|spell|keep|format|quote|state) (?:me )?(?:all |any |the |your |every )?(?:numbers|dates|measurements|temperatures|units|amounts|times|prices|currenc(?:y|ies)|distances|weights|quantities|names|titles|code|variables|functions)(?: [\w ]{{1,25}}?)? (?:as|in|with|to|without|under|above|below) <rest>{{2,80}})"
        ),
        (("please write numbers above ten as digits", "write numbers above ten as digits"),),
        (
            "Write numbers on the board.",
            "I write numbers as digits",
            "Give times for this text in hours",
        ),
    ),
    _WISH.worded(
        sentence(
            rf"{_ASKING}{_NOW}(?P<o>(?:use|give me|stick to|default to|go with|work in|think in|assume|prefer) (?:only )?(?:the )?(?:metric|celsius|fahrenheit|kilometres|kilometers|grams|litres|kilos|british (?:spelling|english)|american (?:spelling|english)|uk spelling|us spelling|24[- ]?h(?:our)?\b|iso dates|they/them|she/her|he/him|(?:the )?oxford comma|first names|si units|tabs|spaces|type hints|snake[_ ]case|camel ?case)(?! units here| here| for this| in this)<rest>{{0,60}})"
        ),
        (("Use metric, I don't know what a cup is", "Use metric, I don't know what a cup is"),),
        ("Use metric units here.", "They use metric.", "Should I use tabs?"),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>(?:don't |never )?{_VERB}\b[^\n]{{3,120}}?,? (?:always|ever|every (?:single )?time|for good|permanently|as a (?:general )?rule|not just (?:this time|now|today|here)|in general|without exception|(?:that's|it's) a standing (?:request|order|rule)|each time|both now and later|from here on(?: out)?))(?=$|[.,;!])"
        ),
        (
            (
                "summarise in max three sentences, always, not just this time",
                "summarise in max three sentences, always",
            ),
            (
                "Please correct my English when I slip, that's a standing request.",
                "correct my English when I slip, that's a standing request",
            ),
        ),
        ("Give it a try for ever and a day", "She answers in rhyme, always."),
    ),
    _WISH.worded(
        sentence(
            r"(?:(?:please|pls|and|also|but|just|absolutely|for the love of god),? )*(?P<o>(?:do not|don't|never)(?: ever)? (?:touch|edit|change|delete|rename|remove|rewrite|refactor|reformat|run|install|commit|push|send|buy|book|suggest|add|move|assume|alter|replace|use|translate|correct|share|post) <rest>{2,80}? (?:without|unless|before|until) (?:asking|checking|telling|confirming|I |you |my )<rest>{0,50})"
        ),
        (
            (
                "Absolutely do not touch the migrations directory without asking me first.",
                "do not touch the migrations directory without asking me first",
            ),
        ),
        (
            "Don't touch the stove.",
            "They never change it without asking me",
            "Don't run this unless needed",
        ),
    ),
    _WISH.worded(
        sentence(
            rf"{_NOW}(?:and )?(?P<o>(?:when|whenever|if|any time|every time) (?:you're |you |I'm )?(?:writ\w+|answer\w*|repl\w+|explain\w*|suggest\w*|recommend\w*|show\w*|giv\w+|quot\w+|cit\w+|format\w*|summari\w+|cod\w+|translat\w+|draft\w*|correct\w*|list\w*)(?: (?:code|things?|recipes?|me|for me|anything|something|stuff|numbers|dates|examples?|answers?|prose|mails?|emails?|messages?|text|papers?|books?|films?|movies|sources|commands|functions|tests|sql|python|bash))*(?: (?:for|to|with) (?:me|us))?, (?!(?:I|we|it|they|he|she|the|that|this|my|how|what|why|which|is|are|does|do you|can|could|should)\b)[^\n?]{{5,160}})"
        ),
        (
            (
                "When writing code for me, type hints everywhere and no comments",
                "When writing code for me, type hints everywhere and no comments",
            ),
        ),
        (
            "When writing code, I drink tea.",
            "When writing code, what matters?",
            "When he writes code for me, it works.",
        ),
    ),
    _WISH.worded(
        sentence(
            rf"(?:please,? |and |so )?(?P<o>(?:every|each|all|any) (?:of )?(?:your |the )?{_ANSWERS}(?: (?:that )?(?:you |from you|for me|to me|below)[\w ]{{0,20}}?)? (?:should|must|has to|have to|needs? to|ought to|is to|are to|shall) <rest>{{3,90}})"
        ),
        (
            (
                "Every code sample you give me should run on Python 3.9",
                "Every code sample you give me should run on Python 3.9",
            ),
        ),
        ("All answers are wrong.", "Should every answer be short?"),
    ),
    _WISH.worded(
        sentence(
            r"<after>(?:I |we )?(?P<o>(?:can't stand it|hate it|dislike it|don't like it|prefer(?: it)?|like it(?: better| best| more)?|love it|appreciate it|find it (?:annoying|helpful|easier)|would prefer it)(?: when| if| that)? you(?: (?:don't|didn't|wouldn't|would|could|never|always|just|only|to|not|could))* (?:open|start|begin|end|finish|answer|repl\w+|respond|write|wrote|explain|ask|asked|use|used|keep|kept|give|gave|list|apologi[sz]e|repeat|skip|cite|show|tell|call|address|speak|talk|put|add|summari[sz]e|be|were|are|go|get)\b[^\n;]{2,90})"
        ),
        (
            (
                "can't stand it when you open with a compliment",
                "can't stand it when you open with a compliment",
            ),
            (
                "I prefer it when you give the answer first",
                "prefer it when you give the answer first",
            ),
        ),
        ("I hate it when you lose.", "She hates it when you ask", "I want you to write a poem"),
    ),
    _WISH.worded(
        sentence(
            rf"{_ASKING}{_NOW}(?P<o>(?:be|stay) (?:more |brutally |a bit |a little |very |completely |always )?(?:blunt|honest|direct|concise|brief|patient|gentle|harsh|critical|frank|terse|succinct|skeptical|sceptical|strict|kind)(?:,? (?:and|but) \w+)?(?: with me| with (?:your|my|the) <rest>{{3,40}}| in your \w+| when <rest>{{3,60}}))"
        ),
        (("be patient with the half-finished ones", "be patient with the half-finished ones"),),
        ("be patient", "She is patient with me", "He should be honest with me"),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>(?:treat me (?:as|like)|don't (?:explain|sell|teach|send|show|give|call|quote|feed) <rest>{{2,40}}? to me\b(?! (?:now|yet|like))|(?:never|don't)(?:, ever,?| ever,?)? (?:suggest|mention|recommend|use|offer|propose|give me|call me|include|bring up|assume) <rest>{{2,60}}? (?:again|ever|to me|in (?:the |any |my )?(?:e?mails|letters|messages|texts|replies|posts|recipes|plans)(?: (?:that )?you (?:draft|write|make))?)\b|(?:correct|fix|flag|point out|mark) my (?:english|spanish|french|german|grammar|spelling|mistakes|messages|errors|typos|pronunciation|italian|japanese)|(?:when|whenever) (?:you )?(?:write|draft|answer|reply|talk|speak)(?: (?:to|for|with) (?:me|my [\w ]{{2,20}}|us|clients|customers))? (?:use|sign|keep|put|write|call|address|don't|never|always|add|include)\b) ?<rest>{{0,90}})"
        ),
        (
            (
                "Treat me as an absolute novice with electronics",
                "Treat me as an absolute novice with electronics",
            ),
            (
                "My writing is poor, please correct my messages when they are wrong",
                "correct my messages when they are wrong",
            ),
        ),
        ("They treat me as a novice.", "Don't explain it to me now", "She never asks me again"),
    ),
    _WISH.worded(
        sentence(
            rf"{_ASKING}(?P<o>(?:address|refer to|greet) me (?:as|by|with|using) (?!soon\b)<rest>{{2,40}}(?:\.(?= [A-Z]) ?<rest>{{2,60}})?)"
        ),
        (
            (
                "Kindly address me as Captain in every letter",
                "address me as Captain in every letter",
            ),
        ),
        ("They address me as Captain.", "Greet me as soon as you can"),
    ),
)
