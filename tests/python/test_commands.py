"""Commands in this process: their answers are those of the program."""

import os
import signal
import threading

import numpy as np
import pytest

import fabricscope
from support import EXAMPLES, LONG, RING, cli, cli_json

HGX = EXAMPLES / "two-level-hgx.yaml"


def result_of(*words):
    document = cli_json(*words)
    return document.get("result", document)


CALLS = {
    "collective": (lambda: fabricscope.collective("Ring(4)_Switch(8)", collective="all_reduce", size="64MiB", bandwidth=[100, 50], latency=[500, 1000], chunks=4),
                   ["collective", "--topology", "Ring(4)_Switch(8)", "--collective", "all_reduce", "--size", "64MiB", "--bandwidth", "100,50", "--latency", "500,1000", "--chunks", 4]),
    "fabric": (lambda: fabricscope.fabric(line="hgx-h100 x4 / rails 64p 400G x4 / spine 2:1"), ["fabric", "--line", "hgx-h100 x4 / rails 64p 400G x4 / spine 2:1"]),
    "fabric of a design": (lambda: fabricscope.fabric(fabricscope.load(HGX)), ["fabric", HGX]),
    "model_show": (lambda: fabricscope.model_show("gpt3-175b", batch=2, mode="prefill"), ["model", "show", "gpt3-175b", "--batch", 2, "--mode", "prefill"]),
    "plan": (lambda: fabricscope.plan(EXAMPLES / "plan/gpt3-175b.yaml"), ["plan", EXAMPLES / "plan/gpt3-175b.yaml"]),
    "shard": (lambda: fabricscope.shard(EXAMPLES / "shard/dense-2d.yaml", run=True), ["shard", EXAMPLES / "shard/dense-2d.yaml", "--run"]),
    "transform": (lambda: fabricscope.transform(EXAMPLES / "transform/adam.yaml", run=True), ["transform", EXAMPLES / "transform/adam.yaml", "--run"]),
    "verify": (lambda: fabricscope.verify(EXAMPLES / "programs/allreduce_ring.lua", slots=[1, 2]), ["verify", EXAMPLES / "programs/allreduce_ring.lua", "--slots", "1,2"]),
    "explain": (lambda: fabricscope.explain(HGX, rank=3), ["explain", HGX, "--rank", 3]),
    "place": (lambda: fabricscope.place(EXAMPLES / "place/mlp.yaml"), ["place", EXAMPLES / "place/mlp.yaml"]),
    "synthesize": (lambda: fabricscope.synthesize(HGX, collective="all_gather", size="1MiB"), ["synthesize", HGX, "--collective", "all_gather", "--size", "1MiB"]),
}


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_those_of_the_program(name):
    call, words = CALLS[name]
    assert call().to_dict() == result_of(*words)


def test_designs_are_taken_as_they_are():
    design = fabricscope.load(HGX)
    before = fabricscope.fabric(design).to_dict()
    design["platform.dimensions.1.size"] = 2
    assert fabricscope.fabric(design)["npus"] == 16 and before["npus"] == 32
    changed = {"platform.dimensions.1.size": 2}
    assert fabricscope.explain(design).finish_ns == fabricscope.explain(HGX, set=changed).finish_ns


def test_texts_stand_for_files():
    path = EXAMPLES / "shard/dense-2d.yaml"
    assert fabricscope.shard(path.read_text()).to_dict() == fabricscope.shard(path).to_dict()
    for call, other in ((fabricscope.verify, "programs/allreduce_ring.lua"), (fabricscope.transform, "transform/adam.lua"), (fabricscope.shard, "shard/attention.mlir"),
                        (fabricscope.place, "place/mlp.yaml")):
        assert call((EXAMPLES / other).read_text()).to_dict().keys() == call(EXAMPLES / other).to_dict().keys()
    with pytest.raises(fabricscope.InputError) as caught:
        fabricscope.shard(path.read_text().replace("shard:", "shart:", 1))
    assert caught.value.file == "<text>" and "input0" not in str(caught.value)


def test_errors_are_those_of_the_program(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(RING.replace("shape: ring", "shape: rign"))
    calls = [
        (lambda: fabricscope.fabric(file), ["fabric", file]),
        (lambda: fabricscope.collective("Rign(4)", collective="all_reduce", size="1MiB"), ["collective", "--topology", "Rign(4)", "--collective", "all_reduce", "--size", "1MiB"]),
        (lambda: fabricscope.collective("Ring(4)", collective="all_reduce", size="1MiB", chunk=3), ["collective", "--topology", "Ring(4)", "--collective", "all_reduce", "--size", "1MiB", "--chunk=3"]),
        (lambda: fabricscope.verify("missing.xml"), ["verify", "missing.xml"]),
        (lambda: fabricscope.command("nothing"), ["nothing"]),
    ]
    for call, words in calls:
        with pytest.raises(fabricscope.InputError) as caught:
            call()
        said = cli_json(*words)["error"]
        error = caught.value
        assert (error.file, error.line, error.field, error.message, error.expected) == (said["file"], said["line"], said["field"], said["message"], said["expected"])
    for wrong in (lambda: fabricscope.fabric(5), lambda: fabricscope.collective("Ring(4)", collective="all_reduce", size=object()),
                  lambda: fabricscope.collective(fabricscope.load(HGX), collective="all_reduce", size="1MiB")):
        with pytest.raises(TypeError):
            wrong()


def test_outputs_that_cannot_be_written_say_so():
    with pytest.raises(fabricscope.OutputError):
        fabricscope.synthesize(HGX, size="1MiB", out="/nowhere/program.xml")


def test_findings_are_answers(tmp_path):
    wrong = tmp_path / "wrong.lua"
    wrong.write_text((EXAMPLES / "programs/allreduce_ring.lua").read_text())
    answer = fabricscope.verify(wrong, collective="all_gather")
    assert answer.exit_code == 1 == cli("verify", wrong, "--collective", "all_gather")[0]


def test_tables_become_columns_and_frames():
    answer = fabricscope.collective("Ring(4)", collective="all_reduce", size="1MiB", bandwidth=50, latency=500)
    assert list(answer.column("ranks", "finish_ns")) == [answer.finish_ns]
    assert answer.to_frame("ranks")["finish_ns"].max() == answer.finish_ns
    assert answer.collective.ranks == 4 and set(answer) == set(answer.to_dict())
    assert fabricscope.collective("Ring(4)", collective="all_reduce", size=np.int64(1 << 20), bandwidth=np.array([50]), latency=np.float64(500)).finish_ns == answer.finish_ns
    with pytest.raises(AttributeError, match="finish_ns"):
        answer.finish


def test_examples_come_with_the_package():
    assert "two-level-hgx" in fabricscope.examples()
    assert fabricscope.example("two-level-hgx").to_yaml() == HGX.read_text()
    with pytest.raises(fabricscope.InputError):
        fabricscope.example("nothing")


def test_commands_run_in_several_threads():
    answers = [None] * 4

    def work(number):
        answers[number] = fabricscope.fabric(line=f"npu / torus 4x4x{number + 2}").npus

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [32, 48, 64, 80]


def test_ctrl_c_ends_a_command():
    # Whenever it comes: before the command, while it runs; it would run for minutes.
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        fabricscope.command("simulate", LONG, engine="events")


def test_a_command_leaves_the_limits_of_the_process_alone():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    fabricscope.fabric(HGX)
    fabricscope.collective("Ring(4)", collective="all_reduce", size="1MiB", bandwidth=50, latency=500, memory_limit="4 GiB")
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
