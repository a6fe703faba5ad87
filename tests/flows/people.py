"""The people of the flow tests."""

from goclaw import Principal

ALICE = Principal("alice", project_ids=("apollo",))
BOB = Principal("bob", project_ids=("apollo",))
CAROL = Principal("carol")
ADA = Principal("ada", roles=("admin",))
RITA = Principal("rita", roles=("member", "reviewer"), project_ids=("apollo",))
ALICES_AGENT = Principal("alice", project_ids=("apollo",), run_kind="agent", agent_id="helper")
ADAS_AGENT = Principal("ada", roles=("admin",), run_kind="agent", agent_id="helper")
CRON = Principal(None, run_kind="cron", agent_id="nightly")
WEBHOOK = Principal(None, run_kind="webhook", agent_id="alerts")
IMPORT = Principal(None, run_kind="import", agent_id="crm")
STRANGER = Principal("alice", workspace_id="elsewhere", project_ids=("apollo",))
NOBODY = Principal(None)
EVERYBODY = (ALICE, BOB, CAROL, ADA, RITA, ALICES_AGENT, ADAS_AGENT, CRON, WEBHOOK, IMPORT, STRANGER, NOBODY)
