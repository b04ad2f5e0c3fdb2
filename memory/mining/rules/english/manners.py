"""How answers are to be given, told with any verb and a sign that it holds for all of them."""

from dataclasses import replace

from memory.mining.rules.english.grammar import sentence
from memory.mining.rules.templates import INSTRUCTION

_WISH = replace(INSTRUCTION, confidence=0.75)
_ASKING = r"(?:(?:please|pls|plz|kindly|and|also|oh|hey|ok|okay|so|but|just|would you|can you|could you|will you|I want you to|I'd like you to|I need you to|you can|feel free to|try to|make sure (?:you|to)|you know what|from you|one thing),? )*"
_NOW = r"(?![^\n]*\b(?:this (?:text|email|mail|letter|one|essay|post|paragraph|message|story|poem|article|draft|code|function|list|translation|picture|image)|the (?:text|email|letter|essay|post|paragraph|story|poem|article|following|output|translation|above|below|user|reader|image|character)|in the style of|today|for now|you are|you're (?!ever)|act as|below|attached|words? (?:essay|story|article)|he|she|they)\b)"
_VERB = r"(?:answer|reply|respond|write|speak|talk|explain|summari[sz]e|give|show|use|put|keep|start|end|add|include|format|cite|call|address|ask|check|correct|translate|tell|spell|round|list|be|stick|assume|treat|skip|leave|make|send|suggest|sign|quote|mention|label|number|default|describe|phrase|point|remind|warn|flag|walk|guess|lead|open|close|finish|drop|spare|avoid|convert|offer|propose|recommend|schedule|plan|book|wait|go|break|separate|split|mark|highlight|number|code|refer|share|state|say|stop|quit|prefer|default)"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|messages?|explanations?|summar(?:y|ies)|code(?: samples?| examples?| snippets?| blocks?)?|snippets?|samples?|examples?|recipes?|suggestions?|recommendations?|drafts?|lists?|units|numbers|dates|prices|measurements|quantities|distances|temperatures|amounts|times|currenc(?:y|ies)|everything|emails)"
_ALWAYS = r"(?:(?:(?<!['\u2019]s )always|every time|each time|in general|generally|in future|for good|from here on|with me|for all (?:of )?(?:our|my) \w+|in all (?:future |our |my )*(?:chats|answers|replies|conversations|messages)|in (?:any|every) (?:answer|reply|chat|recipe|draft|plan)|even if it [\w ]{2,20}|when(?:ever)? I (?:ask|write|paste|send|say|talk|slip|make|mention|share|am)|whenever you|when you (?:write|answer|reply|explain|draft|give|suggest|cook|plan|book|code|quote|cite)|any time I|unless I (?:ask|say)|at all times|as standard|as (?:a|the) default|standing (?:order|rule|instruction|request))\b)"
# As far as one sentence goes, and a "Always." that stands alone after it.
_SAID = r"(?:[^\n?.]|\.(?=\w| (?:always|ever|every time|even if|standing|from here on)\b))"
_TAIL = r"[^\n]{0,80}"

RULES = (
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>{_VERB} (?!(?:I|we|it|this|that|them|me (?:that|if|when|what|how))\b){_SAID}{{2,110}}?\b{_ALWAYS}{_TAIL})"
        ),
        (
            (
                "Lead with the code when I ask something about code",
                "Lead with the code when I ask something about code",
            ),
            ("Be frank even if it hurts.", "Be frank even if it hurts"),
        ),
        (
            "Play the piano for me.",
            "Make the decision easy for me",
            "I have to double-check what you write when I am tired",
            "Check last month, then set a limit. It's always so much.",
            "They are frank even if it hurts",
            "Give me the answer to this text when I ask",
        ),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>(?:never|always|don't ever|do not ever) (?!say never|give up|stop (?:to|being)){_VERB} (?!(?:it|this|that|them)\b)(?![^\n]*\b(?:that|those) (?:day|time|one|way|week)\b|[^\n]*\b(?:then|there)[.!]?$)[^\n]{{0,80}}?\b(?:with me|for me|to me|at me|on me|me (?:two|three|one|the|a|an|in|only)|my)\b{_TAIL})"
        ),
        (
            (
                "never code golf with me, readable beats clever",
                "never code golf with me, readable beats clever",
            ),
            (
                "You know what, always give me two options, never five",
                "always give me two options, never five",
            ),
        ),
        (
            "She never talks to me.",
            "never had my lunch",
            "never plan anything for me then",
            "I always carry my own",
        ),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>(?:(?:keep|leave|make|have|write|give|put|show|state|do) )?(?:all |any |every |your |the )*{_ANSWERS} (?:in (?:metric|imperial|celsius|fahrenheit|markdown|plain|british|american|simple|bullet|table|prose|full|24|euros|pounds|dollars|kilos|grams|km|english|french|german|spanish|my|short|big|large|lower|one)|free of|without|with (?:no|sources|metric|links|examples|a)|as (?:digits|words|bullet|a table|tables|plain|numbers)|above|below|under|short|brief|to (?:one|two|three|five|a) |no longer than|at most|first\b|last\b){_TAIL})(?<!\?)$"
        ),
        (
            (
                "please keep answers free of politics, I come here for recipes",
                "keep answers free of politics, I come here for recipes",
            ),
            (
                "all answers in Markdown tables where there's a comparison, otherwise prose, thanks",
                "all answers in Markdown tables where there's a comparison, otherwise prose, thanks",
            ),
        ),
        (
            "The answers in the book are wrong.",
            "Are answers in French?",
            "Her replies in French are short",
        ),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>(?:ask|check with|warn|tell|show) (?:me|my) (?:[\w' ]{{0,30}} )?(?:before|first) (?:you )?(?:use|using|chang\w+|edit\w*|delet\w+|send\w*|add\w*|rewrit\w+|post\w*|book\w*|buy\w*|suggest\w*|mak\w+|touch\w*|run\w*|commit\w*|go\w*|do\w*|start\w*){_TAIL})"
        ),
        (
            (
                "Ask me before you use any em dash in my manuscript. Standing order.",
                "Ask me before you use any em dash in my manuscript",
            ),
        ),
        ("She asks me before using it.", "Ask me before noon"),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}{_NOW}(?P<o>(?:give|use|stick to|go with|convert (?:everything|it all) to|default to|reply in|write in|answer in|put it in) (?:me )?(?:only )?(?:metric|imperial|celsius|fahrenheit|kilos|kilograms|grams|kilometres|km|miles|pounds|euros|british (?:english|spelling)|american (?:english|spelling)|oxford spelling|24[- ]hour(?: clock| time)?|iso dates|simple english|plain english|big print|large print|layman's terms|(?:short(?:er)?|simpl(?:e|er)|plain|easy|small|big(?:ger)?|large) (?:sentences|paragraphs|words|lists|steps|print|letters|answers|headings)|the informal you|the formal you|(?:he/him|she/her|they/them)(?: for me)?|my (?:chosen|new|married|maiden|full|nick) ?name)\b[^\n?]{{0,60}})(?<!\?)$"
        ),
        (
            (
                "Give me metric, I bake by weight and cups are a mystery to me",
                "Give me metric, I bake by weight and cups are a mystery to me",
            ),
        ),
        ("Give me a metric for churn.", "They use metric here", "Should I use metric?"),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_NOW}(?:so )?(?P<o>(?:large|big|bold) print|plain (?:text|english|words)|short (?:answers|replies|sentences|paragraphs)|(?:just )?the short version|bullet points|metric(?: units)?|british spelling|american spelling|first names)(?: only)?,? (?:please|pls|plz)(?=$|[.!,)])"
        ),
        (("My eyes are bad, so large print please.", "large print"),),
        ("The large print is fine.", "large print books please", "Is large print, please?"),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}(?P<o>(?:don't|never|stop) (?:ever )?(?:call(?:ing)?|address(?:ing)?) me (?!(?:back|again|when|if|on|at|before|after|today|tonight|tomorrow|later|now|crazy|mad|old|that|this)\b)[^\n,.;!?]{{2,40}})"
        ),
        (("Do not call me 'mate'.", "Do not call me 'mate"),),
        ("They don't call me mate.", "Don't call me back", "Don't call me on Sunday"),
    ),
    _WISH.worded(
        sentence(
            rf"<after>{_ASKING}(?P<o>(?:spare me|skip|drop|cut|lose|enough with|go easy on|hold) (?:the |all the |your )?(?:[\w-]+ ){{0,2}}?(?:jargon|small talk|pleasantries|preambles?|disclaimers?|caveats|filler|flattery|praise|compliments|apologies|lectures?|lecturing|moralising|moralizing|pep ?talks?|emojis?|exclamation marks?|bullet points|fluff|waffle|hedging|platitudes|baby talk|hand-holding|spoilers|intros?|introductions?|recaps?|warnings|sugar[- ]?coating|cheerleading|corporate speak|buzzwords|clichés)\b[^\n?]{{0,60}})(?<!\?)$"
        ),
        (("spare me the pep talk, I want numbers", "spare me the pep talk, I want numbers"),),
        ("They skip the intro.", "skip the queue", "Should I skip the intro?"),
    ),
)
