"""Many designs at once: the figures are those of single runs and of studies."""

import numpy as np
import pytest

import fabricscope
from support import ALL_GATHER, EXAMPLES, RING, STUCK, cli_json

RATE = "platform.dimensions.0.bandwidth"
LATENCY = "platform.dimensions.0.latency"


def test_a_row_is_what_a_run_of_its_design_gives():
    changes = fabricscope.grid(**{RATE: ["25 GB/s", "50 GB/s"], LATENCY: ["1 us", "2 us"]})
    assert changes[1] == {RATE: "25 GB/s", LATENCY: "2 us"}
    table = fabricscope.sweep(ALL_GATHER, changes, threads=2)
    # Three steps of 100 kB and a hop.
    assert list(table["step_time"]) == [3 * (4_000 + 1_000), 3 * (4_000 + 2_000), 3 * (2_000 + 1_000), 3 * (2_000 + 2_000)]
    designs = [fabricscope.load(ALL_GATHER) for _ in changes]
    for design, change in zip(designs, changes):
        for path, value in change.items():
            design[path] = value
    assert (fabricscope.sweep(designs)["step_time"] == table["step_time"]).all()
    assert [fabricscope.simulate(design).finish_ns for design in designs] == list(table["step_time"])


def test_figures_are_those_of_a_study(tmp_path):
    # The shipped study, whose parameters are three rates, four latencies and two oversubscriptions, the first slowest.
    study = EXAMPLES / "study" / "rail-bandwidth.yaml"
    result = cli_json("study", "run", study, "--store", tmp_path / "store.sqlite")["result"]
    section = fabricscope.load(study, check=False).study
    base = fabricscope.Design("fabricscope: 1\n", check=False)
    for key in section.base.keys():
        base[key] = section.base[key]
    fields = [parameter.field for parameter in section.parameters]
    changes = [dict(zip(fields, row["parameters"].values())) for row in result["rows"]]
    figures = ["step_time", "cost", "power"]
    table = fabricscope.sweep(base, changes, figures=figures)
    assert len(changes) == 24 and not table.failed.any()
    for name in figures:
        np.testing.assert_array_equal(table[name], [row[name] for row in result["rows"]], name)
    without = fabricscope.sweep(base, changes[:1])
    assert "cost" not in without and without["step_time"] == table["step_time"][0] and without["npus"] == 64


def test_a_design_that_cannot_be_run_fails_alone():
    table = fabricscope.sweep([RING, STUCK, RING.replace("shape: ring", "shape: rign"), RING])
    assert list(table.failed) == [False, True, True, False]
    assert table["step_time"][0] == table["step_time"][3] == 2_000_000
    assert np.isnan(table["step_time"][1:3]).all()
    assert "wait" in table.messages[1] and "rign" in table.messages[2] and table.messages[0] == ""
    wrong = fabricscope.sweep(RING, [{"platform.dimensions.0.bandwidth": "fast"}, {}])
    assert list(wrong.failed) == [True, False] and "design 0 of the sweep" in wrong.messages[0]


def test_columns_share_the_memory_of_the_table():
    table = fabricscope.sweep(RING, [{}] * 5)
    column = table["step_time"]
    assert np.shares_memory(column, table["step_time"]) and not column.flags.writeable and not column.flags.owndata
    assert np.shares_memory(table.to_frame()["step_time"].to_numpy(), column)
    del table
    assert list(column) == [2_000_000] * 5


def test_frames_name_what_was_set():
    frame = fabricscope.sweep(ALL_GATHER, [{RATE: "25 GB/s"}, {LATENCY: "2 us"}]).to_frame()
    assert list(frame[RATE]) == ["25 GB/s", None] and list(frame[LATENCY]) == [None, "2 us"]
    assert "cost" not in frame and "message" not in frame and "tokens_per_s" not in frame


def test_the_answer_does_not_depend_on_threads():
    changes = [{LATENCY: f"{number} ns"} for number in range(1, 33)]
    one = fabricscope.sweep(ALL_GATHER, changes, threads=1)["step_time"]
    assert list(one) == [3 * (2_000 + number) for number in range(1, 33)]
    for threads in (0, 2, 7):
        assert (fabricscope.sweep(ALL_GATHER, changes, threads=threads)["step_time"] == one).all()


def test_progress_counts_designs():
    told = []
    fabricscope.sweep(RING, [{}] * 50, progress=told.append)
    assert told[-1].share == 1 and told[-1].phase == "50 of 50 designs"
    assert [one.share for one in told] == sorted(one.share for one in told)


def test_nothing_is_a_sweep_too_and_nonsense_is_refused():
    assert len(fabricscope.sweep([])["step_time"]) == 0
    with pytest.raises(KeyError, match="speed"):
        fabricscope.sweep(RING, figures=["speed"])
    for wrong in (lambda: fabricscope.sweep([5]), lambda: fabricscope.sweep(5), lambda: fabricscope.sweep([RING], [{}]), lambda: fabricscope.sweep(RING, [{"name": object()}])):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(fabricscope.InputError, match="threads.*0 to 1024"):
        fabricscope.sweep(RING, threads=-2)
    assert set(fabricscope.FIGURES) >= {"step_time", "memory_peak", "cost"}
