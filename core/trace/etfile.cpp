#include "core/trace/etfile.h"

#include "core/base/stop.h"
#include "core/trace/bytestream.h"
#include "core/trace/etscan.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <new>

namespace fabricscope {

namespace {

constexpr std::size_t kBlock = std::size_t{512} << 10; // stays in the second-level cache

using ReadMore = std::function<Result<std::size_t>(std::uint8_t*, std::size_t)>;

/// A growing window over a byte source: [begin, end) of the buffer is unread, kWirePadding bytes follow.
class Window {
public:
    Window(ReadMore more, std::uint64_t total, bool totalKnown, const std::stop_token& stop = {})
        : m_more(std::move(more)), m_stop(stop), m_total(total), m_totalKnown(totalKnown)
    {
        grow(totalKnown ? static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, total + 1)) : kBlock);
    }

    const std::uint8_t* begin() const { return m_buffer.get() + m_begin; }
    const std::uint8_t* end() const { return m_buffer.get() + m_end; }
    std::size_t available() const { return m_end - m_begin; }
    std::uint64_t offset() const { return m_offset; } ///< Of begin() in the file.
    bool atEnd() const { return m_ended && m_begin == m_end; }
    bool ended() const { return m_ended; }
    std::uint64_t bytesLeft() const { return m_totalKnown ? std::max<std::uint64_t>(m_total - std::min(m_total, m_offset), available()) : ~std::uint64_t{0}; }
    Digest digest() const { return digestOf(std::span<const std::int64_t>(m_blocks)); }

    void advance(std::size_t count)
    {
        m_begin += count;
        m_offset += count;
    }

    /// Makes `count` bytes available, or as many as there are. A size in the file is believed only as far as bytes arrive. Throws StopRequested:
    /// what a block holds takes a few milliseconds.
    Status need(std::size_t count)
    {
        while (available() < count && !m_ended) {
            checkStop(m_stop);
            if (m_begin > 0) {
                std::memmove(m_buffer.get(), m_buffer.get() + m_begin, available());
                m_end -= m_begin;
                m_begin = 0;
            }
            if (m_end == m_room)
                grow(m_room * 2);
            auto got = m_more(m_buffer.get() + m_end, m_room - m_end);
            if (!got)
                return std::move(got).error();
            m_ended = got.value() == 0;
            const Digest part = digestOf(std::string_view(reinterpret_cast<const char*>(m_buffer.get() + m_end), got.value()));
            if (!m_ended) {
                m_blocks.push_back(static_cast<std::int64_t>(part.low));
                m_blocks.push_back(static_cast<std::int64_t>(part.high));
            }
            m_end += got.value();
            std::memset(m_buffer.get() + m_end, 0, kWirePadding);
        }
        return {};
    }

private:
    void grow(std::size_t room)
    {
        std::unique_ptr<std::uint8_t[]> bigger(new std::uint8_t[room + kWirePadding]);
        if (m_end > 0)
            std::memcpy(bigger.get(), m_buffer.get(), m_end);
        m_buffer = std::move(bigger);
        m_room = room;
    }

    ReadMore m_more;
    std::stop_token m_stop;
    std::uint64_t m_total = 0;
    bool m_totalKnown = false;
    std::unique_ptr<std::uint8_t[]> m_buffer;
    std::size_t m_room = 0;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::uint64_t m_offset = 0;
    bool m_ended = false;
    std::vector<std::int64_t> m_blocks;
};

Error errorAt(Place place, std::uint64_t offset, std::string message)
{
    place.offset = static_cast<std::int64_t>(offset);
    return invalidInput(std::move(message), std::move(place));
}

/// Length of the next message; on success `header` is how many bytes the length itself takes.
Result<std::uint32_t> messageLength(Window& window, const Place& place, const char* what, std::size_t& header)
{
    constexpr std::size_t kLongest = 5; // a varint of 32 bits
    if (window.available() < kLongest) {
        if (Status status = window.need(kLongest); !status)
            return std::move(status).error();
    }
    const std::uint8_t* const p = window.begin();
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLongest; ++i) {
        if (i >= window.available())
            return errorAt(place, window.offset() + i, std::string("the file ends inside the length of ") + what + " (" + std::to_string(i) + (i == 1 ? " byte of it is there)" : " bytes of it are there)"));
        length |= static_cast<std::uint64_t>(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80) {
            header = i + 1;
            if (length > 0x7fffffff && length - header > window.bytesLeft())
                break;
            if (length > 0x7fffffff)
                return errorAt(place, window.offset(), std::string("the length of ") + what + " is " + std::to_string(length) + " bytes; a message has at most 2147483647");
            return static_cast<std::uint32_t>(length);
        }
        if (i + 1 == kLongest)
            return errorAt(place, window.offset(), std::string("the length of ") + what + " is a number of more than five bytes: this is no Chakra trace, or it is damaged here");
    }
    return errorAt(place, window.offset(), "the length of " + std::string(what) + " is " + std::to_string(length) + " bytes, but only "
        + std::to_string(window.bytesLeft() - header) + " bytes of the file are left");
}

/// Makes the whole message available; returns its length with `header` bytes of length in front.
Result<std::uint32_t> wholeMessage(Window& window, const Place& place, const char* what, std::size_t& header)
{
    auto length = messageLength(window, place, what, header);
    if (!length)
        return length;
    const std::size_t wanted = header + length.value();
    if (window.available() < wanted) {
        if (wanted <= window.bytesLeft()) {
            if (Status status = window.need(wanted); !status)
                return std::move(status).error();
        }
        if (window.available() < wanted) {
            const std::uint64_t left = (wanted <= window.bytesLeft() ? window.available() : window.bytesLeft()) - header;
            return errorAt(place, window.offset() + header + left, std::string("the file ends inside ") + what + ": the length at byte " + std::to_string(window.offset()) + " says "
                + std::to_string(length.value()) + " bytes, " + std::to_string(left) + (left == 1 ? " is there" : " are there"));
        }
    }
    return length;
}

/// Looks at the messages already in the buffer.
EtDialect sniff(const Window& window, bool hasMetadata, std::size_t skip)
{
    DialectVote vote;
    const std::uint8_t* p = window.begin() + skip;
    for (int seen = 0; seen < 64 && p < window.end(); ++seen) {
        std::uint64_t length = 0;
        if (!readVarint(p, length) || p > window.end() || length > static_cast<std::uint64_t>(window.end() - p))
            break;
        vote.look(p, p + length);
        p += length;
    }
    return vote.verdict(hasMetadata);
}

Error messageFault(const Place& place, const Window& window, const std::uint8_t* message, std::uint32_t index, const WireFault& fault)
{
    const std::uint64_t begin = window.offset() + static_cast<std::uint64_t>(message - window.begin());
    return errorAt(place, begin + static_cast<std::uint64_t>(fault.at - message), (index == 0 ? std::string("the metadata") : "message " + std::to_string(index) + " (from byte " + std::to_string(begin) + ")")
        + " cannot be read: " + fault.what);
}

Result<RankTrace> readBinary(Window& window, const Place& place)
{
    TraceBuilder builder;
    std::size_t header = 0;
    auto length = wholeMessage(window, place, "the metadata", header);
    if (!length)
        return std::move(length).error();
    const std::uint8_t* message = window.begin() + header;
    const bool hasMetadata = !looksLikeNode(message, message + length.value());
    std::uint32_t index = 0;
    if (hasMetadata) {
        if (const WireFault fault = scanMetadata(message, message + length.value(), builder.metadata()))
            return messageFault(place, window, message, index, fault);
        window.advance(header + length.value());
        index = 1;
    }
    const EtDialect dialect = sniff(window, hasMetadata, 0);
    builder.setDialect(dialect);

    bool reserved = false;
    for (;;) {
        if (window.available() == 0) {
            if (Status status = window.need(1); !status)
                return std::move(status).error();
            if (window.atEnd())
                break;
        }
        // The common case: a short length and the whole message already here.
        const std::uint8_t* const p = window.begin();
        std::size_t size = 0;
        const std::size_t here = window.available();
        if (here > 2 && p[0] < 0x80 && static_cast<std::size_t>(p[0]) + 1 <= here) {
            header = 1;
            size = p[0];
        } else if (here > 2 && p[0] >= 0x80 && p[1] < 0x80 && ((p[0] & 0x7fU) | (std::size_t{p[1]} << 7U)) + 2 <= here) {
            header = 2;
            size = (p[0] & 0x7fU) | (std::size_t{p[1]} << 7U);
        } else {
            if (!reserved && builder.size() > 0) {
                reserved = true;
                if (window.bytesLeft() != ~std::uint64_t{0})
                    builder.reserveFor(window.offset(), window.offset() + window.bytesLeft());
            }
            length = wholeMessage(window, place, "a message", header);
            if (!length)
                return std::move(length).error();
            size = length.value();
        }
        if (size == 0)
            return errorAt(place, window.offset(), "an empty message where a node is due: the file is padded with zeros or damaged here");
        message = window.begin() + header;
        const WireFault fault = dialect == EtDialect::Current ? scanNode(message, message + size, builder) : scanOldNode(message, message + size, dialect, builder);
        if (fault)
            return messageFault(place, window, message, index, fault);
        if (!builder.endNode(window.offset()))
            return errorAt(place, window.offset(), "the file is too large: more than 4 billion bytes of names, values or dependencies in one rank");
        ++index;
        window.advance(header + size);
    }
    RankTrace trace = builder.take();
    trace.setContent(window.digest());
    return trace;
}

Result<RankTrace> readAny(Window& window, const Place& place, const std::stop_token& stop)
{
    if (Status status = window.need(kBlock); !status)
        return std::move(status).error();
    if (window.available() == 0)
        return invalidInput("the file is empty (0 bytes)", place, "a Chakra trace");
    if (!looksLikeJson({reinterpret_cast<const char*>(window.begin()), window.available()}))
        return readBinary(window, place);
    while (!window.ended()) {
        if (Status status = window.need(window.available() + 1); !status)
            return std::move(status).error();
    }
    auto trace = readTraceJson({reinterpret_cast<const char*>(window.begin()), window.available()}, place, stop);
    if (trace)
        trace.value().setContent(window.digest());
    return trace;
}

/// Runs `read` until it is told to stop; running out of memory is the file's fault here.
template <typename Read>
Result<RankTrace> guarded(const Place& place, const Read& read)
{
    try {
        return untilStopped(read);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::MemoryLimit, "not enough memory to read the file", place, {}};
    } catch (const std::length_error&) {
        return Error{ErrorCode::MemoryLimit, "not enough memory to read the file", place, {}};
    }
}

} // namespace

bool looksLikeJson(std::string_view bytes)
{
    const std::string_view start = bytes.substr(0, 64);
    const auto first = start.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (start[first] != '{' && start[first] != '['))
        return false;
    return std::all_of(start.begin(), start.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t'; });
}

Result<RankTrace> readTraceFile(const std::string& path, std::int64_t rank, const std::stop_token& stop)
{
    Place place;
    place.file = path;
    place.rank = rank;
    auto stream = ByteStream::open(path, place);
    if (!stream)
        return std::move(stream).error();
    ByteStream& source = stream.value();
    return guarded(place, [&] {
        Window window([&source](std::uint8_t* to, std::size_t room) { return source.read(to, room); }, source.fileSize(), !source.isPacked(), stop);
        return readAny(window, place, stop);
    });
}

Result<RankTrace> readTraceBytes(std::string_view bytes, Place place)
{
    return guarded(place, [&] {
        std::size_t done = 0;
        Window window([&](std::uint8_t* to, std::size_t room) -> Result<std::size_t> {
            const std::size_t part = std::min(room, bytes.size() - done);
            std::memcpy(to, bytes.data() + done, part);
            done += part;
            return part;
        }, bytes.size(), true);
        return readAny(window, place, {});
    });
}

} // namespace fabricscope
