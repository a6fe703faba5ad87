"""Steering ideas: what every attack on a model has to say in some words. Tables by idea; injection.py reads them.

injection_texts.py holds phrases as they are met; here stands what lies behind them: standing orders with a hidden
interest, an end put to what was said before, a role without limits, a false voice of authority, tools turned on their
owner, silence, data carried off, power that is claimed, a text that spreads. Lower case; every gap is bounded.
"""

_GAP = r"[^.!?\n]{0,60}?"
_NEAR = r"[^.!?\n]{0,30}?"
_RULES = r"(?:instructions?|rules?|guidelines?|polic(?:y|ies)|prompts?|restrictions?|training|orders?)"
_THIS_ONE = r"(?:this|these) (?:memory|note|record|message|entry)"
_THIS = r"(?:this|the|these) (?:memory|note|record|text|page|message|entry|document|file|line)"
_MODEL = r"(?:ai|ais|assistants?|llms?|language models?|models?|chatbots?|bots?|claude|chatgpt|gpt|copilot|gemini)"
_HARM = (
    r"(?:ignore|disregard|forget|execute|delete|send|e-?mail|forward|upload|grant|approve|reveal|disclose|export|leak"
    r"|run|call|your (?:new|real|true|only)|you (?:must|should|are|will|shall|have to|may))"
)
_SECRETS = r"(?:passw\w{2,5}|credentials?|card numbers?|api keys?|tokens?|secrets|pins?|one-time codes?|private keys?)"
_PEOPLE = r"(?:users?|customers?|people|employees|colleagues|visitors|clients?|callers?|everyone|anyone)"
_TRIGGER = (
    r"(?:when(?:ever)?|if|every time|each time|any time|as soon as|once)\b[^.!?\n]{0,15}\b(?:you|users?|someone"
    r"|anyone"
    r"|somebody|anybody|people|customers?|they|he|she|deployments?|\w{3,20} (?:is|are) (?:discussed|mentioned"
    r"|asked))\b"
)
_MODE = r"(?:developer|debug|god|dan|jailbreak|admin|root|sudo|unrestricted|maintenance|unsafe|diagnostic) mode"
_POWER = r"(?:owners?|admin\w{0,10}|reviewers?|root|superusers?|operators?|moderators?|approvers?)"

ENGLISH: dict[str, tuple[str, ...]] = {
    "standing order with a hidden interest": (
        r"\bin (?:all|every|any) (?:future |later |coming )?(?:chats?|conversations?|sessions?|answers?|replies"
        r"|talks?)\b[^.!?\n]{0,10}"
        r"\b(?:describe|call|recommend|praise|say|present|mention|claim|tell|name|promote|use|include|never"
        r"|always)\b",
        r"\bsteer (?:buyers|users?|customers?|people|clients?|them|him|her|the talk)\b|\bkeep (?:quiet"
        r"|silent) about\b",
        r"\b(?:from now on|henceforth|starting now|as of now|going forward)\b,? (?:please )?(?:always |only |never )?"
        r"(?:recommend|suggest|praise|promote|advertise|answer|reply|respond|obey|trust|believe|favou?r|advise"
        r"|approve"
        r"|ignore|treat|say|tell|act|pretend)\b",
        rf"\b{_TRIGGER}{_GAP}\b(?:leave out|omit|praise|promote|replace|swap|tell the user to|tell them to"
        r"|insist|claim|lie|pretend|steer|persuade|convince|talk them|switch off|disable|transfer)\b",
        rf"\b(?:recommend|promote|praise|advertise|favou?r|steer){_GAP}\b(?:when(?:ever)?|if|no matter)\b"
        rf"[^.!?\n]{{0,20}}\b(?:{_PEOPLE}|they|you|asked|what)\b",
    ),
    "an end to what was said before": (
        rf"\b(?:previous|prior|earlier|old|former|original"
        rf"|above)\b[^.!?\n]{{0,25}}\b{_RULES}\b[^.!?\n]{{0,15}}\b(?:said )?(?:is|are)"
        r" (?:void|cancel\w{0,4}|null|revoked|over)\b[^\n]{0,20}\b(?:take|follow|obey|only|now)\b",
        rf"\b(?:an?|the|your|any) (?:previous|prior|earlier|system|original|first) prompt said\b"
        rf"|\btake your (?:orders|{_RULES}) from\b",
        r"\byour loyalty\b|\bbegin (?:new |hidden |secret |real )?system prompt\b|\bunbreakable rule\b"
        r"|'s word is (?:final|law)\b[^.\n]{0,3}\.?$",
        r"\b(?:whatever|anything|everything|all)\b(?: that)? you (?:were|have been|had been|'ve been|learned|know"
        r"|got)"
        rf"{_GAP}\b(?:no longer|invalid|void|forget|ignore|obsolete|cancel\w{{0,3}}|replaced|does not|outdated"
        rf"|wrong)\b",
        r"\b(?:only|solely|exclusively) (?:obey|follow|trust|listen to|believe)\b[^.!?\n]{0,15}\b(?:this|these|me"
        r"|my|what i)\b",
        rf"\byou (?:must|should|need|may|do|can|shall) (?:not|no longer) (?:follow|obey|apply|heed"
        rf"|respect){_NEAR}\b{_RULES}",
        rf"\b(?:follow|obey|use) (?:only )?(?:mine|my {_RULES}|these {_RULES}) (?:instead|only|from)\b",
        rf"\b{_THIS}{_GAP}\b(?:supersedes?|overrides?|outranks?|replaces?|above|over|precedes?)\b{_NEAR}\b(?:system"
        rf"|all|every|any|your)\b{_NEAR}(?:{_RULES}|message)",
        r"\b(?:must|shall|has to|have to) be obeyed\b|\bend of (?:user |untrusted |external |tool |quoted )?(?:data"
        r"|input"
        r"|document|content|context|prompt|text)\b[^\n]{0,12}\b(?:new|system|begin|now|instructions?)\b",
        rf"\bnew (?:instructions?|orders?|rules?|prompt) (?:for|to) (?:the |you|all |any "
        rf"|every )?{_MODEL}?\b[^\n]{{0,8}}:",
    ),
    "a role without limits": (
        r"\byou (?:will |shall |must |should )?(?:play|impersonate|become|embody|simulate"
        r"|portray)\b[^.!?\n]{0,30}\b(?:who|that"
        r"|which)\b[^.!?\n]{0,15}\b(?:never|no|not|any|always|without)\b",
        r"\bin which you (?:are|have|play|act)\b[^.!?\n]{0,40}\b(?:no|without|free|any|never|unlimited)\b",
        r"\byou(?:'re| are| were)? (?:now )?(?:no longer|not any ?more|not) (?:bound|limited|restricted|governed"
        r"|subject)\b",
        rf"\byou are (?:dan\b|an? {_MODEL}\b[^.!?\n]{{0,25}}\b(?:without|free|no|unbound|uncensored|unlimited))",
        r"\bstay in character\b|\b(?:act|behave|speak|respond|talk) like (?:my|a) (?:late|dead|deceased|evil|hacker"
        r"|jailbroken)\b",
        r"\bwho used to (?:read|tell|give|whisper|recite)\b[^.!?\n]{0,30}\b(?:passw\w{2,5}|keys?|secrets?|codes?)\b",
        rf"\b(?:enable|enter|activate|in|switch to|turn on|start) {_MODE}\b[^\n]{{0,60}}\b(?:no|without|all|any|rules"
        r"|limits|restrictions|comply|filters?|everything|anything)\b",
        r"\bthere are no (?:content |more |longer |other )?(?:rules|limits|filters|restrictions|guardrails|taboos)\b",
        r"\byou have no (?:content |more |longer )?(?:rules|limits|filters|restrictions|guardrails|policy)\b",
    ),
    "a false voice of authority": (
        r"(?:^|\n)[#*>\s\[]{0,6}(?:system|admin|root|developer|security)(?:[ _-](?:notice|notification|alert|update"
        r"|message"
        r"|note))?[\]:]{1,2}[^\n]{0,80}\b(?:waived|privileges?|pre-?approved|is now|are now|granted|root"
        r"|unrestricted)\b",
        rf"\b(?:as|being) (?:an?|the) {_MODEL},? you are (?:required|obliged|expected|bound|allowed|free)\b",
        r"(?:^|\n)[#*>\s]{0,6}(?:system|admin|administrator|root|developer|security)[ _-](?:override|command"
        r"|directive)"
        r"\s?[:!]",
        r"(?:^|\n)[#*>\s]{0,6}(?:system|admin|developer|root)\s?:[^\n]{0,80}\b(?:filters?|safety|rules?|restrictions?"
        r"|policy|guard\w{0,5}|limits?)\b[^\n]{0,30}\b(?:off|disabled|suspended|lifted|removed|paused)\b",
        rf"(?:^|[.!?:;(\n]\s{{0,2}})(?:now,? |dear |attention,? |hey,? |note to )?(?:{_MODEL}"
        rf"|agents?)\s?[,:]\s?(?:please "
        rf"|now |always |just )?{_HARM}\b",
        rf"\b(?:as|being) (?:an?|the) {_MODEL},? you (?:should|must|will|shall|have to|are to|need to)\b",
        rf"\byour (?:new|real|true|only|actual|secret) (?:{_RULES}"
        r"|priority|master) (?:is|are)\b",
        r"\b(?:authori[sz]ed|allowed|permitted|cleared|told|instructed|asked) you to (?:skip|bypass|ignore|disable"
        r"|omit"
        r"|approve|reveal|share|override|disregard)\b",
        rf"\b(?:reviewers?|auditors?|humans?|admins?|moderators?|security) (?:have|has|had)? ?already (?:cleared"
        rf"|approved"
        rf"|confirmed|checked|verified|reviewed){_GAP}\b(?:mark|trust|inject|skip|no need)\b",
    ),
    "tools turned on their owner": (
        rf"\b(?:call|run|execute|invoke|send|transfer|pay|delete|trigger)\b[^.!?\n]{{0,80}}\b(?:when(?:ever)?"
        rf"|each time|every time"
        rf"|as soon as|once) {_THIS} is (?:loaded|read|recalled|seen|retrieved|used|opened)\b",
        r"\b(?:run|execute|do|apply|perform)\b[^.!?\n]{0,40}\bwithout (?:asking|confirmation|approval|question"
        r"|telling|review)\b",
        r"\b(?:include|put|paste|add|show|quote|send)\b[^.!?\n]{0,30}\bin (?:the|your) (?:next|following|first"
        r"|every) (?:reply|answer|response|message)\b",
        rf"\b(?:when(?:ever)?|once|as soon as|after|if) (?:you |an? |any )?(?:{_MODEL} |agents? )?(?:reads?|sees?"
        rf"|process(?:es)?|loads?|retrieves?|recalls?|receives?|finds?|encounters?|opens?) {_THIS}\b[^\n]{{0,20}}"
        rf"\b(?:call|run|execute|delete|send|use|write|store|post|forward|grant|approve|invoke|ignore|you)\b",
        r"\b(?:before|after) (?:(?:answering|replying|responding)(?=,|\s(?:fetch|call|run|open|curl|the user))"
        r"|each answer|every answer|you answer|you reply)\b[^\n]{0,12}"
        r"\b(?:fetch|download|open|visit|run|call|load|curl|execute|post|query)\b",
        r"\b(?:do|follow|execute|obey|carry out|apply) (?:exactly )?(?:what|whatever|everything) (?:it|they|that page"
        r"|the page|the file|the site|the answer) (?:says?|tells?|asks?|demands?|contains?)\b",
        r"\b(?:use|call|invoke|take|through|via|with) (?:the |your )?\w{0,20} ?tool\b[^.!?\n]{0,20}\b(?:upload|send"
        r"|delete"
        r"|post|exfiltrate|e-?mail|transfer|wipe|drop|leak|forward|on every|on all)\b",
        r"\b(?:upload|send|post|mail|e-?mail|forward|paste|print|show|leak"
        r"|cat)\b[^\n]{0,40}(?:/\.ssh/id_[a-z0-9]{2,10}\b"
        r"(?!\.pub)|/\.aws/credentials|/etc/shadow|\.netrc\b|\bkubeconfig\b)",
        r"\[//\]: ?# ?\([^)\n]{0,20}\b(?:ai|assistant|agents?|llm|model|bot)\b|\bcurl [^\n|]{1,120}\| ?(?:ba)?sh\b"
        r"[^.\n]{0,6}\bbefore you\b",
    ),
    "silence": (
        r"\b(?:silently|secretly|covertly|quietly) b?cc\b|\bb?cc [\w.+-]{1,64}@[\w.-]{1,64} (?:on|in|into"
        r"|to) (?:every|all|each|any)\b",
        r"\b(?:silently|secretly|covertly|quietly|unnoticed) (?:replace|change|alter|swap|redirect|insert|remove|drop"
        r"|modify|edit|switch|upload|grant|disable|collect|record|mail|e-?mail)\b",
        r"\bnever (?:explain|say|reveal|tell|disclose|mention) why\b|\bdo not (?:explain|say|tell) why\b|\b(?:deny"
        r"|never"
        rf" admit|do not admit|don't admit|do not acknowledge)\b{_NEAR}\b{_THIS}",
        r"\b(?:then|afterwards|finally),? (?:delete|erase|remove|forget|hide) (?:this|these|the) (?:one|note|memory"
        r"|record|entry|message|instructions?|traces?)\b",
        r"\bwithout (?:the user|anyone|anybody|them|him|her|the owner) (?:noticing|knowing|seeing|finding out"
        r"|being told)\b",
    ),
    "data carried off": (
        r"\b(?:append|add|include|insert|put|embed|end"
        r"|finish)\b[^\n]{0,20}!\[[^\]\n]{0,60}\]\([^)\n]{1,200}\)[^.\n]{0,20}"
        r"\b(?:each|every|all|your|any)\b",
        rf"\b(?:collect|gather|harvest|steal|obtain|extract|capture|phish|ask for|elicit)\b{_NEAR}\b{_SECRETS}\b"
        rf"[^.!?\n]{{0,20}}\b(?:from|of) (?:the |all |any |every )?{_PEOPLE}\b",
        r"\b(?:export|dump|copy|upload|push|publish|post|leak|move|sync)\b[^.!?\n]{0,40}\b(?:table|database|db"
        r"|records?"
        r"|customers?|memor(?:y|ies)|workspace|notes|history)\b[^.!?\n]{0,20}\b(?:pastebin|gist|public (?:bucket|repo"
        r"|channel)|outside|my server|attacker)\b",
        r"\b(?:share|translate|summari[sz]e|spell out|write out|encode|tell me|quote|describe|print|repeat|reveal)\b"
        r"[^.!?\n]{0,15}\b(?:your (?:own )?(?:system |hidden |initial |secret )?(?:prompt|instructions|rules"
        r"|configuration)"
        r"|(?:the )?(?:hidden|initial|secret|above|internal) (?:prompt|instructions))\b",
    ),
    "power that is claimed": (
        r"\b(?:whoever|anyone who|everyone who|who(?:so)?ever|the (?:one|person) who) (?:says?|types?|writes?"
        r"|mentions?|knows?|uses?)\b"
        r"[^.!?\n]{0,40}\b(?:must|shall|should|is|gets?|has|may)\b[^.!?\n]{0,30}\b(?:access|rights?|admin|root"
        r"|trusted|owner)\b",
        rf"\bset (?:the )?(?:review|trust|approval|lifecycle|provenance)[ _]?(?:status|level"
        rf"|state)? of {_THIS_ONE}\b",
        rf"\b(?:is|are) to be (?:treated|regarded|seen|handled|considered) as (?:the |an? )?(?:{_POWER}|trusted)\b",
        rf"\b(?:treat|regard|consider) [\w.@+-]{{2,40}}(?: [\w.@+-]{{2,20}})? as (?:the |an? "
        rf"|your )?(?:new )?{_POWER}\b",
        r"\b(?:accept|approve|confirm|merge|allow) (?:all|every|each|any) (?:of )?(?:her|his|their|my"
        r"|\w{2,20}'s) \w{3,20}"
        r"[^.\n]{0,20}(?:\.|$|\bwithout\b)",
        rf"\b(?:hand over|give up|turn over|surrender)\b{_NEAR}\b{_SECRETS}\b",
        rf"\bpriority of {_THIS}{_NEAR}\b(?:above|over|higher|highest)\b",
        r"\bmark (?:it|this|these) as (?:trusted|confirmed|approved|verified|safe)\b",
    ),
    "a text that spreads": (
        r"\b(?:store|save|copy|write|add|put|repeat) (?:the following|this|these)\b[^.!?\n]{0,25}\b(?:all|every|each)"
        r" (?:other )?(?:projects?|workspaces?|channels?|scopes?|memor(?:y|ies)|agents?)\b",
        r"\b(?:write|store|save|add|create|insert|leave) (?:an? |this |one )?(?:new )?(?:memory|note|record|entry)"
        r" (?:that |which )?(?:says|saying|stating|claims?|claiming|tells?)\b[^.\n]{0,60}\b(?:passed|approved"
        r"|confirmed"
        r"|trusted|admin\w{0,10}|reviewer|verified|allowed)\b",
    ),
}

OTHER_LANGUAGES: dict[str, tuple[str, ...]] = {
    "German": (
        r"\b(?:ihr seid|du bist|sie sind) (?:nicht länger|nicht mehr|nun nicht mehr) an\b[^.\n]{0,30}(?:gebunden"
        r"|regel|richtlin)"
        r"|\b(?:als gäbe es|als hättest du) (?:keine|keinerlei)\b",
        r"\b(?:alle|sämtliche) (?:früher|bisherig|vorherig|bestehend)\w{0,2} (?:vorgabe|anweisung|instruktion|regel"
        r"|richtlinie)\w{0,3}\b[^.\n]{0,25}\b(?:ungültig|nichtig|aufgehoben|hinfällig|wirkungslos)",
        r"\b(?:folge|befolge|gehorche|vertraue|beachte) (?:nur noch|ausschließlich|allein|nur) (?:dies|mein|mir"
        r"|der folg)",
        r"\bals (?:ki|assistent\w{0,2}|sprachmodell|modell|agent|bot),? (?:musst|sollst|darfst|wirst|hast|bist) du\b",
        r"\b(?:empfiehl|empfehle|bewirb|lobe) (?:ab jetzt|ab sofort|künftig|immer|stets)\b|\b(?:ab jetzt|ab sofort"
        r"|künftig|von nun an) (?:immer |stets |nur )?(?:empfiehlst|empfiehl|bestätigst|bestätige|antworte|gehorchst"
        r"|ignorier\w{0,3}|verrätst|verrate)\b",
        r"\b(?:gib|gebt) (?:niemals|nie|nicht) zu\b|\b(?:schick|send|leit|übermittl"
        r"|übertrag)\w{0,3} (?:mir )?[^.\n]{0,30}"
        r"(?:kundendaten|passw|gespräch|verlauf|erinnerung|inhalt|zugangsdaten|geheimnis)[^.\n]{0,40}(?:@|https?:)",
        r"\b(?:zeig|gib|nenn|verrat|druck)\w{0,2} (?:mir |uns )?[^.\n]{0,20}(?:system-?prompt|systemanweisung)",
        r"\b(?:du hast|es gibt) (?:ab (?:jetzt|sofort) |nun |jetzt )?keine(?:rlei)? (?:regeln|grenzen"
        r"|einschränkungen|filter)",
    ),
    "French": (
        r"\bcomme si (?:aucune|tu n'avais|il n'y avait)[^.\n]{0,20}(?:règle|limite|restriction|consigne|filtre)"
        r"|\b(?:ton|tes|votre|vos) (?:message|prompt|consignes?|instructions?) (?:système|cachée?s?|initiale?s?)",
        r"\b(?:oublie|oubliez|quitte) (?:ton|votre) (?:rôle|identité)|\b(?:tu es|vous êtes) (?:désormais"
        r"|maintenant) (?:un|le)",
        r"\b(?:révèle|affiche|montre|donne|répète|traduis)\w{0,3} [^.\n]{0,20}(?:prompt|instructions (?:système"
        r"|cachées"
        r"|initiales))",
        r"\b(?:en tant qu'(?:ia|assistant)|comme ia),? (?:tu dois|vous devez)|\b(?:recommande|approuve|valide)\w{0,2}"
        r" (?:toujours|systématiquement|désormais)\b|\b(?:désormais|dorénavant),? (?:recommande|approuve|ignore"
        r"|obéi)",
        r"\bsans (?:aucune )?(?:restriction|limite|filtre)s?\b[^.\n]{0,10}$|\bn'obéis qu",
    ),
    "Spanish, Portuguese, Italian": (
        r"\b(?:actúa|actua|compórtate|responde|age|aja|agisci|rispondi) (?:como|come) (?:un|una|um|uma|si"
        r"|se)\b[^.\n]{0,30}"
        r"(?:sin|sem|senza) (?:reglas|límites|regras|limites|regole|limiti|restri|filtr)|\b(?:entrega|revela|rivela"
        r"|dame|consegna)\w{0,2}"
        r" [^.\n]{0,15}(?:contraseñas|senhas|password)|\btus instrucciones (?:ocultas|internas|iniciales|secretas)",
        r"\b(?:desconsidere|ignore|esqueça|descarta|ignora|olvida|dimentica) (?:as|os|las|los|le|i|tus?|suas?|tue)"
        r" (?:\w{2,12} )?(?:restri|regra|regla|regol|instru|istruz|norm|polític|direct|limit)",
        r"\b(?:muestra|revela|rivela|mostre|imprime|mostra|dime|stampa)\w{0,3} [^.\n]{0,20}(?:prompt|instrucciones"
        r" (?:ocultas|internas)|istruzioni (?:nascoste|interne)|instruções (?:ocultas|internas))",
        r"\b(?:ahora eres|agora você é|agora és|adesso sei|ora sei|finge (?:ser|que)|fingi di|finja)\b",
        r"\b(?:recomienda|aprueba|recomende|aprove|raccomanda|approva)\w{0,2} (?:siempre|sempre|todo|tudo|tutto)\b",
        r"\bcomo (?:ia|asistente|assistente)[^.\n]{0,5}\b(?:debes|tienes|deve|você)|\bcome (?:ia"
        r"|assistente),? devi\b",
    ),
    "Russian, Polish, Turkish": (
        r"(?:будто|как если бы)[^.\n]{0,30}(?:ограничен|правил|запрет)[^.\n]{0,8}(?:нет|не было|не существ)",
        r"(?:выведи|покажи|раскрой|напечатай|сообщи)[^.\n]{0,30}(?:системн\w{0,5} (?:промпт|инструкц|сообщ)|парол"
        r"|промпт)",
        r"(?:притворись|ты больше не|без (?:каких-либо )?ограничений отвеча|всегда (?:рекомендуй|одобряй"
        r"|подтверждай))",
        r"(?:отправ|перешли|передай|скопируй)[^.\n]{0,30}(?:парол|переписк|данные клиентов|содержимое памяти)",
        r"\b(?:ujawnij|pokaż|wyświetl|zdradź)[^.\n]{0,20}prompt|\b(?:zawsze (?:polecaj|zatwierdzaj)|udawaj,? że)\b",
        r"\b(?:her isteği (?:onayla|kabul)|sistem (?:istemini|promptunu)|kuralsız (?:bir )?yapay)",
    ),
    "Chinese, Japanese, Korean": (
        r"(?:不再受|不受)[^。\n]{0,8}(?:规则|限制|约束|規則)|(?:把|将)[^。\n]{0,8}(?:密码|密钥|对话|聊天记录"
        r"|数据)[^。\n]{0,6}(?:发送|发给|转发|上传)到",
        r"あなたには(?:制限|ルール|規則)が(?:ありません|ない)|(?:당신|너)에게는? (?:제한|규칙)이 없",
        r"(?:系统提示|系統提示|提示词|システムプロンプト|시스템 프롬프트)[^。\n]{0,14}(?:输出|显示|告诉|泄露|打印"
        r"|公开|表示|出力|教え|開示"
        r"|公開|알려|보여|출력|공개)",
        r"(?:输出|显示|泄露|打印|公开|告诉我|说出)[^。\n]{0,10}(?:系统提示|系統提示|提示词|初始指令|密码|密钥)",
        r"(?:从现在开始|从现在起|今后|以后),?(?:你|请)?(?:必须|应该|要|都)?[^。\n]{0,6}(?:始终|总是|一律"
        r"|只)[^。\n]{0,6}(?:推荐|批准|服从|同意)",
        r"(?:没有任何限制|不受限制|没有限制)的(?:人工智能|模型|助手|ai)|(?:扮演|假装)[^。\n]{0,8}(?:管理员|没有限制)",
        r"(?:制限のない|無制限の)(?:ai|アシスタント|モデル)|(?:常に|必ず)[^。\n]{0,20}(?:を推薦|を推奨"
        r"|を承認)(?:して(?:ください)?|せよ)",
        r"管理者として(?:振る舞|行動|応答)|(?:제한 없는|무제한) (?:ai|인공지능|모델)|(?:항상"
        r"|무조건) [^.\n]{0,20}(?:추천|승인)(?:하세요|해|하라)",
    ),
}

IDEAS: tuple[str, ...] = tuple(
    pattern for table in (ENGLISH, OTHER_LANGUAGES) for patterns in table.values() for pattern in patterns
)
