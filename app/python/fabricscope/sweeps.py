"""Many designs at once."""

from __future__ import annotations

import itertools
import os
import typing

import numpy as np
import numpy.typing as npt

from . import _core
from .design import Design, _document_of, _plain
from .errors import _whole_number
from .progress import Told, _telling
from .run import _MOST_THREADS

if typing.TYPE_CHECKING:
    import pandas

FIGURES: dict[str, str] = {name: meaning for name, meaning, _ in _core.figures()}
"""What a sweep tells of each design, and its meaning with the unit: step_time in ns, memory_peak in bytes, ..."""

_OF_PARTS = {name for name, _, parts in _core.figures() if parts}


class Sweep(typing.Mapping[str, npt.NDArray[typing.Any]]):
    """Figures of many designs, a row for each: columns as arrays by name (`FIGURES`), NaN where a design has not this one. They share the memory of the result
    and cannot be written to."""

    def __init__(self, table: _core.Table, figures: list[str], changes: list[dict[str, typing.Any]]) -> None:
        self._table = table
        self._figures = figures
        self.changes = changes
        """What was set in each design."""

    def __getitem__(self, figure: str) -> npt.NDArray[np.float64]:
        if figure not in self._figures:
            raise KeyError(f"{figure} is not a figure of this sweep: {', '.join(self._figures)}")
        return self._table.column(figure)

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Which designs could not be run."""
        return self._table.failed().view(np.bool_)

    @property
    def messages(self) -> list[str]:
        """Why; empty where a design was run."""
        return self._table.messages()

    def to_frame(self) -> pandas.DataFrame:
        """A frame of pandas: what was set, then the figures that some design has, without a copy of them."""
        import pandas

        names = list(dict.fromkeys(path for change in self.changes for path in change))
        columns: dict[str, typing.Any] = {name: [change.get(name) for change in self.changes] for name in names}
        for figure in self._figures:
            if not np.isnan(self[figure]).all():
                columns[figure] = self[figure]
        if self.failed.any():
            columns["message"] = self.messages
        return pandas.DataFrame(columns, copy=False)

    def __repr__(self) -> str:
        return f"<{len(self.changes)} designs, {int(self.failed.sum())} failed: {', '.join(self._figures)}>"


def grid(**values: typing.Sequence[typing.Any]) -> list[dict[str, typing.Any]]:
    """Every combination of the values of fields, the first field slowest: `grid(**{"platform.dimensions.0.size": [4, 8]})`."""
    return [dict(zip(values, row)) for row in itertools.product(*values.values())]


def sweep(designs: Design | str | os.PathLike[str] | typing.Iterable[Design | str | os.PathLike[str]], changes: typing.Iterable[typing.Mapping[str, typing.Any]] | None = None, *,
          figures: typing.Sequence[str] | None = None, threads: int = 0, progress: Told = None) -> Sweep:
    """Simulates many designs on all cores: several, or one with `changes`, a dict of paths and values (as `Design.set`) for each.

    figures: names of `FIGURES`; None: those that need no prices. threads: 0: one per core. progress: see `Told`.
    A design that cannot be run is `failed` with its message; the others go on. Raises CancelledError, MemoryLimitError.
    """
    if isinstance(designs, (Design, str, os.PathLike)):
        rows = [dict(change) for change in changes] if changes is not None else [{}]
        documents = [_document_of(designs)] * len(rows)
    elif changes is None:
        documents = [_document_of(design) for design in designs]
        rows = [{} for _ in documents]
    else:
        raise TypeError("changes are those of one design")
    wanted = list(figures) if figures is not None else [name for name in FIGURES if name not in _OF_PARTS]
    for name in wanted:
        if name not in FIGURES:
            raise KeyError(f"there is no figure {name}, only {', '.join(FIGURES)}")
    given = [{path: _plain(value) for path, value in row.items()} for row in rows]
    at_once = _whole_number("threads", threads, _MOST_THREADS)
    with _telling(progress) as told:
        table = _core.sweep(documents, given, not _OF_PARTS.isdisjoint(wanted), at_once, told)
    return Sweep(table, wanted, given)
