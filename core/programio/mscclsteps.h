#pragma once

#include "core/program/program.h"
#include "core/programio/findingslist.h"
#include "core/programio/mscclnames.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

// The elements of an MSCCL XML file between its text and the program; numbers are those of the file.

struct MscclStepRow {
    MscclStep type = MscclStep::Nop;
    BufferKind source = BufferKind::None;
    BufferKind target = BufferKind::None;
    std::int64_t sourceOffset = 0;
    std::int64_t targetOffset = 0;
    std::int64_t count = 0;
    std::int64_t dependLane = -1; ///< Id of a thread block; -1: no dependency.
    std::int64_t dependStep = -1;
    bool hasDependents = false;
    int line = 0;
};

struct MscclLane {
    std::int64_t id = -1;
    std::int64_t send = -1;
    std::int64_t receive = -1;
    std::int64_t channel = 0;
    int line = 0;
    std::vector<MscclStepRow> steps;
};

struct MscclGpu {
    std::int64_t rank = -1;
    std::int64_t declaredInput = 0;
    std::int64_t declaredOutput = 0;
    std::int64_t scratch = 0;
    int line = 0;
    std::vector<MscclLane> lanes; ///< By id.
};

/// Where findings go, and the file they are about.
struct MscclFindings {
    FindingsList& list;
    const std::string& file;

    void add(Severity severity, const char* rule, std::string message, std::int64_t rank, const MscclLane& lane, std::size_t step) const;
};

/// V10 and V11. Dependencies that lead nowhere are taken out; those on steps without `hasdep` are moved to the step that is waited for.
/// Told to stop: throws StopRequested (stop.h).
void checkMscclDependencies(MscclGpu& gpu, const MscclFindings& findings, const std::stop_token& stop);

/// The columns of a program; V9. \pre ranks 0, 1, ... in order, checked dependencies, a complete header. Told to stop: throws
/// StopRequested.
ExplicitBody mscclBody(const Program& header, const std::vector<MscclGpu>& gpus, const MscclFindings& findings, const std::stop_token& stop);

} // namespace fabricscope
