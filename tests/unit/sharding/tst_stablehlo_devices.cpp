// Programs written for one device (sdy.manual_computation, shard_map): what the graph of all devices computes is what each device computes by the words of StableHLO.
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"
#include "hloprograms.h"
#include "tests/unit/sharding/flatplace.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Values = std::vector<Exact>;

std::int64_t product(const TensorShape& sizes)
{
    std::int64_t all = 1;
    for (const std::int64_t size : sizes)
        all *= size;
    return all;
}

/// One array per device.
struct Devices {
    TensorShape shape;
    std::vector<Values> values;
};

/// The machine of the test: a box of axes, the last fastest.
struct DeviceBox {
    TensorShape sizes;

    std::int64_t devices() const { return product(sizes); }
    /// Devices that differ from this one along the axes only, in order.
    std::vector<std::int64_t> groupOf(std::int64_t device, const std::vector<std::size_t>& axes) const
    {
        std::vector<std::int64_t> group;
        for (std::int64_t other = 0; other < devices(); ++other) {
            bool same = true;
            for (std::size_t a = 0; a < sizes.size(); ++a)
                same = same && (std::ranges::count(axes, a) != 0 || indexOf(sizes, other)[a] == indexOf(sizes, device)[a]);
            if (same)
                group.push_back(other);
        }
        return group;
    }
    std::string groupsText(const std::vector<std::size_t>& axes) const
    {
        std::string text;
        std::int64_t rows = 0;
        for (std::int64_t device = 0; device < devices(); ++device) {
            const std::vector<std::int64_t> group = groupOf(device, axes);
            if (group.front() != device)
                continue;
            text += rows++ > 0 ? ", [" : "[";
            for (std::size_t i = 0; i < group.size(); ++i)
                text += (i > 0 ? ", " : "") + std::to_string(group[i]);
            text += "]";
        }
        return "replica_groups = dense<[" + text + "]> : tensor<" + std::to_string(rows) + "x" + std::to_string(devices() / rows) + "xi64>";
    }
};

std::string typeText(const TensorShape& shape)
{
    std::string text = "tensor<";
    for (const std::int64_t size : shape)
        text += std::to_string(size) + "x";
    return text + "f32>";
}

/// A collective at random: its text, and what it does to the values.
class CollectiveStep {
public:
    CollectiveStep(const DeviceBox& box, std::mt19937_64& random) : m_box(box), m_random(random) {}

    std::string add(Devices& all, const std::string& in, const std::string& out)
    {
        std::vector<std::size_t> axes;
        for (std::size_t a = 0; a < m_box.sizes.size(); ++a) {
            if (m_random() % 2 == 0)
                axes.push_back(a);
        }
        const auto members = static_cast<std::int64_t>(m_box.groupOf(0, axes).size());
        const TensorShape before = all.shape;
        const std::size_t dim = m_random() % all.shape.size();
        std::string word, attributes = m_box.groupsText(axes), region;
        switch (m_random() % 5) {
        case 0:
            word = "all_gather";
            attributes += ", all_gather_dim = " + std::to_string(dim) + " : i64";
            gather(all, axes, dim);
            break;
        case 1:
            if (all.shape[dim] % members == 0) {
                word = "reduce_scatter";
                attributes += ", scatter_dimension = " + std::to_string(dim) + " : i64";
                region = sum();
                scatter(all, axes, dim, members);
                break;
            }
            [[fallthrough]];
        case 2:
            word = "all_reduce";
            region = sum();
            reduce(all, axes);
            break;
        case 3:
            if (all.shape[dim] % members == 0) {
                const std::size_t to = m_random() % all.shape.size();
                word = "all_to_all";
                attributes += ", split_dimension = " + std::to_string(dim) + " : i64, concat_dimension = " + std::to_string(to) + " : i64, split_count = " + std::to_string(members) + " : i64";
                exchange(all, axes, dim, to, members);
                break;
            }
            [[fallthrough]];
        default:
            word = "collective_permute";
            attributes = permute(all);
        }
        return "    " + out + " = \"stablehlo." + word + "\"(" + in + ") <{" + attributes + "}>" + region + " : (" + typeText(before) + ") -> " + typeText(all.shape) + "\n";
    }

private:
    static std::string sum()
    {
        return " ({\n    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n      %c = stablehlo.add %a, %b : tensor<f32>\n      stablehlo.return %c : tensor<f32>\n    })";
    }

    /// Every device's new array of `shape`, element by element.
    void fill(Devices& all, const TensorShape& shape, const std::function<Exact(std::int64_t device, const TensorShape& index)>& value) const
    {
        Devices made{shape, {}};
        for (std::int64_t device = 0; device < m_box.devices(); ++device) {
            Values& values = made.values.emplace_back();
            for (std::int64_t place = 0; place < product(shape); ++place)
                values.push_back(value(device, indexOf(shape, place)));
        }
        all = std::move(made);
    }
    static Exact at(const Devices& all, std::int64_t device, const TensorShape& index) { return all.values[static_cast<std::size_t>(device)][flatPlace(all.shape, index)]; }

    void gather(Devices& all, const std::vector<std::size_t>& axes, std::size_t dim) const
    {
        const Devices old = all;
        TensorShape shape = all.shape;
        shape[dim] *= static_cast<std::int64_t>(m_box.groupOf(0, axes).size());
        fill(all, shape, [&](std::int64_t device, TensorShape index) {
            const std::int64_t member = index[dim] / old.shape[dim];
            index[dim] %= old.shape[dim];
            return at(old, m_box.groupOf(device, axes)[static_cast<std::size_t>(member)], index);
        });
    }
    void reduce(Devices& all, const std::vector<std::size_t>& axes) const
    {
        const Devices old = all;
        fill(all, old.shape, [&](std::int64_t device, const TensorShape& index) {
            Exact sum;
            for (const std::int64_t member : m_box.groupOf(device, axes))
                sum = sum + at(old, member, index);
            return sum;
        });
    }
    void scatter(Devices& all, const std::vector<std::size_t>& axes, std::size_t dim, std::int64_t members) const
    {
        reduce(all, axes);
        const Devices old = all;
        TensorShape shape = all.shape;
        shape[dim] /= members;
        fill(all, shape, [&](std::int64_t device, TensorShape index) {
            const std::vector<std::int64_t> group = m_box.groupOf(device, axes);
            index[dim] += shape[dim] * (std::ranges::find(group, device) - group.begin());
            return at(old, device, index);
        });
    }
    void exchange(Devices& all, const std::vector<std::size_t>& axes, std::size_t split, std::size_t concat, std::int64_t members) const
    {
        const Devices old = all;
        TensorShape part = all.shape;
        part[split] /= members;
        TensorShape shape = part;
        shape[concat] *= members;
        fill(all, shape, [&](std::int64_t device, TensorShape index) {
            const std::vector<std::int64_t> group = m_box.groupOf(device, axes);
            const std::int64_t source = index[concat] / part[concat];
            index[concat] %= part[concat];
            index[split] += part[split] * (std::ranges::find(group, device) - group.begin());
            return at(old, group[static_cast<std::size_t>(source)], index);
        });
    }
    /// The same way along one axis, round or not: who gets nothing has zeros.
    std::string permute(Devices& all)
    {
        const std::size_t axis = m_random() % m_box.sizes.size();
        const std::int64_t size = m_box.sizes[axis];
        const bool round = m_random() % 2 == 0;
        const std::int64_t by = static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(size - 1)) + 1 - (m_random() % 2 == 0 ? size : 0);
        std::vector<std::int64_t> sources(static_cast<std::size_t>(m_box.devices()), -1);
        std::string pairs;
        std::int64_t rows = 0;
        for (std::int64_t device = 0; device < m_box.devices(); ++device) {
            TensorShape to = indexOf(m_box.sizes, device);
            to[axis] += by;
            if (!round && (to[axis] < 0 || to[axis] >= size))
                continue;
            to[axis] = (to[axis] + size) % size;
            sources[flatPlace(m_box.sizes, to)] = device;
            pairs += (rows++ > 0 ? ", [" : "[") + std::to_string(device) + ", " + std::to_string(flatPlace(m_box.sizes, to)) + "]";
        }
        const Devices old = all;
        fill(all, old.shape, [&](std::int64_t device, const TensorShape& index) {
            const std::int64_t source = sources[static_cast<std::size_t>(device)];
            return source < 0 ? Exact() : at(old, source, index);
        });
        return "source_target_pairs = dense<[" + pairs + "]> : tensor<" + std::to_string(rows) + "x2xi64>";
    }

    const DeviceBox& m_box;
    std::mt19937_64& m_random;
};

constexpr const char* kNames = "xyz";

/// What every axis cuts the first dim into, on the way in and out: "[{"x", "y"}, {}]".
std::string allAxes(const DeviceBox& box)
{
    std::string text = "<@mesh, [{";
    for (std::size_t a = 0; a < box.sizes.size(); ++a)
        text += std::string(a > 0 ? ", " : "") + '"' + kNames[a] + '"';
    return text + "}, {}]>";
}

std::string meshText(const DeviceBox& box, bool braces = false)
{
    std::string text;
    for (std::size_t a = 0; a < box.sizes.size(); ++a)
        text += std::string(a > 0 ? ", " : "") + '"' + kNames[a] + '"' + (braces ? "" : "=" + std::to_string(box.sizes[a]));
    return text;
}

QString refusal(const std::string& text)
{
    const auto problem = readStableHloText(text, "case.mlir");
    return problem ? "none" : QString::fromStdString(problem.error().text());
}

/// A module with one collective of 2 x 4 parts of [8, 4] on a mesh of 4 x 2.
std::string moduleOf(const std::string& inner, const std::string& result = "tensor<8x4xf32>", const std::string& out = R"(<@mesh, [{"x"}, {"y"}]>)")
{
    return "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\nfunc.func @main(%arg0: tensor<8x4xf32>) -> " + result + " {\n  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>] out_shardings=[" + out
        + "] manual_axes={\"x\", \"y\"} (%arg1: tensor<2x2xf32>) {\n" + inner + "  } : (tensor<8x4xf32>) -> " + result + "\n  return %0 : " + result + "\n}\n";
}

} // namespace

class StableHloDevicesTest : public QObject {
    Q_OBJECT

private slots:
    /// Chains of collectives on boxes of two or three axes: computed here device by device, there as one graph, and that graph whole and partitioned.
    void devicesComputeWhatStableHloSays()
    {
        for (const std::uint64_t seed : Seeds(700, 30)) {
            std::mt19937_64 random(seed);
            DeviceBox box;
            for (std::uint64_t a = 0; a < 2 + random() % 2; ++a)
                box.sizes.push_back(static_cast<std::int64_t>(2 + random() % 2));
            const TensorShape local{box.devices() * static_cast<std::int64_t>(1 + random() % 2), 12};
            const TensorShape whole{local[0] * box.devices(), local[1]};
            // The seed makes the input: computed first of a program that only hands it on.
            const std::string head = "sdy.mesh @mesh = <[" + meshText(box) + "]>\nfunc.func @main(%arg0: " + typeText(whole) + ") -> ";
            const DenseTensor given = inputOf(GraphTensor{"%arg0", whole, ElementType::Fp32, -1, {}}, seed);
            Devices all{local, {}};
            for (std::int64_t device = 0; device < box.devices(); ++device)
                all.values.emplace_back(given.values.begin() + device * product(local), given.values.begin() + (device + 1) * product(local));
            std::string inner, last = "%arg1";
            for (int i = 0; i < 3 && product(all.shape) < 4000; ++i) {
                const std::string next = "%s" + std::to_string(i);
                inner += CollectiveStep(box, random).add(all, last, next);
                last = next;
            }
            const TensorShape result{all.shape[0] * box.devices(), all.shape[1]};
            const std::string text = head + typeText(result) + " {\n  %0 = sdy.manual_computation(%arg0) in_shardings=[" + allAxes(box) + "] out_shardings=[" + allAxes(box) + "] manual_axes={" + meshText(box, true) + "} (%arg1: "
                + typeText(local) + ") {\n" + inner + "    sdy.return " + last + " : " + typeText(all.shape) + "\n  } : (" + typeText(whole) + ") -> " + typeText(result) + "\n  return %0 : " + typeText(result) + "\n}\n";
            const ShardProblem problem = hloProblem(text);
            const auto ran = runWhole(problem.graph, seed);
            QVERIFY(ran);
            Values expected;
            for (const Values& values : all.values)
                expected.insert(expected.end(), values.begin(), values.end());
            const auto id = problem.graph.find("%0");
            QVERIFY2(id && ran.value()[static_cast<std::size_t>(*id)].values == expected, text.c_str());
            const auto plan = partition(problem);
            QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
            QVERIFY2(proveByExecution(problem.graph, plan.value().program, {}, seed).value().equal(), text.c_str());
        }
    }

    void bytesAreThoseOfTheCollectives_data()
    {
        QTest::addColumn<QString>("inner");
        QTest::addColumn<QString>("result");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QString>("moved");
        const QString groups = QStringLiteral("replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>");
        const QString sum = QStringLiteral("({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %c : tensor<f32>\n})");
        const auto row = [&](const char* name, const QString& op, const char* attributes, bool region, const char* type, const char* result, const char* out, const char* moved) {
            QTest::newRow(name) << QStringLiteral("%1 = \"stablehlo.%2\"(%arg1) <{%3%4}> %5 : (tensor<2x2xf32>) -> %6\nsdy.return %1 : %6\n")
                                       .arg(QStringLiteral("%1"), op, groups, QString::fromUtf8(attributes), region ? sum : QString(), QString::fromUtf8(type))
                                << QString::fromUtf8(result) << QString::fromUtf8(out) << QString::fromUtf8(moved);
        };
        // 16 bytes on each of 4 devices: 3 x 16; 2 x 3/4 x 16; 3/4 x 16 of what is held.
        row("all_gather", QStringLiteral("all_gather"), ", all_gather_dim = 0 : i64", false, "tensor<8x2xf32>", "tensor<8x4xf32>", R"(<@mesh, [{}, {"y"}]>)", "all_gather 48");
        row("all_reduce", QStringLiteral("all_reduce"), "", true, "tensor<2x2xf32>", "tensor<2x4xf32>", R"(<@mesh, [{}, {"y"}]>)", "all_reduce 24");
        row("all_to_all", QStringLiteral("all_to_all"), ", split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64", false, "tensor<1x4xf32>", "tensor<4x8xf32>", R"(<@mesh, [{"x"}, {"y"}]>)", "refused");
    }
    void bytesAreThoseOfTheCollectives()
    {
        QFETCH(const QString, inner);
        QFETCH(const QString, result);
        QFETCH(const QString, out);
        QFETCH(const QString, moved);
        const std::string text = moduleOf(inner.toStdString(), result.toStdString(), out.toStdString());
        if (moved == QStringLiteral("refused")) {
            QVERIFY(refusal(text).contains(QStringLiteral("no multiple of the 4 of a group")));
            return;
        }
        const ShardProblem problem = hloProblem(text);
        const auto plan = partition(problem);
        QVERIFY(plan);
        QStringList all;
        for (const ProgramStep& step : plan.value().program.steps) {
            if (isCollective(step.kind) && step.kind != StepKind::Slice)
                all << QString::fromStdString(std::string(wordOf(step.kind)) + " " + std::to_string(step.sent));
        }
        QCOMPARE(all.join(QStringLiteral("; ")), moved);
    }

    /// shard_map of older versions of JAX: in and out by custom calls, the body a function; and the number of the device.
    void customCallsLeadInAndOut()
    {
        const ShardProblem problem = hloProblem(R"mlir(module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x6xf32>) -> tensor<2x6xf32>
    %2 = call @body(%1) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<2x6xf32>) -> tensor<8x6xf32>
    return %4 : tensor<8x6xf32>
  }
  func.func private @body(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %4 = stablehlo.multiply %0, %3 : tensor<2x6xf32>
    return %4 : tensor<2x6xf32>
  }
}
)mlir");
        const auto plan = partition(problem);
        QVERIFY(plan);
        QVERIFY(proveByExecution(problem.graph, plan.value().program).value().equal());
        // Rows 2 d and 2 d + 1 of the result are the sum of all devices' rows, times the number of device d.
        const auto ran = runWhole(problem.graph, 5).value();
        const auto valuesOf = [&](const char* name) { return ran[static_cast<std::size_t>(*problem.graph.find(name))].values; };
        const Values in = valuesOf("%arg0");
        const Values out = valuesOf("%4");
        const Values number = valuesOf("body.1:%1");
        QCOMPARE(number.size(), std::size_t{4});
        for (std::size_t row = 0; row < 8; ++row) {
            for (std::size_t column = 0; column < 6; ++column) {
                Exact sum;
                for (std::size_t device = 0; device < 4; ++device)
                    sum = sum + in[(2 * device + row % 2) * 6 + column];
                QVERIFY(out[row * 6 + column] == sum * number[row / 2]);
            }
        }
    }

    /// One axis is the program's, the other the partitioner's.
    void otherAxesAreLeftToThePartitioner()
    {
        const ShardProblem problem = hloProblem("sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\nfunc.func @main(%arg0: tensor<8x6xf32>, %arg1: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>}) -> tensor<8x10xf32> {\n"
                                               "  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{\"x\"}, {}]>, <@mesh, [{}, {?}]>] out_shardings=[<@mesh, [{\"x\"}, {?}]>] manual_axes={\"x\"} (%arg2: tensor<2x6xf32>, %arg3: tensor<6x10xf32>) {\n"
                                               "    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<2x6xf32>, tensor<6x10xf32>) -> tensor<2x10xf32>\n"
                                               "    sdy.return %1 : tensor<2x10xf32>\n  } : (tensor<8x6xf32>, tensor<6x10xf32>) -> tensor<8x10xf32>\n  return %0 : tensor<8x10xf32>\n}\n");
        const auto plan = partition(problem);
        QVERIFY(plan);
        QVERIFY(proveByExecution(problem.graph, plan.value().program).value().equal());
        const auto id = problem.graph.find("%0:%1");
        QVERIFY(id);
        const std::vector<AxisList>& dims = plan.value().propagated[static_cast<std::size_t>(*id)];
        QCOMPARE(axesText(problem.mesh, dims[0]), std::string("x"));
        QCOMPARE(axesText(problem.mesh, dims[2]), std::string("y")); // Of %arg1, which nobody said inside.
        QVERIFY(std::ranges::none_of(plan.value().program.steps, [](const ProgramStep& step) { return isCollective(step.kind) && step.sent > 0; }));
    }

    void whatIsSaidToBeAlikeIsTakenFromTheFirst()
    {
        const ShardProblem problem = hloProblem(moduleOf("sdy.return %arg1 : tensor<2x2xf32>\n", "tensor<2x4xf32>", R"(<@mesh, [{}, {"y"}]>)"));
        QCOMPARE(problem.notes.size(), std::size_t{1});
        QVERIFY(problem.notes[0].text().find("that of the first is taken") != std::string::npos);
        const auto ran = runWhole(problem.graph, 1).value();
        const Values& in = ran[0].values;
        const Values& out = ran[static_cast<std::size_t>(*problem.graph.find("%0"))].values;
        QVERIFY(out == Values(in.begin(), in.begin() + 8)); // Rows 0 and 1.
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("inner");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* inner, const char* words) { QTest::newRow(name) << QString::fromUtf8(inner) << QString::fromUtf8(words); };
        row("groups across", "%1 = \"stablehlo.all_gather\"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 3], [1, 2], [4, 7], [5, 6]]> : tensor<4x2xi64>}> : (tensor<2x2xf32>) -> tensor<4x2xf32>\nsdy.return %arg1 : tensor<2x2xf32>\n",
            "its groups are no lines along axes of the mesh");
        row("groups of some", "%1 = \"stablehlo.all_gather\"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<4x2xf32>\nsdy.return %arg1 : tensor<2x2xf32>\n",
            "its groups are no lines along axes of the mesh");
        row("an id too high", "%1 = \"stablehlo.all_gather\"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 8]]> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<4x2xf32>\nsdy.return %arg1 : tensor<2x2xf32>\n", "ids of the 8 devices");
        row("no shift", "%1 = \"stablehlo.collective_permute\"(%arg1) <{source_target_pairs = dense<[[0, 3], [3, 0]]> : tensor<2x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>\nsdy.return %1 : tensor<2x2xf32>\n", "no shift along one axis");
        row("a dim that is not there", "%1 = \"stablehlo.all_gather\"(%arg1) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>}> : (tensor<2x2xf32>) -> tensor<4x2xf32>\nsdy.return %arg1 : tensor<2x2xf32>\n",
            "all_gather_dim is no dim of [2, 2]");
        row("another shape", "%1 = \"stablehlo.all_gather\"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>}> : (tensor<2x2xf32>) -> tensor<6x2xf32>\nsdy.return %arg1 : tensor<2x2xf32>\n",
            "comes out as [4, 2]");
        row("a result of another shape", "%1 = stablehlo.slice %arg1 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>\nsdy.return %1 : tensor<1x2xf32>\n", "a device returns [1, 2] of [8, 4]");
        row("no return", "%1 = stablehlo.add %arg1, %arg1 : tensor<2x2xf32>\n", "has no return");
    }
    void refusals()
    {
        QFETCH(const QString, inner);
        QFETCH(const QString, words);
        const QString found = refusal(moduleOf(inner.toStdString()));
        QVERIFY2(found.contains(words), qPrintable(found));
        QVERIFY2(found.startsWith(QStringLiteral("case.mlir:")), qPrintable(found));
    }

    void aCollectiveOutsideIsRefused()
    {
        QVERIFY(refusal("func.func @main(%arg0: tensor<4xf32>) -> tensor<8xf32> {\n  %0 = \"stablehlo.all_gather\"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>\n"
                        "  return %0 : tensor<8xf32>\n}\n").contains(QStringLiteral("stands outside of a program per device")));
    }
};

FABRICSCOPE_TEST(StableHloDevicesTest)
#include "tst_stablehlo_devices.moc"
