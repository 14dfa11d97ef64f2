#include "core/sharding/stablehlo/hloreader.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/sharding/stablehlo/deviceregion.h"
#include "core/sharding/stablehlo/hloops.h"
#include "core/sharding/stablehlo/unusedops.h"

#include <algorithm>
#include <charconv>

namespace fabricscope::mlir {

namespace {

constexpr int kMostCalls = 32;                           ///< One inside another.
constexpr std::size_t kMostSteps = 8 * OpGraph::kMaxOps; ///< Ops and operands of the text, those of a function once per call.

/// Also as portable programs call it: stablehlo.custom_call @mhlo.topk.
bool isTopK(const Operation& op)
{
    const auto target = op.attributes.find("call_target_name");
    const bool called = hloWord(op.name) == "custom_call" && (target != op.attributes.end() ? target->second.text == "\"mhlo.topk\"" : !op.words.empty() && op.words[0].text == "@mhlo.topk");
    return called || hloWord(op.name) == "top_k";
}

/// Uses of names in a region and those inside of it. \returns ops and operands.
std::size_t countUses(const Region& region, std::map<std::string, int, std::less<>>& uses)
{
    std::size_t steps = 0;
    for (const Operation& op : region.ops) {
        steps += 1 + op.operands.size();
        for (const std::string& operand : op.operands)
            ++uses[operand];
        for (const Region& inner : op.regions)
            steps += countUses(inner, uses);
    }
    return steps;
}

/// Tuples as their elements.
HloOperands flattened(const HloOperands& values)
{
    HloOperands flat;
    for (const HloValue& value : values) {
        const HloOperands inner = value.isTuple() ? flattened(value.parts) : HloOperands{value};
        flat.insert(flat.end(), inner.begin(), inner.end());
    }
    return flat;
}

/// Ops that may take tuples.
bool takesTuples(std::string_view name)
{
    const std::string_view word = hloWord(name);
    return word == "tuple" || word == "get_tuple_element" || word == "optimization_barrier" || name.ends_with("return");
}

} // namespace

HloReader::HloReader(const Module& module, const NamedMeshes& named, const Tilings& tilings, const std::string& file, ShardProblem& problem, const std::stop_token& stop)
    : m_named(named), m_tilings(tilings), m_file(file), m_problem(problem), m_stop(stop)
    , m_builder(problem.graph, problem.mesh, [this](TensorId tensor, const PerDevice& of) {
        m_annotated.insert(tensor);
        m_problem.annotations.push_back(layoutOf(m_builder, tensor, of, m_problem.graph.tensor(tensor).shape.size()));
    })
{
    for (const Function& function : module.functions)
        m_functions.emplace(function.name, &function);
}

Status HloReader::read(const Function& main)
{
    HloOperands arguments;
    for (const Argument& argument : main.arguments)
        arguments.push_back(input(argument));
    std::vector<HloValue> results;
    if (!m_builder.failed())
        results = body(main.arguments, main.body, "function " + main.name, main.place, arguments, {});
    results = flattened(results);
    for (std::size_t i = 0; i < results.size() && results.size() == main.results.size() && !m_builder.failed(); ++i) {
        if (const Span* sharding = shardingOf(main.results[i].attributes))
            result(results[i], *sharding, i);
    }
    m_problem.groups = m_groups.all();
    std::set<TensorId> kept;
    for (const HloOperands& values : {arguments, results}) {
        for (const HloValue& value : values)
            kept.insert(value.tensor);
    }
    if (!m_builder.failed() && !m_builder.bypassed().empty())
        dropUnused(m_problem, m_builder.bypassed(), kept);
    return m_builder.failed() ? Status(m_builder.takeError()) : Status();
}

HloValue HloReader::input(const Argument& argument)
{
    if (!argument.type.tensor) {
        m_builder.setError(Error{ErrorCode::Unsupported, "argument " + argument.name + " is no tensor", argument.place, "such as tensor<8x16xf32>"});
        return {};
    }
    const Result<TensorId> id = m_problem.graph.addInput({argument.name, argument.type.shape, argument.type.element, -1, argument.place});
    if (!id) {
        m_builder.setError(id.error());
        return {};
    }
    if (const Span* sharding = shardingOf(argument.attributes))
        annotate(id.value(), *sharding);
    return {id.value(), false, argument.type.shape, {}};
}

std::pair<std::string_view, std::optional<std::size_t>> HloScope::nameAndIndex(std::string_view operand)
{
    const std::size_t hash = operand.find('#');
    if (hash == std::string_view::npos)
        return {operand, 0};
    std::size_t index = 0;
    const auto [end, problem] = std::from_chars(operand.data() + hash + 1, operand.data() + operand.size(), index);
    const bool number = problem == std::errc{} && end == operand.data() + operand.size();
    return {operand.substr(0, hash), number ? std::optional(index) : std::nullopt};
}

const std::vector<HloValue>* HloScope::find(std::string_view name) const
{
    for (const HloScope* scope = this; scope; scope = scope->outer) {
        if (const auto found = scope->values.find(name); found != scope->values.end())
            return &found->second;
    }
    return nullptr;
}

bool HloScope::usesResult(const Operation& op, int index) const
{
    for (const auto& [name, count] : op.results) {
        if (index < count)
            return uses.contains(count == 1 ? name : name + "#" + std::to_string(index));
        index -= count;
    }
    return false;
}

std::vector<HloValue> HloReader::body(const std::vector<Argument>& names, const Region& region, const std::string& what, const Place& place, const HloOperands& arguments, HloScope scope)
{
    for (std::size_t i = 0; i < names.size() && i < arguments.size(); ++i)
        scope.values[names[i].name] = {arguments[i]};
    m_steps += countUses(region, scope.uses);
    for (const Operation& op : region.ops) {
        checkStop(m_stop);
        m_builder.begin(op, scope.prefix);
        if (m_steps > kMostSteps)
            m_builder.fail(ErrorCode::InvalidInput, "there are too many ops", "at most " + std::to_string(kMostSteps));
        HloOperands in = operandsOf(op, scope);
        if (m_builder.failed())
            return {};
        if (hloWord(op.name) == "return" || op.name == "func.return" || op.name == "sdy.return")
            return in;
        std::vector<HloValue> made = valuesOf(op, in, scope);
        if (m_builder.failed())
            return {};
        bind(op, std::move(made), scope);
    }
    m_builder.setError(Error{ErrorCode::InvalidInput, what + " has no return", place, {}});
    return {};
}

HloOperands HloReader::operandsOf(const Operation& op, const HloScope& scope)
{
    HloOperands in;
    for (const std::string& operand : op.operands) {
        const auto [name, index] = HloScope::nameAndIndex(operand);
        const std::vector<HloValue>* const found = scope.find(name);
        if (!found || !index || *index >= found->size())
            m_builder.fail(ErrorCode::InvalidInput, operand + " is not known here", "an argument, or a result of an op further up");
        else
            in.push_back((*found)[*index]);
        if (!m_builder.failed() && in.back().isTuple()) {
            if (!takesTuples(op.name))
                m_builder.refuse("takes the tuple " + operand, "tensors");
        } else if (!m_builder.failed() && in.back().tensor < 0) {
            m_builder.refuse(operand + " is the second result of an op of which only the first is read");
        }
    }
    return in;
}

void HloReader::bind(const Operation& op, std::vector<HloValue> made, HloScope& scope)
{
    std::size_t next = 0;
    for (const auto& [name, count] : op.results) {
        if (scope.values.contains(name))
            return m_builder.fail(ErrorCode::InvalidInput, name + " has a value further up", "a name of its own");
        std::vector<HloValue>& list = scope.values[name];
        for (int i = 0; i < count; ++i)
            list.push_back(next < made.size() ? made[next++] : HloValue{});
    }
}

std::vector<HloValue> HloReader::valuesOf(const Operation& op, const HloOperands& in, HloScope& scope)
{
    if (op.name == "func.call" || hloWord(op.name) == "composite")
        return sharded(op, call(op, in, scope));
    if (hloWord(op.name) == "optimization_barrier")
        return in;
    if (hloWord(op.name) == "tuple" || hloWord(op.name) == "get_tuple_element")
        return {tupleOp(op, in)};
    if (op.name == "sdy.manual_computation")
        return manualComputation(op, in, scope);
    if (op.name == "sdy.named_computation")
        return sharded(op, namedComputation(op, in, scope));
    if (hloWord(op.name) == "while")
        return sharded(op, loop(op, in, scope));
    if (hloWord(op.name) == "if" || hloWord(op.name) == "case")
        return sharded(op, branches(op, in, scope));
    if (op.name == "sdy.sharding_group") {
        group(op, in, scope);
        return {};
    }
    if (isForeignCall(op) && !isTopK(op))
        return sharded(op, readForeignCall(m_builder, in, m_problem.notes));
    if (op.results.empty()) {
        m_builder.fail(ErrorCode::InvalidInput, "its result has no name", "such as %0 = " + op.name);
        return {};
    }
    if (op.resultTypes.empty() || !op.resultTypes.front().tensor) {
        m_builder.fail(ErrorCode::InvalidInput, "its result is no tensor", "a type behind \":\"");
        return {};
    }
    if (isCollectiveWord(hloWord(op.name)))
        return sharded(op, readCollective(m_builder, hloWord(op.name), in, m_manual));
    if (op.name == "sdy.propagation_barrier")
        return {barrier(op, in)};
    const bool custom = hloWord(op.name) == "custom_call" && !isTopK(op);
    if (custom || isShardingOp(op.name)) {
        const bool alone = in.size() == 1 && scope.uses.find(op.operands[0])->second == 1 && scope.prefix.empty();
        return {constraint(op, in, custom, alone)};
    }
    if (hloWord(op.name) == "batch_norm_training")
        return sharded(op, readBatchNormTraining(m_builder, in));
    if (hloWord(op.name) == "rng_bit_generator")
        return sharded(op, readRandomBits(m_builder));
    if (isTopK(op)) // Where nobody asks for the indices nothing has to carry them.
        return sharded(op, scope.usesResult(op, 1) ? readTopKAndIndices(m_builder, in) : std::vector<HloValue>{readTopK(m_builder, in), HloValue{}});
    if (hloWord(op.name) == "sort" && in.size() > 1 && in.size() <= 8)
        return sharded(op, readSortTogether(m_builder, in));
    if (hloWord(op.name) == "reduce" && in.size() > 2 && in.size() % 2 == 0)
        return sharded(op, readReduceTogether(m_builder, in));
    const HloOpRow* const row = hloOpRow(op.name);
    if (row && (in.size() < row->least || in.size() > row->most)) {
        m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", std::to_string(row->least) + (row->most > row->least ? " or more" : ""));
        return {};
    }
    return sharded(op, {row ? row->read(m_builder, in, m_problem.notes) : readElementFunction(m_builder, hloWord(op.name), in)});
}

HloValue HloReader::tupleOp(const Operation& op, const HloOperands& in)
{
    if (hloWord(op.name) == "tuple") {
        HloValue tuple;
        tuple.parts = in;
        if (in.empty())
            m_builder.refuse("has no elements", "a tuple of one or more");
        return tuple;
    }
    const auto word = std::ranges::find_if(op.words, [](const Span& span) { return span.text.starts_with("["); });
    const auto listed = word == op.words.end() ? std::nullopt : integersOf(word->text);
    const std::int64_t index = listed && listed->size() == 1 ? listed->front() : m_builder.integer("index", -1);
    if (in.size() != 1 || !in[0].isTuple() || index < 0 || index >= std::ssize(in[0].parts)) {
        m_builder.fail(ErrorCode::InvalidInput, "takes element " + std::to_string(index) + " of no tuple, or of one that has it not", "such as %0[1]");
        return {};
    }
    return in[0].parts[static_cast<std::size_t>(index)];
}

std::vector<HloValue> HloReader::call(const Operation& op, const HloOperands& in, const HloScope& scope)
{
    const auto word = std::ranges::find_if(op.words, [](const Span& span) { return span.text.starts_with("@"); });
    const auto attribute = op.attributes.find(op.name == "func.call" ? "callee" : "decomposition");
    std::string_view name = word != op.words.end() ? word->text : attribute != op.attributes.end() ? attribute->second.text : std::string_view();
    if (name.starts_with("@"))
        name.remove_prefix(1);
    const auto found = m_functions.find(name);
    const Function* const callee = found == m_functions.end() ? nullptr : found->second;
    if (!callee)
        m_builder.fail(ErrorCode::InvalidInput, "no function is named @" + fabricscope::shownText(name, 80), "a function of the module with a body");
    else if (callee->arguments.size() != in.size())
        m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", std::to_string(callee->arguments.size()) + ", as @" + callee->name + " has");
    else if (scope.depth >= kMostCalls)
        m_builder.refuse("calls are nested too deep", "at most " + std::to_string(kMostCalls));
    if (m_builder.failed())
        return {};
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (callee->arguments[i].type.shape != in[i].shape)
            m_builder.fail(ErrorCode::InvalidInput, "operand " + std::to_string(i) + " is " + shapeText(in[i].shape), fabricscope::shownText(callee->arguments[i].type.text.text, 80));
    }
    const std::string prefix = callee->name + "." + std::to_string(++m_calls) + ":";
    if (m_builder.failed())
        return {};
    std::vector<HloValue> results = body(callee->arguments, callee->body, "function " + callee->name, callee->place, in, {prefix, scope.depth + 1, nullptr, {}, {}});
    m_builder.begin(op, scope.prefix);
    if (results.size() != op.resultTypes.size())
        m_builder.fail(ErrorCode::InvalidInput, "@" + callee->name + " returns " + std::to_string(results.size()) + " values", std::to_string(op.resultTypes.size()));
    return results;
}

} // namespace fabricscope::mlir
