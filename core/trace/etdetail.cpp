#include "core/trace/bytestream.h"
#include "core/trace/etfile.h"
#include "core/trace/etscan.h"

#include <algorithm>
#include <cstring>

namespace fabricscope {

namespace {

/// Largest message that is read again for one node.
constexpr std::size_t kLongestMessage = std::size_t{1} << 31;

EtIo decodeIo(const WireField& message)
{
    EtIo io;
    const std::uint8_t* p = message.data;
    WireField field;
    while (p < message.data + message.value && !readField(p, message.data + message.value, field)) {
        if (field.wire != 2)
            continue;
        if (field.number == 1)
            io.values = field.text();
        else if (field.number == 2)
            io.shapes = field.text();
        else if (field.number == 3)
            io.types = field.text();
    }
    return io;
}

void mergeIo(EtIo& into, EtIo part)
{
    if (!part.values.empty())
        into.values = std::move(part.values);
    if (!part.shapes.empty())
        into.shapes = std::move(part.shapes);
    if (!part.types.empty())
        into.types = std::move(part.types);
}

WireFault decodeField(const WireField& field, EtNode& node)
{
    const auto dependencies = [&field](std::vector<std::uint64_t>& list) -> WireFault {
        if (field.wire == 2)
            return forPacked(field.data, field.data + field.value, [&list](std::uint64_t id) { list.push_back(id); });
        if (field.wire == 0)
            list.push_back(field.value);
        return {};
    };
    if (field.number == 4)
        return dependencies(node.ctrlDeps);
    if (field.number == 5)
        return dependencies(node.dataDeps);
    if (field.wire == 0) {
        switch (field.number) {
        case 1: node.id = field.value; break;
        case 3: node.type = static_cast<std::int32_t>(static_cast<std::uint32_t>(field.value)); break;
        case 6: node.startMicros = field.value; break;
        case 7: node.durationMicros = field.value; break;
        default: break;
        }
    } else if (field.wire == 2) {
        switch (field.number) {
        case 2: node.name = field.text(); break;
        case 8: mergeIo(node.inputs, decodeIo(field)); break;
        case 9: mergeIo(node.outputs, decodeIo(field)); break;
        case 10: {
            EtAttribute attribute;
            const WireFault fault = scanAttribute(field.data, field.data + field.value, attribute);
            node.attributes.push_back(std::move(attribute));
            return fault;
        }
        default: break;
        }
    }
    return {};
}

/// What the columns know, as a node.
EtNode fromColumns(const RankTrace& trace, std::uint32_t index)
{
    EtNode node;
    node.id = trace.id(index);
    node.name = trace.name(index);
    node.type = trace.type(index);
    const auto data = trace.dataDependencies(index);
    const auto ctrl = trace.ctrlDependencies(index);
    node.dataDeps.assign(data.begin(), data.end());
    node.ctrlDeps.assign(ctrl.begin(), ctrl.end());
    node.startMicros = static_cast<std::uint64_t>(trace.value(index, EtField::Start));
    node.durationMicros = static_cast<std::uint64_t>(trace.value(index, EtField::Duration));
    for (std::size_t f = 0; f < kEtFields; ++f) {
        const auto field = static_cast<EtField>(f);
        if (!trace.has(index, field) || field == EtField::Start || field == EtField::Duration)
            continue;
        const std::string name(etFieldName(field));
        const std::int64_t value = trace.value(index, field);
        if (field == EtField::PgName) {
            node.attributes.push_back(EtAttribute::text(name, std::string(trace.groupName(index))));
        } else if (field == EtField::IsCpuOp) {
            node.attributes.push_back(EtAttribute::boolean(name, value != 0));
        } else if (field == EtField::InvolvedDim) {
            EtAttribute dimensions{name, EtKind::BoolList, {}, {}, {}, {}};
            for (std::int64_t d = 0; d < std::min<std::int64_t>(value >> 32, 32); ++d)
                dimensions.integers.push_back((value >> d) & 1);
            node.attributes.push_back(std::move(dimensions));
        } else {
            node.attributes.push_back(EtAttribute::integer(name, value));
        }
    }
    return node;
}

} // namespace

Result<EtNode> decodeNode(std::string_view message, const Place& place)
{
    std::vector<std::uint8_t> bytes(message.size() + kWirePadding);
    std::copy(message.begin(), message.end(), bytes.begin());
    const std::uint8_t* p = bytes.data();
    const std::uint8_t* const end = p + message.size();
    EtNode node;
    while (p < end) {
        WireField field;
        WireFault fault = readField(p, end, field);
        if (!fault)
            fault = decodeField(field, node);
        if (fault)
            return invalidInput(std::string("the message of a node cannot be read: ") + fault.what, place);
    }
    return node;
}

Result<EtNode> readNode(const RankTrace& trace, const std::string& path, std::uint32_t node, std::int64_t rank)
{
    if (trace.dialect() != EtDialect::Current)
        return fromColumns(trace, node);
    Place place;
    place.file = path;
    place.rank = rank;
    place.node = static_cast<std::int64_t>(trace.id(node));
    place.hasNode = true;
    auto stream = ByteStream::open(path, place);
    if (!stream)
        return std::move(stream).error();
    if (Status status = stream.value().skip(trace.recordBegin(node)); !status)
        return std::move(status).error();
    std::vector<std::uint8_t> bytes;
    const auto fill = [&](std::size_t wanted) -> Status {
        std::size_t from = bytes.size();
        bytes.resize(wanted);
        while (from < wanted) {
            const auto got = stream.value().read(bytes.data() + from, wanted - from);
            if (!got)
                return got.error();
            if (got.value() == 0)
                return invalidInput("the file changed since it was read", place);
            from += got.value();
        }
        return {};
    };
    std::uint64_t length = 0;
    do {
        if (Status status = fill(bytes.size() + 1); !status)
            return std::move(status).error();
        length |= static_cast<std::uint64_t>(bytes.back() & 0x7fU) << (7 * (bytes.size() - 1));
    } while (bytes.back() >= 0x80 && bytes.size() < 5);
    if (length >= kLongestMessage || (!stream.value().isPacked() && length > stream.value().fileSize()))
        return invalidInput("the file changed since it was read", place);
    const std::size_t header = bytes.size();
    if (Status status = fill(header + static_cast<std::size_t>(length)); !status)
        return std::move(status).error();
    auto decoded = decodeNode({reinterpret_cast<const char*>(bytes.data()) + header, static_cast<std::size_t>(length)}, place);
    if (decoded && decoded.value().id != trace.id(node))
        return invalidInput("the file changed since it was read", place);
    return decoded;
}

} // namespace fabricscope
