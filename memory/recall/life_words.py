"""Words by which a question ties a time to an event of the person's own life.

English, German, Spanish, French, Russian and Chinese.
"""

_REST = r"(?P<event>[^,;.?!\n，。；？！]{2,80})"

# What stands before the event, by how the time lies to it.
RELATIONS = (
    ("before", rf"\b(?:before|prior to|until)\s+{_REST}"),
    ("after", rf"\bafter\s+{_REST}"),
    ("since", rf"\b(?:ever )?since\s+{_REST}"),
    ("during", rf"\b(?:when|while|during|at the time of)\s+{_REST}"),
    ("before", rf"\b(?:bevor|ehe|vor|bis)\s+{_REST}"),
    ("after", rf"\b(?:nachdem|nach)\s+{_REST}"),
    ("since", rf"\b(?:seitdem|seit)\s+{_REST}"),
    ("during", rf"\b(?:als|während)\s+{_REST}"),
    ("before", rf"\b(?:antes de(?: que)?|hasta(?: que)?)\s+{_REST}"),
    ("after", rf"\b(?:después de(?: que)?|tras)\s+{_REST}"),
    ("since", rf"\bdesde(?: que)?\s+{_REST}"),
    ("during", rf"\b(?:cuando|mientras|durante)\s+{_REST}"),
    ("before", rf"\bavant (?:que |de |d['’])?{_REST}"),
    ("after", rf"\baprès (?:que )?{_REST}"),
    ("since", rf"\bdepuis (?:que |qu['’])?{_REST}"),
    ("during", rf"\b(?:quand|lorsque|pendant(?: que)?)\s+{_REST}"),
    ("before", rf"\b(?:до того,? как|перед тем,? как|прежде чем|до|перед)\s+{_REST}"),
    ("after", rf"\bпосле (?:того,? как )?{_REST}"),
    ("since", rf"\b(?:с тех пор,? как|с)\s+{_REST}"),
    ("during", rf"\b(?:когда|пока|во время)\s+{_REST}"),
)
# In Chinese it stands after.
_RUN = r"(?P<event>[^,;.?!\n，。；？！]{2,30}?)"
RELATIONS_AFTER = (
    ("before", rf"{_RUN}(?:之前|以前|前(?!天|年|面))"),
    ("after", rf"{_RUN}(?:之后|以后|后(?!天|面))"),
    ("since", rf"{_RUN}以来"),
    ("during", rf"{_RUN}(?:的时候|期间|的那(?:段时间|会儿))"),
)
PERSONAL = (
    r"\b(?:i|we|my|our|ich|wir|mein\w*|unser\w*|me|mi|mis|nos|nuestr\w+|\w+(?:arme|erme|irme|arnos)|je|"
    r"j|nous|mon|ma|mes|notre|nos|я|мы|мой|мо[еёяию]\w*|наш\w*|меня|нам?с?)\b|我|咱"
)

# What an event is called, the predicates of facts that know when it was, and whether it lasted as
# long as they held; else it is their beginning.
EVENTS = (
    (
        r"\bmov(?:ed?|es|ing)\b|\bumz(?:og|ieh)\w*|\bumgezogen|\bumzug\w*|\bzog(?:en)?\b|\bmud(?:é|ar|am|an)\w*|"
        r"\bdéménag\w*|\bперее\w+|搬",
        ("lives_in", "lived_in"),
        False,
    ),
    (
        r"\bwedding\w*|\bmarri\w+|\bhochzeit\w*|\bheirat\w*|\bgeheiratet|\bboda\w*|\bcas(?:é|ar|am)\w*|"
        r"\bmari(?:age|é)\w*|\bсвадьб\w+|\bжен\w+|\bзамуж|婚",
        ("married_to", "has_marital_status"),
        False,
    ),
    (
        r"\bwork(?:ed|ing|s)?\b|\bjob\b|\b(?:ge)?arbeite\w*|\btrabaj\w+|\btravaill\w+|\bработ\w+|工作|上班",
        ("works_at", "worked_at", "works_as"),
        True,
    ),
    (
        r"\bstud(?:y|ied|ying|ent|ies)\b|\bstudi\w+|\buniversit\w*|\bétudi\w+|\bestudi\w+|\bуч[иё]\w+|"
        r"\bуниверситет\w*|上学|读书|大学",
        ("studies_at", "graduated_from", "studies"),
        True,
    ),
    (
        r"\b(?:dog|cat|pet|puppy|kitten|hund|katze|perr[oa]|gat[oa]|chien|chat)\b|\bсобак\w+|\bкошк\w+|\bкот\w?\b|"
        r"[狗猫]",
        ("has_pet", "owns"),
        False,
    ),
    (
        r"\bborn\b|\bbirth\b|\bgeb(?:oren|urt)\w*|\bnac(?:ió|er|imiento)\w*|\bn(?:é|ée|aissance)\b|\bрод\w+|出生",
        ("parent_of", "born_on"),
        False,
    ),
)
