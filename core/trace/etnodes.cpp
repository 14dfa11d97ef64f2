#include "core/trace/etnodes.h"

#include "core/base/stop.h"
#include "core/trace/bytestream.h"
#include "core/trace/etfile.h"

namespace fabricscope {

namespace {

/// The unpacked content of a file.
Result<std::string> unpacked(const std::string& path, const std::stop_token& stop)
{
    Place place;
    place.file = path;
    Result<ByteStream> stream = ByteStream::open(path, place);
    if (!stream)
        return std::move(stream).error();
    std::string content;
    constexpr std::size_t kPart = 1 << 20;
    for (;;) {
        if (stop.stop_requested())
            return stoppedError();
        const std::size_t filled = content.size();
        content.resize(filled + kPart);
        const Result<std::size_t> got = stream.value().read(reinterpret_cast<std::uint8_t*>(content.data()) + filled, kPart);
        if (!got)
            return got.error();
        content.resize(filled + got.value());
        if (got.value() == 0)
            return content;
    }
}

/// The message that starts with its length at `begin`; empty where the file has become shorter.
std::string_view messageAt(std::string_view content, std::size_t begin)
{
    std::size_t length = 0;
    for (unsigned shift = 0; shift < 35 && begin < content.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(content[begin++]);
        length |= static_cast<std::size_t>(byte & 0x7FU) << shift;
        if (byte < 0x80)
            return length <= content.size() - begin ? content.substr(begin, length) : std::string_view();
    }
    return {};
}

} // namespace

Result<std::vector<EtNode>> readAllNodes(const RankTrace& trace, const std::string& path, const std::stop_token& stop)
{
    std::vector<EtNode> nodes;
    std::string content;
    const bool binary = trace.dialect() == EtDialect::Current;
    if (binary) {
        Result<std::string> bytes = unpacked(path, stop);
        if (!bytes)
            return std::move(bytes).error();
        content = std::move(bytes).value();
    }
    nodes.reserve(trace.size());
    Place place;
    place.file = path;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        if (stop.stop_requested())
            return stoppedError();
        Result<EtNode> node = binary ? decodeNode(messageAt(content, trace.recordBegin(i)), place) : readNode(trace, path, i);
        if (!node)
            return std::move(node).error();
        nodes.push_back(std::move(node).value());
    }
    return nodes;
}

} // namespace fabricscope
