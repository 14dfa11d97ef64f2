"""Fabricscope: how long does a distributed training step take on a given fabric, and why?"""

from . import errors
from ._core import commit as __commit__, version as __version__
from .design import Design, Section, load
from .errors import CancelledError, FabricscopeError, Finding, InputError, InternalError, MemoryLimitError, OutputError, StuckError
from .progress import Progress
from .run import BusyTime, Columns, Run, Tasks, simulate
from .sweeps import FIGURES, Sweep, grid, sweep

__all__ = [
    "BusyTime", "CancelledError", "Columns", "Design", "FIGURES", "FabricscopeError", "Finding", "InputError", "InternalError", "MemoryLimitError", "OutputError",
    "Progress", "Run", "Section", "StuckError", "Sweep", "Tasks", "errors", "grid", "load", "simulate", "sweep",
]
