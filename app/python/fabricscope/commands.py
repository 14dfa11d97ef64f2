"""The commands of fabricscope-cli as functions. Their answers are those of `--json` (manual: json), checked and with tables."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import tempfile
import typing

import numpy as np
import numpy.typing as npt

from . import _core
from .design import Design, _plain, _unsaved_references
from .errors import InputError, StuckError, _made

if typing.TYPE_CHECKING:
    import pandas

Input = typing.Union[Design, str, "os.PathLike[str]"]
"""A design, a path, or a text of several lines in place of a file; a script of Lua begins with a remark (--)."""

_PROGRAM = "fabricscope-cli"


class Answer(typing.Mapping[str, typing.Any]):
    """What a command answers: the fields of its JSON result by key or attribute, objects in it likewise. Units stand in the keys or in the manual."""

    def __init__(self, fields: dict[str, typing.Any], messages: str = "", exit_code: int = 0) -> None:
        self._fields = fields
        self.messages = messages
        """What the command line prints on standard error: warnings, notes."""
        self.exit_code = exit_code
        """0; 1 where a check found what it looks for."""

    def __getitem__(self, key: str) -> typing.Any:
        value = self._fields[key]
        return Answer(value) if isinstance(value, dict) else value

    def __getattr__(self, key: str) -> typing.Any:
        if key.startswith("_") or key not in self._fields:
            raise AttributeError(f"there is no {key}, only {', '.join(self.__dict__.get('_fields', ()))}")
        return self[key]

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> list[str]:
        return list(super().__dir__()) + list(self._fields)

    def to_dict(self) -> dict[str, typing.Any]:
        """All of it, as read from JSON."""
        return self._fields

    def column(self, table: str, key: str) -> npt.NDArray[typing.Any]:
        """One key of all rows of a table, as an array; NaN where a row has no number."""
        values = [row.get(key) for row in self._fields[table]]
        if all(value is None or isinstance(value, (int, float)) for value in values) and None in values:
            return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        return np.array(values)

    def to_frame(self, table: str) -> pandas.DataFrame:
        """The rows of a table as a frame of pandas."""
        import pandas

        return pandas.DataFrame(self._fields[table])

    def __repr__(self) -> str:
        return f"<answer: {', '.join(self._fields)}>"


def _ending(text: str) -> str:
    """The name of a file tells scripts apart, which no content does: one of Lua begins with a remark."""
    begin = text.lstrip()
    if begin.startswith("--") and not begin.startswith("---"):
        return ".lua"
    return {"<": ".xml", "{": ".json"}.get(begin[:1], ".mlir" if begin.startswith("module") else ".yaml")


class _Files:
    """Files that stand for designs and texts while a command runs."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._names: dict[str, str] = {}

    def word(self, argument: object) -> str:
        """What stands in the command line for an argument."""
        if isinstance(argument, Design):
            return self._of_design(argument)
        if isinstance(argument, os.PathLike):
            return str(os.fspath(argument))
        if not isinstance(argument, str):
            raise TypeError(f"expected a Design, a path or a text, not {type(argument).__name__}")
        if "\n" not in argument:
            return argument
        return self._written(argument, _ending(argument), "")

    def _of_design(self, design: Design) -> str:
        text = design.to_yaml()
        if design.file:
            with contextlib.suppress(OSError):
                if pathlib.Path(design.file).read_bytes() == text.encode():
                    return design.file
        _unsaved_references(design)
        return self._written(text, ".yaml", design.file)

    def _written(self, text: str, ending: str, name: str) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="fabricscope-")
        path = os.path.join(self._folder.name, f"input{len(self._names)}{ending}")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        self._names[path] = name
        return path

    def named(self, text: str) -> str:
        """A text with the names that the caller knows."""
        for path, name in self._names.items():
            text = text.replace(path, name or "<text>")
        return text

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


_REPEATED = {"objective"}


def _option(name: str, value: typing.Any) -> list[str]:
    """`size="1 MiB"` is `--size="1 MiB"`, True a flag; `set={path: value}` one `--set` each; lists are joined by commas, or repeated."""
    flag = "--" + name.rstrip("_").replace("_", "-")
    value = _plain(value)
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, typing.Mapping):
        return [word for path, one in value.items() for word in (flag, f"{path}={_set_text(one)}")]
    if isinstance(value, (list, tuple)):
        words = [str(one) for one in value]
        return [f"{flag}={word}" for word in words] if name in _REPEATED else [f"{flag}={','.join(words)}"]
    if not isinstance(value, (str, int, float, os.PathLike)):
        raise TypeError(f"{name} is a text, a number or a list of them, not {type(value).__name__}")
    return [f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]


def _set_text(value: object) -> str:
    plain = _plain(value)
    text: str = plain if isinstance(plain, str) else json.dumps(plain)
    return text


def command(name: str, *arguments: Input, as_json: bool = True, **options: typing.Any) -> typing.Any:
    """Runs a command of fabricscope-cli in this process: `command("plan search", design, top=5)`.

    Options are keywords with `_` for `-`; `set={path: value}` changes fields of the input. Gives an Answer, with `as_json=False` the text that is printed.
    Other threads of Python run meanwhile; Ctrl+C stops it. Raises InputError and the others of `fabricscope.errors`.
    """
    with _Files() as files:
        line = [_PROGRAM, *name.split(), *(files.word(argument) for argument in arguments)]
        for key, value in options.items():
            line += _option(key, files.word(value) if isinstance(value, Design) else value)
        if as_json:
            line.append("--json")
        exit_code, printed, messages = _core.command(line)
        return _answer(files, exit_code, printed, files.named(messages), as_json)


def _answer(files: _Files, exit_code: int, printed: str, messages: str, as_json: bool) -> typing.Any:
    if not as_json:
        if exit_code > 1:
            raise _made({"code": exit_code, "message": messages.strip().removeprefix("error: ")})
        return files.named(printed)
    try:
        document = json.loads(printed)
    except ValueError:
        document = {"error": {"message": messages.strip()}}
    if "error" in document:
        facts = {key: files.named(value) if isinstance(value, str) else value for key, value in document["error"].items()}
        facts["code"] = exit_code or 70
        raise _made(facts)
    answer = Answer(document.get("result", document), messages, exit_code)
    if exit_code == 3:
        stuck = StuckError(messages.strip(), {"code": 3})
        stuck.result = answer
        raise stuck
    if exit_code > 1:
        raise InputError(messages.strip(), {"code": exit_code})
    return answer


def _ask(name: str, *arguments: Input, **options: typing.Any) -> Answer:
    return typing.cast(Answer, command(name, *arguments, **options))


def collective(topology: str, *, collective: str, size: str | int | None = None, bandwidth: typing.Any = None, latency: typing.Any = None,
               **options: typing.Any) -> Answer:
    """Simulates one collective by all NPUs of a fabric.

    topology: "Ring(4)_Switch(8)", or a line of a generated fabric as "hgx-h100-8 x32 / rails 64p 400G x4 / spine 2:1". size: the large side, bytes or a text
    as "64 MiB"; sizes="1KiB..1GiB" instead gives a row for each. bandwidth, latency: one for each dimension: numbers (GiB/s per link and direction, ns) or
    texts with unit. Further options: those of `fabricscope-cli collective` (algorithm, chunks, model, ...). The answer is that of a run: finish_ns,
    collective, collective_bounds, ranks, ... On the fabric of a design: set its `workload` to {"collective": ..., "size": ...} and simulate it.
    """
    if not isinstance(topology, str):
        raise TypeError(f"a topology is a text, not {type(topology).__name__}")
    return _ask("collective", topology=topology, collective=collective, size=size, bandwidth=bandwidth, latency=latency, **options)


def synthesize(design: Input, *, collective: str = "all_gather", size: str | int, **options: typing.Any) -> Answer:
    """Makes a program for a collective on the fabric of a design. size: the large side, bytes or a text as "64 MiB".

    Further options: method (greedy, trees, forest, exact, auto), chunks, tries, seed, time_limit (s), out (file of the program), ...
    """
    return _ask("synthesize", design, collective=collective, size=size, **options)


def verify(program: Input, **options: typing.Any) -> Answer:
    """Checks a collective program (MSCCL XML, JSON, a script, the prefix of Chakra graphs; a path or a text): structure, deadlock, races, result.

    Options: slots ([1, 2, 8]), in_place, collective, root, ... `exit_code` is 1 where errors were found.
    """
    return _ask("verify", program, **options)


def shard(file: Input, *, run: bool = False, **options: typing.Any) -> Answer:
    """Shardings and collectives of a graph over a mesh of devices (a file with a section shard, or StableHLO; a path or a text). Sizes in bytes.

    run: also execute it whole and partitioned and compare (`equal`). Further options: simulate, platform, overlap, set.
    """
    return _ask("shard", file, run=run, **options)


def transform(file: Input | None = None, *, run: bool = False, tune: bool = False, **options: typing.Any) -> Answer:
    """Rewrites a program of computations and collectives (a file with a section transform; a path or a text). Times in ns.

    run: execute it before and after and compare (`equal`). tune: search the fastest schedule. Further options: apply (file of a schedule), from_ (a design)
    with part, set.
    """
    return _ask("transform", *([] if file is None else [file]), run=run, tune=tune, **options)


def plan(design: Input, **options: typing.Any) -> Answer:
    """What a plan needs, without simulating it: memory in bytes, communication, FLOPs, bubble."""
    return _ask("plan", design, **options)


def plan_search(design: Input, *, top: int | None = None, objective: str | typing.Sequence[str] | None = None, **options: typing.Any) -> Answer:
    """The best plans for the model of a design. top: how many are listed and simulated. objective: step_time, tokens_per_npu, memory; the first ranks.

    Further options: estimate, threads, set, first_token, per_token, out. `to_frame("plans")` has a row for each.
    """
    wanted = objective if objective is None or isinstance(objective, str) else list(objective)
    return _ask("plan search", design, top=top, objective=wanted, **options)


def fabric(design: Input | None = None, *, line: str | None = None, **options: typing.Any) -> Answer:
    """Figures of a fabric: of a design, or of a line as "hgx-h100 x4 / rails 64p 400G x4 / spine 2:1". Prices in US$, power in W."""
    return _ask("fabric", *([] if design is None else [design]), line=line, **options)


def explain(design: Input, **options: typing.Any) -> Answer:
    """Why a run takes as long as it takes: critical path and blame, in ns. Options: rank, node, collective, confirm, set."""
    return _ask("explain", design, **options)


def compare(first: Input, second: Input, **options: typing.Any) -> Answer:
    """What differs between two designs, and what each difference makes. Times in ns."""
    return _ask("compare", first, second, **options)


def model_show(model: Input, **options: typing.Any) -> Answer:
    """Parameters, FLOPs and bytes of a model: a preset, a file, config.json of a checkpoint. Options: batch, seq (tokens), mode (train, prefill, decode)."""
    return _ask("model show", model, **options)


def place(file: Input, **options: typing.Any) -> Answer:
    """A program and ratios for a cluster of unequal devices (a file with a section place). Times in s and ns, as their keys say."""
    return _ask("place", file, **options)


def study_run(file: Input, **options: typing.Any) -> Answer:
    """Runs a study, a design varied, and keeps what is done in its store. Options: store (file), threads, shard, set. Times in ns."""
    return _ask("study run", file, **options)


def examples() -> list[str]:
    """Names of the designs that come with the program, for `example`."""
    # Lines that begin with a blank are answers of case studies.
    rows = [line.split() for line in command("examples", as_json=False).splitlines() if not line.startswith(" ")]
    return [row[0] for row in rows if row[1] == "design"]


def example(name: str) -> Design:
    """A design that comes with the program: `example("two-level-hgx")`."""
    return Design(command("examples", name, as_json=False))
