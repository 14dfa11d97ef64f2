"""One simulation, with its results."""

from __future__ import annotations

import json
import os
import typing

import numpy as np
import numpy.typing as npt

from . import _core
from .design import Design, _document_of
from .errors import StuckError, _whole_number
from .progress import Told, _telling

if typing.TYPE_CHECKING:
    import pandas

_PS_IN_NS = 1000
_MOST_THREADS = 1024  # As on the command line.


class Columns(typing.Mapping[str, npt.NDArray[typing.Any]]):
    """Columns of a table as arrays of numpy, by name or attribute. They share the memory of the result and cannot be written to."""

    def __init__(self, columns: dict[str, npt.NDArray[typing.Any]]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> npt.NDArray[typing.Any]:
        return self._columns[name]

    def __getattr__(self, name: str) -> npt.NDArray[typing.Any]:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(f"there is no column {name}, only {', '.join(self.__dict__.get('_columns', ()))}")
        return self._columns[name]

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __dir__(self) -> list[str]:
        return list(super().__dir__()) + list(self._columns)

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns.values()), ()))
        return f"<{rows} rows of {', '.join(self._columns)}>"

    def to_frame(self) -> pandas.DataFrame:
        """The same as a frame of pandas, without a copy."""
        import pandas

        return pandas.DataFrame(self._columns, copy=False)


class Tasks(typing.NamedTuple):
    """When the tasks of a rank were issued and ended, in the order of the workload; -1: never. In ps."""

    issue_ps: npt.NDArray[np.int64]
    end_ps: npt.NDArray[np.int64]


class BusyTime(typing.NamedTuple):
    """Time all links of a dimension were busy, in equal stretches of the run."""

    bucket_ps: int
    """Length of a stretch, in ps."""
    busy_ps: npt.NDArray[np.int64]
    """Sum over the links, in ps."""


class Run:
    """What a simulation gives. Times in arrays are whole picoseconds (`_ps`), those of the JSON result nanoseconds (`_ns`)."""

    def __init__(self, core: _core.Run) -> None:
        self._core = core
        self._json: dict[str, typing.Any] | None = None

    @property
    def complete(self) -> bool:
        """Whether every rank finished."""
        return self._core.complete

    @property
    def finish_ns(self) -> float:
        """End of the last rank, in ns."""
        return self._core.finish_ps / _PS_IN_NS

    @property
    def finish_ps(self) -> int:
        """The same in whole ps."""
        return self._core.finish_ps

    @property
    def rank_count(self) -> int:
        """Ranks of the workload."""
        return self._core.rank_count

    @property
    def result(self) -> dict[str, typing.Any]:
        """The reproducible part of what `simulate --json` prints (manual: json 3)."""
        return typing.cast("dict[str, typing.Any]", self._dict()["result"])

    @property
    def cost(self) -> dict[str, typing.Any]:
        """What is not reproducible: engines, events, time, memory, host."""
        return typing.cast("dict[str, typing.Any]", self._dict()["run"])

    def to_dict(self, *, all_ranks: bool = False) -> dict[str, typing.Any]:
        """All that `simulate --json` prints; `all_ranks`: as with `--ranks all`."""
        return typing.cast("dict[str, typing.Any]", json.loads(self._core.json(all_ranks)))

    def _dict(self) -> dict[str, typing.Any]:
        if self._json is None:
            self._json = self.to_dict()
        return self._json

    @property
    def model(self) -> str:
        """What a time means (manual: models)."""
        return str(self.result["model"])

    @property
    def fingerprint(self) -> str:
        """Digest of all task times."""
        return str(self.result["fingerprint"])

    @property
    def warnings(self) -> list[str]:
        """What was noticed in the design and the run, as texts."""
        return list(self.result["warnings"])

    @property
    def ranks(self) -> Columns:
        """A row for ranks whose times are the same: job, finished, finish_ps, exposed_comm_ps, compute_ps, comm_ps, host_ps, memory_ps."""
        return Columns(self._core.rank_columns())

    @property
    def rank_sets(self) -> list[str]:
        """Which ranks each row of `ranks` is about: "0-7,16"."""
        return self._core.rank_sets()

    @property
    def row_of_rank(self) -> npt.NDArray[np.int32]:
        """Of every rank its row in `ranks`: `run.ranks.finish_ps[run.row_of_rank]` has one entry for each rank."""
        return self._core.row_of_rank()

    @property
    def finish_order(self) -> npt.NDArray[np.int32]:
        """Ranks in the order they finished."""
        return self._core.finish_order()

    @property
    def links(self) -> Columns:
        """Directed links, busiest first, at most 4096: link, messages, bytes, busy_ps."""
        return Columns(self._core.link_columns())

    def busy(self, dimension: int) -> BusyTime:
        """How busy a dimension was over time; kept with `task_times=True`."""
        return BusyTime(*self._core.busy(dimension))

    def tasks(self, rank: int) -> Tasks:
        """Times of the tasks of a rank; kept with `task_times=True`."""
        return Tasks(*self._core.task_times(rank))

    def to_frame(self, *, all_ranks: bool = False) -> pandas.DataFrame:
        """The table `ranks` as a frame: times in ps; a row for each class of ranks, or for each rank."""
        frame = self.ranks.to_frame()
        if all_ranks:
            frame = frame.iloc[self.row_of_rank].reset_index(drop=True)
            frame.index.name = "rank"
            return frame
        frame.insert(0, "ranks", self.rank_sets)
        return frame

    def __repr__(self) -> str:
        return f"<run of {self.rank_count} ranks: {self.finish_ns:.15g} ns>"


def simulate(design: Design | str | os.PathLike[str], *, model: str | None = None, engine: str = "auto", seed: int = 0, threads: int = 0,
             task_times: bool = False, progress: Told = None) -> Run:
    """Simulates a design, or a file or text of one.

    model: what a time means, the design's where None (manual: models). engine: auto, memo, symmetry, sweep or events, which agree. seed: of what is
    drawn at random, 0: the design's. threads: 0: one per core. task_times: keep the times of every task and how busy links are over time.
    progress: see `Told`. Other threads of Python run meanwhile; Ctrl+C stops it.

    Raises InputError (place, expected), StuckError, MemoryLimitError.
    """
    document = _document_of(design)
    drawn, at_once = _whole_number("seed", seed, 2**64 - 1), _whole_number("threads", threads, _MOST_THREADS)
    with _telling(progress) as told:
        run = Run(_core.simulate(document, model or "", engine, drawn, at_once, task_times, told))
    if not run.complete:
        waits = run._core.waits()
        error = StuckError("the simulation cannot finish; these ranks wait for ever: " + "; ".join(f"rank {wait['rank']}: {wait['reason']}" for wait in waits[:8]), {"code": 3})
        error.result = run
        raise error
    return run
