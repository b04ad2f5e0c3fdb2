"""What pasted text looks like: lines that a machine wrote, letters that are quoted, lists.

Letters in English, German, Spanish, French, Italian, Russian, Chinese, Japanese.
"""

# Nobody reads these, and nobody means them: what comes and goes without being seen.
HIDDEN = (
    "[\u00ad\u200b\u2060-\u2064\u206a-\u206f\u180e\ufeff\u202a-\u202e\u2066-\u2069"
    "\U000e0000-\U000e007f]+"
)
HTML_COMMENT = r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)"
ENCODED = r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]{60,}={0,2}"

# Lines that a machine wrote: dated log lines, stack traces, shell prompts, JSON, markup, tables, code.
MACHINE_LINES = (
    r"^[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*$",
    r"^[ \t]*\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d\d.*$",
    r"^[ \t]*\[?\d\d:\d\d:\d\d[\],. ].*$",
    r"^[ \t]*\[\d{1,2}:\d\d[^\]\n]{0,8}\].*$",
    r"^[ \t]*\d{1,2}:\d\d(?: ?[ap]m)?[ ,-]+[^\s:]{1,20}(?: [^\s:]{1,20})?: .*$",
    r"^[ \t]*(?:\[)?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b.*$",
    r"^[ \t]*(?:at [\w$.<>/]+\(|File \"[^\"\n]+\", line \d+|Traceback \(most recent).*$",
    r"^(?:Exception in thread \"|Caused by: |[ \t]*\.\.\. \d+ (?:more|common)).*$",
    r"^[ \t]*[\w.]+(?:Error|Exception|Refused|Warning)(?::.*)?$",
    r"^[ \t]*(?:\$|>>>|#!|PS [A-Z]:).*$",
    r"^[ \t]*[{}\[\]<>/|+=-]{2,}.*$",
    r"^[ \t]*[)}\]][)}\];,]*[ \t]*$",
    r"^[ \t]*\|.*\|[ \t]*$",
    r"^[ \t]*\"[^\"\n]+\"\s*:.*$",
    r"^[ \t]*<[^>\n]+>.*$",
    r"^.*[;{}][ \t]*$",
    r"^[!-~]{80,}$",
    r"^[^,\n]{0,40}(?:,[^,\s][^,\n]{0,40}){3,}$",
    r"^[ \t]*(?://|/\*|\*/).*$",
    r"^[ \t]*(?:return|def|class|function|const|export|import|public|private|protected|elif|except|"
    r"static|var|from \S+ import)\b(?!.*\?[ \t]*$).*$",
    r"^[ \t]*[\w.]+\([^()\n]*\)[ \t]*$",
)

# Lines of a letter that somebody else wrote, or that carry one.
LETTER_LINES = (
    r"^[ \t]*>.*$",
    r"^[ \t]*-{3,}.*-{3,}[ \t]*$",
    r"^[ \t]*(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Von|An|Gesendet|Datum|Betreff|De|Para|"
    r"Enviado|Fecha|Asunto|À|Envoyé|Objet|Da|Inviato|Oggetto|От|Кому|Дата|Тема|发件人|收件人|"
    r"发送时间|主题|日期|差出人|宛先|件名)[ \t]?[:：].*$",
    r"^[ \t]*(?:On|Am|El|Le|Il) .{6,120}(?:wrote|schrieb.{0,60}|escribió|a écrit|ha scritto)[ \t]?:[ \t]*$",
    r"^[ \t*_#]*(?:answer|response|assistant|ai|antwort|respuesta|réponse|risposta|resposta|ответ|回答|答案|"
    r"Answer|Response|Assistant|AI|Antwort|Respuesta|Réponse|Risposta|Resposta|Ответ|答え|답변|الجواب)"
    r"[ \t*_]*[:：][ \t*_]*$",
    r"^.{6,120}(?:пиш[еу]т?|написала?|写道|书写)[ \t]?[:：][ \t]*$",
)

# A point of a list, a heading, a speaker's name, a quotation: seldom how somebody asks.
LISTED = (
    r"[ \t]*(?:[-*•·–+] |\d{1,3}[.)] |#{1,6} |[Qq]\d{0,3}[:.] |[\"“”„«「『‘]|"
    r"[A-ZА-Я][\w-]{1,20}(?: [A-ZА-Я][\w-]{1,20})?: |[^\s:：]{1,8}：)"
)
SALUTATION = (
    r"[ \t]*(?:dear|hi|hello|sehr geehrte\w*|liebe\w?|hallo|estimad\w+|querid\w+|hola|cher|chère|"
    r"bonjour|gentile|caro|cara|уважаем\w+|尊敬的)\b[^\n?]{0,60},"
)
