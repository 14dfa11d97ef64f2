#pragma once

#include <string>

namespace fabricscope {

/// Where the bytes for `path` go: its last name with symbolic links followed as far as they lead, also to a file that is not there yet. "" for a ring of links.
std::string outputTarget(const std::string& path);

/// The descriptor that "-" (standard output), /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N stand for; -1: an ordinary name. Such a path is written through
/// the descriptor: where it is a file, opening it by name and giving that name to another would lose what the shell opened.
int streamOf(const std::string& path);

} // namespace fabricscope
