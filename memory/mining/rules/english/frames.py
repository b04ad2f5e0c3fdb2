"""Words before which nothing is stated: a song that is quoted, a condition with its verb first, another life."""

_SAYING = r"(?:song|saying|proverb|poem|joke|hymn|ballad|lyrics?|rhyme|line|meme|chorus|anthem|verse)s?"

FRAMES = (
    rf"as (?:the|that|an?|my \w+) (?:[\w'-]+ ){{0,3}}?{_SAYING} (?:has it|have it|goes?|says?|puts? it|runs?)"
    rf"|(?:the|that|an old|this) (?:[\w'-]+ )?{_SAYING} (?:that )?(?:goes|says)"
    r"|in (?:another|the next|an alternate|a parallel|some other|my next) (?:life|universe|world|timeline|reality)"
    r"|(?:^|[.;!?:] )(?:and |but |so |ok(?:ay)?,? )*(?:say|assume|assuming|supposing|picture this)[,:]? (?:that )?(?:I|we|my|our)\b"
    r"|(?:^|[.;!] )(?:and |but |so )?(?:should|were|had) (?:I|we|the|my|our|anyone|somebody|he|she|they)\b[^?\n,]{3,90},"
)
"""As a part of a pattern that ignores case."""
