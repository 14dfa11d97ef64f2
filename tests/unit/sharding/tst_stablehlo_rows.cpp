// gather and scatter as StableHLO defines them, written out by its formulas of indices: ids of one dim or several, parts of rows, batches said or counted, all joins.
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"
#include "hloprograms.h"
#include "tests/unit/sharding/flatplace.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Index = TensorShape;
using Dims = std::vector<std::int64_t>;

std::string joinedText(const Dims& list, const char* between)
{
    std::string text;
    for (const std::int64_t number : list)
        text += (text.empty() ? "" : between) + std::to_string(number);
    return text;
}

std::string typeText(const TensorShape& shape, const char* element)
{
    return "tensor<" + (shape.empty() ? std::string() : joinedText(shape, "x") + "x") + element + ">";
}

std::vector<Index> indicesOf(const TensorShape& shape)
{
    std::vector<Index> all;
    for (std::int64_t flat = 0; flat < elementsOf(shape); ++flat) {
        Index index(shape.size());
        for (std::size_t d = shape.size(); d-- > 0;)
            index[d] = flat / elementsOf({shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, shape.end()}) % shape[d];
        all.push_back(std::move(index));
    }
    return all;
}

/// A drawn attribute of gather or scatter, and the text of the program that makes its ids column by column.
struct RowCase {
    TensorShape table, ids, sizes; ///< Ids without vectors.
    Dims offset, collapsed, tableBatch, idsBatch, map;
    std::vector<std::string> columns; ///< Per entry of `map`: name of an argument, "counts G", "is N".
    std::string arguments, lines;
    TensorShape taken;

    explicit RowCase(std::mt19937_64& random)
    {
        const auto draw = [&](std::int64_t from, std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(from, to)(random); };
        for (auto d = draw(1, 2); d > 0; --d)
            ids.push_back(draw(2, 3));
        std::vector<char> used(ids.size(), 0);
        std::int64_t windows = 0;
        bool indexed = false;
        for (auto d = static_cast<std::int64_t>(0), rank = draw(2, 4); d < rank; ++d) {
            const auto kind = draw(0, 5);
            const auto g = static_cast<std::size_t>(draw(0, std::ssize(ids) - 1));
            const bool batch = kind < 2 && !used[g];
            const bool drawnId = !batch && kind < 4 && !indexed;
            std::int64_t size = draw(1, 3);
            std::int64_t window = size;
            if (batch) {
                used[g] = 1;
                size = ids[g];
                window = 1;
            } else if (drawnId) {
                indexed = true;
                window = draw(1, 2);
                size = 99 + window; // Ids are drawn from 0 to 99.
            } else if (kind == 4) {
                window = draw(1, size);
            }
            table.push_back(size);
            sizes.push_back(window);
            if (batch && kind == 0) {
                tableBatch.push_back(d);
                idsBatch.push_back(static_cast<std::int64_t>(g));
                continue;
            }
            if (batch || drawnId || kind == 4) {
                map.push_back(d);
                columns.push_back(batch ? "counts " + std::to_string(g) : drawnId ? "%i" : "is " + std::to_string(draw(0, size - window)));
            }
            if (window == 1 && draw(0, 1) == 0)
                collapsed.push_back(d);
            else
                ++windows;
        }
        Dims places;
        for (std::int64_t p = 0; p < std::ssize(ids) + windows; ++p)
            places.push_back(p);
        std::ranges::sample(places, std::back_inserter(offset), windows, random);
        std::ranges::sort(offset);
        std::shuffle(map.begin(), map.end(), std::mt19937_64(7)); // With the columns: the same order.
        std::shuffle(columns.begin(), columns.end(), std::mt19937_64(7));
        for (std::size_t p = 0, d = 0, g = 0; p < places.size(); ++p) {
            if (std::ranges::count(offset, static_cast<std::int64_t>(p)) == 0) {
                taken.push_back(ids[g++]);
                continue;
            }
            while (isDropped(static_cast<std::int64_t>(d)))
                ++d;
            taken.push_back(sizes[d++]);
        }
        writeIds();
    }

    bool isDropped(std::int64_t d) const { return std::ranges::count(collapsed, d) + std::ranges::count(tableBatch, d) > 0; }

    void writeIds()
    {
        TensorShape column = ids;
        column.push_back(1);
        TensorShape all = ids;
        all.push_back(std::ssize(map));
        std::string names, types;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string name = "%v" + std::to_string(i);
            if (columns[i] == "%i")
                arguments = ", %i: " + typeText(column, "i32");
            else if (columns[i].starts_with("counts"))
                lines += "  " + name + " = stablehlo.iota dim = " + columns[i].substr(7) + " : " + typeText(column, "i32") + "\n";
            else
                lines += "  " + name + " = stablehlo.constant dense<" + columns[i].substr(3) + "> : " + typeText(column, "i32") + "\n";
            names += (i ? ", " : "") + (columns[i] == "%i" ? columns[i] : name);
            types += (i ? ", " : "") + typeText(column, "i32");
        }
        lines += "  %ids = stablehlo.concatenate " + names + ", dim = " + std::to_string(ids.size()) + " : (" + types + ") -> " + typeText(all, "i32") + "\n";
    }

    std::string idsType() const
    {
        TensorShape all = ids;
        all.push_back(std::ssize(map));
        return typeText(all, "i32");
    }

    std::string fields(bool gather) const
    {
        const auto field = [](const char* key, const Dims& dims) { return dims.empty() ? std::string() : std::string(key) + " = [" + joinedText(dims, ", ") + "], "; };
        return field(gather ? "offset_dims" : "update_window_dims", offset) + field(gather ? "collapsed_slice_dims" : "inserted_window_dims", collapsed) + field(gather ? "operand_batching_dims" : "input_batching_dims", tableBatch)
            + field(gather ? "start_indices_batching_dims" : "scatter_indices_batching_dims", idsBatch) + field(gather ? "start_index_map" : "scatter_dims_to_operand_dims", map) + "index_vector_dim = " + std::to_string(ids.size());
    }

    /// Element of the table that an element of what is taken is, by the formulas of the specification; `i`: values of the argument.
    Index source(const Index& at, const DenseTensor& i) const
    {
        Index batch, inWindow;
        for (std::size_t p = 0; p < at.size(); ++p)
            (std::ranges::count(offset, static_cast<std::int64_t>(p)) ? inWindow : batch).push_back(at[p]);
        Index from(table.size(), 0);
        for (std::size_t d = 0, w = 0; d < table.size(); ++d) {
            if (!isDropped(static_cast<std::int64_t>(d)))
                from[d] = inWindow[w++];
        }
        for (std::size_t b = 0; b < tableBatch.size(); ++b)
            from[static_cast<std::size_t>(tableBatch[b])] += batch[static_cast<std::size_t>(idsBatch[b])];
        for (std::size_t m = 0; m < map.size(); ++m) {
            const auto d = static_cast<std::size_t>(map[m]);
            const std::string& column = columns[m];
            const std::int64_t id = column == "%i" ? i.values[flatPlace(ids, batch)].centred() : column.starts_with("is") ? std::stoll(column.substr(3)) : batch[static_cast<std::size_t>(std::stoll(column.substr(7)))];
            from[d] += id;
        }
        return from;
    }
};

/// The tensor as it ran; where the program does not use it, nothing.
DenseTensor rowTensor(const ShardProblem& problem, const std::vector<DenseTensor>& ran, const char* name)
{
    const auto id = problem.graph.find(name);
    return id ? ran[static_cast<std::size_t>(*id)] : DenseTensor();
}

bool isRowProved(const ShardProblem& problem)
{
    const auto plan = partition(problem);
    const auto proof = plan ? proveByExecution(problem.graph, plan.value().program) : Result<ExecutionProof>(plan.error());
    return proof && proof.value().equal();
}

QStringList collectivesOf(const ShardProblem& problem)
{
    QStringList words;
    const auto plan = partition(problem);
    for (const ProgramStep& step : plan.value().program.steps) {
        if (isCollective(step.kind) && step.sent > 0)
            words << QString::fromStdString(std::string(wordOf(step.kind)) + " " + plan.value().program.value(step.out).name + " " + std::to_string(step.sent));
    }
    return words;
}

const std::string kRowMesh = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=3]>\n";

std::string laid(std::size_t rank, std::size_t dim, const char* axis = "x")
{
    std::string text;
    for (std::size_t d = 0; d < rank; ++d)
        text += std::string(d ? ", " : "") + (d == dim ? "{\"" + std::string(axis) + "\"}" : "{?}");
    return " {sdy.sharding = #sdy.sharding<@mesh, [" + text + "]>}";
}

std::string regionOf(const std::string& join)
{
    return "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n" + (join == "set" ? std::string("    stablehlo.return %q : tensor<f32>\n") : "    %r = stablehlo." + join + " %p, %q : tensor<f32>\n    stablehlo.return %r : tensor<f32>\n");
}

} // namespace

class StableHloRowsTest : public QObject {
    Q_OBJECT

private slots:
    void gathersTakeWhatTheSpecificationSays()
    {
        for (const std::uint64_t seed : Seeds(61, cases(60))) {
            std::mt19937_64 random(seed);
            const RowCase rows(random);
            if (rows.map.empty())
                continue;
            const std::string text = kRowMesh + "func.func @main(%t: " + typeText(rows.table, "f32") + laid(rows.table.size(), random() % rows.table.size()) + rows.arguments + ") -> " + typeText(rows.taken, "f32") + " {\n" + rows.lines
                + "  %0 = \"stablehlo.gather\"(%t, %ids) <{dimension_numbers = #stablehlo.gather<" + rows.fields(true) + ">, slice_sizes = array<i64: " + joinedText(rows.sizes, ", ") + ">}> : (" + typeText(rows.table, "f32") + ", " + rows.idsType() + ") -> "
                + typeText(rows.taken, "f32") + "\n  return %0 : " + typeText(rows.taken, "f32") + "\n}\n";
            const ShardProblem problem = hloProblem(text);
            const auto ran = runWhole(problem.graph, 3).value();
            const DenseTensor table = rowTensor(problem, ran, "%t"), ids = rowTensor(problem, ran, "%i"), result = rowTensor(problem, ran, "%0");
            QVERIFY2(result.shape == rows.taken, text.c_str());
            for (const Index& at : indicesOf(rows.taken))
                QVERIFY2(result.values[flatPlace(rows.taken, at)] == table.values[flatPlace(rows.table, rows.source(at, ids))], text.c_str());
            QVERIFY2(isRowProved(problem), text.c_str());
        }
    }

    void scattersPutWhatTheSpecificationSays()
    {
        const std::pair<const char*, ReduceKind> joins[] = {{"add", ReduceKind::Sum}, {"maximum", ReduceKind::Max}, {"minimum", ReduceKind::Min}, {"multiply", ReduceKind::Product}, {"set", ReduceKind::Last}};
        for (const std::uint64_t seed : Seeds(62, cases(60))) {
            std::mt19937_64 random(seed);
            const RowCase rows(random);
            const auto& [word, kind] = joins[random() % 5];
            // Several updates of one place that is known are refused.
            const bool several = std::ranges::count(rows.columns, "%i") == 0 && static_cast<std::size_t>(std::ranges::count_if(rows.columns, [](const std::string& c) { return c.starts_with("counts"); })) + rows.tableBatch.size() < rows.ids.size();
            if (rows.map.empty() || several)
                continue;
            const std::string types = typeText(rows.table, "f32") + ", " + rows.idsType() + ", " + typeText(rows.taken, "f32");
            const std::string text = kRowMesh + "func.func @main(%t: " + typeText(rows.table, "f32") + laid(rows.table.size(), random() % rows.table.size()) + ", %u: " + typeText(rows.taken, "f32") + laid(rows.taken.size(), random() % rows.taken.size(), "y") + rows.arguments
                + ") -> " + typeText(rows.table, "f32") + " {\n" + rows.lines + "  %0 = \"stablehlo.scatter\"(%t, %ids, %u) <{scatter_dimension_numbers = #stablehlo.scatter<" + rows.fields(false) + ">, unique_indices = false}> ({\n" + regionOf(word) + "  }) : (" + types + ") -> "
                + typeText(rows.table, "f32") + "\n  return %0 : " + typeText(rows.table, "f32") + "\n}\n";
            const ShardProblem problem = hloProblem(text);
            const auto ran = runWhole(problem.graph, 3).value();
            const DenseTensor ids = rowTensor(problem, ran, "%i"), updates = rowTensor(problem, ran, "%u"), result = rowTensor(problem, ran, "%0");
            DenseTensor wanted = rowTensor(problem, ran, "%t");
            for (const Index& at : indicesOf(rows.taken)) {
                Exact& there = wanted.values[flatPlace(rows.table, rows.source(at, ids))];
                const Exact update = updates.values[flatPlace(rows.taken, at)];
                there = kind == ReduceKind::Sum ? there + update : kind == ReduceKind::Product ? there * update : kind == ReduceKind::Last ? update : (kind == ReduceKind::Max) == lower(there, update) ? update : there;
            }
            QVERIFY2(result.values == wanted.values, text.c_str());
            QVERIFY2(isRowProved(problem), text.c_str());
        }
    }

    /// logits[arange(16), labels] as JAX prints it: the first index counts, so rows stay where they are and only what is picked along the cut vocabulary is joined (8 of 16 elements on a device: 2 * 2/3 * 8 * 4 bytes, rounded up).
    void rowsThatCountAreABatch()
    {
        const ShardProblem problem = hloProblem(kRowMesh + R"mlir(func.func @main(%arg0: tensor<16x63xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<16xi32>) -> tensor<16xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<16xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16xi32>
  %2 = stablehlo.compare  LT, %0, %1,  SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
  %c_0 = stablehlo.constant dense<16> : tensor<i32>
  %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16xi32>
  %4 = stablehlo.add %0, %3 : tensor<16xi32>
  %5 = stablehlo.select %2, %4, %0 : tensor<16xi1>, tensor<16xi32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
  %7 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
  %8 = stablehlo.concatenate %6, %7, dim = 1 : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x2xi32>
  %9 = "stablehlo.gather"(%arg0, %8) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<16x63xf32>, tensor<16x2xi32>) -> tensor<16xf32>
  return %9 : tensor<16xf32>
}
)mlir");
        QCOMPARE(collectivesOf(problem), QStringList{QStringLiteral("all_reduce %9 43")});
        for (const char* unused : {"%0", "%4", "%6", "%8"})
            QVERIFY2(!problem.graph.find(unused), unused);
        QVERIFY(problem.graph.find("%arg1"));
        QVERIFY(isRowProved(problem));
    }

    void whatCannotBeReadIsNamed_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("words");
        const auto gather = [](const char* name, const char* fields, const char* sizes, const char* words) {
            QTest::newRow(name) << QStringLiteral("\"stablehlo.gather\"(%t, %i) <{dimension_numbers = #stablehlo.gather<%1>, slice_sizes = array<i64: %2>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>").arg(QString::fromUtf8(fields), QString::fromUtf8(sizes)) << QString::fromUtf8(words);
        };
        gather("vectors behind the last dim", "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3", "1, 6", "index_vector_dim 3 does not fit");
        gather("a dim twice", "offset_dims = [1], collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1", "1, 6", "collapsed_slice_dims does not fit");
        gather("two ids of vectors of one", "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1", "1, 6", "start_index_map does not fit");
        gather("a dim too few", "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", "1, 6", "offset_dims does not fit");
        gather("windows larger than the table", "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", "1, 7", "a window of 7 in dim 1 does not fit");
        gather("a row dropped whole", "collapsed_slice_dims = [0, 1], start_index_map = [0], index_vector_dim = 1", "1, 6", "a window of 6 in dim 1 does not fit");
        gather("batches of other sizes", "offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1", "1, 1", "operand_batching_dims does not fit");
        QTest::newRow("a join of its own") << QStringLiteral("\"stablehlo.scatter\"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %r = stablehlo.subtract %p, %q : tensor<f32>\n    stablehlo.return %r : tensor<f32>\n  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>")
                                           << QStringLiteral("joins elements by a function that is not read");
    }
    void whatCannotBeReadIsNamed()
    {
        QFETCH(const QString, op);
        QFETCH(const QString, words);
        const auto problem = readStableHloText("func.func @main(%t: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<4x6xf32> {\n  %0 = " + op.toStdString() + "\n  return %t : tensor<4x6xf32>\n}\n", "case.mlir");
        QVERIFY(!problem);
        const QString said = QString::fromStdString(problem.error().text());
        QVERIFY2(said.contains(words) && said.startsWith(QStringLiteral("case.mlir:2:")), qPrintable(said));
    }
};

FABRICSCOPE_TEST(StableHloRowsTest)
#include "tst_stablehlo_rows.moc"
