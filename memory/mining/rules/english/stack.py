"""The tools behind a question: "Postgres 16 here", "everything on my boxes runs Debian"."""

from dataclasses import replace

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.lexicon import TECHNOLOGY
from memory.mining.rules.table import Examples, Rule, Wording
from memory.mining.rules.templates import Template
from memory.text import kinship

KIN = kinship.KIN["en"]

_USES = Template("technical", "uses_{slug}", "uses", "The user uses {object}.", "tool", confidence=0.75)
_SEVERAL = replace(_USES, many=True)
_WITHOUT = Template(
    "technical",
    "does_not_use_{slug}",
    "does_not_use",
    "The user does not use {object}.",
    "tool",
    confidence=0.75,
)

# Words that are tools with a capital or a number only: "on the edge", "a brave word".
_PLAIN_WORDS = r"(?!(?:stick|start|stay|use|try|keep|be|have|go|r|c|express|node|brave|edge|code|linear|spark|teams|word|excel|logic|resolve|nim|ada|crystal|dash|swift|rust|chef|helm|poetry|uv|ray|solid|astro|flux|drone|surface|galaxy|bear|craft|live|fl|revit|eagle|mint|arch|safari|sublime|atom|zed|zoom|slack|notion|discord|canva|basecamp|consul|vault|nomad|travis|storybook|alpine|void|elementary|roam|opera|oracle|jest|mocha|cypress|remix|ember|backbone|harbor|scratch|unity|unreal|blender|cursor|fish|bash|zig|dart|julia|lua|react|spring|bun|kitty|plasma|sway|fitbit|pixel|pip)\b(?! \d))"
_NAME = r"(?:(?-i:[A-Z][\w.+#-]*|[a-z]+[A-Z]\w*)|" + _PLAIN_WORDS + r"[a-z][\w.+#-]*)"
_VERSION = r"(?: (?:v?\d[\w.]*|(?-i:[A-Z][\w.]*)))?"
_TOOL = rf"{_NAME}{_VERSION}"
_CAPITAL = r"(?-i:[A-Z][\w.+#-]*|[a-z]+[A-Z.]\w*)(?: v?\d[\w.]*)?"
_MANY = rf"{_TOOL}(?:(?:, (?:and )?| and | \+ | & | with ){_TOOL}){{0,4}}"
_OURS = r"(?:my|our) "
_PEOPLE = "|".join((*KIN, "client", "customer", "company laptop of", "users?", "clients", "students"))
_END = r"(?=$|[.,;:!?)(]| (?:and|but|so|because|since|for|with|where|which|at|if|as|now|on|in|here|too|already|these|last|right|behind|instead|not|only|by|to|everywhere|throughout|under|called|named)\b)"


def _known(template: Template, wording: Wording, yes: Examples, no: tuple[str, ...]) -> Rule:
    return replace(template.worded(wording, yes, no), only=TECHNOLOGY)


RULES = (
    _known(
        _SEVERAL,
        sentence(
            rf"(?:still |running |on |using )*(?P<o>{_MANY})(?: (?:user|shop|house|stack|setup))? here(?=$|[,.;:!(])"
        ),
        (("Postgres 16 here, on RDS", "Postgres 16"), ("Debian and i3 here.", "Debian|i3")),
        ("The Postgres dump is here.", "Nothing new here.", "Is Postgres here?"),
    ),
    _known(
        _SEVERAL,
        clause(
            rf"(?:{_OURS}(?!(?:[\w-]+ ){{0,2}}(?:{_PEOPLE})\b)|the (?=(?:\w+ )?(?:backend|frontend|app|server|servers|site|stack|cluster|database|db|api|infra|codebase|repo|pipeline|ci|website|setup)\b)|all (?:of )?(?:my|our) |both (?:my|our) |every(?:thing|body|one)(?: (?:on|in|at|of) (?:my|our|the) [\w -]{{2,25}})? )(?:[\w'-]+ ){{0,4}}?(?:[\w-]+(?:'s)?)(?: (?:is|are|runs?|uses?|lives?|sits?|stays?))?(?: (?:all|still|entirely|mostly|both|only|now|just))*(?: (?:on|in|using|running|written in|built (?:on|with|in)|hosted on|deployed (?:to|on|with|via)|served by|based on|powered by|done in|made in|kept in))? (?P<o>{_MANY}){_END}"
        ),
        (
            ("everything on my boxes runs Debian 12", "Debian 12"),
            ("Our cluster's on Kubernetes 1.29, about 40 nodes", "Kubernetes 1.29"),
        ),
        ("The book on my desk is red.", "Everything is fine.", "Is everything on Debian?"),
    ),
    _known(
        _SEVERAL,
        clause(
            rf"(?:I|we|I'm|we're|I've|we've|the team|my team|our team|my company|my school|work)(?: (?:is|are|has|have|had|been|still|all|to|now|both|am|be|got|being|only|mostly|just|mainly|always))* (?:(?:standardi[sz]ed|settled|landed|relying|stuck|going|working|stayed|staying|coding|writing|developing|built|building|compiling|shipping|deploying|typing|drawing|modelling|recording|mixing|producing|editing|testing|prototyping|targeting|limited|tied|locked|forced|force|forces|gives?|gave|issues?|live|lives|rely|depend|compile|ship|deploy|sketch|draw|model|mix|record|edit|script|moved|migrated|switched|ported|converted)(?: (?:me|us|everything|it all|the (?:whole )?[\w-]+|my [\w-]+(?: [\w-]+)?|our [\w-]+(?: [\w-]+)?|all (?:my|our) [\w-]+|over|across|mostly|mainly|entirely))* (?:on|in|to|with|into|for|onto|off|using|over to)?) ?(?P<o>{_MANY}){_END}"
        ),
        (
            ("moved the whole shop over to React last winter", "React"),
            ("I record everything in Reaper on an old laptop", "Reaper"),
        ),
        ("I moved to Oslo.", "I settled in Bath.", "They moved to React"),
    ),
    _known(
        _USES,
        sentence(
            rf"(?P<o>{_TOOL}) is what (?:I|we|my \w+|our \w+) (?:use|used|run|standardi[sz]ed|settled|code|work|know|have|build|write|chose|picked|went)\b"
        ),
        (("Terraform is what we standardised on", "Terraform"),),
        ("Terraform is what they use.", "Is Terraform what we use?"),
    ),
    _known(
        _SEVERAL,
        sentence(
            rf"(?:(?:setup|stack|environment|env|context|specs|my setup|my stack|config|system|versions|os|tools|kit|gear)(?: is)?:? )?(?P<o>{_CAPITAL}(?:(?:, (?:and )?| and | \+ | & | with | on ){_CAPITAL}){{1,4}})(?=(?:,? (?:and|but|so) (?:the|my|it|now|I|every|all|no)\b)|[.;:]|,? (?:my|the|it|I)\b)"
        ),
        (
            (
                "Neovim with lazy.nvim, Ubuntu 24.04, and the LSP dies on save",
                "Neovim with lazy.nvim",
            ),
        ),
        (
            "Python and Java are languages.",
            "Chess and Go, which is older?",
            "Rome and Paris and the sea",
        ),
    ),
    _known(
        _USES,
        clause(
            rf"(?:still |stuck )?(?:on|using|running) (?P<o>{_TOOL})(?= (?:because|since|as|here|at (?:work|home|the office)|and (?:my|it|the)|for (?:work|now|the)|with)\b)"
        ),
        (("still on Windows 10 because the drivers are old", "Windows 10"),),
        ("on Friday because of rain", "He is on Windows 10 because"),
    ),
    _known(
        _USES,
        sentence(
            rf"<lead>(?:(?:I'm|we're|us are|I am|we are|I've been|we've been|I was) )(?:(?!(?:getting|seeing|having|trying|going|looking|reading|talking|asking|wondering|thinking|running into|stuck between|torn|choosing|deciding|comparing)\b)[a-z]+ing|stuck(?! between)) [^\n,.;:!?()\"]{{2,50}}? (?:in|with|using|on) (?P<o>{_TOOL}){_END}"
        ),
        (("Four of us are making a roguelike in Godot called Mosslight", "Godot"),),
        (
            "I'm going on a trip with Ana.",
            "I'm reading about life in Oslo",
            "They're making it in Godot",
        ),
    ),
    _known(
        _WITHOUT,
        clause(
            rf"(?:I|we) (?:don't|never|have never|won't) (?:really |actually |even |ever )?(?:use|used|touch|run|do|have|own) (?!any\b)(?P<o>{_TOOL})(?! any)(?=$|[,.;!]| (?:and|so|at|because|here)\b)"
        ),
        (("I don't use Docker, never have", "Docker"),),
        ("I don't use Docker any more", "Don't use Docker.", "I don't use spoons"),
    ),
    _known(
        _USES,
        sentence(
            r"<lead>(?:on|with|using|from) (?:my|our|an|a|this|that) (?:(?:old|new|trusty|ancient|work|personal|little|home|tiny|used|base|crappy|beat-up|shared) )*(?P<o>(?-i:ThinkPad|MacBook|iPad|iPhone|Pixel|Kindle|Chromebook|Raspberry Pi|Steam Deck|Mac|iMac|Surface|Galaxy|Fairphone|Synology|Garmin)\b(?: (?-i:[A-Z\d])\w*){0,3})"
        ),
        (("I record everything on an old ThinkPad T480", "ThinkPad T480"),),
        ("on her ThinkPad", "Is this on an iPad?"),
    ),
)
