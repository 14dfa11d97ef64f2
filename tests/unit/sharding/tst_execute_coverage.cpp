// What random problems meet: every combination of op class, type of a factor, how it is served, and even or uneven that the rules of partitioning allow.
#include "core/model/graph/opfactors.h"
#include "core/sharding/execute/prove.h"
#include "core/sharding/partition/partition.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/shardcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::string classOf(const GraphOp& op)
{
    if (isElementwise(op.kind))
        return "elementwise";
    switch (op.kind) {
    case GraphOpKind::Broadcast:
    case GraphOpKind::Transpose:
    case GraphOpKind::Reshape:
    case GraphOpKind::Einsum:
    case GraphOpKind::Reduce:
    case GraphOpKind::Conv:
    case GraphOpKind::Gather:
    case GraphOpKind::ScatterAdd:
        return std::string(wordOf(op.kind));
    case GraphOpKind::Pool:
    case GraphOpKind::Slice:
    case GraphOpKind::Pad:
    case GraphOpKind::Concat:
    case GraphOpKind::Reverse:
        return "pool, slice, pad, concat, reverse";
    case GraphOpKind::Softmax:
    case GraphOpKind::LayerNorm:
    case GraphOpKind::Sort:
    case GraphOpKind::TopK:
    case GraphOpKind::CumSum:
    case GraphOpKind::Opaque:
        return "sort, top_k, cumsum, softmax, layer_norm, opaque";
    default:
        return {}; // Gradients are like what they are of.
    }
}

/// A class, the types its factors have (opfactors.h), and ops of it to draw.
struct OpClass {
    std::string name;
    std::vector<FactorType> types;
    std::vector<GraphOpKind> kinds;
};

const std::vector<OpClass>& opClasses()
{
    using enum FactorType;
    using enum GraphOpKind;
    static const std::vector<OpClass> list = {{"elementwise", {PassThrough}, {Add, Select, Gelu, Dropout}}, {"broadcast", {PassThrough}, {Broadcast}}, {"transpose", {PassThrough}, {Transpose}},
        {"reshape", {PassThrough, NeedReplication}, {Reshape}}, {"einsum", {PassThrough, FactorType::Reduction}, {Einsum}}, {"reduce", {PassThrough, FactorType::Reduction}, {Reduce}},
        {"conv", {PassThrough, FactorType::Reduction, Permutation, NeedReplication}, {Conv}},
        {"pool, slice, pad, concat, reverse", {PassThrough, Permutation}, {Pool, Slice, Pad, Concat, Reverse}}, {"gather", {PassThrough, FactorType::Reduction}, {Gather}},
        {"scatter_add", {PassThrough, FactorType::Reduction}, {ScatterAdd}},
        {"sort, top_k, cumsum, softmax, layer_norm, opaque", {PassThrough, NeedReplication}, {Sort, TopK, CumSum, Softmax, LayerNorm, Opaque}}};
    return list;
}

constexpr std::string_view kServed[] = {"nothing", "slice", "permute", "all_to_all", "all_gather", "halo_exchange", "all_reduce", "reduce_scatter"};

/// The rule by which a combination cannot be; empty: it can.
std::string_view whyImpossible(const std::string& opClass, FactorType type, std::string_view served)
{
    const bool reducing = served == "all_reduce" || served == "reduce_scatter";
    if (reducing && type != FactorType::Reduction)
        return "only a reduction leaves partial results";
    if (served == "halo_exchange" && type != FactorType::Permutation)
        return "only a permutation needs neighbours";
    if (type == FactorType::NeedReplication && served == "nothing")
        return "the op cannot run on parts of the dim";
    if (type == FactorType::NeedReplication && opClass == "conv" && served == "slice")
        return "the window of a kernel is in no result that could ask for a part";
    return {};
}

/// Is a combination met too seldom to be asked for 50 times? Of a dim that is in one tensor alone no other asks for a layout, and joining results moves no more than gathering
/// parts: it takes annotations that cut a result into more parts than it has elements, or parts that do not line up. A dim that is to be whole is permuted only on a longer way.
bool isSeldom(const std::string& opClass, FactorType type, std::string_view served)
{
    if (type == FactorType::NeedReplication)
        return served == "permute";
    if (type != FactorType::Reduction || (opClass != "reduce" && opClass != "gather"))
        return false;
    return served == "permute" || (opClass == "reduce" && (served == "slice" || served == "all_gather"));
}

std::string_view wordOfFactor(FactorType type)
{
    constexpr std::string_view kWords[] = {"pass-through", "reduction", "permutation", "need-replication"};
    return kWords[static_cast<std::size_t>(type)];
}

using Combination = std::string;

Combination combinationOf(const std::string& opClass, FactorType type, std::string_view served, bool even)
{
    return opClass + " | " + std::string(wordOfFactor(type)) + " | " + std::string(served) + (even ? " | even" : " | uneven");
}

/// What of one op is cut, and which steps serve it.
class OpCoverage {
public:
    OpCoverage(const PartitionedProgram& program, OpId id, std::set<Combination>& met) : m_program(program), m_op(program.graph.op(id)), m_id(id), m_rule(factorsOf(program.graph, m_op)), m_met(met) {}

    void note()
    {
        if (classOf(m_op).empty())
            return;
        for (const ProgramStep& step : m_program.steps) {
            if (step.op == m_id && step.kind == StepKind::Local)
                noteLocal(step);
            else if (step.op == m_id && isCollective(step.kind))
                noteServed(step);
        }
    }

private:
    void add(FactorType type, std::string_view served, bool even) { m_met.insert(combinationOf(classOf(m_op), type, served, even)); }

    bool even(const ProgramValue& value, std::size_t dim) const { return value.shape[dim] % shardsOf(value.layout.dims[dim]) == 0; }

    /// Types of the factors that `shards` parts of a dim cut: major ones first.
    std::set<FactorType> typesAt(std::size_t tensor, std::size_t dim, std::int64_t shards) const
    {
        std::set<FactorType> types;
        for (const int id : m_rule.dims[tensor][dim]) {
            const OpFactor& factor = m_rule.factors[static_cast<std::size_t>(id)];
            if (shards > 1)
                types.insert(factor.type);
            shards = shards % factor.size == 0 ? shards / factor.size : 1;
        }
        return types;
    }

    void noteLocal(const ProgramStep& step)
    {
        for (std::size_t t = 0; t <= step.in.size() && t < m_rule.dims.size(); ++t) {
            const ProgramValue& value = m_program.value(t < step.in.size() ? step.in[t] : step.out);
            for (std::size_t d = 0; d < m_rule.dims[t].size() && d < value.shape.size(); ++d) {
                for (const FactorType type : typesAt(t, d, shardsOf(value.layout.dims[d]))) {
                    add(type, "nothing", even(value, d));
                    m_evenReduction = m_evenReduction && (type != FactorType::Reduction || even(value, d));
                }
            }
        }
    }

    void noteServed(const ProgramStep& step)
    {
        const ProgramValue& from = m_program.value(step.in[0]);
        const ProgramValue& to = m_program.value(step.out);
        const bool reduces = std::ranges::any_of(m_rule.factors, [](const OpFactor& f) { return f.type == FactorType::Reduction; });
        if (step.kind == StepKind::AllReduce || step.kind == StepKind::ReduceScatter) {
            if (from.tensor == m_op.output && reduces)
                add(FactorType::Reduction, wordOf(step.kind), m_evenReduction);
            return;
        }
        const auto dim = static_cast<std::size_t>(step.dim);
        for (std::size_t t = 0; t < m_rule.dims.size(); ++t) {
            if ((t < m_op.inputs.size() ? m_op.inputs[t] : m_op.output) != from.tensor)
                continue;
            const ProgramValue& cut = shardsOf(from.layout.dims[dim]) > 1 ? from : to;
            for (const FactorType type : typesAt(t, dim, shardsOf(cut.layout.dims[dim])))
                add(type, wordOf(step.kind), even(cut, dim));
        }
    }

    const PartitionedProgram& m_program;
    const GraphOp& m_op;
    OpId m_id;
    OpFactors m_rule;
    std::set<Combination>& m_met;
    bool m_evenReduction = true;
};

} // namespace

class TestExecuteCoverage : public QObject {
    Q_OBJECT

private slots:
    void problemsMeetEveryCombinationTheRulesAllow()
    {
        const int wanted = cases(50, 3);
        int tooFew = 0;
        std::uint64_t seed = seeded(40'000);
        for (const OpClass& opClass : opClasses()) {
            std::map<Combination, int> proven;
            std::map<Combination, std::string_view> impossible;
            std::set<Combination> missing;
            for (const FactorType type : opClass.types) {
                for (const std::string_view served : kServed) {
                    for (const bool even : {true, false}) {
                        const Combination combination = combinationOf(opClass.name, type, served, even);
                        const std::string_view why = whyImpossible(opClass.name, type, served);
                        if (why.empty() && !isSeldom(opClass.name, type, served))
                            missing.insert(combination);
                        else if (!why.empty())
                            impossible.emplace(combination, why);
                    }
                }
            }
            int drawn = 0;
            for (; !missing.empty() && drawn < cases(100'000, 6000); ++drawn, ++seed) {
                ShardCaseOptions options{1, opClass.kinds[static_cast<std::size_t>(drawn) % opClass.kinds.size()], false, drawn % 4 != 0};
                const auto plan = partition(drawnShard(seed, options));
                QVERIFY(plan);
                const PartitionedProgram& program = plan.value().program;
                std::set<Combination> met;
                for (std::size_t op = 0; op < program.graph.ops.size(); ++op)
                    OpCoverage(program, static_cast<OpId>(op), met).note();
                for (const Combination& combination : met)
                    QVERIFY2(!impossible.contains(combination), (combination + ", seed " + std::to_string(seed)).c_str());
                if (std::ranges::none_of(met, [&](const Combination& combination) { return missing.contains(combination); }))
                    continue;
                const auto proof = proveByExecution(program, {}, seed);
                QVERIFY2(proof && proof.value().equal(), ("seed " + std::to_string(seed)).c_str());
                for (const Combination& combination : met) {
                    if (++proven[combination] >= wanted)
                        missing.erase(combination);
                }
            }
            std::fprintf(stderr, "%s: %d problems\n", opClass.name.c_str(), drawn);
            for (const auto& [combination, count] : proven)
                std::fprintf(stderr, "%6d %s\n", count, combination.c_str());
            for (const auto& [combination, why] : impossible)
                std::fprintf(stderr, "     - %s: %s\n", combination.c_str(), std::string(why).c_str());
            for (const Combination& combination : missing)
                std::fprintf(stderr, "too few: %s: %d of %d\n", combination.c_str(), proven[combination], wanted);
            tooFew += static_cast<int>(missing.size());
        }
        QCOMPARE(tooFew, 0);
    }
};

FABRICSCOPE_TEST(TestExecuteCoverage)
#include "tst_execute_coverage.moc"
