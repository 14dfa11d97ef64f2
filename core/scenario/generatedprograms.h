#pragma once

#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/generate/generate.h"
#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace fabricscope {

/// What generators were asked and wrote, shared by preparations that differ in what no generator looks at, as the sizes of a sweep. For
/// several threads: who asks for a program that is being written waits for it. Programs stay as long as this does.
class GeneratedPrograms {
public:
    /// generateProgram(), once per request but for its stop token; a request that was stopped is asked again.
    Result<ProgramPtr> program(const GenerateRequest& request);
    /// The program's digest, worked out once for those that program() returned.
    Digest digest(const ProgramPtr& program);

private:
    /// By algorithm, collective, axes, chunks, root, radix, rings, algorithms per axis.
    using Key = std::tuple<std::string, CollectiveOp, std::vector<std::int32_t>, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::vector<Algorithm>>;

    std::mutex m_mutex;
    std::map<Key, Result<ProgramPtr>> m_programs;
    std::map<const Program*, std::optional<Digest>> m_digests; ///< Of what m_programs holds; nothing: not asked yet.
};

using GeneratedProgramsPtr = std::shared_ptr<GeneratedPrograms>;

} // namespace fabricscope
