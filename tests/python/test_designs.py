"""Designs as objects: what is read, what is written, what is refused."""

import copy
import pathlib
import pickle

import numpy as np
import pytest

import fabricscope
from support import EXAMPLES, RING, cli_json


def test_fields_are_attributes_items_and_paths():
    design = fabricscope.load(RING)
    assert design.platform.dimensions[0].bandwidth == "50 GB/s"
    assert design["platform"]["dimensions"][-1]["size"] == 4
    assert design["platform.dimensions.0.shape"] == "ring"
    assert design["platform.dimensions[0].latency"] == "1 us"
    assert design.get("platform.npu.memory", "none") == "none"
    assert list(design) == ["fabricscope", "platform", "workload", "collectives"]
    assert "npu" in design.platform and len(design.platform.dimensions) == 1
    assert [step.compute for step in design.workload.steps] == ["2 ms"]
    assert design.collectives == {"default": {"algorithm": "ring", "chunks": 1}}


def test_plain_values_have_the_types_of_python():
    design = fabricscope.load("fabricscope: 1\na: true\nb: 1.5\nc: ~\nd: '8'\ne: [1, x]\nf: 1e3\ng: inf\nh: 007x\n", check=False)
    assert (design.a, design.b, design.c, design.d, design.f, design.g, design.h) == (True, 1.5, None, "8", 1000.0, "inf", "007x")
    assert design.e.to_python() == [1, "x"]


def test_setting_a_field_keeps_the_text_around_it():
    design = fabricscope.load(RING)
    design.platform.dimensions[0].bandwidth = "100 GB/s"
    design["platform.npu.memory"] = "80 GB"
    text = design.to_yaml()
    assert "# A ring of four." in text and "# NVLink" in text
    assert text.replace("bandwidth: 100 GB/s", "bandwidth: 50 GB/s").replace("{peak: 100 TFLOP/s, memory: 80 GB}", "{peak: 100 TFLOP/s}") == RING


def test_values_of_every_kind_can_be_set():
    design = fabricscope.load(RING)
    design.set("collectives.default.chunks", np.int64(2)).set("workload.steps", [{"compute": "1 ms"}, {"compute": "3 ms", "ranks": "0-1"}])
    design.workload.steps.append({"compute": "4 ms"})
    design["platform.npu"] = "{peak: 200 TFLOP/s}"  # As --set reads it.
    del design.workload.steps[0]
    design.name = "8"
    assert design.collectives.default.chunks == 2
    assert design.workload.steps.to_python() == [{"compute": "3 ms", "ranks": "0-1"}, {"compute": "4 ms"}]
    assert design.platform.npu.peak == "200 TFLOP/s"
    assert fabricscope.simulate(design).finish_ns == 7_000_000
    del design.name
    assert "name" not in design


def test_a_preset_is_written_out_before_something_in_it_changes(tmp_path):
    text = "fabricscope: 1\nplatform: {preset: hgx-h100-8}\nworkload: {collective: all_reduce, size: 64 MiB}\n"
    file = tmp_path / "preset.yaml"
    file.write_text(text)
    design = fabricscope.load(file)
    design["platform.dimensions.0.latency"] = "3 us"
    expected = cli_json("simulate", file, "--set", "platform.dimensions.0.latency=3 us")["result"]
    assert fabricscope.simulate(design).finish_ns == expected["finish_ns"]
    assert expected["finish_ns"] != fabricscope.simulate(file).finish_ns


def test_copies_are_changed_alone():
    design = fabricscope.load(RING)
    others = [design.copy(), copy.deepcopy(design), pickle.loads(pickle.dumps(design))]
    design.platform.dimensions[0].size = 8
    assert [other.platform.dimensions[0].size for other in others] == [4, 4, 4]


@pytest.mark.parametrize("old, new, line, field, expected", [
    ("shape: ring", "shape: rign", 5, "platform.dimensions[0].shape", "ring"),
    ("bandwidth: 50 GB/s", "bandwidth: 50 GB", 5, "platform.dimensions[0].bandwidth", "GB/s"),
    ("bandwidth: 50 GB/s, ", "", 5, "platform.dimensions[0]", "bandwidth"),
    ("latency: 1 us", "latenzy: 1 us", 5, "platform.dimensions[0].latenzy", "latency"),
    ("compute: 2 ms", "compute: -2 ms", 9, "workload.steps[0].compute", None),
    ("algorithm: ring", "algorithm: rings", 10, "collectives.default.algorithm", "ring"),
])
def test_errors_carry_their_place(old, new, line, field, expected, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(RING.replace(old, new))
    with pytest.raises(fabricscope.InputError) as caught:
        fabricscope.load(file)
    error = caught.value
    assert (error.file, error.line, error.code) == (str(file), line, 2)
    assert field in (error.field or "") or (error.field or "") in field
    assert expected is None or expected in (error.expected or "") + error.message
    assert error.findings[0].severity == "error" and isinstance(error, ValueError)
    # The same place as on the command line.
    said = cli_json("simulate", file)["error"]
    assert (said["line"], said["field"], said["message"], said["expected"]) == (error.line, error.field, error.message, error.expected)


def test_all_errors_of_a_design_are_found_at_once():
    with pytest.raises(fabricscope.InputError) as caught:
        fabricscope.load(RING.replace("50 GB/s", "50 Gb").replace("compute: 2 ms", "compute: two"))
    assert {finding.line for finding in caught.value.findings} == {5, 9}


def test_a_design_with_errors_can_be_mended():
    design = fabricscope.load(RING.replace("shape: ring", "shape: rign"), check=False)
    assert any(finding.severity == "error" for finding in design.findings())
    with pytest.raises(fabricscope.InputError):
        fabricscope.simulate(design)
    design.platform.dimensions[0].shape = "ring"
    design.check()
    assert fabricscope.simulate(design).finish_ns == 2_000_000


def test_what_is_no_yaml_or_no_file_says_where():
    with pytest.raises(fabricscope.InputError) as caught:
        fabricscope.load("fabricscope: 1\nplatform: [\n")
    assert caught.value.line is not None
    with pytest.raises(fabricscope.InputError, match="missing.yaml"):
        fabricscope.load("missing.yaml")
    with pytest.raises(fabricscope.InputError):
        fabricscope.load(RING)["platform.."] = 1


def test_wrong_types_are_refused():
    design = fabricscope.load(RING)
    for value in (object(), {1: 2}, b"bytes", {"a": {3}}):
        with pytest.raises(TypeError):
            design["platform.npu"] = value
    for source in (5, None, b"x"):
        with pytest.raises(TypeError):
            fabricscope.load(source)
        with pytest.raises(TypeError):
            fabricscope.simulate(source)
    with pytest.raises(AttributeError):
        design.platform.nothing
    with pytest.raises(KeyError):
        design["platform.nothing"]
    with pytest.raises(IndexError):
        design.platform.dimensions[1]
    with pytest.raises(TypeError):
        design.platform[0]
    with pytest.raises(TypeError):
        design.platform[1.5]
    with pytest.raises(TypeError):
        hash(design)
    assert design.to_yaml() == RING


def test_a_file_is_read_and_saved(tmp_path):
    design = fabricscope.load(EXAMPLES / "two-level-hgx.yaml")
    assert pathlib.Path(design.file) == EXAMPLES / "two-level-hgx.yaml"
    design.save(tmp_path / "copy.yaml")
    assert fabricscope.load(tmp_path / "copy.yaml") == design


def test_what_cannot_be_saved_leaves_the_file_as_it_was(tmp_path):
    design = fabricscope.load(RING)
    kept = tmp_path / "kept.yaml"
    kept.write_text("old")
    kept.chmod(0o640)
    (tmp_path / "link.yaml").symlink_to(kept)
    design.save(tmp_path / "link.yaml")
    assert kept.read_text() == design.to_yaml() and kept.stat().st_mode & 0o777 == 0o640 and (tmp_path / "link.yaml").is_symlink()
    for refused in [tmp_path / "none" / "x.yaml", tmp_path, pathlib.Path("/dev/full")]:
        with pytest.raises(fabricscope.OutputError) as told:
            design.save(refused)
        assert (told.value.code, told.value.file) == (5, str(refused)) and isinstance(told.value, OSError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.yaml", "link.yaml"]
