#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace fabricscope {

/// A file that a run reads or writes.
struct NamedFile {
    std::string name;      ///< What the user calls it: "--save", "DESIGN", "the traces".
    std::string path;      ///< Empty: there is none.
    bool isPrefix = false; ///< Stands for PATH.RANK.et, PATH.RANK.et.gz and PATH.RANK.json, whatever the ranks.
};

/// Refuses outputs that are an input or another output: the same file, also by another spelling, a symbolic or a hard link, or a name that does not exist
/// yet. Devices may be written by several. To be called before work begins. Error: Usage, naming both.
/// O((inputs + outputs) log inputs) and the files in the folders of prefixes.
Status checkOutputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

} // namespace fabricscope
