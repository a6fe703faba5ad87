"""Error patterns: what a tool's error tells about how it was called. Data, a row for each class of error.

Infrastructure and credential errors are tested first and only logged: the agent cannot mend them by calling otherwise
(the seed, engine.md 2.18). Every pattern is bounded, since error texts come from outside.
"""

import re
from dataclasses import dataclass

ANY = "*"
# What may be repeated of an error text, as tools quote it: a table, column, host, field or path.
_NAMES = {
    "NAME": r"[\"'`\[]?(?P<name>[\w.$/@:-]{1,80})[\"'`\]]?",
    "PLACE": r"[\"'`\[]?(?P<place>[\w.$/@:-]{1,80})[\"'`\]]?",
}


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """One row. The groups ``name`` and ``place`` of its patterns are what may be extracted."""

    tools: tuple[str, ...]  # whose errors
    error_class: str
    hint: str  # one imperative sentence; empty: only logged
    patterns: tuple[re.Pattern[str], ...]  # the first that is found counts

    def find(self, text: str) -> re.Match[str] | None:
        return next((found for pattern in self.patterns if (found := pattern.search(text))), None)


def _row(tools: str, error_class: str, hint: str, *patterns: str) -> ErrorPattern:
    for word, name in _NAMES.items():
        patterns = tuple(pattern.replace(word, name) for pattern in patterns)
    compiled = tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    return ErrorPattern(tuple(tools.split()), error_class, hint, compiled)


def _logged(error_class: str, *patterns: str) -> ErrorPattern:
    return _row(ANY, error_class, "", *patterns)


INFRASTRUCTURE = (
    _logged(
        "timeout",
        r"\btimed[ -]?out\b|deadline exceeded|etimedout",
        r"\btime-?out (?:expired|exceeded|error|after|while|of)\b",
        r"(?:request|read|connect(?:ion)?|statement|query) time-?out",
    ),
    _logged(
        "network",
        r"connection (?:refused|reset|closed|aborted)|\beconn\w{1,20}",
        r"no route to host|network is unreachable|broken pipe|server closed the connection",
        r"could not connect|failed to (?:connect|establish)",
    ),
    _logged(
        "dns", r"could not resolve|getaddrinfo|nxdomain|(?:name or service not|temporary failure in) (?:known|name)"
    ),
    _logged(
        "tls",
        r"\b(?:ssl|tls)\b.{0,60}(?:error|fail|verif|handshake)",
        r"certificate (?:verify|has expired|is not)",
    ),
    _logged(
        "credentials",
        r"(?:^|http\S{0,9}|status|code|error|returned)\W{0,9}401\b",
        r"unauthori[sz]ed|authentication failed|password authentication|login required",
        r"invalid (?:api[ _-]?key|token|credentials|password)|access token .{0,30}expired",
    ),
    _logged(
        "login page",
        r"<(?:form|input)\b[^>]{0,200}(?:login|signin|password)",
        r"<title>[^<]{0,60}(?:log ?in|sign ?in)",
    ),
    _logged(
        "server",
        r"(?:^|http\S{0,9}|status|code|error|returned)\W{0,9}50[0234]\b",
        r"internal server error|bad gateway|service unavailable",
    ),
    _logged("quota", r"(?:^|http\S{0,9}|status|code|error|returned)\W{0,9}429\b", r"too many requests|rate limit"),
    _logged("resources", r"no space left|disk full|out of memory|too many connections"),
)

PATTERNS = (
    _row(
        "db_query",
        "unknown column",
        "Run db_analyze on the table and use only the columns it lists",
        r"column NAME does not exist in (?:table )?PLACE",
        r"column NAME (?:of relation PLACE )?(?:does not exist|not found)",
        r"(?:unknown|no such) column:? NAME",
    ),
    _row(
        "db_query",
        "unknown table",
        "Run db_analyze on the datasource and use only the tables it lists",
        r"(?:relation|table|view) NAME (?:does(?: not|n't) exist|not found)",
        r"no such table:? NAME",
    ),
    _row(
        "db_query",
        "ambiguous column",
        "Write the table or its alias before the column",
        r"column (?:reference )?NAME (?:in \w{1,20} clause )?is ambiguous",
        r"ambiguous column(?: name)?:? NAME",
    ),
    _row(
        "db_query",
        "read only",
        "Send a single SELECT: this connection only reads",
        r"cannot execute NAME in a read",
        r"read[- ]only|only select|permission denied for (?:table|relation)",
    ),
    _row(
        "db_query",
        "too many rows",
        "Add a LIMIT or aggregate in the query",
        r"too many rows|result (?:set )?(?:is )?too large|exceeds? (?:the )?(?:row|result) limit",
    ),
    _row(
        "db_query",
        "syntax",
        "Mend the SQL for the dialect of this datasource",
        r"syntax error (?:at or )?near NAME",
        r"syntax error|you have an error in your sql syntax",
    ),
    _row(
        "db_analyze",
        "unknown datasource",
        "List the datasources first and use one of their names",
        r"(?:unknown|no such|invalid) (?:datasource|database|schema|connection):? NAME",
        r"(?:datasource|database|schema) NAME (?:does not exist|not found)",
    ),
    _row(
        "uptrace_query zabbix_query",
        "unknown name",
        "Search for the exact name first and use it as it is spelt",
        r"(?:unknown|no such|invalid|cannot find) (?:metric|host|item|field|attribute|trigger):? NAME",
        r"(?:metric|host|item|field|attribute) NAME (?:does not exist|not found|is unknown)",
    ),
    _row(
        "uptrace_query zabbix_query",
        "time range",
        "Give the time range as ISO 8601 timestamps, the earlier one first",
        r"invalid (?:time|date|range|interval)|(?:time|date) (?:format|range)|cannot parse (?:time|date|duration)",
    ),
    _row(
        "gitlab",
        "not found",
        "Search for the project and use its full path",
        r"\b404\b|project not found",
    ),
    _row(
        "gitlab",
        "lacking right",
        "Say which right is missing, and do not try again",
        r"\b403\b|forbidden|insufficient_scope",
    ),
    _row(
        "gitlab",
        "bad field",
        "Correct the named field and send the request again",
        r"NAME (?:is invalid|is missing|can't be blank|has already been taken)",
        r"\b(?:400|422)\b",
    ),
    _row(
        "mcp",
        "unknown tool",
        "Read the list of tools again and use one of their names",
        r"(?:unknown|no such) tool:? NAME",
        r"tool NAME (?:not found|does not exist)",
        r"method not found",
    ),
    _row(
        "mcp",
        "arguments",
        "Read the schema of the tool again and give its arguments as it says",
        r"(?:unknown|unexpected|missing|invalid) (?:required )?(?:argument|parameter|property|field):? NAME",
        r"NAME is a required property",
        r"invalid params|does not match the schema|validation error",
    ),
    _row(
        "http_request",
        "method",
        "Use a method that the address takes, as its documentation says",
        r"\b405\b|method not allowed",
    ),
    _row(
        "http_request",
        "content type",
        "Send the content type that the address takes, such as application/json",
        r"\b415\b|unsupported media type",
    ),
    _row(
        "http_request",
        "body",
        "Compare the body with the documentation of the address and correct it",
        r"(?:missing|invalid) (?:field|parameter):? NAME",
        r"\b(?:400|422)\b|bad request|unprocessable",
    ),
    _row(
        "message notify",
        "recipient",
        "Look up the id of the recipient or channel and use that",
        r"(?:unknown|no such|invalid) (?:recipient|user|channel|chat|room|address):? NAME",
        r"(?:recipient|user|channel|chat) NAME (?:does not exist|not found)",
        r"(?:channel|user|chat)[ _]not[ _]found",
    ),
    _row(
        "message notify",
        "too long",
        "Split the message into shorter ones",
        r"(?:message|text|content) (?:is )?too long|msg_too_long|exceeds? (?:the )?max(?:imum)? (?:length|size)",
    ),
)
