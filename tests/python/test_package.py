"""The package as such: types, words of its help, the notebook of the manual."""

import importlib.util
import inspect
import json
import os
import pathlib
import subprocess
import sys

import pytest

import fabricscope
from fabricscope import _core
from support import ROOT

NOTEBOOK = ROOT / "resources" / "examples" / "python" / "tour.ipynb"


def test_everything_public_is_explained():
    for name in fabricscope.__all__:
        thing = getattr(fabricscope, name)
        if not callable(thing):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for key, member in vars(thing).items():
                if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                    assert inspect.getdoc(getattr(thing, key)), f"{name}.{key}"


def test_the_code_of_the_manual_runs(capsys):
    (path,) = (ROOT / "resources" / "manual").glob("*-python.md")
    page = path.read_text()
    blocks = page.split("```python\n")[1:]
    assert len(blocks) == 6
    names = {}
    for block in blocks:
        exec(compile(block.split("```")[0], path.name, "exec"), names)
    assert "expected" in capsys.readouterr().out and len(names["every"]) == 32


def test_the_stub_names_what_the_compiled_part_has():
    stub = (pathlib.Path(_core.__file__).parent / "_core.pyi").read_text()
    for name in vars(_core):
        assert name.startswith("__") or f"{name}" in stub, name
    for kind in (_core.Document, _core.Run, _core.Table):
        for name in vars(kind):
            assert name.startswith("_") or f"def {name}(" in stub, f"{kind.__name__}.{name}"


USE = """
import fabricscope
from fabricscope import Progress

def told(progress: Progress) -> None:
    print(progress.share + 1)

run = fabricscope.simulate("pod.yaml", task_times=True, progress=told)
time: float = run.finish_ns
issue, end = run.tasks(0)
length: int = len(end - issue)
table = fabricscope.sweep(fabricscope.load("pod.yaml"), [{"name": "x"}], figures=["step_time"])
best: int = int(table["step_time"].argmin())
cost: int = fabricscope.fabric(line="npu / torus 4x4x4").npus
fabricscope.simulate(5)  # wrong
fabricscope.simulate("pod.yaml", seed="1")  # wrong
text: str = run.finish_ps  # wrong
"""


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_types_are_sound(tmp_path):
    use = tmp_path / "use.py"
    use.write_text(USE)
    package = pathlib.Path(fabricscope.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path, package, use],
                          capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": str(package.parent)})
    # Of the package nothing, of its use the lines that are wrong.
    wrong = [number for number, line in enumerate(USE.splitlines(), 1) if line.endswith("# wrong")]
    said = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [int(line.split(":")[1]) for line in said if line.startswith(str(use))] == wrong and len(said) == len(wrong), done.stdout


@pytest.mark.skipif(importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None, reason="nbclient or ipykernel is not installed")
def test_the_notebook_of_the_manual_runs(monkeypatch):
    import nbclient
    import nbformat

    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(cell.get("outputs", []) == [] for cell in notebook.cells), "outputs are made, not kept"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    said = "".join(json.dumps(cell.get("outputs", [])) for cell in notebook.cells)
    assert "step_time" in said and "<progress" in said
