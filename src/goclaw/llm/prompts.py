"""Prompts: every text for a model that no person and no agent wrote. The only file with such texts."""

JSON_REPLY = """\
Answer with one JSON value that fits the JSON schema below, and with nothing else: no explanation, no code fence.

{schema}"""

JSON_REPAIR = """\
Your last answer cannot be used: {problem}

Answer again with one JSON value that fits the schema, and with nothing else."""

JSON_WAS_EMPTY = "it is empty."
JSON_WAS_CUT = "it was cut off because it was too long. Be shorter."
JSON_WAS_MISSING = "it holds no JSON."
