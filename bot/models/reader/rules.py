"""The plain rules of offline extraction: what a sentence of the member states, in English, German and Russian.

A table of shapes, tried in order; the first that fits a clause wins. Each says what kind of fact it makes, how its
subject is named and how one would ask for it. The words of subject and value are the member's own, cut out of the
sentence. Whether a finding is new, a correction or a repetition is decided elsewhere.
"""

from bot.models.reader.rule import DATE, NAME, NP, OWN, rule

_DONE = (
    r"(?:done|finished|submitted|sent|paid|filed|in|ready|delivered|returned|completed|handed in|signed|booked|renewed"
    r"|cancelled|over|back|there|published|released|shipped)"
)
_BY = r"(?:by|before|until|till|on|no later than|at the latest by)"
_DUE_SUBJECT, _DUE_QUESTION = "{subject} deadline", "When is {the} due?"

DEADLINES = (
    rule("deadline", rf"(?P<subject>{NP})(?:'s| is| are| was| will be) due"
                      rf" (?P<value>.+)", _DUE_SUBJECT, _DUE_QUESTION),
    rule("deadline", r"(?:the |our |my )?(?:deadline|due date|cut-?off)(?: date)? (?:for|of|to) (?P<subject>.+?)"
          r"(?: is|:| will be| =)(?: on| at| by)? (?P<value>.+)", _DUE_SUBJECT, _DUE_QUESTION),
    rule("deadline", rf"(?P<subject>{NP})(?:'s)? (?:deadline|due date)(?: is| will be|:)(?: on| at)? (?P<value>.+)",
          _DUE_SUBJECT, _DUE_QUESTION),
    rule("deadline", rf"(?P<subject>{NP}) (?:must|has to|have to|needs? to|should|is to) be {_DONE}"
                      rf" (?P<value>{_BY} .+)",
          _DUE_SUBJECT, _DUE_QUESTION, "date"),
    rule("deadline", rf"(?:i|we)(?:'ve got to| must| have to| need to| should| got to) (?P<subject>.+?)"
                      rf" (?P<value>{_BY} .+)",
          _DUE_SUBJECT, "By when: {subject}?", "date"),
    rule("deadline", rf"(?P<subject>{NP}) (?:истекает|истекают|заканчивается|действует до)(?: в)? (?P<value>.+)",
          "{subject} (истекает)", "Когда истекает {subject}?", "date"),
    rule("deadline", rf"(?P<subject>{NP}) (?:запланирован[аоы]?|назначен[аоы]?|состоится|начн[её]тся"
                      rf"|начинается|будет)(?: на| в| с)? (?P<value>{DATE}.*)",
          "{subject}", "Когда: {subject}?", "date"),
    rule("deadline", rf"(?P<subject>{NP}) (?:expires?|runs out|is valid until|expired)(?: on| in)? (?P<value>.+)",
          "{subject} expiry", "When does {the} expire?", "date"),
    rule("deadline", rf"(?P<subject>{NP}) ((?:starts?|begins?|ends?|opens?|closes?|leaves?|departs?|arrives?"
                      rf"|takes place"
          rf"|is scheduled|is set|is planned|is booked|is))(?: for| on| at)? (?P<value>{DATE}.*)",
          "{subject}", "When is {the}?", "date"),
    rule("deadline", rf"(?P<subject>{NP}) (?:ist|sind|wird)(?: am| bis| zum| bis zum)? (?P<value>.+?) fällig",
          "{subject} (Frist)", "Wann ist {subject} fällig?", "date"),
    rule("deadline", rf"(?P<subject>{NP}) (?:ist|findet|beginnt|startet|endet|fliegt|fährt)(?: statt)?(?: am|"
                      rf" um| ab)? "
          rf"(?P<value>{DATE}.*?)(?: statt)?", "{subject}", "Wann ist {subject}?", "date"),
    rule("deadline", rf"(?P<subject>{NP}) (?:ist|sind|wird) fällig(?: am| bis| zum)? (?P<value>.+)",
          "{subject} (Frist)", "Wann ist {subject} fällig?", "date"),
    rule("deadline", r"(?:die |der )?(?:abgabe)?(?:frist|termin|abgabe|stichtag|deadline) (?:für|von|zur|zum|des|der) "
          r"(?P<subject>.+?)(?: ist|:| endet| läuft)(?: am| bis| zum)? (?P<value>.+)",
          "{subject} (Frist)", "Wann ist die Frist: {subject}?"),
    rule("deadline", rf"(?P<subject>{NP}) (?:muss|müssen|soll) (?:bis|zum|am)(?: zum| spätestens)? (?P<value>.+?)"
          r"(?: \w+(?:t|en))?(?: sein| werden)?", "{subject} (Frist)", "Bis wann: {subject}?", "date"),
    rule("deadline", rf"(?:ich|wir) (?:muss|müssen) (?P<subject>.+?) (?P<value>bis {DATE}.*?)(?: \w+en)?",
          "{subject} (Frist)", "Bis wann: {subject}?", "date"),
    rule("deadline", r"(?:срок|дедлайн|крайний срок)(?: сдачи| оплаты| подачи)?(?: по| для| на)?"
                      r" ?(?P<subject>.*?[^\s:—–-])"
          rf"(?:\s*[—–:-]\s*|\s+)(?P<value>(?:до |в |во |к |на"
          rf" )?{DATE}.*)", "{subject} (срок)", "Какой срок: {subject}?"),
    rule("deadline", rf"(?P<subject>{NP}) (?:нужно|надо|необходимо|должн[аоы]? быть|следует)(?: \w+)?"
                      rf" (?P<value>(?:до|к|не позднее) .+)",
          "{subject} (срок)", "До какого срока: {subject}?", "date"),
    rule("deadline", r"(?:мне |нам )?(?:нужно|надо) (?P<subject>.+?) (?P<value>(?:до|к) .+)",
          "{subject} (срок)", "До какого срока: {subject}?", "date"),
)  # fmt: skip

_DECIDED = (
    r"(?:(?:we|i)(?:'ve| have| all| finally| also| just)* (?:decided|agreed|settled|resolved|chose|picked|opted)"
    r"|(?:we|i)(?:'re|'ll| are| will| am)(?: be)? go(?:ing)? with|let's go with|(?:the|our) decision is|it was"
    r" decided|we go with)"
)
_BESCHLOSSEN = (
    r"(?:(?:wir|ich) (?:haben|habe) (?:uns |mich )?(?:beschlossen|entschieden|vereinbart|abgemacht)"
    r"|(?:wir|ich) (?:nehmen|nehme))"
)
_RESHENO = r"(?:(?:мы |я )?(?:решили|решил|решила|договорились|постановили)|решено|(?:мы )?выбрали|остановились на)"
_ABOUT_QUESTION = "What did we decide about {the}?"

DECISIONS = (
    rule("decision", r"(?:we|i)(?:'ve| have)? (?:chose|chosen|picked|went with|selected|opted for)"
                      r" (?P<value>.+?) (?:for|as) "
          r"(?P<subject>(?:the |our |my )?.+)", "{subject}", _ABOUT_QUESTION),
    rule("decision", rf"{_DECIDED},?(?: on| to| that| for)* (?P<value>.+?) (?:for|as|regarding|about) "
          r"(?P<subject>(?:the |our |my |all )(?:[\w-]+ ?){1,4})", "{subject}", _ABOUT_QUESTION),
    rule("decision", rf"(?:for|regarding|about) (?P<subject>(?:the |our |my )?.+?),? {_DECIDED},?(?: on| to|"
                      rf" that| for)* (?P<value>.+)",
          "{subject}", _ABOUT_QUESTION),
    rule("decision", rf"{_DECIDED},? (?:not to|against) (?P<subject>[\w-]+) (?P<value>.+)",
          "decision not to {subject}", "What did we decide not to {subject}?"),
    rule("decision", rf"{_DECIDED},? that (?P<subject>(?:the |our |my )?{NP}) (?P<value>(?:will|is|are|must"
                      rf"|should|stays?|goes)\b .+)",
          "{subject}", _ABOUT_QUESTION),
    rule("decision", rf"{_DECIDED},? to (?P<subject>[\w-]+)"
                      rf" (?P<value>.+)", "decision to {subject}", "What did we decide to {subject}?"),
    rule("decision", rf"{_DECIDED},?(?: on| for| that)*:?"
                      rf" (?P<value>.+)", "decision of {day}", "What did we decide on {day}?"),
    rule("decision", rf"{_BESCHLOSSEN},?:? (?:dass )?(?P<value>.+?) (?:für|als) (?P<subject>(?:die|das|den|der"
                      rf"|unser\w*|mein\w*) .+?)"
          r"(?: zu \w+| \w+en)?", "{subject}", "Was haben wir für {subject} beschlossen?"),
    rule("decision", rf"(?:für|bei) (?P<subject>(?:die|das|den|der|dem|unser\w*) .+?)"
                      rf" {_BESCHLOSSEN},?:? (?P<value>.+)",
          "{subject}", "Was haben wir für {subject} beschlossen?"),
    rule("decision", r"(?:wir haben uns|ich habe mich) für (?P<value>.+?) entschieden",
          "Beschluss vom {day}", "Was haben wir am {day} beschlossen?"),
    rule("decision", rf"{_BESCHLOSSEN},?:? (?P<value>.+?) zu (?P<subject>\w+en)",
          "Beschluss: {subject}", "Was haben wir beschlossen zu {subject}?"),
    rule("decision", rf"{_BESCHLOSSEN},?:? (?:dass |für"
                      rf" )?(?P<value>.+)", "Beschluss vom {day}", "Was haben wir am {day} beschlossen?"),
    rule("decision", rf"{_RESHENO},? (?:что )?(?P<value>.+?) для"
                      rf" (?P<subject>.+)", "{subject}", "Что мы решили для {subject}?"),
    rule("decision", rf"{_RESHENO},?:? (?P<subject>\w+(?:ть|ти|чь)(?:ся)?) (?P<value>.+)",
          "решение: {subject}", "Что мы решили: {subject}?"),
    rule("decision", rf"{_RESHENO},?:? (?:что )?(?P<value>.+)", "решение от {day}", "Что мы решили {day}?"),
)  # fmt: skip

_LIMIT = (
    r"(?:at most|no more than|not more than|at least|no less than|up to|max(?:imum)?\.?(?: of)?"
    r"|min(?:imum)?\.?(?: of)?|under|below|over|above|less than|more than|capped at|limited to|exactly)"
)
_GRENZE = r"(?:höchstens|maximal|max\.?|mindestens|nicht mehr als|unter|bis zu)"
_PREDEL = r"(?:не больше|не более|не меньше|не менее|максимум|минимум|до|не выше)"

CONSTRAINTS = (
    rule("constraint", rf"(?P<subject>{NP}) (?P<value>(?:must not|may not|cannot|can't|can not|mustn't|should"
                        rf" not|shouldn't"
          r"|must never) (?:exceed|be|cost|go over|take) .+)", "{subject}", "What is the limit for {the}?"),
    rule("constraint", rf"(?P<subject>{NP}) (?:is|are|must be|should be|can be|may be|must stay|has to stay"
                        rf"|must cost|should cost|costs?|may cost|can cost|=|:) "
          rf"(?P<value>{_LIMIT} .+)", "{subject}", "What is the limit for {the}?", "number"),
    rule("constraint", rf"(?:spend|use|keep it|stay|we can spend|i can spend|we have|i have)"
                        rf" (?P<value>{_LIMIT} [^,]*\d.*?)(?: on (?P<subject>.+))?",
          "{subject}", "What is the limit for {the}?"),
    rule("constraint", r"(?:the |our |my )?(?:budget|limit|maximum|minimum|cap)(?P<subject>(?: for| of) .+?)?"
                        r" (?:is|=|:) (?P<value>.*\d.*)",
          "budget{subject}", "What is the budget{subject}?"),
    rule("constraint", r"i(?:'m| am)(?: very| badly| severely)? (?:allergic|intolerant) to"
                        r" (?P<value>.+)", "allergy to {value}", "What am I allergic to?"),
    rule("constraint", r"i(?: have|'ve got) an? (?P<value>[\w ]+?) (?:allergy"
                        r"|intolerance)", "allergy to {value}", "What am I allergic to?"),
    rule("constraint", r"i(?:'m| am) (?P<value>\w+)[- ]intolerant", "intolerance", "What am I intolerant to?"),
    rule("constraint", r"i(?:'m| am)(?: a)? (?P<value>vegan|vegetarian|pescatarian|teetotal|diabetic|coeliac"
                        r"|celiac)", "diet", "What is my diet?"),
    rule("constraint", rf"(?P<subject>(?:my|our) {NP}|{NAME}) (?:is|are)(?: very| badly| severely)?"
                       r" (?:allergic|intolerant) to (?P<value>.+)",
         "{subject}'s allergy", "What is {the} allergic to?"),
    rule("constraint", rf"(?P<subject>(?:my|our) {NP}|{NAME}) (?P<value>(?:doesn't|does not|don't|do not|never|can't"
                       r"|cannot) (?:eats?|drinks?) .+)", "{subject}'s diet", "What does {the} not eat or drink?"),
    rule("constraint", r"i (?P<value>(?:don't|do not|never|can't|cannot) (?:eat|drink) .+|eat .+"
                        r" again)", "diet", "What do I eat or not eat?"),
    rule("constraint", r"(?P<value>(?:never|always|don't ever|do not ever) (?P<subject>\w+(?: \w+)?) .+)",
          "rule ({subject})", "What is the rule about “{subject}”?"),
    rule("constraint", r"(?P<value>(?:i|we) (?:can't|can’t|cannot|can not|don't|don’t|do not|won't|won’t|never)"
                        r" (?P<subject>\w+)(?: .+)? (?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:on|at|over)"
                        r" weekends|(?:before|after) \d.*))",
          "rule ({subject})", "What is the rule about “{subject}”?"),
    rule("constraint", r"(?P<value>(?:ich|wir) (?:kann|können|arbeite\w*) (?P<subject>\w+tags|am wochenende)"
                        r" (?:nicht|nie)\b.*)", "Regel ({subject})", "Was gilt {subject}?"),
    rule("constraint", r"(?P<value>(?:нельзя|никогда не|всегда) (?P<subject>\w+) .+)",
          "правило ({subject})", "Какое правило: {subject}?"),
    rule("constraint", r"(?P<value>(?:(?:you|we|i|they|nobody|no one|it|everyone) )?(?:must not|must never"
                        r"|mustn't|may not) (?P<subject>\w+) .+)",
          "rule ({subject})", "What is the rule about “{subject}”?"),
    rule("constraint", rf"(?P<subject>{NP}) (?:ist|sind|beträgt|darf|dürfen|kostet|liegt bei)(?: nur)?"
                        rf" (?P<value>{_GRENZE} .+?)(?: kosten| sein| betragen)?",
          "{subject}", "Was ist die Grenze: {subject}?"),
    rule("constraint", rf"(?P<subject>{NP}) (?:darf|dürfen) (?P<value>(?:nicht|nie)"
                        rf" .+)", "{subject}", "Was gilt für {subject}?"),
    rule("constraint", r"ich bin (?:allergisch gegen|allergisch auf)"
                        r" (?P<value>.+)", "Allergie gegen {value}", "Wogegen bin ich allergisch?"),
    rule("constraint", r"ich bin (?:gegen|auf) (?P<value>.+) allergisch",
         "Allergie gegen {value}", "Wogegen bin ich allergisch?"),
    rule("constraint", rf"(?P<subject>{OWN} {NP}|{NAME}) (?:ist|sind) (?:(?:gegen|auf) (?P<value>.+) allergisch"
                       r"|allergisch (?:gegen|auf) (?P<value2>.+))",
         "{subject} (Allergie)", "Wogegen: {subject} (Allergie)?"),
    rule("constraint", r"ich (?P<value>(?:esse|trinke) (?:\w+ ){0,3}?(?:keine?n?|nie)"
                       r" .+)", "Ernährung", "Was esse oder trinke ich nicht?"),
    rule("constraint", rf"(?P<subject>{OWN} {NP}|{NAME}) (?P<value>(?:isst|trinkt|essen|trinken) (?:\w+ ){{0,3}}?"
                       r"(?:keine?n?|nie) .+)", "{subject} (Ernährung)", "Was gilt: {subject} (Ernährung)?"),
    rule("constraint", r"ich vertrage (?P<value>keine?n? .+)",
         "Unverträglichkeit", "Was gilt: meine Unverträglichkeit?"),
    rule("constraint", rf"(?P<subject>{OWN} {NP}|{NAME}) verträgt (?P<value>keine?n? .+)",
         "{subject} (Unverträglichkeit)", "Was gilt: {subject} (Unverträglichkeit)?"),
    rule("constraint", r"ich bin (?P<value>veganer(?:in)?|vegetarier(?:in)?"
                        r"|vegan)", "Ernährung", "Wie ernähre ich mich?"),
    rule("constraint", rf"(?P<subject>{NP})(?: —| -|:)? (?P<value>{_PREDEL}"
                        rf" .*\d.*)", "{subject}", "Какое ограничение: {subject}?"),
    rule("constraint", r"у меня непереносимость (?P<value>.+)", "непереносимость", "Чего я не переношу?"),
    rule("constraint", r"у меня аллергия на (?P<value>.+)", "аллергия на {value}", "На что у меня аллергия?"),
    rule("constraint", rf"у (?P<subject>{NP}) аллергия на (?P<value>.+)",
         "аллергия ({subject})", "На что аллергия: {subject}?"),
    rule("constraint", rf"(?P<subject>{NP}) (?P<value>не (?:ест|едят|пь[её]т|пьют) .+)",
         "питание ({subject})", "Чего не ест и не пьёт: {subject}?"),
    rule("constraint", r"я (?P<value>не (?:ем|пью) .+)", "питание", "Чего я не ем и не пью?"),
    rule("constraint", r"я (?P<value>веган|веганка|вегетарианец|вегетарианка)", "питание", "Как я питаюсь?"),
)  # fmt: skip

_WEEKLY = r"(?:(?:(?:every|each)(?: other| second)? \w+day|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b.*)"
_WOECHENTLICH = (
    r"(?:(?:jede[nrsm]?(?: zweiten)? \w+(?:tag|woch)|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs)\b.*)"
)
_EZHENEDELNO = (
    r"(?:(?:по (?:понедельникам|вторникам|средам|четвергам|пятницам|субботам|воскресеньям|будням|выходным)"
    r"|кажд(?:ый|ую|ое) (?:понедельник|вторник|среду|четверг|пятницу|субботу|воскресенье))\b.*)"
)

HABITS = (
    rule("entity", rf"(?P<subject>{NP}) (?:is|are|takes? place|happens?|meets?)(?: always)? (?P<value>{_WEEKLY})",
         "{subject}", "When is {the}?"),
    rule("entity", rf"(?P<subject>{NP}) (?:ist|sind|findet|finden|kommt|kommen)(?: immer)?"
                   rf" (?P<value>{_WOECHENTLICH}?)(?: statt)?", "{subject}", "Wann ist {subject}?"),
    rule("entity", rf"у (?P<attribute>{NP}) (?P<value>{_EZHENEDELNO.replace('.*', ' (?P<subject>[^ ]+)(?: .*)?')})",
         "{subject} у {attribute}", "Когда {subject} у {attribute}?"),
    rule("entity", rf"(?P<subject>{NP})(?: —| –| -| у нас| бывает| проходит)?(?: всегда)? (?P<value>{_EZHENEDELNO})",
         "{subject}", "Когда {subject}?"),
    rule("entity", rf"(?P<value>{_EZHENEDELNO.replace('.*', '(?: у (?:меня|нас))? (?P<subject>[^ ]+)(?: .*)?')})",
         "{subject}", "Когда {subject}?"),
    rule("entity", rf"(?:we|i|(?:my|our|the) {NP}|{NAME}) (?:have|has) (?P<subject>{NP}) (?P<value>{_WEEKLY})",
         "{subject}", "When is {the}?"),
    rule("user_attribute", rf"i (?P<subject>(?!am\b|was\b|have\b|had\b)\w+) (?P<value>.*?{_WEEKLY})",
         "habit ({subject})", "Where and when do I {subject}?"),
    rule("user_attribute", rf"ich (?P<subject>(?!bin\b|war\b|habe\b)\w+) (?P<value>.*?{_WOECHENTLICH})",
         "Gewohnheit ({subject})", "Wo und wann: ich {subject}?"),
)  # fmt: skip

_FAMILY = (
    r"(?:daughter|son|wife|husband|partner|mother|mum|mom|father|dad|sister|brother|boss|manager|vet"
    r"|doctor|dentist|landlord|neighbou?r|teacher|lawyer|accountant|girlfriend|boyfriend|dog|cat|friend)"
)
ATTRIBUTES = (
    rule("user_attribute", r"(?:my (?:full |first |last )?name(?: is|'s)|i(?:'m| am) called|call me|they call"
                            r" me|i go by) (?P<value>[^,]+)",
          "name", "What is my name?"),
    rule("entity", rf"(?P<subject>(?:my|our) {NP}|{NAME}) was born (?:on|in) (?P<value>.+)",
          "{subject}'s birth", "When was {the} born?"),
    rule("user_attribute", r"i(?:'m| am| was) born (?:on|in) (?P<value>.+)", "birth", "When or where was I born?"),
    rule("user_attribute", r"i(?:'m| am)? (?:live|living|based|reside|moved|relocated)(?: now)? (?:in|at|on|to"
                            r"|near) (?P<value>.+)", "home", "Where do I live?"),
    rule("user_attribute", r"i(?:'m| am) from (?P<value>.+)", "origin", "Where am I from?"),
    rule("user_attribute", r"live (?:in|at|near) (?P<value>.+)", "home", "Where do I live?"),
    rule("user_attribute", r"work (?P<value>(?:at|for|as|in) .+)", "work", "Where or as what do I work?"),
    rule("user_attribute", r"i (?:work|am working|'m working) (?P<value>(?:at|for|as|in|with)"
                            r" .+)", "work", "Where or as what do I work?"),
    rule("user_attribute", r"i(?:'m| am) an? (?P<value>[\w ]*(?:er|or|ist|ian|nurse|chef|pilot|cook|student"
                            r"|architect|analyst|accountant|engineer))",
          "profession", "What is my profession?"),
    rule("user_attribute", r"i(?:'m| am) (?P<value>\d{1,3}(?: years old)?)", "age", "How old am I?"),
    rule("user_attribute", r"i(?:'m| am) married to (?P<value>.+)", "spouse", "Who am I married to?"),
    rule("user_attribute", r"i (?:drive|own) (?P<value>an? .+)", "car", "What do I drive?"),
    rule("user_attribute", r"i speak (?P<value>.+)", "languages", "What do I speak?"),
    rule("user_attribute", r"i prefer (?P<value>.+?) (?:to|over)"
                            r" (?P<subject>.+)", "preference over {subject}", "What do I prefer to {subject}?"),
    rule("user_attribute", r"i prefer (?P<value>.+)", "preference", "What do I prefer?"),
    rule("user_attribute", r"i weigh (?P<value>.*\d.*)", "weight", "How much do I weigh?"),
    rule("user_attribute", r"i(?:'m| am) (?P<value>.*\d.*?) tall", "height", "How tall am I?"),
    rule("user_attribute", r"i (?:really )?(?:like|love|enjoy|adore) (?P<value>(?!it\b|this|that|you|him|her"
                            r"|them|when|how|to)\S+(?: \S+){0,3})",
          "likes {value}", "What do I like?"),
    rule("user_attribute", r"i (?:really )?(?:hate|dislike) (?P<value>(?!it\b|this|that|you|him|her|them|when"
                            r"|how|to)\S+(?: \S+){0,3})",
          "dislikes {value}", "What do I dislike?"),
    rule("user_attribute", r"i wear (?:shoe )?size (?P<value>.+)", "size worn", "What size do I wear?"),
    rule("entity", r"(?:i |we )?(?:spent|paid) (?P<value>\S*\d\S*(?: \w+)?) (?:at|on|for|in) (?P<subject>.+)",
          "spent on {subject}", "How much was spent on {the}?"),
    rule("entity", rf"(?P<subject>(?:my|our) {NP}) (?:lives|moved)(?: now)? (?:in|to|at) (?P<value>.+?)(?:"
                    rf" and (?:works?|lives|is|has)\b.*)?",
          "{subject}'s home", "Where does {my} live?"),
    rule("entity", rf"(?P<subject>(?:my|our) {NP}) works (?P<value>(?:at|for|as|in)"
                    rf" .+)", "{subject}'s work", "Where does {my} work?"),
    rule("entity", rf"(?:i|we) have an? (?P<subject>{NP}) (?:called|named)"
                    rf" (?P<value>.+)", "{subject}", "What is the name of the {subject}?"),
    rule("entity", rf"(?P<subject>(?:my|our) {NP})(?:(?: is|'s)(?: called| named)|(?:['’]s)? name is) (?P<value>.+)",
          "{subject}", "What is the name of {my}?"),
    rule("entity", rf"(?P<subject>(?:my|our) (?:new )?{_FAMILY})(?: is|['’]s)"
                    rf" (?P<value>(?-i:[A-ZÄÖÜА-ЯЁ]).+)", "{subject}", "Who is {my}?"),
    rule("entity", rf"(?P<subject>(?:my|our) {NP})(?: is|'s) (?P<value>(?!due\b|(?:[\w-]+ ){{1,2}}(?:was|were)\b).+)",
         "{subject}", "What is {my}?"),
    rule("entity", rf"(?P<subject>(?:my|our) {NP}) are(?: called| named)?"
                    rf" (?P<value>.+)", "{subject}", "What are {my}?"),
    rule("entity", rf"(?P<value>{NAME}) is (?P<subject>(?:my|our) {NP})", "{subject}", "Who is {my}?"),
    rule("entity", rf"(?P<value>{NAME}) ist (?P<subject>(?:mein|unser)\w* {NP})", "{subject}", "Wer ist {my}?"),
    rule("entity", rf"(?P<value>{NAME}) (?:—|–|-) (?P<subject>{OWN} {NP})", "{subject}", "Кто {my}?"),
    rule("entity", rf"my {_FAMILY},? (?P<subject>{NAME}),? (?P<value>(?:lives|works|was born|studies)"
                    rf" .+)", "{subject}", "What about {subject}?"),
    rule("entity", rf"(?P<subject>{NAME})(?:'s|’s) (?P<attribute>[\w -]+?) (?:is|are|:) (?P<value>.+)",
          "{subject}'s {attribute}", "What is {subject}'s {attribute}?"),
    rule("entity", rf"(?P<subject>{NAME}) (?:lives|moved) (?:in|to|at) (?P<value>.+?)(?: and (?:works?|has|is)\b.*)?",
          "{subject}'s home", "Where does {subject} live?", "exact"),
    rule("entity", rf"(?P<subject>{NAME}) works (?P<value>(?:at|for|as|in)"
                    rf" .+)", "{subject}'s work", "Where does {subject} work?"),
    rule("entity", rf"(?P<subject>(?:the )?{NP}) (?:is|are)(?: called| named)"
                    rf" (?P<value>.+)", "{subject}", "What is {the} called?"),
    rule("entity", rf"(?P<subject>(?:the )?{NP} (?:number|code|password|pin|iban|plate|address|id|key|phone"
                    rf"|email|size|serial|name|balance|price|rent|salary))"
          r"(?: is|:| =| ends in| ending| starts with) ?(?P<value>.+)", "{subject}", "What is {the}?"),
    rule("entity", rf"(?P<subject>the {NP}) (?:is|are|costs?|weighs|measures)"
                    rf" (?P<value>.+)", "{subject}", "What is {the}?", "exact"),
    rule("entity", rf"(?P<subject>(?:the|my|our) {NP}) (?:is|are|lies?|hangs?)(?: kept| stored| hidden)?"
                    r" (?P<value>(?:under|in|on|inside|behind|next to|above|below|beside) (?:the|my|our|an?)"
                    r" (?:\w+ ){0,2}(?:pot|box|drawer|shelf|cupboard|safe|cellar|attic|garage|fridge|wardrobe|desk|bag"
                    r"|folder|mat|hook|cabinet|closet|bookcase|shed|glovebox|table|bin|tin|jar)\b.*)",
          "{subject}", "Where is {the}?", "place"),
    rule("entity", rf"(?P<subject>{NP})(?: ?=|:) (?P<value>(?!(?:we|i|you|he|she|they|wir|ich|мы"
                    rf"|я)\b).+)", "{subject}", "What is {the}?", "exact"),
    rule("user_attribute", r"ich hei(?:ß|ss)e (?P<value>.+)|mein name ist (?P<value2>.+)", "Name", "Wie heiße ich?"),
    rule("user_attribute", r"(?:ich )?(?:wohne|lebe)(?: jetzt)? (?:in|im|am|an|auf|bei) (?P<value>.+)",
          "Wohnort", "Wo wohne ich?"),
    rule("user_attribute", r"(?:ich )?arbeite (?P<value>(?:bei|als|für|in|im)"
                            r" .+)", "Arbeit", "Wo oder als was arbeite ich?"),
    rule("user_attribute", r"ich bin am (?P<value>.+?) geboren", "Geburtstag", "Wann bin ich geboren?"),
    rule("entity", r"(?P<subject>\w+) hat am (?P<value>.+?)"
                    r" geburtstag", "{subject} Geburtstag", "Wann hat {subject} Geburtstag?"),
    rule("entity", rf"(?P<subject>{OWN} {NP}) (?:ist|sind|hei(?:ß|ss)t|hei(?:ß|ss)en|lautet)"
                    rf" (?P<value>.+)", "{subject}", "Was gilt: {subject}?"),
    rule("entity", rf"(?P<subject>{OWN} {NP}|{NAME}) (?:wohnt|wohnen|lebt|leben)(?: jetzt)?"
                   r" (?:in|im|am|an|auf|bei) (?P<value>.+)", "{subject} (Wohnort)", "Wo wohnt {subject}?"),
    rule("entity", rf"(?P<subject>(?:{OWN}|der|die|das) {NP}) (?:beträgt|betragen|kostet|kosten|liegt bei|liegen bei)"
                   r" (?P<value>.*\d.*)", "{subject}", "Wie viel: {subject}?"),
    rule("entity", rf"(?P<subject>(?:(?:{OWN}|der|die|das) )?{NP}) (?:liegt|liegen|hängt|hängen|steht|stehen)"
                   r" (?P<value>(?:in|im|unter|auf|hinter|neben|am|an|über) .*?(?:schublade|schrank|keller|regal|kiste"
                   r"|dose|tasche|garage|safe|tresor|schuppen|kommode|fach|karton|koffer|haken|tisch|ordner|mappe|boden|topf"
                   r"|matte|rucksack|kasten|truhe)\w*\b.*)", "{subject}", "Wo: {subject}?", "place"),
    rule("entity", rf"(?P<subject>(?:der|die|das) {NP}) (?:hei(?:ß|ss)t|lautet|ist|kostet)"
                    rf" (?P<value>.+)", "{subject}", "Was gilt: {subject}?", "exact"),
    rule("user_attribute", r"меня зовут (?P<value>.+)|мо[её] имя[ —–-]+(?P<value2>.+)", "имя", "Как меня зовут?"),
    rule("user_attribute", r"(?:я )?(?:живу|переехала?)(?: теперь)? (?:в|во|на)"
                            r" (?P<value>.+)", "место жительства", "Где я живу?"),
    rule("user_attribute", r"я (?P<value>(?:[а-яё]+ (?:и )?)?[а-яё]+(?:тор|ер|ист|ник|ант|тель|лог|арь|урс|рач))",
          "профессия", "Кто я по профессии?"),
    rule("user_attribute", r"(?:я )?работаю (?P<value>(?:в|на|по) .+|\w+(?:ом|ем|ой|ей)(?: (?:в|на) .+)?)",
          "работа", "Где или кем я работаю?"),
    rule("entity", rf"(?P<subject>{OWN} {NP}) зовут (?P<value>.+)|зовут"
                    rf" (?P<value2>.+)", "{subject}", "Как зовут: {subject}?"),
    rule("entity", rf"(?P<subject>{NP}) (?:стоит|стоят|составляет) (?P<value>.*\d.*)",
         "{subject}", "Сколько: {subject}?"),
    rule("entity", rf"(?P<subject>{NP}) (?:лежит|лежат|висит|висят|стоит|стоят|хранится|хранятся)"
                   r" (?P<value>(?:в|во|на|под|за|над|у) .*?(?:ящик|шкаф|полк|коробк|подвал|гараж|сумк|сейф|кладовк"
                   r"|стол|папк|банк|рюкзак|тумбочк|крючк)\w*\b.*)", "{subject}", "Где: {subject}?", "place"),
    rule("entity", rf"день рождения (?P<subject>{NP})(?: —| –| -|:)?"
                    rf" (?P<value>\d.+)", "день рождения {subject}", "Когда день рождения {subject}?"),
    rule("entity", rf"(?P<subject>{OWN} {NP}|{NAME}) работает"
                   r" (?P<value>(?:в|на|по) .+|\w+(?:ом|ем|ой|ей)(?: (?:в|на) .+)?)",
         "работа ({subject})", "Где или кем работает {subject}?"),
    rule("entity", rf"(?P<subject>{OWN} {NP}|{NAME}) жив[её]т(?: теперь)? (?:в|во|на) (?P<value>.+)",
         "место жительства ({subject})", "Где живёт {subject}?"),
    rule("entity", rf"(?P<subject>{OWN} {NP}) (?P<value>[+\d].*)", "{subject}", "Что известно: {subject}?"),
    rule("entity", rf"(?P<subject>{OWN} {NP})(?: —| –| -|:)"
                    rf" ?(?P<value>.+)", "{subject}", "Что известно: {subject}?"),
    rule("entity", rf"(?:(?:теперь|сейчас) )?(?P<subject>{OWN} (?-i:[а-яё]+(?: [а-яё]+)??)) (?P<value>(?:(?:доктор|д-р"
                   rf"|профессор|господин|госпожа) )?{NAME})", "{subject}", "Кто {my}?"),
    rule("entity", rf"(?P<subject>{NP}) (?:—|–) (?P<value>.+)", "{subject}", "Что известно: {subject}?", "exact"),
)  # fmt: skip

BIRTHDAYS = (
    rule("user_attribute", r"my birthday(?: is|['’]s)(?: on)? (?P<value>.+)", "birthday", "When is my birthday?"),
    rule("entity", rf"(?P<subject>{NP})(?:['’]s|s['’]) birthday(?: is)?(?: on)? (?P<value>.+)",
          "{subject}'s birthday", "When is {subject}'s birthday?"),
    rule("entity", rf"(?P<subject>{OWN} {NP}|{NAME}) (?:ist|wurde) am (?P<value>.+?) geboren",
         "{subject} (Geburtstag)", "Wann wurde {subject} geboren?"),
    rule("user_attribute", r"mein geburtstag ist(?: am)? (?P<value>.+)", "Geburtstag", "Wann habe ich Geburtstag?"),
    rule("user_attribute", r"мой день рождения(?: —| –| -|:)?"
                            r" (?P<value>.+)", "день рождения", "Когда мой день рождения?"),
    rule("entity", rf"(?P<value>{DATE}) is (?P<subject>{NP})(?:['’]s|s['’]) birthday",
          "{subject}'s birthday", "When is {subject}'s birthday?"),
)  # fmt: skip

RULES = (*BIRTHDAYS, *DECISIONS, *DEADLINES, *CONSTRAINTS, *HABITS, *ATTRIBUTES)
