#include "core/sharding/stablehlo/readstablehlo.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/sharding/stablehlo/deviceregion.h"
#include "core/sharding/stablehlo/hloops.h"
#include "core/sharding/stablehlo/mlirscan.h"
#include "core/sharding/stablehlo/namedmeshes.h"
#include "core/sharding/stablehlo/tilings.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace fabricscope {

namespace {

using namespace mlir;

constexpr int kMostCalls = 32;                           ///< One inside another.
constexpr std::size_t kMostSteps = 8 * OpGraph::kMaxOps; ///< Ops and operands of the text, those of a function once per call.

/// Fills graph and annotations of a problem whose mesh is known.
class ProgramReader {
public:
    ProgramReader(const Module& module, const NamedMeshes& named, const Tilings& tilings, const std::string& file, ShardProblem& problem, const std::stop_token& stop)
        : m_named(named), m_tilings(tilings), m_file(file), m_problem(problem), m_stop(stop)
        , m_builder(problem.graph, problem.mesh, [this](TensorId tensor, const PerDevice& of) {
            m_annotated.insert(tensor);
            m_problem.annotations.push_back(layoutOf(m_builder, tensor, of, m_problem.graph.tensor(tensor).shape.size()));
        })
    {
        for (const Function& function : module.functions)
            m_functions.emplace(function.name, &function);
    }

    Status read(const Function& main)
    {
        HloOperands arguments;
        for (const Argument& argument : main.arguments)
            arguments.push_back(input(argument));
        std::vector<HloValue> results;
        if (!m_builder.failed())
            results = body(main, arguments, {}, 0);
        for (std::size_t i = 0; i < results.size() && i < main.results.size() && !m_builder.failed(); ++i) {
            if (const Span* sharding = shardingOf(main.results[i].attributes))
                result(results[i], *sharding, i);
        }
        return m_builder.failed() ? Status(m_builder.takeError()) : Status();
    }

private:
    using Values = std::map<std::string, std::vector<HloValue>, std::less<>>;

    static const Span* shardingOf(const Attributes& attributes)
    {
        auto found = attributes.find("sdy.sharding");
        if (found == attributes.end())
            found = attributes.find("mhlo.sharding");
        return found == attributes.end() ? nullptr : &found->second;
    }

    HloValue input(const Argument& argument)
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

    /// Values of the results of a function, its ops added.
    std::vector<HloValue> body(const Function& function, const HloOperands& arguments, const std::string& prefix, int depth)
    {
        return body(function.arguments, function.body, "function " + function.name, function.place, arguments, prefix, depth);
    }
    std::vector<HloValue> body(const std::vector<Argument>& names, const Region& region, const std::string& what, const Place& place, const HloOperands& arguments, const std::string& prefix, int depth)
    {
        Values values;
        for (std::size_t i = 0; i < names.size() && i < arguments.size(); ++i)
            values[names[i].name] = {arguments[i]};
        std::map<std::string, int, std::less<>> uses;
        for (const Operation& op : region.ops) {
            m_steps += 1 + op.operands.size();
            for (const std::string& operand : op.operands)
                ++uses[operand];
        }
        for (const Operation& op : region.ops) {
            checkStop(m_stop);
            m_builder.begin(op, prefix);
            if (m_steps > kMostSteps)
                m_builder.fail(ErrorCode::InvalidInput, "there are too many ops", "at most " + std::to_string(kMostSteps));
            HloOperands in = operandsOf(op, values);
            if (m_builder.failed())
                return {};
            if (hloWord(op.name) == "return" || op.name == "func.return" || op.name == "sdy.return")
                return in;
            std::vector<HloValue> made = valuesOf(op, in, uses, prefix, depth);
            if (m_builder.failed())
                return {};
            bind(op, std::move(made), values);
        }
        m_builder.setError(Error{ErrorCode::InvalidInput, what + " has no return", place, {}});
        return {};
    }

    HloOperands operandsOf(const Operation& op, const Values& values)
    {
        HloOperands in;
        for (const std::string& operand : op.operands) {
            const std::size_t hash = operand.find('#');
            const auto found = values.find(std::string_view(operand).substr(0, hash));
            const auto index = hash == std::string::npos ? std::optional(std::vector<std::int64_t>{0}) : integersOf(std::string_view(operand).substr(hash + 1));
            if (found == values.end() || !index || index->size() != 1 || index->front() < 0 || index->front() >= static_cast<std::int64_t>(found->second.size()))
                m_builder.fail(ErrorCode::InvalidInput, operand + " is not known here", "an argument, or a result of an op further up");
            else
                in.push_back(found->second[static_cast<std::size_t>(index->front())]);
            if (!m_builder.failed() && in.back().tensor < 0)
                m_builder.refuse(operand + " is the second result of an op of which only the first is read");
        }
        return in;
    }

    void bind(const Operation& op, std::vector<HloValue> made, Values& values)
    {
        std::size_t next = 0;
        for (const auto& [name, count] : op.results) {
            if (values.contains(name))
                return m_builder.fail(ErrorCode::InvalidInput, name + " has a value further up", "a name of its own");
            std::vector<HloValue>& list = values[name];
            for (int i = 0; i < count; ++i)
                list.push_back(next < made.size() ? made[next++] : HloValue{});
        }
    }

    std::vector<HloValue> valuesOf(const Operation& op, const HloOperands& in, const std::map<std::string, int, std::less<>>& uses, const std::string& prefix, int depth)
    {
        if (op.name == "func.call")
            return sharded(op, call(op, in, depth));
        if (hloWord(op.name) == "optimization_barrier")
            return in;
        if (op.name == "sdy.manual_computation")
            return manualComputation(op, in, depth);
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
        const bool custom = hloWord(op.name) == "custom_call";
        if (custom || isShardingOp(op.name)) {
            const bool alone = in.size() == 1 && uses.find(op.operands[0])->second == 1 && prefix.empty();
            return {constraint(op, in, custom, alone)};
        }
        const HloOpRow* const row = hloOpRow(op.name);
        if (row && (in.size() < row->least || in.size() > row->most)) {
            m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", std::to_string(row->least) + (row->most > row->least ? " or more" : ""));
            return {};
        }
        return sharded(op, {row ? row->read(m_builder, in, m_problem.notes) : readElementFunction(m_builder, hloWord(op.name), in)});
    }

    std::vector<HloValue> call(const Operation& op, const HloOperands& in, int depth)
    {
        const auto word = std::ranges::find_if(op.words, [](const Span& span) { return span.text.starts_with("@"); });
        const auto attribute = op.attributes.find("callee");
        std::string_view name = word != op.words.end() ? word->text : attribute != op.attributes.end() ? attribute->second.text : std::string_view();
        if (name.starts_with("@"))
            name.remove_prefix(1);
        const auto found = m_functions.find(name);
        const Function* const callee = found == m_functions.end() ? nullptr : found->second;
        if (!callee)
            m_builder.fail(ErrorCode::InvalidInput, "no function is named @" + fabricscope::shownText(name, 80), "a function of the module with a body");
        else if (callee->arguments.size() != in.size())
            m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", std::to_string(callee->arguments.size()) + ", as @" + callee->name + " has");
        else if (depth >= kMostCalls)
            m_builder.refuse("calls are nested too deep", "at most " + std::to_string(kMostCalls));
        if (m_builder.failed())
            return {};
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (callee->arguments[i].type.shape != in[i].shape)
                m_builder.fail(ErrorCode::InvalidInput, "operand " + std::to_string(i) + " is " + shapeText(in[i].shape), fabricscope::shownText(callee->arguments[i].type.text.text, 80));
        }
        const std::string prefix = callee->name + "." + std::to_string(++m_calls) + ":";
        std::vector<HloValue> results = m_builder.failed() ? std::vector<HloValue>{} : body(*callee, in, prefix, depth + 1);
        m_builder.begin(op, {});
        return results;
    }

    /// Axes of the mesh that stand in an attribute ("{"x", "y"}", "#sdy<manual_axes{"x"}>"), rising.
    std::vector<std::int32_t> axesNamed(const Span& text)
    {
        std::vector<std::int32_t> axes;
        std::string_view rest = text.text;
        for (std::size_t open = rest.find('"'); open != std::string_view::npos; open = rest.find('"')) {
            rest.remove_prefix(open);
            const std::size_t close = rest.find('"', 1);
            const auto name = close == std::string_view::npos ? std::nullopt : stringOf(rest.substr(0, close + 1));
            const auto axis = std::ranges::find(m_problem.mesh.axes, name.value_or(""), &MeshAxis::name);
            if (axis == m_problem.mesh.axes.end())
                m_builder.fail(ErrorCode::InvalidInput, "manual_axes names no axis of the mesh: " + fabricscope::shownText(rest, 40), "axes of the mesh");
            else
                axes.push_back(static_cast<std::int32_t>(axis - m_problem.mesh.axes.begin()));
            rest.remove_prefix(std::min(close == std::string_view::npos ? rest.size() : close + 1, rest.size()));
        }
        std::ranges::sort(axes);
        return axes;
    }

    /// The shardings of an attribute for so many tensors.
    std::vector<TensorAnnotation> layoutsOf(const Operation& op, std::string_view key, const std::vector<TensorShape>& shapes)
    {
        const auto found = op.attributes.find(key);
        const std::vector<Span> each = found == op.attributes.end() ? std::vector<Span>{} : found->second.text.starts_with("[") ? itemsOf(found->second) : shardingsOf(found->second);
        if (each.size() != shapes.size())
            m_builder.fail(ErrorCode::InvalidInput, std::string(key) + " has " + std::to_string(each.size()) + " shardings", std::to_string(shapes.size()));
        std::vector<TensorAnnotation> layouts;
        for (std::size_t i = 0; i < each.size() && !m_builder.failed(); ++i) {
            Result<TensorAnnotation> read = readSharding(each[i], m_named, m_problem.mesh, shapes[i].size(), m_file);
            if (!read)
                m_builder.setError(read.error());
            else if (!read.value().unreduced.empty())
                m_builder.refuse("an unreduced " + std::string(key) + " is not read", "sums made in the program");
            else
                layouts.push_back(std::move(read).value());
            if (!m_builder.failed() && !layouts.back().dims)
                layouts.back().dims.emplace(shapes[i].size());
        }
        return layouts;
    }

    std::function<void(TensorId)> layer(TensorAnnotation note)
    {
        return [this, note = std::move(note)](TensorId tensor) mutable {
            note.tensor = tensor;
            m_annotated.insert(tensor);
            m_problem.annotations.push_back(note);
        };
    }

    std::vector<HloValue> manualComputation(const Operation& op, const HloOperands& in, int depth)
    {
        if (!m_manual.empty())
            m_builder.refuse("stands inside of another", "one program per device at a time");
        if (op.regions.size() != 1 || op.regions[0].arguments.size() != in.size())
            m_builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", "as many as its region has arguments");
        std::vector<TensorShape> taken, given;
        for (const HloValue& value : in)
            taken.push_back(value.shape);
        for (const Type& type : op.resultTypes)
            given.push_back(type.shape);
        const auto named = op.attributes.find("manual_axes");
        const std::vector<std::int32_t> manual = named == op.attributes.end() ? std::vector<std::int32_t>{} : axesNamed(named->second);
        const std::vector<TensorAnnotation> enter = layoutsOf(op, "in_shardings", taken);
        const std::vector<TensorAnnotation> leave = layoutsOf(op, "out_shardings", given);
        HloOperands local;
        for (std::size_t i = 0; i < in.size() && !m_builder.failed(); ++i) {
            const Argument& argument = op.regions[0].arguments[i];
            local.push_back(enterRegion(m_builder, in[i], *enter[i].dims, manual, "." + argument.name, layer(enter[i])));
            if (!m_builder.failed() && local.back().shape != argument.type.shape)
                m_builder.fail(ErrorCode::InvalidInput, "argument " + argument.name + " comes out as " + shapeText(local.back().shape), fabricscope::shownText(argument.type.text.text, 80));
        }
        if (m_builder.failed())
            return {};
        const std::string name = m_builder.name();
        m_manual = manual;
        const std::vector<HloValue> results = body(op.regions[0].arguments, op.regions[0], "op " + name, op.place, local, name + ":", depth + 1);
        m_manual.clear();
        m_builder.begin(op, name.substr(0, name.size() - (op.results.empty() ? op.name : op.results.front().first).size()));
        if (results.size() != given.size())
            m_builder.fail(ErrorCode::InvalidInput, "returns " + std::to_string(results.size()) + " values", std::to_string(given.size()));
        std::vector<HloValue> made;
        for (std::size_t i = 0; i < results.size() && !m_builder.failed(); ++i)
            made.push_back(left(results[i], leave[i], manual, given[i], results.size() > 1 ? "#" + std::to_string(i) : ""));
        return made;
    }

    /// A value of the program per device as one of the whole.
    HloValue left(const HloValue& value, const TensorAnnotation& note, const std::vector<std::int32_t>& manual, const TensorShape& shape, const std::string& suffix)
    {
        TensorShape local = shape;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            for (const AxisPart& part : (*note.dims)[d])
                local[d] /= std::ranges::binary_search(manual, part.axis) ? part.size : 1;
        }
        if (value.shape != local) {
            m_builder.fail(ErrorCode::InvalidInput, "a device returns " + shapeText(value.shape) + " of " + shapeText(shape), shapeText(local));
            return {};
        }
        return leaveRegion(m_builder, value, *note.dims, manual, shape, suffix, layer(note), m_problem.notes);
    }

    /// custom_call @SPMDFullToShardShape and @SPMDShardToFullShape: in and out of a program per device, of all axes.
    HloValue regionCall(const Operation& op, const HloValue& value, bool in)
    {
        std::vector<std::int32_t> manual(m_problem.mesh.axes.size());
        std::iota(manual.begin(), manual.end(), 0);
        const std::size_t dims = in ? value.shape.size() : op.resultTypes[0].shape.size();
        TensorAnnotation note;
        if (const TensorAnnotation* const known = in ? m_problem.annotationOf(value.tensor) : nullptr)
            note = *known;
        if (const Span* const given = shardingOf(op.attributes); !in && given) {
            Result<TensorAnnotation> read = m_tilings.read(*given, m_problem.mesh, dims, m_file);
            if (!read)
                m_builder.setError(read.error());
            else
                note = std::move(read).value();
        }
        if (m_builder.failed())
            return {};
        if (!note.dims)
            note.dims.emplace(dims);
        note.closed.assign(dims, 1);
        note.priority.assign(dims, 0);
        if (!in)
            return left(value, note, manual, op.resultTypes[0].shape, {});
        m_manual = manual;
        const HloValue made = enterRegion(m_builder, value, *note.dims, manual, {}, layer(note));
        if (!m_builder.failed() && made.shape != op.resultTypes[0].shape)
            m_builder.fail(ErrorCode::InvalidInput, "comes out as " + shapeText(made.shape), fabricscope::shownText(op.resultTypes[0].text.text, 80));
        return made;
    }

    /// Annotates the results of an op by its attributes.
    std::vector<HloValue> sharded(const Operation& op, std::vector<HloValue> values)
    {
        const Span* const given = shardingOf(op.attributes);
        if (!given || isManual(*given) || m_builder.failed())
            return values;
        const std::vector<Span> each = shardingsOf(*given);
        if (each.size() != values.size()) {
            m_builder.fail(ErrorCode::InvalidInput, "has shardings of " + std::to_string(each.size()) + " results", std::to_string(values.size()));
            return values;
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            constrain(values[i], each[i], true, "#" + std::to_string(i));
        return values;
    }

    /// sdy.sharding_constraint and its like, custom_call @Sharding.
    HloValue constraint(const Operation& op, const HloOperands& in, bool custom, bool alone)
    {
        const Span* given = shardingOf(op.attributes);
        if (custom) {
            const auto target = op.attributes.find("call_target_name");
            const std::string name = target != op.attributes.end() ? stringOf(target->second.text).value_or("") : op.words.empty() ? "" : std::string(op.words[0].text.substr(1));
            if (in.size() == 1 && (name == "SPMDFullToShardShape" || name == "SPMDShardToFullShape"))
                return regionCall(op, in[0], name == "SPMDFullToShardShape");
            if (name != "Sharding") {
                m_builder.refuse("a call of @" + fabricscope::shownText(name, 80) + " is not read", "@Sharding, @SPMDFullToShardShape, @SPMDShardToFullShape");
                return {};
            }
            if (in.size() == 1 && given && isManual(*given))
                return in[0];
        } else {
            const auto out = op.attributes.find("out_sharding");
            const auto word = std::ranges::find_if(op.words, [](const Span& span) { return span.text.starts_with("<"); });
            given = out != op.attributes.end() ? &out->second : word != op.words.end() ? &*word : nullptr;
            if (const auto generic = op.attributes.find("sharding"); !given && generic != op.attributes.end())
                given = &generic->second;
        }
        if (in.size() != 1 || !given || op.resultTypes[0].shape != in[0].shape) {
            m_builder.fail(ErrorCode::InvalidInput, "needs one operand, its sharding and a result of the same shape");
            return {};
        }
        HloValue value = in[0];
        constrain(value, *given, alone, {});
        return value;
    }

    /// Annotates the value, or a copy of it where it has an annotation, is an input or others use it as it is.
    void constrain(HloValue& value, const Span& sharding, bool may, const std::string& suffix)
    {
        value = {m_builder.whole(value, ".whole"), false, value.shape, {}};
        if (m_builder.failed())
            return;
        if (!may || m_problem.graph.tensor(value.tensor).producer < 0 || m_annotated.contains(value.tensor))
            value.tensor = m_builder.add(GraphOpKind::Copy, {value.tensor}, suffix);
        if (!m_builder.failed())
            annotate(value.tensor, sharding);
    }

    bool isManual(const Span& text) const
    {
        const Tiling* const tiling = text.text.starts_with("\"") ? m_tilings.find(stringOf(text.text).value_or("")) : nullptr;
        return tiling && tiling->kind == Tiling::Kind::Manual;
    }

    void annotate(TensorId tensor, const Span& text)
    {
        const PerDevice* const of = m_builder.perDevice(tensor);
        const std::size_t lead = of ? of->axes.size() : 0;
        const std::size_t dims = m_problem.graph.tensor(tensor).shape.size() - lead;
        const bool tiled = text.text.starts_with("\"");
        Result<TensorAnnotation> note = tiled ? m_tilings.read(text, m_problem.mesh, dims, m_file) : readSharding(text, m_named, m_problem.mesh, dims, m_file);
        if (!note)
            return m_builder.setError(note.error());
        note.value().tensor = tensor;
        if (of) { // What it says is of the dims of one device and of axes that the program leaves to the partitioner.
            TensorAnnotation all = layoutOf(m_builder, tensor, *of, lead + dims);
            for (std::size_t d = 0; note.value().dims && d < dims; ++d) {
                (*all.dims)[lead + d] = (*note.value().dims)[d];
                all.closed[lead + d] = note.value().closed[d];
                all.priority[lead + d] = note.value().priority[d];
            }
            all.replicated = appended(all.replicated, note.value().replicated);
            all.unreduced = note.value().unreduced;
            all.place = note.value().place;
            note = std::move(all);
        }
        m_annotated.insert(tensor);
        const Tiling* const tiling = tiled ? m_tilings.find(stringOf(text.text).value_or("")) : nullptr;
        if (tiling && tiling->kind == Tiling::Kind::Maximal && !m_maximal) {
            m_maximal = true;
            m_problem.notes.push_back(fabricscope::note("maximal-sharding", "tensors on one device (maximal) are read as replicated", note.value().place));
        }
        if (!note.value().dims && note.value().replicated.empty() && note.value().unreduced.empty())
            return; // "unknown".
        m_problem.annotations.push_back(std::move(note).value());
    }

    /// Layout of a result of the program.
    void result(HloValue value, const Span& sharding, std::size_t index)
    {
        if (value.splat && value.shape.empty())
            return;
        constrain(value, sharding, true, "#" + std::to_string(index));
    }

    std::map<std::string_view, const Function*> m_functions;
    const NamedMeshes& m_named;
    const Tilings& m_tilings;
    const std::string& m_file;
    ShardProblem& m_problem;
    const std::stop_token& m_stop;
    HloBuilder m_builder;
    std::set<TensorId> m_annotated;
    std::vector<std::int32_t> m_manual; ///< Axes of the program per device that is read, or was last; empty: none was.
    std::size_t m_steps = 0;
    int m_calls = 0;
    bool m_maximal = false;
};

std::string quotedAxis(const std::string& name)
{
    std::string text = "\"";
    for (const char letter : name)
        text += letter == '"' || letter == '\\' ? std::string("\\") + letter : std::string(1, letter);
    return text + "\"";
}

/// Mesh and options as --set changes them: by the reader of `shard:` files.
Status setMesh(const Mesh& mesh, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides, ShardProblem& problem)
{
    std::string text = "fabricscope: 1\nshard:\n  mesh: {";
    for (const MeshAxis& axis : mesh.axes)
        text += quotedAxis(axis.name) + ": " + std::to_string(axis.size) + ", ";
    text += "}\n  tensors: {}\n";
    for (const auto& [path, value] : overrides) {
        const std::string_view key = path.starts_with("shard.") ? std::string_view(path).substr(6) : std::string_view(path);
        Error error = invalidInput("--set " + path + " is not possible in a StableHLO program", {}, "mesh.AXIS or options.KEY");
        error.place.file = file;
        if (!key.starts_with("mesh.") && !key.starts_with("options."))
            return error;
    }
    Result<ShardProblem> read = readShardText(text, file, overrides);
    if (!read) {
        Error error = std::move(read).error();
        error.place.line = error.place.column = 0; // Those of a text nobody wrote.
        return error;
    }
    problem.mesh = std::move(read.value().mesh);
    problem.options = read.value().options;
    if (problem.mesh.deviceOrder.empty() && problem.mesh.devices() == mesh.devices())
        problem.mesh.deviceOrder = mesh.deviceOrder;
    return {};
}

Result<ShardProblem> readProgram(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides, const std::stop_token& stop)
{
    const Result<Module> module = readModule(text, file, isKnownHloOp);
    if (!module)
        return module.error();
    Place whole;
    whole.file = file;
    if (module.value().functions.empty())
        return invalidInput("the module has no function with a body", whole, "func.func @main");
    const Result<NamedMeshes> named = NamedMeshes::of(module.value(), file);
    if (!named)
        return named.error();
    const Result<Tilings> tilings = Tilings::of(module.value().tilings, named.value().mesh(), file);
    if (!tilings)
        return tilings.error();
    Mesh mesh = tilings.value().mesh();
    ShardProblem problem;
    if (mesh.axes.empty()) {
        const auto partitions = module.value().attributes.find("mhlo.num_partitions");
        const auto count = partitions == module.value().attributes.end() ? std::nullopt : integersOf(partitions->second.text);
        mesh.axes.push_back({"axis_0", count && count->size() == 1 ? std::clamp<std::int64_t>(count->front(), 1, Mesh::kMaxDevices) : 1});
        problem.notes.push_back(note("no-sharding", "the program has no sharding: all is replicated", whole));
    }
    if (Status status = setMesh(mesh, file, overrides, problem); !status)
        return status.error();
    const Function* const main = module.value().function("main");
    if (Status status = ProgramReader(module.value(), named.value(), tilings.value(), file, problem, stop).read(main ? *main : module.value().functions.front()); !status)
        return status.error();
    return problem;
}

} // namespace

bool isStableHloText(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    for (;;) {
        text = trimmed(text);
        if (!text.starts_with("//"))
            break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    for (const std::string_view word : {"module {", "module @", "module attributes", "func.func ", "sdy.mesh "}) {
        if (text.starts_with(word))
            return true;
    }
    // "#loc1 = loc(...)"; a comment of YAML has a blank behind "#".
    const std::size_t equals = text.substr(0, 200).find(" = ");
    return text.starts_with("#") && equals != std::string_view::npos && equals > 1 && text.substr(0, equals).find_first_of(" \n") == std::string_view::npos;
}

Result<ShardProblem> readStableHloText(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides, const std::stop_token& stop)
{
    return untilStopped([&] { return readProgram(text, file, overrides, stop); });
}

Result<ShardProblem> readShardInput(const std::string& text, const std::string& file, const std::vector<std::pair<std::string, std::string>>& overrides, const std::stop_token& stop)
{
    return file.ends_with(".mlir") || isStableHloText(text) ? readStableHloText(text, file, overrides, stop) : readShardText(text, file, overrides, stop);
}

} // namespace fabricscope
