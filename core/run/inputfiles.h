#pragma once

#include "core/base/result.h"
#include "core/run/inputkind.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricscope {

/// Given files and folders sorted by what they are. Paths are absolute; a trace stands for its prefix; each file counts once.
class InputFiles {
public:
    /// A file, a folder (what is known of the files in it), or a topology in words. Errors: not there, not readable, nothing known.
    Status add(const std::string& path);

    /// In the order they were added. Of traces: the prefixes. A design with a section `search` is a design.
    const std::vector<std::string>& of(InputKind kind) const;
    /// Topologies in words instead of files.
    const std::vector<std::string>& topologies() const { return m_topologies; }
    /// Highest rank of a prefix + 1. \pre the prefix is one of of(InputKind::Trace).
    std::int64_t ranksOf(const std::string& prefix) const { return m_ranks.at(prefix); }
    /// How many kinds there are.
    std::size_t kinds() const;

private:
    Status addFolder(const std::string& folder);
    Status take(const std::string& path, InputKind kind);
    Status countRanks(const std::string& prefix);

    std::map<InputKind, std::vector<std::string>> m_files;
    std::map<std::string, std::int64_t> m_ranks;
    std::vector<std::string> m_topologies;
};

/// The path from the root, without "." and "..".
std::string absolutePath(const std::string& path);

} // namespace fabricscope
