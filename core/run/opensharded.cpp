#include "core/run/opensharded.h"

#include "core/base/files/textfile.h"
#include "core/sharding/shardproblem.h"

#include <filesystem>

namespace fabricscope {

namespace {

constexpr const char* kAssumedRing = "bandwidth: 100 GB/s, latency: 1 us}\n";
constexpr const char* kAssumedNpu = "  npu: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s}\n";

std::string assumedPlatform(const Mesh& mesh)
{
    std::string dimensions;
    for (std::size_t a = mesh.axes.size(); a-- > 0;) {
        if (mesh.axes[a].size > 1)
            dimensions += "    - {shape: ring, size: " + std::to_string(mesh.axes[a].size) + ", " + kAssumedRing;
    }
    if (dimensions.empty())
        dimensions = std::string("    - {shape: ring, size: 2, ") + kAssumedRing;
    return "platform:\n  dimensions:\n" + dimensions + kAssumedNpu;
}

} // namespace

Result<OpenedInput> openSharded(const std::string& path, const std::stop_token& stop)
{
    const Result<std::string> text = readTextFile(path);
    if (!text)
        return text.error();
    const Result<ShardProblem> problem = readShardText(text.value(), path, {}, stop);
    if (!problem)
        return problem.error();
    const std::filesystem::path file = std::filesystem::absolute(path);
    OpenedInput out;
    out.kind = OpenedInput::Kind::DesignText;
    out.folder = file.parent_path().string();
    out.suggestedName = file.stem().string() + "-design.yaml";
    out.text = "fabricscope: 1\n" + assumedPlatform(problem.value().mesh) + "workload:\n  shard: " + renderYaml(YamlNode::scalar(file.string()), false, stop) + "\n";
    Place place;
    place.file = path;
    out.diagnostics.push_back(note("assumed", "the platform: rings along the axes of the mesh, 100 GB/s and 1 us, and NPUs of 100 TFLOP/s and 1 TB/s", place));
    return out;
}

} // namespace fabricscope
