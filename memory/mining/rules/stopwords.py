"""Words that say nothing about the subject of a chat. Casefolded."""
# ruff: noqa: SIM905 - a word list, kept readable

from memory.text.stop_words import COMMON_WORDS

SMALL_WORDS = frozenset(
    """
    e.g i.e please sounds happened happen respond glad worry worries appreciate ultimately
    heisse wohne arbeite llamo vivo trabajo appelle habite travaille зовут живу работаю
    longer quit moved lived called name named really
    a about above actually add after again against ago ah all almost also although always am an and
    another any anyone anything anyway are around as ask asked at away back bad be because been
    before being below best better between big bit both but by bye call came can cannot cause
    certainly change come comes coming could couple course create currently day days did different
    do does doing done down during each easy either else end enough especially etc even ever every
    everyone everything exactly example explain fact far feel few find fine first following for
    found from full further get gets getting give given gives go goes going gone good got great had
    haha happen hard has have having he hello help helpful helps hence her here hers hey hi high
    him his hmm hope how however i idea ideas if i'd i'll i'm i've im in indeed instead into is it
    its it's just keep kind know known last later least less let lets let's like likely list little
    long look looking looks lot lots love made main make makes making many may maybe me mean means
    might mine more most mostly much must my myself need needs never new next nice no nope not note
    nothing now of off often oh ok okay old on once one ones only onto or other others otherwise our
    out over own part people perhaps place please point possible pretty probably provide put
    question questions quite rather read really recent recently recommend recommendations regarding
    right said same saw say says see seem seems send set several shall she should show since small
    so some someone something sometimes soon sorry sort start started still stuff such suggest
    suggestions sure take taken takes talk tell than thank thanks that that's the their them then
    there these they thing things think thinking this those though thought through thus time times
    tip tips to today together told tomorrow too took top toward tried try trying two type under
    understand until up upon us use used useful user using usually various very via wait want wanted
    wants was way ways we week weeks well went were what whatever what's when where whether which
    while who whole whom whose why will wish with within without won't word words work working works
    would wow write yeah year years yep yes yesterday yet you your yours yourself you're can't don't
    doesn't didn't isn't aren't wasn't wouldn't couldn't shouldn't haven't hasn't wanna gonna gotta
    three four five six seven eight nine ten hundred morning evening night tonight month months
    """.split()
)

STOPWORDS = COMMON_WORDS | SMALL_WORDS

# Characters that end a phrase in Chinese and Japanese text, where no spaces do.
PHRASE_BREAKS = frozenset(
    "的了是在我你他她它们这那有和与或就都也很不吗呢吧啊呀把被对从到给让会能可以要想说去来做用什么怎样如何"
    "为因所个些上下中里请问最好一二三还没过得地着"
    "のはがをにでともやへよねかなだですます"
)
