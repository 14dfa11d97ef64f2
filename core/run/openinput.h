#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What given files turned out to be, ready to be shown.
struct OpenedInput {
    enum class Kind : std::uint8_t {
        DesignFile, ///< `path` is a design; it is not read yet, so that one with errors can be opened and mended.
        SavedRun,   ///< `path` is for readRun(); it is not read yet.
        DesignText, ///< `text` is a design made of the files; it reads back without errors.
    };
    Kind kind = Kind::DesignFile;
    std::string path;
    std::string text;
    std::string folder;        ///< Of the inputs, to save in; absolute. Paths in `text` are absolute too.
    std::string suggestedName; ///< To save it under: "workload.yaml".
    Diagnostics diagnostics;   ///< What was noticed, and what had to be assumed (rule "assumed").
};

struct OpenOptions {
    bool checkTraces = true;   ///< Read every trace, so that a broken one is refused here and not by the run.
    int threads = 1;
    std::stop_token stop = {}; ///< Looked at every few milliseconds; then the error is Cancelled.
};

/// Decides by content what the files (or the files in the folders) are and makes one document of them:
/// a design, a saved run, or a design built from ASTRA-sim inputs and Chakra traces in any combination. One trace file stands for all ranks
/// of its prefix. A graph to shard becomes a design whose workload it is, on rings along its axes. An ASTRA-sim network file, an InfraGraph document or a topology dump of NCCL is the platform. A path that is no file may be a topology in words ("Ring(4)_Switch(8)"). What is missing is assumed and said: without
/// network file one switch joins as many NPUs as there are traces; without traces one all-reduce of 64 MiB runs.
/// Errors name the file, the line or rank where there is one, and what was expected: nothing known, two of a kind, files that do not go
/// together, or what the reader of a file says; MemoryLimit when memory runs out. Nothing is half open then. Reads files; slow only for large traces.
Result<OpenedInput> openInputs(const std::vector<std::string>& paths, const OpenOptions& options = {});

} // namespace fabricscope
