"""Runs every benchmark in its short form, one after the other: ``python -m benchmarks.run [--short]``."""

import subprocess
import sys

SHORT = {
    "benchmarks.writes": ("--rounds", "3", "--units", "100"),
    "benchmarks.kernels": (),
    "benchmarks.scanners": (),
    "benchmarks.recall_overhead": ("--records", "10000", "--pairs", "5"),
    "benchmarks.context_cost": ("--records", "10000", "--pairs", "5"),
}


def main() -> int:
    """0 when all ran; each prints its own figures, us beside the rival."""
    is_short = "--short" in sys.argv[1:]
    worst = 0
    for module, options in SHORT.items():
        print(f"== {module}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-m", module, *(options if is_short else ())]).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
