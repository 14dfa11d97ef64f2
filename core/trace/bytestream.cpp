#include "core/trace/bytestream.h"

#include <algorithm>
#include <utility>
#include <vector>

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

ByteStream::ByteStream(OpenFile file, Place place) : m_file(std::move(file)), m_place(std::move(place)) { }
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

Result<ByteStream> ByteStream::open(const std::string& path, Place place)
{
    auto file = OpenFile::open(path, place);
    if (!file)
        return std::move(file).error();
    ByteStream stream(std::move(file).value(), std::move(place));
    std::uint8_t magic[2] = {0, 0};
    const auto got = stream.m_file.readAt(magic, 2, 0);
    if (got && got.value() == 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
        stream.m_packed = std::make_unique<Packed>();
        stream.m_packed->ready = inflateInit2(&stream.m_packed->zlib, 15 + 16) == Z_OK;
        if (!stream.m_packed->ready)
            return Error{ErrorCode::MemoryLimit, "no memory to unpack the file", stream.m_place, {}};
    }
    return stream;
}

Result<std::size_t> ByteStream::read(std::uint8_t* to, std::size_t room)
{
    return m_packed ? readPacked(to, room) : m_file.read(to, room);
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
            const auto got = m_file.read(packed.input.data(), packed.input.size());
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
        else if (status == Z_MEM_ERROR) // zlib takes its window when it first needs it.
            return Error{ErrorCode::MemoryLimit, "no memory to unpack the file", m_place, {}};
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return damaged("is damaged");
    }
    packed.produced += wanted - zlib.avail_out;
    if (packed.produced > kFree + kRatio * m_file.size())
        return Error{ErrorCode::InvalidInput, "the gzip file unpacks to more than " + std::to_string(kRatio) + " times its size; unpack it yourself if that is right",
            m_place, {}};
    return static_cast<std::size_t>(wanted - zlib.avail_out);
}

Status ByteStream::skip(std::uint64_t count)
{
    if (!m_packed)
        return m_file.skip(count);
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
