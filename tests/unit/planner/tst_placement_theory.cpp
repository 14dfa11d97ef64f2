// Every rule of the background theory is sound: run on the parts of two or three devices, put together, it gives what one device computes.
#include "core/planner/placedops.h"
#include "core/planner/theory.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A small tensor of integers, row-major.
struct Numbers {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> values;

    std::size_t offset(const std::vector<std::int64_t>& index) const
    {
        std::size_t at = 0;
        for (std::size_t i = 0; i < shape.size(); ++i)
            at = at * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(shape[i] == 1 ? 0 : index[i]);
        return at;
    }
    std::int64_t get(const std::vector<std::int64_t>& index) const { return values[offset(index)]; }
    friend bool operator==(const Numbers&, const Numbers&) = default;
};

Numbers zeros(std::vector<std::int64_t> shape)
{
    const std::int64_t count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    return {std::move(shape), std::vector<std::int64_t>(static_cast<std::size_t>(count), 0)};
}

void eachIndex(const std::vector<std::int64_t>& shape, const std::function<void(const std::vector<std::int64_t>&)>& visit)
{
    if (std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size == 0; }))
        return;
    std::vector<std::int64_t> index(shape.size(), 0);
    while (true) {
        visit(index);
        std::size_t i = shape.size();
        while (i > 0 && ++index[i - 1] == shape[i - 1])
            index[--i] = 0;
        if (i == 0)
            return;
    }
}

/// Elements [begin, end) along a dimension.
Numbers cut(const Numbers& whole, int dim, std::int64_t begin, std::int64_t end)
{
    std::vector<std::int64_t> shape = whole.shape;
    shape[static_cast<std::size_t>(dim)] = end - begin;
    Numbers part = zeros(shape);
    eachIndex(shape, [&](std::vector<std::int64_t> index) {
        const std::size_t to = part.offset(index);
        if (part.shape[static_cast<std::size_t>(dim)] == 1)
            index[static_cast<std::size_t>(dim)] = 0;
        index[static_cast<std::size_t>(dim)] += begin;
        part.values[to] = whole.get(index);
    });
    return part;
}

Numbers einsum(const std::vector<std::string>& letters, const std::vector<Numbers>& in, const std::vector<std::int64_t>& outShape)
{
    std::string all;
    std::vector<std::int64_t> sizes;
    const auto add = [&](const std::string& text, const std::vector<std::int64_t>& shape) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (all.find(text[i]) == std::string::npos) {
                all += text[i];
                sizes.push_back(shape[i]);
            }
        }
    };
    for (std::size_t i = 0; i < in.size(); ++i)
        add(letters[i], in[i].shape);
    Numbers out = zeros(outShape);
    eachIndex(sizes, [&](const std::vector<std::int64_t>& index) {
        const auto pick = [&](const std::string& text) {
            std::vector<std::int64_t> own;
            for (const char letter : text)
                own.push_back(index[all.find(letter)]);
            return own;
        };
        std::int64_t product = 1;
        for (std::size_t i = 0; i < in.size(); ++i)
            product *= in[i].get(pick(letters[i]));
        out.values[out.offset(pick(letters.back()))] += product;
    });
    return out;
}

/// Elementwise, shapes aligned at their ends.
Numbers elementwise(const std::vector<Numbers>& in, const std::vector<std::int64_t>& shape, const std::function<std::int64_t(std::int64_t, std::int64_t)>& what)
{
    Numbers out = zeros(shape);
    eachIndex(shape, [&](const std::vector<std::int64_t>& index) {
        std::vector<std::int64_t> got;
        for (const Numbers& each : in)
            got.push_back(each.get({index.end() - static_cast<std::ptrdiff_t>(each.shape.size()), index.end()}));
        got.push_back(0);
        out.values[out.offset(index)] = what(got[0], got[1]);
    });
    return out;
}

Numbers reduced(const Numbers& in, const std::vector<std::int64_t>& dims, bool maximum, const std::vector<std::int64_t>& shape)
{
    Numbers out = zeros(shape);
    if (maximum)
        std::fill(out.values.begin(), out.values.end(), INT64_MIN);
    eachIndex(in.shape, [&](const std::vector<std::int64_t>& index) {
        std::vector<std::int64_t> kept;
        for (std::size_t i = 0; i < index.size(); ++i) {
            if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) == dims.end())
                kept.push_back(index[i]);
        }
        std::int64_t& to = out.values[out.offset(kept)];
        to = maximum ? std::max(to, in.get(index)) : to + in.get(index);
    });
    return out;
}

/// Sorted along a dimension: an op that cannot be split there.
Numbers sorted(const Numbers& in, int dim)
{
    Numbers out = in;
    std::vector<std::int64_t> others = in.shape;
    others[static_cast<std::size_t>(dim)] = 1;
    eachIndex(others, [&](std::vector<std::int64_t> index) {
        std::vector<std::int64_t> line;
        for (std::int64_t i = 0; i < in.shape[static_cast<std::size_t>(dim)]; ++i) {
            index[static_cast<std::size_t>(dim)] = i;
            line.push_back(in.get(index));
        }
        std::sort(line.begin(), line.end());
        for (std::size_t i = 0; i < line.size(); ++i) {
            index[static_cast<std::size_t>(dim)] = static_cast<std::int64_t>(i);
            out.values[out.offset(index)] = line[i];
        }
    });
    return out;
}

/// Rows of a table that begins at row `first` of the whole one; rows elsewhere give 0.
Numbers looked(const Numbers& table, const Numbers& ids, std::int64_t first, std::int64_t rows, const std::vector<std::int64_t>& shape)
{
    Numbers out = zeros(shape);
    eachIndex(shape, [&](const std::vector<std::int64_t>& index) {
        const std::vector<std::int64_t> where(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(ids.shape.size()));
        std::vector<std::int64_t> from{((ids.get(where) % rows) + rows) % rows - first};
        from.insert(from.end(), index.begin() + static_cast<std::ptrdiff_t>(ids.shape.size()), index.end());
        if (from[0] >= 0 && from[0] < table.shape[0])
            out.values[out.offset(index)] = table.values.empty() ? 0 : table.values[static_cast<std::size_t>(from[0]) * (table.values.size() / static_cast<std::size_t>(table.shape[0])) + (from.size() > 1 ? static_cast<std::size_t>(from[1]) : 0)];
    });
    return out;
}

/// One op on whatever shapes its operands have. `first`: the first row of a table that was split.
Numbers compute(const GraphOp& op, const std::vector<Numbers>& in, const std::vector<std::int64_t>& shape, std::int64_t first, std::int64_t rows)
{
    switch (op.kind) {
    case GraphOpKind::Einsum:
        return einsum(op.letters, in, shape);
    case GraphOpKind::Add:
        return elementwise(in, shape, [](std::int64_t a, std::int64_t b) { return a + b; });
    case GraphOpKind::Sub:
        return elementwise(in, shape, [](std::int64_t a, std::int64_t b) { return a - b; });
    case GraphOpKind::Mul:
        return elementwise(in, shape, [](std::int64_t a, std::int64_t b) { return a * b; });
    case GraphOpKind::Relu:
        return elementwise(in, shape, [](std::int64_t a, std::int64_t) { return std::max<std::int64_t>(a, 0); });
    case GraphOpKind::Reduce:
        return reduced(in[0], op.dims, op.reduce == ReduceKind::Max, shape);
    case GraphOpKind::Reshape:
        return {shape, in[0].values};
    case GraphOpKind::Transpose: {
        Numbers out = zeros(shape);
        eachIndex(in[0].shape, [&](const std::vector<std::int64_t>& index) {
            std::vector<std::int64_t> to;
            for (const std::int64_t from : op.dims)
                to.push_back(index[static_cast<std::size_t>(from)]);
            out.values[out.offset(to)] = in[0].get(index);
        });
        return out;
    }
    case GraphOpKind::Sort:
        return sorted(in[0], static_cast<int>(op.dim));
    case GraphOpKind::Gather:
        return looked(in[0], in[1], first, rows, shape);
    default:
        qFatal("an op without an interpreter");
    }
    return {};
}

struct OneOp {
    OpGraph graph;
    PlacedGraph placed;
};

/// A graph of one op; a name in capitals is a parameter.
OneOp oneOp(const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& tensors, GraphOp op)
{
    OneOp one;
    PlacedGraphNotes notes;
    for (const auto& [name, shape] : tensors) {
        const auto id = one.graph.addInput({name, shape, ElementType::Fp32, -1, {}});
        if (!id)
            qFatal("%s", id.error().text().c_str());
        op.inputs.push_back(id.value());
        if (std::isupper(name[0]))
            notes.parameters.insert(id.value());
    }
    op.name = "out";
    if (const auto added = one.graph.addOp(std::move(op)); !added)
        qFatal("%s", added.error().text().c_str());
    one.placed = placedGraphOf(one.graph, notes).value();
    return one;
}

GraphOp opOf(GraphOpKind kind)
{
    GraphOp op;
    op.kind = kind;
    return op;
}

GraphOp einsumOf(std::vector<std::string> letters)
{
    GraphOp op = opOf(GraphOpKind::Einsum);
    op.letters = std::move(letters);
    return op;
}

/// Boundaries of the parts of a dimension, in groups as its units say; parts of nothing among them.
std::vector<std::int64_t> boundaries(std::int64_t length, std::int64_t units, const std::vector<std::int64_t>& cuts)
{
    std::vector<std::int64_t> out;
    // The same share of the units of every dimension, so that joined dimensions are cut alike.
    for (const std::int64_t cutAt : cuts)
        out.push_back(std::min(cutAt, units) * (length / units));
    out.front() = 0;
    out.back() = length;
    return out;
}

std::vector<Numbers> partsOf(const PlacedTensor& tensor, const Numbers& whole, Property property, const std::vector<std::int64_t>& cuts, std::mt19937_64& random)
{
    std::vector<Numbers> parts(cuts.size() - 1, whole);
    if (property.isGather()) {
        const auto dim = static_cast<std::size_t>(property.dim());
        const std::vector<std::int64_t> at = boundaries(tensor.shape[dim], tensor.units[dim], cuts);
        for (std::size_t j = 0; j < parts.size(); ++j)
            parts[j] = cut(whole, property.dim(), at[j], at[j + 1]);
    } else if (property.isReduce()) {
        for (std::size_t i = 0; i < whole.values.size(); ++i) {
            std::int64_t left = whole.values[i];
            for (std::size_t j = 1; j < parts.size(); ++j) {
                parts[j].values[i] = static_cast<std::int64_t>(random() % 11) - 5;
                left -= parts[j].values[i];
            }
            parts[0].values[i] = left;
        }
    }
    return parts;
}

/// Do the results of the devices have the property, of the whole result?
bool holds(const PlacedTensor& tensor, const Numbers& whole, Property property, const std::vector<Numbers>& parts, const std::vector<std::int64_t>& cuts)
{
    if (property.isIdentity())
        return std::all_of(parts.begin(), parts.end(), [&](const Numbers& part) { return part == whole; });
    if (property.isReduce()) {
        Numbers sum = zeros(whole.shape);
        for (const Numbers& part : parts) {
            if (part.shape != whole.shape)
                return false;
            for (std::size_t i = 0; i < sum.values.size(); ++i)
                sum.values[i] += part.values[i];
        }
        return sum == whole;
    }
    const auto dim = static_cast<std::size_t>(property.dim());
    const std::vector<std::int64_t> at = boundaries(tensor.shape[dim], tensor.units[dim], cuts);
    for (std::size_t j = 0; j < parts.size(); ++j) {
        if (parts[j] != cut(whole, property.dim(), at[j], at[j + 1]))
            return false;
    }
    return true;
}

/// Runs one rule on the devices; an empty text: it is sound.
QString brokenRule(const OneOp& one, const PlacementRule& rule, const std::vector<std::int64_t>& cuts, std::mt19937_64& random)
{
    const GraphOp& op = one.graph.ops[0];
    const std::vector<PlacedTensor>& tensors = one.placed.tensors;
    const std::size_t out = tensors.size() - 1;
    std::vector<Numbers> whole;
    for (std::size_t t = 0; t < out; ++t) {
        whole.push_back(zeros(tensors[t].shape));
        for (std::int64_t& value : whole.back().values)
            value = static_cast<std::int64_t>(random() % 15) - 7;
    }
    const std::int64_t rows = tensors[0].shape.empty() ? 1 : tensors[0].shape[0];
    const Numbers expected = compute(op, whole, tensors[out].shape, 0, rows);
    std::vector<std::vector<Numbers>> parts;
    for (std::size_t i = 0; i < out; ++i)
        parts.push_back(partsOf(tensors[i], whole[i], rule.needs[i], cuts, random));
    std::vector<Numbers> results;
    for (std::size_t j = 0; j + 1 < cuts.size(); ++j) {
        std::vector<Numbers> own;
        for (const std::vector<Numbers>& each : parts)
            own.push_back(each[j]);
        std::vector<std::int64_t> shape = tensors[out].shape;
        if (rule.makes.isGather()) {
            const auto dim = static_cast<std::size_t>(rule.makes.dim());
            const std::vector<std::int64_t> at = boundaries(shape[dim], tensors[out].units[dim], cuts);
            shape[dim] = at[j + 1] - at[j];
        }
        const std::int64_t first = op.kind == GraphOpKind::Gather && rule.needs[0] == Property::gather(0) ? boundaries(rows, tensors[0].units[0], cuts)[j] : 0;
        results.push_back(compute(op, own, shape, first, rows));
    }
    if (holds(tensors[out], expected, rule.makes, results, cuts))
        return {};
    QString text = QString("%1:").arg(QString::fromStdString(std::string(wordOf(op.kind))));
    for (const Property need : rule.needs)
        text += QString(" {%1}").arg(QString::fromStdString(need.text()));
    return text + QString(" -> %1").arg(QString::fromStdString(rule.makes.text()));
}

std::vector<OneOp> allOps()
{
    std::vector<OneOp> ops;
    ops.push_back(oneOp({{"x", {6, 4}}, {"W", {4, 8}}}, einsumOf({"bk", "kn", "bn"})));
    ops.push_back(oneOp({{"x", {2, 6, 4}}, {"W", {4, 8}}}, einsumOf({"bsm", "mh", "bsh"})));
    ops.push_back(oneOp({{"x", {2, 6, 4}}, {"y", {2, 5, 4}}}, einsumOf({"bqd", "bkd", "bqk"})));
    ops.push_back(oneOp({{"x", {2, 6, 3}}, {"m", {2, 6, 4, 2}}}, einsumOf({"bsd", "bsec", "becd"})));
    ops.push_back(oneOp({{"x", {6, 4}}}, einsumOf({"ab", "b"})));
    for (const GraphOpKind kind : {GraphOpKind::Add, GraphOpKind::Sub, GraphOpKind::Mul}) {
        ops.push_back(oneOp({{"x", {6, 4}}, {"y", {6, 4}}}, opOf(kind)));
        ops.push_back(oneOp({{"x", {6, 4}}, {"B", {4}}}, opOf(kind)));
        ops.push_back(oneOp({{"x", {6, 4}}, {"y", {6, 1}}}, opOf(kind)));
    }
    ops.push_back(oneOp({{"x", {6, 4}}}, opOf(GraphOpKind::Relu)));
    for (const ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max}) {
        GraphOp op = opOf(GraphOpKind::Reduce);
        op.reduce = kind;
        op.dims = {1};
        ops.push_back(oneOp({{"x", {6, 4, 3}}}, op));
    }
    for (const auto& [from, to] : std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{
             {{4, 6}, {24}}, {{24}, {4, 6}}, {{4, 6, 5}, {24, 5}}, {{6, 4}, {4, 6}}, {{6, 8}, {6, 2, 4}}, {{2, 3, 4}, {6, 4}}}) {
        GraphOp op = opOf(GraphOpKind::Reshape);
        op.shape = to;
        ops.push_back(oneOp({{"x", from}}, op));
    }
    GraphOp transpose = opOf(GraphOpKind::Transpose);
    transpose.dims = {2, 0, 1};
    ops.push_back(oneOp({{"x", {6, 4, 3}}}, transpose));
    GraphOp sort = opOf(GraphOpKind::Sort);
    sort.dim = 1;
    ops.push_back(oneOp({{"x", {6, 4}}}, sort));
    ops.push_back(oneOp({{"T", {10, 4}}, {"ids", {6}}}, opOf(GraphOpKind::Gather)));
    return ops;
}

std::vector<PlacementRule> rulesOf(const OneOp& one, const TheoryOptions& options = {})
{
    return backgroundTheory(one.placed, options).front();
}

bool hasRule(const std::vector<PlacementRule>& rules, const std::vector<Property>& needs, Property makes, RuleWord word)
{
    return std::any_of(rules.begin(), rules.end(), [&](const PlacementRule& rule) { return rule.needs == needs && rule.makes == makes && rule.word == word; });
}

} // namespace

class TstPlacementTheory : public QObject {
    Q_OBJECT

private slots:
    void everyRuleIsSoundOnUnevenParts()
    {
        std::mt19937_64 random(seeded(1));
        // Cuts in groups of each dimension: two and three devices, one of them may own nothing.
        const std::vector<std::vector<std::int64_t>> allCuts{{0, 1, 99}, {0, 2, 99}, {0, 1, 3, 99}, {0, 0, 2, 99}, {0, 2, 2, 99}};
        int run = 0;
        for (const OneOp& one : allOps()) {
            for (const PlacementRule& rule : rulesOf(one)) {
                for (const auto& cuts : allCuts) {
                    const QString broken = brokenRule(one, rule, cuts, random);
                    QVERIFY2(broken.isEmpty(), qPrintable(broken));
                    ++run;
                }
            }
        }
        QVERIFY(run > 300);
    }

    void aLinearOpHasBatchColumnAndRowRules()
    {
        const OneOp linear = oneOp({{"x", {6, 4}}, {"W", {4, 8}}}, einsumOf({"bk", "kn", "bn"}));
        const std::vector<PlacementRule> rules = rulesOf(linear);
        const Property whole = Property::identity();
        QVERIFY(hasRule(rules, {Property::gather(0), whole}, Property::gather(0), RuleWord::Batch));
        QVERIFY(hasRule(rules, {whole, Property::gather(1)}, Property::gather(1), RuleWord::Column));
        QVERIFY(hasRule(rules, {Property::gather(1), Property::gather(0)}, Property::reduce(), RuleWord::Row));
        QVERIFY(hasRule(rules, {whole, whole}, whole, RuleWord::Replicated));
        QVERIFY(hasRule(rules, {Property::gather(0), whole}, Property::gather(0), RuleWord::SufficientFactor));
        QCOMPARE(rules.size(), std::size_t{5});
    }

    void rowAndSufficientFactorRulesAreSwitched()
    {
        const OneOp linear = oneOp({{"x", {6, 4}}, {"W", {4, 8}}}, einsumOf({"bk", "kn", "bn"}));
        TheoryOptions options;
        options.rowParallel = options.sufficientFactor = false;
        for (const PlacementRule& rule : rulesOf(linear, options))
            QVERIFY(rule.word != RuleWord::Row && rule.word != RuleWord::SufficientFactor);
        // A sum over what is no parameter belongs to the published rules.
        const OneOp scores = oneOp({{"x", {2, 6, 4}}, {"y", {2, 5, 4}}}, einsumOf({"bqd", "bkd", "bqk"}));
        QVERIFY(hasRule(rulesOf(scores, options), {Property::gather(2), Property::gather(2)}, Property::reduce(), RuleWord::Row));
    }

    void anOpThatNeedsItsWholeLineIsNeverSplitAlongIt()
    {
        GraphOp softmax = opOf(GraphOpKind::Softmax);
        softmax.dim = 1;
        const OneOp one = oneOp({{"x", {6, 4}}}, softmax);
        for (const PlacementRule& rule : rulesOf(one)) {
            QVERIFY(rule.needs[0] != Property::gather(1));
            QVERIFY(!rule.needs[0].isReduce());
        }
    }

    void aMaximumLeavesNoAddends()
    {
        GraphOp op = opOf(GraphOpKind::Reduce);
        op.reduce = ReduceKind::Max;
        op.dims = {1};
        for (const PlacementRule& rule : rulesOf(oneOp({{"x", {6, 4}}}, op)))
            QVERIFY(!rule.makes.isReduce());
    }

    void computationIsSharedWhereTheOpIsSplit()
    {
        const OneOp linear = oneOp({{"x", {6, 4}}, {"W", {4, 8}}}, einsumOf({"bk", "kn", "bn"}));
        // 2 * 6 * 4 * 8 forward, twice that backward; with sufficient factors a third is done by everyone.
        for (const PlacementRule& rule : rulesOf(linear)) {
            QCOMPARE(rule.shared + rule.whole, 1152.0);
            QCOMPARE(rule.whole, rule.word == RuleWord::Replicated ? 1152.0 : rule.word == RuleWord::SufficientFactor ? 384.0 : 0.0);
        }
    }

    void dimensionsThatAreJoinedAreCutBetweenTheSameGroups()
    {
        GraphOp op = opOf(GraphOpKind::Reshape);
        op.shape = {4, 6};
        const OneOp one = oneOp({{"x", {24}}}, op);
        // 24 elements become 4 rows of 6, so they are cut between 4 groups of 6.
        QCOMPARE(one.placed.tensors[0].units[0], std::int64_t{4});
        QCOMPARE(one.placed.tensors[1].units[0], std::int64_t{4});
        QCOMPARE(one.placed.tensors[1].units[1], std::int64_t{6});
    }
};

FABRICSCOPE_TEST(TstPlacementTheory)
#include "tst_placement_theory.moc"
