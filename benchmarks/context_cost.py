"""What a context costs beside one recall of the same message, in CPU (quality.md gives it no goal).

    python -m benchmarks.context_cost [--records 10000] [--pairs 7] [--questions 100] [--json FILE]

A context looks for notes and for personal records, for notes that name the person, reads the records of six sections,
and leaves a trace. Keywords only; the store of ``recall_overhead``, of which the caller sees a tenth. Both in one
process on the same loaded blocks, a round each, in turn; medians over the rounds, until all traces are on disk.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.recall_overhead import ALICE, SETTINGS, fill, round_of
from goclaw.bootstrap import open_engine


def measure(records: int, pairs: int, count: int) -> dict[str, object]:
    """Fill a store and compare."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(Path(folder) / "state", SETTINGS, workers=0)
        made = fill(engine.database, records, np.random.default_rng(7))
        questions = made[:: max(len(made) // count, 1)][:count]
        memory = engine.memory
        ways = {
            "context": lambda text: memory.context(ALICE, "s1", text),
            "recall": lambda text: memory.recall(ALICE, text),
        }
        shown = [len(memory.context(ALICE, "s1", question).message_part) for question in questions]
        spent: dict[str, list[float]] = {name: [] for name in ways}
        for pair in range(pairs):
            for name in ways if pair % 2 == 0 else reversed(ways):
                spent[name].append(round_of(ways[name], questions, engine.database)[0])
        engine.memory.close()
    medians = {name: statistics.median(rounds) for name, rounds in spent.items()}
    ratios = [ours / theirs for ours, theirs in zip(spent["context"], spent["recall"], strict=True)]
    return {
        "records": records,
        "message_part_chars": statistics.mean(shown),
        "cpu_ms": medians,
        "ratio": statistics.median(ratios),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    found = [measure(size, chosen.pairs, chosen.questions) for size in chosen.records]
    for each in found:
        cpu = each["cpu_ms"]
        assert isinstance(cpu, dict)
        print(
            f"{each['records']:>9,} records: context {cpu['context']:.2f} ms, recall {cpu['recall']:.2f} ms of CPU, "
            f"{each['ratio']:.1f} x"
        )
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
