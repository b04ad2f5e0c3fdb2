"""What the user has done and been."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_DONE = (
    r"(?:attended (?!the meeting|a meeting)|joined|adopted|graduated|completed|finished (?:reading |my (?!homework|draft|dinner|lunch|coffee|work|shift|report|email)|the (?!draft|report|first|last|homework|work|task|second)|a |an )|ran (?:an?|the|my|two|three|\d+)\b|won (?!t\b)|climbed|summited|hiked|trekked|cycled|biked|sailed|walked (?:the|across|from)|backpacked|hitchhiked|interrailed|travell?ed (?!to work)|toured"
    r"|volunteered|participated in|took part in|competed in|started (?:taking|learning|attending|volunteering|my own|an?|playing|therapy|a band)|signed up for|enrolled in|broke my|sprained|fractured|tore my|lost my (?:job|dad|mum|mom|father|mother|leg|sight|wife|husband|dog|cat|brother|sister)"
    r"|bought (?:an?|my|our|some|two|\d+) |sold (?:my|our) |hosted|served (?:in|as|on)|led an?|managed|published|founded|co-founded|planted|booked|harvested|celebrated|built (?:an?|my|our|the)|wrote (?:an?|my|two|three|several|\w+ (?:novels?|books?))|written (?:an?|my|two|three|several|\w+ (?:novels?|books?))|recorded|performed|exhibited|taught|coached|studied|majored|interned|trained (?:as|for|in|with)|apprenticed|emigrated|immigrated|survived|overcame|beat cancer|quit (?:smoking|drinking|my)|stopped (?:smoking|drinking)|gave up (?:smoking|drinking)"
    r"|had (?:my (?:appendix|tonsils|wisdom|gallbladder|first|knee|hip|heart|spleen|kidney)|an? (?:stroke|heart attack|baby|miscarriage|operation|surgery|transplant|knee|hip|c-section|concussion|career|band|startup|business|company|shop|bakery|blog|dog|cat|horse|stutter|accident|car crash|burnout|breakdown)|(?:surgery|covid|cancer|chickenpox|malaria|braces|knee surgery|back surgery|chemo)|two (?:kids|knee|operations|miscarriages))|got (?:my (?:first|degree|phd|masters|diploma)|into|a (?:degree|scholarship|tattoo|divorce|promotion|phd))|went (?:skydiving|bungee|on an? (?:exchange|safari|cruise|pilgrimage|expedition|retreat)|to (?:law|med|medical|art|film|boarding|culinary|catholic|music|business|drama|night) school|to (?:university|college|uni|school) (?:in|at)|through)|did (?:my|an?|the|two|three|military|voluntary|some) (?!(?:it|homework|laundry|dishes|math|work|job|thing|google|search|test|lot|bit|quick|exercise|same)\b)|spent (?:an?|two|three|four|five|six|seven|ten|my|several|many|\d+|most of|the) [^\n,]{0,30}?(?:year|month|summer|semester|childhood|twenties|thirties|decade|week|gap)|moved (?:\w+ times|house|schools|out)|played (?:for|in|college|semi|professional|semi-pro)|acted in|danced (?:in|with|for)|sang (?:in|with|for)|drove (?:from|across|a|to|trucks|taxis|the)|flew (?:a|solo|for)|crossed|visited|lived (?:in|with|on|through|abroad|off)|worked (?:as|in|on|abroad|with|at|for|nights)|grew up (?:with|on|without|speaking|as)|was (?:born|raised|awarded|diagnosed|hospitali[sz]ed|in (?:the (?:army|navy|air force|marines|military|peace corps|scouts|coast guard|band|choir)|a (?:band|choir|coma|car (?:crash|accident)|gang|relationship)|foster care|boarding school)|on the (?:team|board|radio|jury)|part of|captain|head girl|head boy|class president|homeless)|met (?:my|the|barack|our)|swam (?:the|across|in)|dived|dove (?:in|the|with)|learned to|taught myself|raised|donated|saw (?:the northern lights|\w+ live|[A-Z]\w+(?: \w+)? (?:live|in concert))|worked)"
)
_STATE = r"(?:got (?:married|divorced|engaged|promoted|laid off|fired|certified|sober|naturali[sz]ed)|gave birth|retired|eloped|(?:was|got) (?:made redundant|laid off|widowed|knighted|deployed|drafted)|became (?:an?|the) [\w ]{3,30})"
_LATER = r"(?:[^\n.;:!?()\",]{1,90})"

RULES = (
    Rule(
        kind="experience",
        key="visited_{slug}",
        predicate="has_visited",
        statement="The user has been to {object}.",
        shape="place",
        pattern=clause(
            r"(?:<did>(?:visited|travell?ed (?:to|around|through|across|in)|been to|went to|toured|backpacked (?:through|around|across|in)|went on (?:an? )?(?:\w+ )?(?:trip|holiday|vacation|honeymoon|exchange) (?:to|in)|went backpacking (?:in|through|around)|honeymooned in)|(?:I'm|we're|I|we) (?:just )?(?:got |came |am |)back from(?: (?:a|my|our) [\w-]+(?: [\w-]+)? (?:to|in))?) "
            r"(?P<o>(?-i:[^\W\d_a-z])[^\n.;:!?()\"]{1,60})"
        ),
        yes=(
            ("I visited Iceland in 2019.", "Iceland"),
            ("I've been to Japan twice", "Japan"),
            ("I just got back from a trip to Hawaii", "Hawaii"),
        ),
        no=("I've never been to Japan.", "I visited the doctor."),
    ),
    Rule(
        kind="experience",
        key="was_{slug}",
        predicate="was",
        statement="The user used to be {object}.",
        confidence=0.75,
        many=True,
        pattern=clause(
            r"(?:previously,? |formerly,? |once,? |before that,? |in a (?:former|previous) life,? |years ago,? |for (?:\w+ )?years,? )?(?:(?:I|we) (?:was|were|used to be|spent (?:\w+ ){1,3}years as|worked (?:for (?:\w+ ){1,3}years )?as)|I've been) (?:once |briefly |previously |formerly )?(?!an? (?:bit|little|mess|fan|kid|child|teenager|baby|student (?:when)|wreck|disaster|joke|huge|idiot|fool|big)\b)(?P<o>an? (?:[\w-]+ ){0,4}?(?:\w+(?:er|or|ist|ian|eer|man|woman|ess)|nurse|chef|cook|au pair|barista|pilot|monk|nun|vet|paralegal|librarian|clerk|intern|guide|athlete|model|accountant|assistant|coach|soldier|cadet|medic|scout|lifeguard|apprentice|judge|consultant|postman|mechanic|nanny|temp|consultant|gymnast|attendant|mayor|priest|refugee|twin|champion|captain|vegan|vegetarian|smoker|swimmer|agent|analyst)(?: (?:in|at|for|with|on) [^\n,.;:!?()]{2,40}?)?)(?= (?:for|before|until|till|in|during|when|back|from|between|once|then|and|at|years|\w+ years)\b|$|[,.;!?])"
        ),
        yes=(
            ("previously I was a barista for ages", "a barista"),
            ("I used to be a flight attendant", "a flight attendant"),
        ),
        no=("I was a bit tired.", "She was a nurse.", "If I was a nurse, what then?"),
    ),
    Rule(
        kind="experience",
        key="was_{slug}",
        predicate="was",
        statement="The user used to be {object}.",
        confidence=0.75,
        pattern=sentence(
            r"[^\n]{0,60}\bI (?:was|used to be|worked as) an? [^\n,.;]{3,50}?,? (?:and )?then (?P<o>(?:an? )?(?:\w+ )?(?:\w+(?:er|or|ist|ian|eer|man|woman)|nurse|chef|au pair|barista|pilot))\b"
        ),
        yes=(("previously I was a barista for ages, then a bus driver", "a bus driver"),),
        no=("I was ill and then better.", "He was a cook, then a waiter"),
    ),
    Rule(
        kind="experience",
        key="experience_{slug}",
        predicate="experienced",
        statement="The user said: “I {said}”.",
        confidence=0.7,
        shape="deed",
        pattern=clause(
            rf"(?:I|we|I've|we've|I have|we have)(?: (?:once|recently|also|previously|both))? (?P<o>{_DONE}{_LATER}|{_STATE}(?: {_LATER})?)"
        ),
        yes=(
            ("I ran a marathon in Berlin last year.", "ran a marathon in Berlin last year"),
            ("I recently attended a photography workshop", "attended a photography workshop"),
            ("I got promoted in June", "got promoted in June"),
            ("I had my appendix out as a kid", "had my appendix out as a kid"),
            (
                "In my twenties I volunteered with MSF in South Sudan.",
                "volunteered with MSF in South Sudan",
            ),
            (
                "I hiked the Camino in 2019 with a broken toe",
                "hiked the Camino in 2019 with a broken toe",
            ),
            ("I've written two novels, both unpublished", "written two novels"),
        ),
        no=(
            "If I completed the course, would it help?",
            "I haven't finished reading it.",
            "She won a prize.",
            "Have I booked a table?",
        ),
    ),
    Rule(
        kind="experience",
        key="used_to_{slug}",
        predicate="used_to",
        statement="The user used to {object}.",
        confidence=0.75,
        shape="deed",
        pattern=clause(
            r"(?:I|we) used to (?!be\b(?! (?:able|an?|in|on))|think|believe|know\b|have (?:it|this)|get (?:this|an error)|live\b|work (?:at|for)\b|love it|like it)<o>"
        ),
        yes=(("I used to sing in a choir", "sing in a choir"),),
        no=("I used to think so.", "She used to sing", "I'm used to it"),
    ),
)
