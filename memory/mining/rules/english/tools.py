"""The tools and devices the user works with."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.lexicon import TECHNOLOGY
from memory.mining.rules.table import Rule

_DEVICE = r"(?:laptop|desktop|pc|computer|phone|tablet|camera|printer|monitor|server|nas|router|e-?reader|watch|smartwatch|headphones|keyboard|mouse|console|tv|mac|bike|e-bike|car|motorbike|motorcycle|van|boat|scooter|truck|guitar|piano|machine|rig|oven|drone|telescope|gpu|graphics card|processor|3d printer|espresso machine|work laptop|gaming pc|workstation|amp|synth|lens)"
_BRAND = r"(?!(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|level|grade|version|top|number|season|chapter|covid)\b)(?:(?:M\d )?MacBook(?: (?:Air|Pro))?(?: M\d)?|(?-i:iPhone|iPad|iMac|[A-Z][\w-]*?)(?: (?!(?:set|due|for|on|at|in|of|by|from|since|scheduled|booked|planned|and|with)\b)[\w.-]+){0,3}? ?(?-i:[A-Z]*)\d[\w-]*|(?-i:[A-Z])[A-Za-z-]*\d[\w-]*|MacBook(?: (?:Air|Pro))?(?: M\d)?|ThinkPad(?: \w+)?|iPad(?: \w+)?|Kindle(?: \w+)?|iPhone(?: \w+)?|Chromebook|Steam Deck|Raspberry Pi(?: \d)?|Garmin(?: \w+)?|Fitbit|GoPro(?: \w+)?|Xbox(?: \w+)?|PlayStation(?: \d)?|Nintendo Switch|Tesla(?: Model \w)?|Vespa|Subaru(?: \w+)?|Toyota(?: \w+)?|Honda(?: \w+)?|Volvo(?: \w+)?|Ford(?: \w+)?|BMW(?: \w+)?|Mazda(?: \w+)?|Volkswagen(?: \w+)?|VW(?: \w+)?|Skoda(?: \w+)?|Renault(?: \w+)?|Peugeot(?: \w+)?|Fiat(?: \w+)?|Dell(?: \w+)?|Lenovo(?: \w+)?|Samsung(?: \w+)?|Canon(?: \w+)?|Nikon(?: \w+)?|Fujifilm(?: \w+)?|Sony(?: \w+)?)"

RULES = (
    Rule(
        kind="technical",
        key="{r}_is",
        predicate="has_{r}",
        statement="The user's {r}: {object}.",
        confidence=0.8,
        pattern=clause(
            rf"<my>(?!other\b)(?:new |old |main |work |personal |gaming |daily |home |current )*(?P<r>{_DEVICE}) (?:is|has|runs(?: on)?) (?:an? |the |now an? |still an? |actually an? )?(?P<o>(?:\d{{4}} |(?-i:[a-z]+) ){{0,2}}(?:{_BRAND}|\d+ ?(?:gb|tb)(?: of)? (?:ram|memory|storage)|M\d(?: \w+)?)[\w. -]{{0,30}}?)(?= (?:running|with|and|from|but|so|that|which|for)\b|$|[,.;!?()])"
        ),
        yes=(("my laptop is a ThinkPad X1 running Fedora 40", "ThinkPad X1"),),
        no=("My laptop is broken.", "my other car is a spaceship"),
    ),
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        ended=True,
        only=TECHNOLOGY,
        shape="tool",
        confidence=0.8,
        pattern=clause(r"<did>(?:ditched|dropped|gave up|abandoned|used to use|got rid of) <o>"),
        yes=(("I ditched Chrome for good", "Chrome"),),
        no=("I don't use Windows.", "He no longer uses Linux"),
    ),
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        many=True,
        confidence=0.8,
        only=TECHNOLOGY,
        shape="tool",
        pattern=clause(
            r"(?:<I>(?:use|run|code|program|develop|write (?:mostly|mainly)|write|work(?: mostly| mainly)?|self-host|deploy|host|switched|migrated|moved|build(?: everything| things)?|script|prefer coding|am stuck|have been using|do (?:everything|most of my \w+|my (?:\w+ )?(?:work|writing|notes|coding))|daily[- ]drive|take (?:all )?(?:my )?notes|keep everything|keep my notes|live) (?:everything |all |most of |all of |(?:my|our|the) (?:\w+ )?(?=in |on |to |with )|my |our |the |code |mostly |mainly |primarily |stuff |things |notes |blog |site |code |apps? |scripts? |over |back |everything |a lot of )*(?:from [\w .]{2,30}? (?=to ))?(?:on|in|with|to|of|off|over to)? ?"
            r"|(?:I've|we've) (?:been using|used|switched to|moved to|migrated to|been on|been coding in|been running) |<I'm>(?:still )?(?:using|running|on|coding in|stuck (?:on|with)|an?(?= [\w.+#-]+ (?:user|dev|developer|programmer|coder|guy|gal|girl|person|shop|house)\b)) (?:a machine with )?"
            r"|<my>(?:[\w-]+ ){0,2}?(?:stack|tech stack|setup|editor|ide|os|operating system|distro|shell|browser|phone|laptop|computer|pc|machine|server|language|database|backend|frontend|back end|front end|infra|infrastructure|blog|website|site|codebase|app|api|code|project|team|cluster|terminal|keyboard|nas|home server|company|department|ci|pipelines?|builds|game|thesis|infra)"
            r"(?: of choice)?(?: at work| at home)?(?::| (?:is|includes|consists of|runs|run|uses|are|use))(?: all| mostly| mainly| entirely| on| with| using| in| written| built| hosted| deployed| running)* |the (?:(?:tech )?stack|backend|frontend|server|database|codebase|app|api|site) (?:is|runs|uses) (?:written |built |hosted |deployed |running )?(?:on |in |with )?)(?:an? |my |on |the )?(?P<o>(?:[^\n.;:!?()\"]|\.(?=\w)){1,100})"
        ),
        yes=(
            ("I use Arch btw.", "Arch"),
            ("My stack is Django, htmx and Postgres.", "Django|htmx|Postgres"),
            ("our stack is Django + Postgres + htmx", "Django|Postgres|htmx"),
            ("I'm on macOS", "macOS"),
            ("My editor is Neovim", "Neovim"),
            ("I write most of my code in Elixir these days", "Elixir"),
            ("I switched from Chrome to Firefox last month", "Firefox"),
            ("I'm on Windows 11 btw so bash snippets don't help", "Windows 11"),
            ("We deploy everything on Hetzner with Ansible, no Kubernetes", "Hetzner with Ansible"),
        ),
        no=(
            "I use a spoon.",
            "Should I use Django?",
            "I'm on a train.",
            "I don't use Windows.",
            "How do I use Docker?",
        ),
    ),
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        confidence=0.75,
        pattern=clause(
            r"(?:I|we) (?:use|rely on|track (?:my|our) \w+ (?:in|with)|keep (?:my|our|all my) \w+ in|do (?:all )?(?:my|our) \w+ (?:in|with|on)|host (?:my|our) \w+ (?:on|with)|manage (?:my|our) \w+ (?:in|with)) (?P<o>(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z\d])[\w.+#-]*){0,2})(?<!\.)(?= (?:for|to|at|as|on|with|instead|and|daily|every)\b|$|[,.;!])"
        ),
        yes=(("I use Anki for vocabulary", "Anki"),),
        no=("I use English here", "He uses Anki"),
    ),
    Rule(
        kind="technical",
        key="{r}",
        predicate="has_{r}",
        statement="The user's {r} is {object}.",
        confidence=0.8,
        shape="tool",
        pattern=clause(
            r"<my>(?:main |favourite |default |primary |current |new )?(?P<r>editor|ide|browser|os|operating system|distro|shell|terminal|window manager|search engine|isp|internet provider|phone provider|mobile provider|email provider|password manager|note-taking app|cloud provider|hosting provider|keyboard|mouse|daily driver|espresso machine|coffee machine|amp|guitar|bass|microphone|interface|tablet|e-reader|camera lens|3d printer|drone|sewing machine|internet|monitor|headphones|synth|daw|game engine|calendar app|car|bike|camera)(?: of choice)?(?: at work| at home)? (?:is|are) (?:an? |the )?(?P<o>(?-i:[A-Z])[^\n,.;:!?()\"]{1,40})"
        ),
        yes=(
            ("My editor is Helix", "Helix"),
            ("my keyboard is a ZSA Moonlander", "ZSA Moonlander"),
        ),
        no=("My editor is slow.", "Her browser is Firefox"),
    ),
    Rule(
        kind="technical",
        key="owns_{slug}",
        predicate="owns",
        statement="The user owns this: {object}.",
        confidence=0.8,
        pattern=clause(
            rf"(?:<have>|(?:I|we) (?:drive|ride|bought|use|play|shoot with|shoot on|game on|fly|sail|am typing this on|just bought) |I'm typing (?:this )?on |<did>bought )(?:an? |my )(?:new |used |old |second-hand |trusty |custom )?"
            rf"(?P<o>(?:(?!(?:on|in|of|for|with|to)\b)[\w-]+ ){{0,3}}?(?:{_BRAND}|{_DEVICE}))(?![\w-])(?=$|[,.;:!?)]| (?:for|with|from|and|that|which|at|in|on|to|but|so|because|since|last|when|as|by|running|too|now|during|called|here)\b)"
        ),
        yes=(
            ("I have a Canon EOS R6.", "Canon EOS R6"),
            ("I bought a new electric bike", "electric bike"),
            ("I have a Pixel 8 and a very old iPad", "Pixel 8"),
        ),
        no=(
            "I have a problem.",
            "I have a 3 year plan.",
            "I have a 5 minute break",
            "I have a total of 37",
            "I have a calendar on my phone",
            "I had a car",
            "I've got a Time Anchor set for May 2",
        ),
    ),
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        confidence=0.75,
        only=TECHNOLOGY,
        shape="tool",
        pattern=sentence(
            r"(?:long-?time |happy |proud |daily )?(?P<o>[\w.+#-]+(?: [\w.+#-]+)?) (?:user|dev|developer) here"
        ),
        yes=(("Emacs user here, so no vim tips please", "Emacs"),),
        no=("The Emacs user next to me", "Power user here"),
    ),
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        confidence=0.75,
        only=TECHNOLOGY,
        shape="tool",
        pattern=sentence(
            r"(?:on|using|running) (?P<o>[\w.+#-]+(?: \d[\w.]*)?)(?: here(?=$|[ ,.!])|(?=$|[.!]| btw))"
        ),
        yes=(("still on Windows 10", "Windows 10"), ("on Fedora here", "Fedora")),
        no=("On Windows, files have paths.", "Using Excel is hard", "On Linux what do I do?"),
    ),
    Rule(
        kind="technical",
        key="owns_{slug}",
        predicate="owns",
        statement="The user owns this: {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:I|we) (?:drive|ride|play|shoot with|sail|fly|own|(?:shoot|sew|read|train|cook|knit|print|brew|bake|draw|record|edit|work out|row|type|write|play|practi[cs]e|weave|game|mix) on) (?:an? |my )(?:old |used |second-hand |trusty |beat-up |vintage |little |rusty )*(?!(?:mon|tues|wednes|thurs|fri|satur|sun)day|christmas|easter|budget|whim)(?P<o>(?:\d{4} |'\d\d )?(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z\d])[\w-]*){0,3})(?= (?:for|with|from|and|that|which|at|in|on|to|but|so|because|since|every)\b|$|[,.;!])"
        ),
        yes=(
            ("I drive a 2009 Corolla", "2009 Corolla"),
            ("I play a Fender Jaguar", "Fender Jaguar"),
            ("I sew on a Bernina", "Bernina"),
            ("I read on a Kobo", "Kobo"),
        ),
        no=("I drive a bus.", "He drives a Corolla", "I play a Monday gig", "I bake on a Sunday"),
    ),
)
