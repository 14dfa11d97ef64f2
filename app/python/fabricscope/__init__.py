"""Fabricscope: how long does a distributed training step take on a given fabric, and why?

Designs are nested objects, results have arrays of numpy and frames of pandas::

    import fabricscope

    design = fabricscope.example("two-level-hgx")
    run = fabricscope.simulate(design)
    print(run.finish_ns, run.to_frame())

    faster = [{"platform.dimensions.1.bandwidth": f"{rate} GB/s"} for rate in (25, 50, 100)]
    print(fabricscope.sweep(design, faster).to_frame())

Times are ns in what is printed and in JSON, whole ps in arrays; sizes are bytes. All calls release the lock of Python and hear Ctrl+C.
The manual: `fabricscope-cli manual python`.
"""

from . import errors
from ._core import commit as __commit__, version as __version__
from .commands import (Answer, collective, command, compare, example, examples, explain, fabric, model_show, place, plan, plan_search, shard, study_run,
                       synthesize, transform, verify)
from .design import Design, Section, load
from .errors import CancelledError, FabricscopeError, Finding, InputError, InternalError, MemoryLimitError, OutputError, StuckError
from .progress import Progress
from .run import BusyTime, Columns, Run, Tasks, simulate
from .sweeps import FIGURES, Sweep, grid, sweep

__all__ = [
    "Answer", "BusyTime", "CancelledError", "Columns", "Design", "FIGURES", "FabricscopeError", "Finding", "InputError", "InternalError", "MemoryLimitError",
    "OutputError", "Progress", "Run", "Section", "StuckError", "Sweep", "Tasks", "collective", "command", "compare", "errors", "example", "examples", "explain",
    "fabric", "grid", "load", "model_show", "place", "plan", "plan_search", "shard", "simulate", "study_run", "sweep", "synthesize", "transform", "verify",
]
