#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fabricscope {

/// A regular file open for reading: the one way this program opens a file that a user or an input names. Holds a descriptor while alive.
/// Opening never waits and has no effect on what is opened: folders, pipes, sockets and devices are refused.
class OpenFile {
public:
    /// "-" is standard input where that is a regular file. `place`: for messages, also those of read(); its file is `path` when it names none. Error: NotReadable.
    static Result<OpenFile> open(const std::string& path, Place place = {});
    OpenFile(OpenFile&& other) noexcept;
    OpenFile& operator=(OpenFile&& other) noexcept;
    ~OpenFile();

    /// Reads up to `room` bytes; 0 only at the end.
    Result<std::size_t> read(void* to, std::size_t room);
    /// Up to `room` bytes from `offset` on, without moving. Error: NotReadable.
    Result<std::size_t> readAt(void* to, std::size_t room, std::uint64_t offset) const;
    /// Moves `count` bytes forward.
    Status skip(std::uint64_t count);
    /// As the file system said when it was opened. Only a hint: files of /proc say 0, and files grow.
    std::uint64_t size() const { return m_size; }

private:
    OpenFile() = default;

    int m_descriptor = -1;
    std::uint64_t m_size = 0;
    Place m_place;
};

/// Whether `path` is a regular file, or "-" where standard input is one.
bool isInputFile(const std::string& path);

} // namespace fabricscope
