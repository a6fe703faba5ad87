"""Sample: a small team's memory of two weeks, as data, so that a newcomer has something to look at.

Three people run the booking service of a ferry line. Mara administers and leads operations, Jonas writes the new
booking service (project harbor), Priya answers passengers and is not part of that project. Invented from end to end.
"""

from dataclasses import dataclass

DAYS = 14
PROJECT = "harbor"


@dataclass(frozen=True, slots=True)
class SamplePerson:
    """Somebody of the team."""

    user_id: str
    display_name: str
    roles: tuple[str, ...]
    project_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """One thing the team's memory was told."""

    day: int  # 0 for the first of the two weeks
    by: str  # a person's id; "scribe" is the agent of Jonas, "night-watch" a cron run
    scope: str
    kind: str
    text: str
    is_of_project: bool = False
    tags: tuple[str, ...] = ()
    domain: str | None = None
    name: str | None = None  # what a replacement refers to
    source: str | None = None  # where it rests on


@dataclass(frozen=True, slots=True)
class SampleReplacement:
    """A later statement in the place of an earlier one."""

    day: int
    by: str
    name: str
    text: str


PEOPLE = (
    SamplePerson("mara", "Mara Lind", ("admin",), (PROJECT,)),
    SamplePerson("jonas", "Jonas Ek", ("member",), (PROJECT,)),
    SamplePerson("priya", "Priya Nair", ("member",), ()),
)
AGENT, AGENT_OF, JOB = "scribe", "jonas", "night-watch"

RECORDS = (
    # Private: each person's own.
    SampleRecord(0, "mara", "personal", "preference", "I read reports as three short bullet points, numbers first."),
    SampleRecord(0, "jonas", "personal", "preference", "I read reports as a table with one line for each service."),
    SampleRecord(0, "priya", "personal", "preference", "I read reports as plain sentences I can paste into a reply."),
    SampleRecord(1, "jonas", "personal", "preference", "My working day begins at ten; no meetings before that."),
    SampleRecord(2, "priya", "personal", "fact", "I am off every second Friday and my stand-in is Tomas from sales."),
    SampleRecord(4, "mara", "personal", "note", "Ask the harbour master about winter berths this month."),
    SampleRecord(
        6, "jonas", "personal", "note", "My laptop's test database is seeded with the timetable of last June."
    ),
    SampleRecord(9, "priya", "personal", "preference", "Call me by my first name in drafts that go to passengers."),
    # What holds for everybody.
    SampleRecord(
        0,
        "mara",
        "global",
        "constraint",
        "Never deploy on Fridays or before a holiday weekend: the boats are full and nobody is there to help.",
        tags=("critical", "deploy"),
        domain="operations",
    ),
    SampleRecord(
        0, "mara", "global", "fact", "Times are written in 24 hours and in local time of the port of departure."
    ),
    SampleRecord(1, "mara", "global", "decision", "Customers are called passengers in every text we publish."),
    SampleRecord(3, "mara", "global", "fact", "The season runs from 12 April to 2 November; else two boats sail."),
    SampleRecord(
        5,
        "mara",
        "agent_config",
        "config",
        "Answer passengers in the language they wrote in and end with the name of a person, not of a department.",
    ),
    # What the team knows.
    SampleRecord(
        0,
        "mara",
        "agent_notes",
        "fact",
        "The staging database is PostgreSQL 15 on host db-2, reachable from the office network only.",
        domain="infrastructure",
        name="staging-database",
    ),
    SampleRecord(
        1,
        "mara",
        "agent_notes",
        "fact",
        "Backups of the production database run at 03:15 and are kept for 35 days on host vault-1.",
        domain="infrastructure",
    ),
    SampleRecord(
        1, "mara", "agent_notes", "fact", "The boats Alba, Brise and Cirrus carry 140, 140 and 96 passengers."
    ),
    SampleRecord(
        2,
        "mara",
        "agent_notes",
        "decision",
        "Deploys go out on Tuesdays and Thursdays at 10:30, after the morning departures.",
        tags=("deploy",),
        domain="operations",
    ),
    SampleRecord(
        3,
        "mara",
        "agent_notes",
        "lesson",
        "The outage of the ticket scanners came from an expired certificate; renewals now stand in the calendar.",
        domain="operations",
        source="incident-2041",
    ),
    SampleRecord(
        4,
        "mara",
        "agent_notes",
        "fact",
        "Bicycles travel free of charge but need a booking; a boat has 18 hooks.",
    ),
    SampleRecord(
        6,
        "mara",
        "agent_notes",
        "decision",
        "A passenger whose boat is cancelled chooses between a later boat and the fare back, without a form.",
        domain="support",
    ),
    SampleRecord(
        7,
        "mara",
        "agent_notes",
        "fact",
        "Host web-1 and web-2 stand behind the balancer; web-3 is the spare.",
    ),
    SampleRecord(
        8,
        "mara",
        "agent_notes",
        "lesson",
        "Sending the storm notice to all 4,000 passengers at once stopped the mail relay; send in groups of 200.",
        source="incident-2047",
    ),
    SampleRecord(
        10, "mara", "agent_notes", "fact", "The insurance of the Cirrus asks for an inspection every 400 hours at sea."
    ),
    SampleRecord(
        12,
        "mara",
        "agent_notes",
        "open_question",
        "Who decides about the winter timetable once the second boat goes into the yard?",
    ),
    # The project harbor: members only.
    SampleRecord(
        1,
        "mara",
        "agent_notes",
        "decision",
        "The new booking service keeps a seat for 12 minutes while the passenger pays.",
        is_of_project=True,
        name="seat-hold",
    ),
    SampleRecord(
        2,
        "jonas",
        "agent_notes",
        "note",
        "The booking service is written in Python and talks to the ticket printers through a queue.",
        is_of_project=True,
    ),
    SampleRecord(
        3,
        "mara",
        "agent_notes",
        "constraint",
        "Harbor stores no card numbers: the payment page belongs to the bank and only its receipt reaches us.",
        is_of_project=True,
        tags=("critical",),
    ),
    SampleRecord(
        5,
        "jonas",
        "agent_notes",
        "lesson",
        "Counting free seats with a query for each row took nine seconds; one grouped query takes forty milliseconds.",
        is_of_project=True,
    ),
    SampleRecord(
        7,
        "mara",
        "agent_notes",
        "decision",
        "Harbor goes live on the Cirrus first, because it is the smallest boat.",
        is_of_project=True,
    ),
    SampleRecord(
        9,
        "jonas",
        "agent_notes",
        "work_log",
        "Moved the timetable import of harbor to a nightly run; it reads 2,300 departures in eleven seconds.",
        is_of_project=True,
    ),
    SampleRecord(
        11,
        "mara",
        "agent_notes",
        "fact",
        "Harbor's review board meets on Wednesdays at 14:00 in the room above the ticket hall.",
        is_of_project=True,
    ),
    # What an agent and a nightly run wrote: evidence at best, and only after a person has looked at it.
    SampleRecord(
        4,
        AGENT,
        "agent_notes",
        "decision",
        "Deploys of the booking service may skip the staging run when only texts have changed.",
        is_of_project=True,
        tags=("deploy",),
        source="chat-118",
    ),
    SampleRecord(
        6,
        AGENT,
        "agent_notes",
        "output",
        "Compared three ticket printers for the booking service; the one with the larger roll jams least.",
        is_of_project=True,
    ),
    SampleRecord(
        8,
        AGENT,
        "agent_notes",
        "failure",
        "The import of the timetable stops at departures after midnight; the date is taken from the wrong column.",
        is_of_project=True,
        source="log-5512",
    ),
    SampleRecord(11, AGENT, "personal", "note", "Jonas asked to be reminded of the printers on Monday."),
    SampleRecord(3, JOB, "agent_notes", "work_log", "Nightly check: all three web hosts answered in 80 milliseconds."),
    SampleRecord(
        9, JOB, "agent_notes", "failure", "Nightly check: the copy on vault-1 was 40 minutes late and complete."
    ),
    SampleRecord(13, JOB, "agent_notes", "work_log", "Nightly check: certificates of the scanners hold until 9 March."),
    # The last days.
    SampleRecord(12, "priya", "personal", "note", "The school groups of next week need 64 seats on the 09:10 boat."),
    SampleRecord(13, "mara", "agent_notes", "fact", "The radio channel of the pier has moved from 12 to 14."),
)

REPLACEMENTS = (
    SampleReplacement(
        9,
        "mara",
        "staging-database",
        "The staging database is PostgreSQL 17 on host db-3; db-2 was switched off.",
    ),
    SampleReplacement(
        10,
        "mara",
        "seat-hold",
        "The new booking service keeps a seat for 8 minutes while the passenger pays; 12 left boats half empty.",
    ),
)
