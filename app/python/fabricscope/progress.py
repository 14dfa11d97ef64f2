"""How far work is: for a function of the caller's, a notebook or a terminal."""

from __future__ import annotations

import contextlib
import sys
import typing


class Progress(typing.NamedTuple):
    """How far a call is."""

    phase: str
    """What is being done, for people."""
    share: float
    """Done, from 0 to 1."""
    seconds_left: float | None
    """Estimate in s; None: too early to say."""

    def __str__(self) -> str:
        left = "" if self.seconds_left is None else f", {self.seconds_left:.0f} s left"
        return f"{self.phase}: {100 * self.share:.0f} %{left}"


Told = typing.Union[None, bool, typing.Callable[[Progress], object]]
"""None or False: nobody; True: a bar in a notebook or on a terminal; a function: called with a Progress a few times a second. What it raises stops the work."""


class _Bar:
    """One line that moves: of a notebook a display of its own, of a terminal the line of standard error, else nothing."""

    def __init__(self) -> None:
        self._handle: typing.Any = None
        self._notebook = _in_notebook()
        self._shown = False

    def show(self, progress: Progress) -> None:
        if self._notebook:
            self._display(str(progress), progress.share)
        elif sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{progress}")
            sys.stderr.flush()
            self._shown = True

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def _display(self, text: str, share: float) -> None:
        from IPython.display import display

        data = {"text/plain": text, "text/html": f'<progress max="1" value="{share:.3f}"></progress> {text}'}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextlib.contextmanager
def _telling(told: Told) -> typing.Iterator[typing.Callable[[str, float, float | None], object] | None]:
    """What the compiled part calls, or None."""
    if told is None or told is False:
        yield None
    elif told is True:
        bar = _Bar()
        try:
            yield lambda phase, share, left: bar.show(Progress(phase, share, left))
        finally:
            bar.close()
    elif callable(told):
        function = told
        yield lambda phase, share, left: function(Progress(phase, share, left))
    else:
        raise TypeError(f"progress is None, True or a function, not {type(told).__name__}")
