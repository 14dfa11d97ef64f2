#include "core/sharding/execute/prove.h"
#include "core/sharding/partition/partition.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace fabricscope;

namespace {

bool isSmall(const ShardProblem& problem)
{
    std::int64_t elements = 0;
    for (const GraphTensor& tensor : problem.graph.tensors) {
        if (elementsOf(tensor.shape) > 4096)
            return false;
        elements += elementsOf(tensor.shape);
    }
    return problem.mesh.devices() <= 16 && elements <= 8192;
}

} // namespace

/// A `shard:` file: partitioned, and where small executed. Both sides must agree on whatever is read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 4096;
    const auto problem = readShardText(std::string(reinterpret_cast<const char*>(data), std::min(size, kMost)), "fuzzed");
    if (!problem) {
        static_cast<void>(problem.error().text());
        return 0;
    }
    if (problem.value().graph.ops.size() > 100)
        return 0;
    const auto plan = partition(problem.value());
    if (!plan || !isSmall(problem.value()))
        return 0;
    const auto proof = proveByExecution(problem.value().graph, plan.value().program);
    if (proof && !proof.value().equal())
        std::abort();
    return 0;
}
