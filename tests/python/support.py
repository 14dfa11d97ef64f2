"""What the tests of the package share."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "resources" / "examples"

RING = """# A ring of four.
fabricscope: 1
platform:
  dimensions:
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}  # NVLink
  npu: {peak: 100 TFLOP/s}
workload:
  steps:
    - {compute: 2 ms}
collectives: {default: {algorithm: ring, chunks: 1}}
"""

ALL_GATHER = RING.replace("""  steps:
    - {compute: 2 ms}
""", "  {collective: all_gather, size: 400000 B}\n")

# Rank 1 waits for a message that nobody sends.
STUCK = RING.replace("- {compute: 2 ms}", '- {receive: 1 MiB, from: 0, ranks: "1"}')

# Long enough to be stopped: several seconds on any machine, event by event.
LONG = """fabricscope: 1
platform:
  dimensions:
    - {shape: ring, size: 64, bandwidth: 50 GB/s, latency: 1 us}
workload:
  steps:
    - repeat: 2000
      steps:
        - {collective: all_to_all, size: 64 MiB}
"""


def cli(*arguments):
    """Exit code, standard output and error of the program."""
    done = subprocess.run([os.environ["FABRICSCOPE_CLI"], *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def cli_json(*arguments):
    """What the program prints with --json."""
    return json.loads(cli(*arguments, "--json")[1])
