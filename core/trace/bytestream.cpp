#include "core/trace/bytestream.h"

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace fabricscope {

struct ByteStream::Packed {
    z_stream zlib{};
    std::vector<std::uint8_t> input = std::vector<std::uint8_t>(std::size_t{1} << 16);
    std::uint64_t produced = 0;
    std::uint64_t consumed = 0;
    bool memberEnded = false;
    bool ready = false;
    ~Packed()
    {
        if (ready)
            inflateEnd(&zlib);
    }
};

ByteStream::ByteStream() = default;

ByteStream::ByteStream(ByteStream&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size), m_place(std::move(other.m_place)), m_packed(std::move(other.m_packed))
{
}

ByteStream& ByteStream::operator=(ByteStream&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_size, other.m_size);
    std::swap(m_place, other.m_place);
    std::swap(m_packed, other.m_packed);
    return *this;
}

ByteStream::~ByteStream()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<ByteStream> ByteStream::open(const std::string& path, Place place)
{
    ByteStream stream;
    stream.m_place = std::move(place);
    // Without O_NONBLOCK opening a pipe that nobody writes to would wait for ever.
    stream.m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (stream.m_descriptor < 0)
        return Error{ErrorCode::NotReadable, std::string("cannot open the file: ") + std::strerror(errno), stream.m_place, {}};
    struct stat status {};
    if (::fstat(stream.m_descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return Error{ErrorCode::NotReadable, "not a regular file", stream.m_place, {}};
    stream.m_size = static_cast<std::uint64_t>(status.st_size);
    std::uint8_t magic[2] = {0, 0};
    if (::pread(stream.m_descriptor, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
        stream.m_packed = std::make_unique<Packed>();
        stream.m_packed->ready = inflateInit2(&stream.m_packed->zlib, 15 + 16) == Z_OK;
        if (!stream.m_packed->ready)
            return Error{ErrorCode::MemoryLimit, "no memory to unpack the file", stream.m_place, {}};
    }
    return stream;
}

Result<std::size_t> ByteStream::read(std::uint8_t* to, std::size_t room)
{
    return m_packed ? readPacked(to, room) : readRaw(to, room);
}

Result<std::size_t> ByteStream::readRaw(std::uint8_t* to, std::size_t room)
{
    for (;;) {
        const ssize_t got = ::read(m_descriptor, to, room);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            return Error{ErrorCode::NotReadable, std::string("cannot read the file: ") + std::strerror(errno), m_place, {}};
    }
}

Result<std::size_t> ByteStream::readPacked(std::uint8_t* to, std::size_t room)
{
    constexpr std::uint64_t kFree = std::uint64_t{64} << 20;
    constexpr std::uint64_t kRatio = 200;
    Packed& packed = *m_packed;
    z_stream& zlib = packed.zlib;
    zlib.next_out = to;
    zlib.avail_out = static_cast<uInt>(std::min<std::size_t>(room, std::size_t{1} << 30));
    const uInt wanted = zlib.avail_out;
    const auto damaged = [&](const char* what) {
        Place place = m_place;
        place.offset = static_cast<std::int64_t>(packed.consumed - zlib.avail_in);
        return invalidInput(std::string("the gzip data ") + what, std::move(place));
    };
    while (zlib.avail_out == wanted) {
        if (zlib.avail_in == 0) {
            const auto got = readRaw(packed.input.data(), packed.input.size());
            if (!got)
                return got.error();
            if (got.value() == 0) {
                if (packed.memberEnded)
                    return std::size_t{0};
                return damaged("is cut off");
            }
            packed.consumed += got.value();
            zlib.next_in = packed.input.data();
            zlib.avail_in = static_cast<uInt>(got.value());
        }
        if (packed.memberEnded) { // another member follows, as `cat a.gz b.gz` makes it
            inflateReset(&zlib);
            packed.memberEnded = false;
        }
        const int status = inflate(&zlib, Z_NO_FLUSH);
        if (status == Z_STREAM_END)
            packed.memberEnded = true;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return damaged("is damaged");
    }
    packed.produced += wanted - zlib.avail_out;
    if (packed.produced > kFree + kRatio * m_size)
        return Error{ErrorCode::InvalidInput, "the gzip file unpacks to more than " + std::to_string(kRatio) + " times its size; unpack it yourself if that is right",
            m_place, {}};
    return static_cast<std::size_t>(wanted - zlib.avail_out);
}

Status ByteStream::skip(std::uint64_t count)
{
    if (!m_packed) {
        if (::lseek(m_descriptor, static_cast<off_t>(count), SEEK_CUR) < 0)
            return Error{ErrorCode::NotReadable, std::string("cannot read the file: ") + std::strerror(errno), m_place, {}};
        return {};
    }
    std::vector<std::uint8_t> ignored(std::size_t{1} << 16);
    while (count > 0) {
        const auto got = readPacked(ignored.data(), static_cast<std::size_t>(std::min<std::uint64_t>(ignored.size(), count)));
        if (!got)
            return got.error();
        if (got.value() == 0)
            return invalidInput("the file became shorter since it was read", m_place);
        count -= got.value();
    }
    return {};
}

} // namespace fabricscope
