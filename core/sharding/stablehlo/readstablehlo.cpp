#include "core/sharding/stablehlo/readstablehlo.h"

#include "core/base/stop.h"
#include "core/sharding/stablehlo/hloops.h"
#include "core/sharding/stablehlo/hloreader.h"

#include <algorithm>

namespace fabricscope {

namespace {

using namespace mlir;

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
    if (Status status = HloReader(module.value(), named.value(), tilings.value(), file, problem, stop).read(main ? *main : module.value().functions.front()); !status)
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
    return (text.starts_with("#") || text.starts_with("!")) && equals != std::string_view::npos && equals > 1 && text.substr(0, equals).find_first_of(" \n") == std::string_view::npos;
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
