#pragma once

#include "core/base/files/openfile.h"

#include <cstdint>
#include <memory>
#include <string>

namespace fabricscope {

/// Reads a regular file front to back, unpacking gzip (known by its first two bytes) on the way. Holds one file descriptor while alive.
class ByteStream {
public:
    /// Refuses what is no regular file. `place` names the file and the rank in every error.
    static Result<ByteStream> open(const std::string& path, Place place);
    ByteStream(ByteStream&&) noexcept;
    ByteStream& operator=(ByteStream&&) noexcept;
    ~ByteStream();

    /// Reads up to `room` bytes; 0 only at the end. Refuses damaged gzip data and data that unpacks to more than 64 MiB + 200 times its size.
    Result<std::size_t> read(std::uint8_t* to, std::size_t room);
    /// Skips `count` unpacked bytes (a seek unless the file is packed).
    Status skip(std::uint64_t count);
    /// Size on disk.
    std::uint64_t fileSize() const { return m_file.size(); }
    bool isPacked() const { return m_packed != nullptr; }

private:
    struct Packed;
    ByteStream(OpenFile file, Place place);
    Result<std::size_t> readPacked(std::uint8_t* to, std::size_t room);

    OpenFile m_file;
    Place m_place;
    std::unique_ptr<Packed> m_packed;
};

} // namespace fabricscope
