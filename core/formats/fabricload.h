#pragma once

#include "core/formats/fabrickind.h"
#include "core/formats/linkcompletion.h"
#include "core/platform/platform.h"

#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// A fabric as read from a file of another program.
struct LoadedFabric {
    PlatformSpec spec;
    bool astraUnits = false; ///< "50" meant 50 GiB/s.
    std::vector<std::string> files; ///< Read beside the file itself, as the file names them.
};

/// Reads the file at `path` as a fabric of that kind: the one way for designs, commands and the window. `completions` belong to InfraGraph and
/// NCCL. Errors name file and place; what is assumed or left out is in `diagnostics`. Told to stop: Cancelled.
Result<LoadedFabric> loadFabric(const std::string& path, FabricKind kind, const LinkCompletions& completions, Diagnostics& diagnostics,
                                const std::stop_token& stop = {});

/// The same of a text. `file` is for messages, and the folder in which files it names are looked for.
Result<LoadedFabric> readFabric(const std::string& text, const std::string& file, FabricKind kind, const LinkCompletions& completions,
                                Diagnostics& diagnostics, const std::stop_token& stop = {});

/// The kind of the file at `path`, told by its beginning. Errors: not readable; the content is no fabric, with what was expected.
Result<FabricKind> fabricKindOfFile(const std::string& path);

} // namespace fabricscope
