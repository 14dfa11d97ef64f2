#include "core/trace/wire.h"

namespace fabricscope {

namespace {

constexpr int kMaxGroupDepth = 100; // protobuf's own recursion limit

WireFault skipGroup(const std::uint8_t*& p, const std::uint8_t* end, std::uint32_t number)
{
    std::uint32_t open[kMaxGroupDepth];
    int depth = 0;
    open[depth++] = number;
    while (depth > 0) {
        const std::uint8_t* const at = p;
        if (p >= end)
            return {"a group has no end", at};
        std::uint64_t tag = 0;
        if (!readVarint(p, tag) || p > end)
            return {"the message ends inside a field", at};
        const auto inner = static_cast<std::uint32_t>(tag >> 3);
        switch (tag & 7) {
        case 3:
            if (depth == kMaxGroupDepth)
                return {"groups are nested too deeply", at};
            open[depth++] = inner;
            continue;
        case 4:
            if (open[--depth] != inner)
                return {"the end of a group does not fit its start", at};
            continue;
        default:
            break;
        }
        p = at;
        WireField ignored;
        if (const WireFault fault = readField(p, end, ignored))
            return fault;
    }
    return {};
}

} // namespace

bool readLongVarint(const std::uint8_t*& p, std::uint64_t& value)
{
    value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const std::uint64_t byte = *p++;
        value |= (byte & 0x7f) << (shift & 63);
        if (byte < 0x80)
            return true;
    }
    return false;
}

WireFault readField(const std::uint8_t*& p, const std::uint8_t* end, WireField& field)
{
    const std::uint8_t* const at = p;
    std::uint64_t tag = 0;
    if (!readVarint(p, tag))
        return {"a number is longer than ten bytes", at};
    if (p > end)
        return {"the message ends inside a field", at};
    if (tag > 0xffffffffU)
        return {"a field number is too large", at};
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.wire = static_cast<std::uint32_t>(tag & 7);
    if (field.number == 0)
        return {"a field has number 0", at};
    switch (field.wire) {
    case 0:
        if (!readVarint(p, field.value))
            return {"a number is longer than ten bytes", at};
        break;
    case 1:
        if (end - p < 8)
            return {"the message ends inside a field", at};
        field.value = loadFixed64(p);
        p += 8;
        break;
    case 2:
        if (!readVarint(p, field.value))
            return {"a number is longer than ten bytes", at};
        if (p > end || field.value > static_cast<std::uint64_t>(end - p))
            return {"a field is longer than its message", at};
        field.data = p;
        p += field.value;
        break;
    case 3:
        return skipGroup(p, end, field.number);
    case 5:
        if (end - p < 4)
            return {"the message ends inside a field", at};
        field.value = loadFixed32(p);
        p += 4;
        break;
    default:
        return {"a field has an impossible wire type", at};
    }
    return p > end ? WireFault{"the message ends inside a field", at} : WireFault{};
}

} // namespace fabricscope
