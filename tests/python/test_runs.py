"""Simulations: closed forms, the command line's answers, arrays without copies, threads, Ctrl+C."""

import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import fabricscope
from support import ALL_GATHER, EXAMPLES, LONG, RING, STUCK, cli_json

# All designs but one, which takes more than a second.
SHIPPED = sorted({*EXAMPLES.glob("*.yaml"), *EXAMPLES.glob("plan/*.yaml"), EXAMPLES / "place/unequal-npus.yaml"} - {EXAMPLES / "plan/llama-405b.yaml"})


def test_times_are_those_of_closed_forms():
    # Two blocks of 2 ms are one after the other.
    assert fabricscope.simulate(RING.replace("- {compute: 2 ms}", "- {compute: 2 ms}\n    - {compute: 2 ms}")).finish_ns == 4_000_000
    # 10^12 operations at 10^14 a second.
    assert fabricscope.simulate(RING.replace("2 ms", "1 TFLOP")).finish_ns == 10_000_000
    # A ring passes shards of 100 kB on three times: 100 kB at 50 GB/s is 2 us, and a hop 1 us.
    assert fabricscope.simulate(ALL_GATHER).finish_ns == 3 * (2_000 + 1_000)
    # Half the rate, twice the latency.
    design = fabricscope.load(ALL_GATHER)
    design.platform.dimensions[0].bandwidth = "25 GB/s"
    design.platform.dimensions[0].latency = "2 us"
    assert fabricscope.simulate(design).finish_ns == 3 * (4_000 + 2_000)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_examples_give_what_the_command_line_gives(path):
    expected = cli_json("simulate", path)
    given = fabricscope.simulate(path).to_dict()
    assert given["schema"] == expected["schema"]
    assert given["result"] == expected["result"]
    assert given.keys() == expected.keys() and given["run"].keys() == expected["run"].keys()


def test_choices_of_a_run_are_those_of_the_command_line(tmp_path):
    file = tmp_path / "jitter.yaml"
    file.write_text(ALL_GATHER + "network: {jitter: {latency: {distribution: exponential, deviation: 0.5}}}\n")
    for options in ({"model": "ideal"}, {"engine": "events"}, {"seed": 7}):
        words = [word for key, value in options.items() for word in ("--" + key, value)]
        assert fabricscope.simulate(file, **options).result == cli_json("simulate", file, *words)["result"]


def test_arguments_are_refused_by_name():
    for options, field in (({"model": "nothing"}, "model"), ({"engine": "fast"}, "engine"), ({"seed": -1}, "seed"), ({"seed": 2**64}, "seed"),
                           ({"threads": -1}, "threads"), ({"threads": 1025}, "threads")):
        with pytest.raises(fabricscope.InputError) as caught:
            fabricscope.simulate(RING, **options)
        assert caught.value.field == field and caught.value.expected
    for options in ({"seed": "x"}, {"seed": True}, {"threads": 1.5}, {"progress": 3}, {"engine": None}):
        with pytest.raises(TypeError):
            fabricscope.simulate(RING, **options)


def test_arrays_share_the_memory_of_the_run():
    run = fabricscope.simulate(ALL_GATHER, task_times=True)
    for take in (lambda: run.ranks.finish_ps, lambda: run.links.bytes, lambda: run.tasks(1).end_ps, lambda: run.busy(0).busy_ps, lambda: run.finish_order):
        first, second = take(), take()
        assert len(first) > 0 and np.shares_memory(first, second)
        assert not first.flags.owndata and not first.flags.writeable
        with pytest.raises(ValueError):
            first[0] = 1
    assert np.shares_memory(run.ranks.to_frame()["finish_ps"].to_numpy(), run.ranks.finish_ps)


def test_arrays_outlive_the_run():
    run = fabricscope.simulate(ALL_GATHER, task_times=True)
    finish, (_, end) = run.ranks.finish_ps, run.tasks(0)
    expected = finish.copy(), end.copy()
    del run
    gc.collect()
    for _ in range(20):
        fabricscope.simulate(ALL_GATHER, task_times=True)
    assert (finish == expected[0]).all() and (end == expected[1]).all()


def test_arrays_hold_what_the_result_says():
    path = EXAMPLES / "two-level-hgx.yaml"
    run = fabricscope.simulate(path, task_times=True)
    assert run.to_dict(all_ranks=True)["result"] == cli_json("simulate", path, "--ranks", "all")["result"]
    rows = run.result["ranks"]
    for key in ("finish", "exposed_comm", "compute", "comm"):
        assert (run.ranks[key + "_ps"] / 1000 == [row[key + "_ns"] for row in rows]).all()
    assert run.rank_sets == [row["ranks"] for row in rows]
    assert run.ranks.finish_ps.max() == run.finish_ps == run.finish_ns * 1000
    assert len(run.row_of_rank) == run.rank_count == 32
    assert sorted(run.finish_order) == list(range(32))
    every = run.to_frame(all_ranks=True)
    assert (every["finish_ps"].to_numpy() / 1000 == [row["finish_ns"] for row in run.to_dict(all_ranks=True)["result"]["ranks"]]).all()
    assert run.tasks(31).end_ps.max() == run.ranks.finish_ps[run.row_of_rank[31]]
    for number, row in enumerate(run.result["dimensions"]):
        assert round(run.busy(number).busy_ps.sum() / (row["links"] * run.finish_ps), 6) == row["busy_share"]
    for wrong in (lambda: run.tasks(32), lambda: run.busy(2)):
        with pytest.raises(IndexError):
            wrong()
    for unkept in (lambda: fabricscope.simulate(RING).tasks(0), lambda: fabricscope.simulate(RING).busy(0)):
        with pytest.raises(fabricscope.InputError, match="task_times"):
            unkept()


def test_ranks_that_wait_for_ever_are_named():
    with pytest.raises(fabricscope.StuckError, match="rank 1") as caught:
        fabricscope.simulate(STUCK)
    assert caught.value.code == 3 and not caught.value.result.complete


def test_threads_run_at_once():
    # Each call tells of its progress only once all four are under way: one after the other would break the barrier.
    barrier = threading.Barrier(4, timeout=60)
    results = [None] * 4

    def work(number):
        met = []

        def told(progress):
            if not met:
                met.append(barrier.wait())

        results[number] = fabricscope.simulate(ALL_GATHER, progress=told).finish_ps

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [9_000_000] * 4 and not barrier.broken


def test_progress_goes_from_nothing_to_all():
    told = []
    fabricscope.simulate(EXAMPLES / "two-level-hgx.yaml", engine="events", progress=told.append)
    assert told and all(0 <= one.share <= 1 and one.phase in ("preparing", "simulating") for one in told)


def interrupted(call):
    """Ctrl+C while the call tells of its progress: processor seconds until it is heard."""
    sent = []

    def told(progress):
        assert not sent, "nothing is told after Ctrl+C"
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        call(told)
    return time.process_time() - sent[0]


def test_ctrl_c_is_heard():
    design = fabricscope.load(LONG)
    # 0.2 s, of each of two threads.
    assert interrupted(lambda told: fabricscope.simulate(design, engine="events", progress=told)) < 0.4
    assert interrupted(lambda told: fabricscope.sweep([fabricscope.load(RING)] * 2000 + [design] * 4, threads=2, progress=told)) < 0.6


def test_what_the_progress_function_raises_stops_the_run():
    def told(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fabricscope.simulate(LONG, engine="events", progress=told)
