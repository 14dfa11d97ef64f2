#include "core/trace/etscan.h"

namespace fabricscope {

namespace {

constexpr WireFault kNone{};
constexpr const char* kLongNumber = "a number is longer than ten bytes";
constexpr const char* kCut = "the message ends inside a field";

/// Value of an attribute as found: the last member of the oneof wins.
struct RawValue {
    std::uint32_t number = 0; ///< EtKind; 0: none.
    std::uint64_t bits = 0;
    const std::uint8_t* data = nullptr;
    std::uint64_t length = 0;
};

/// Wire type that the kind has in a message.
constexpr std::uint32_t wireOf(std::uint32_t number)
{
    switch (static_cast<EtKind>(number)) {
    case EtKind::Double:
    case EtKind::Fixed64:
    case EtKind::Sfixed64:
        return 1;
    case EtKind::Float:
    case EtKind::Fixed32:
    case EtKind::Sfixed32:
        return 5;
    case EtKind::String:
    case EtKind::Bytes:
        return 2;
    default:
        return number % 2 == 0 ? 2 : 0;
    }
}

std::int64_t integerOf(EtKind kind, std::uint64_t bits)
{
    switch (kind) {
    case EtKind::Int32:
    case EtKind::Sfixed32:
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    case EtKind::Uint32:
    case EtKind::Fixed32:
        return static_cast<std::int64_t>(bits & 0xffffffffU);
    case EtKind::Sint32:
        return static_cast<std::int32_t>(zigzag(bits & 0xffffffffU));
    case EtKind::Sint64:
        return zigzag(bits);
    case EtKind::Bool:
        return bits != 0 ? 1 : 0;
    default:
        return static_cast<std::int64_t>(bits);
    }
}

/// Calls use(bits) for every number of an XxxList message, packed or not.
template <typename Use>
WireFault forList(const std::uint8_t* p, const std::uint8_t* end, EtKind scalar, Use&& use)
{
    const std::uint32_t wire = wireOf(static_cast<std::uint32_t>(scalar));
    while (p < end) {
        WireField field;
        if (const WireFault fault = readField(p, end, field))
            return fault;
        if (field.number != 1)
            continue;
        if (field.wire == wire) {
            use(field.value);
        } else if (field.wire == 2 && wire == 0) {
            if (const WireFault fault = forPacked(field.data, field.data + field.value, use))
                return fault;
        } else if (field.wire == 2) {
            const std::uint64_t step = wire == 1 ? 8 : 4;
            if (field.value % step != 0)
                return {"a list of numbers ends inside a number", field.data};
            for (std::uint64_t at = 0; at < field.value; at += step)
                use(wire == 1 ? loadFixed64(field.data + at) : loadFixed32(field.data + at));
        }
    }
    return kNone;
}

WireFault useValue(EtAttributeName name, const RawValue& raw, TraceBuilder& builder)
{
    const auto kind = static_cast<EtKind>(raw.number);
    if (kind == EtKind::None) {
        builder.setOdd(name, EtOddity::Empty);
    } else if (isListKind(kind)) {
        if (!isIntegerKind(kind) || name.field != EtField::InvolvedDim) {
            builder.setOdd(name, EtOddity::List);
            return kNone;
        }
        std::uint32_t bits = 0;
        std::uint32_t count = 0;
        const WireFault fault = forList(raw.data, raw.data + raw.length, scalarOf(kind), [&](std::uint64_t v) {
            if (count < 32 && v != 0)
                bits |= 1U << count;
            ++count;
        });
        if (fault)
            return fault;
        builder.setDimensions(name, bits, count);
    } else if (isRealKind(kind)) {
        builder.setOdd(name, EtOddity::Real);
    } else if (isTextKind(kind)) {
        builder.setText(name, {reinterpret_cast<const char*>(raw.data), static_cast<std::size_t>(raw.length)});
    } else {
        const std::int64_t value = integerOf(kind, raw.bits);
        if (value < 0 && (kind == EtKind::Uint64 || kind == EtKind::Fixed64))
            builder.setTooLarge(name);
        else
            builder.setInteger(name, value);
    }
    return kNone;
}

/// The form that nearly all attributes have: the name, then one integer of a kind without sign tricks, then the end. False: not that form,
/// and nothing was done. What a start of name and kind means is remembered, so that most are told by one comparison.
template <typename Gather>
[[gnu::always_inline]] inline bool useShortAttribute(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder)
{
    const std::uint64_t first = loadFixed64(p);
    const std::uint64_t second = loadFixed64(p + 8);
    const AttributeStart* start = &builder.attributeStart(first, second);
    if (!start->fits(first, second)) [[unlikely]] {
        if (!builder.learnAttributeStart(p, end))
            return false;
        start = &builder.attributeStart(first, second);
    }
    const std::uint8_t* value = p + start->length;
    std::uint64_t v = 0;
    if (!readVarint<Gather>(value, v) || value != end || static_cast<std::int64_t>(v) < 0) [[unlikely]]
        return false;
    builder.setSlot(start->slot, v);
    return true;
}

/// One attribute of a node: only those a run reads are kept.
WireFault useAttribute(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder)
{
    const char* name = nullptr;
    std::uint64_t nameLength = 0;
    RawValue raw;
    while (p < end) {
        const std::uint8_t* const at = p;
        if (*p == 0x0a && p + 1 < end && p[1] < 0x80) { // the name, as every writer puts it
            nameLength = p[1];
            name = reinterpret_cast<const char*>(p + 2);
            p += 2 + nameLength;
            if (p > end)
                return {"a field is longer than its message", at};
            continue;
        }
        WireField field;
        if (const WireFault fault = readField(p, end, field))
            return fault;
        if (field.number == 1 && field.wire == 2) {
            name = reinterpret_cast<const char*>(field.data);
            nameLength = field.value;
        } else if (field.number >= 3 && field.number <= 32 && field.wire == wireOf(field.number)) {
            raw = {field.number, field.value, field.data, field.wire == 2 ? field.value : 0};
        }
    }
    if (name) {
        if (const auto known = etAttributeName(name, nameLength))
            return useValue(*known, raw, builder);
    }
    return kNone;
}

/// The text in field 1 of an IOInfo.
WireFault ioValues(const std::uint8_t* p, const std::uint8_t* end, std::string_view& values)
{
    while (p < end) {
        WireField field;
        if (const WireFault fault = readField(p, end, field))
            return fault;
        if (field.number == 1 && field.wire == 2)
            values = field.text();
    }
    return kNone;
}

/// The fields as nearly every writer orders them, each at most once: number, name, type, dependencies, duration, attributes. Returns where it
/// stopped: at the end, or at what does not fit, be it another order or a fault. Nothing of that field was taken then.
/// Apart from the loop over any order because a branch per expected field is predicted well and a jump per field is not.
/// Reading at and behind `end` is harmless (see kWirePadding), and what is found there is too long to be taken.
template <typename Gather>
[[gnu::always_inline]] inline const std::uint8_t* scanUsual(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder)
{
    std::uint64_t v = 0;
    const std::uint8_t* next = p + 1;
    if (*p == 0x08) {
        if (!readVarint<Gather>(next, v) || next > end) [[unlikely]]
            return p;
        builder.setId(v);
        p = next;
    }
    if (*p == 0x12) {
        next = p + 2 + p[1];
        if (p[1] >= 0x80 || next > end) [[unlikely]]
            return p;
        builder.setName({reinterpret_cast<const char*>(p + 2), p[1]});
        p = next;
    }
    if (*p == 0x18) {
        if (p[1] >= 0x80 || p + 2 > end) [[unlikely]]
            return p;
        builder.setType(p[1]);
        p += 2;
    }
    if (*p == 0x2a) {
        next = p + 2 + p[1];
        if (p[1] >= 0x80 || next > end) [[unlikely]]
            return p;
        // Written where there is room; they count only when the list is sound.
        std::uint64_t* ids = builder.dataRoom(p[1]);
        std::uint64_t* const begin = ids;
        const std::uint8_t* at = p + 2;
        while (at < next) {
            if (!readVarint<Gather>(at, *ids++)) [[unlikely]]
                return p;
        }
        if (at != next) [[unlikely]]
            return p;
        builder.dataAdded(static_cast<std::size_t>(ids - begin));
        p = next;
    }
    if (*p == 0x38) {
        next = p + 1;
        if (!readVarint<Gather>(next, v) || next > end || static_cast<std::int64_t>(v) <= 0) [[unlikely]]
            return p;
        builder.setPlain(EtField::Duration, static_cast<std::int64_t>(v));
        p = next;
    }
    while (*p == 0x52) {
        next = p + 2 + p[1];
        if (p[1] >= 0x80 || next > end || !useShortAttribute<Gather>(p + 2, next, builder)) [[unlikely]]
            return p;
        p = next;
    }
    return p < end ? p : end;
}

const std::uint8_t* scanUsualPortable(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder)
{
    return scanUsual<PortableGather>(p, end, builder);
}

#if defined(__x86_64__)
const std::uint8_t* scanUsualBmi2(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder)
{
    return scanUsual<Bmi2Gather>(p, end, builder);
}
const auto kScanUsual = __builtin_cpu_supports("bmi2") ? scanUsualBmi2 : scanUsualPortable;
#else
const auto kScanUsual = scanUsualPortable;
#endif

/// Any field in any order, from where the usual ones ended.
WireFault scanRest(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder);

} // namespace

WireFault scanNode(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder)
{
    builder.beginNode();
    p = kScanUsual(p, end, builder);
    return p == end ? kNone : scanRest(p, end, builder);
}

namespace {

WireFault scanRest(const std::uint8_t* p, const std::uint8_t* end, TraceBuilder& builder)
{
    const std::uint8_t* inputs = nullptr;
    const std::uint8_t* inputsEnd = nullptr;
    while (p < end) {
        const std::uint8_t* const at = p;
        std::uint64_t v = 0;
        const auto number = [&]() -> WireFault {
            ++p;
            if (!readVarint(p, v)) [[unlikely]]
                return {kLongNumber, at};
            return p > end ? WireFault{kCut, at} : kNone;
        };
        const auto bytes = [&]() -> WireFault {
            ++p;
            if (!readVarint(p, v)) [[unlikely]]
                return {kLongNumber, at};
            if (p > end || v > static_cast<std::uint64_t>(end - p)) [[unlikely]]
                return {"a field is longer than its message", at};
            p += v;
            return kNone;
        };
        WireFault fault;
        switch (*p) {
        case 0x08:
            if ((fault = number()))
                return fault;
            builder.setId(v);
            continue;
        case 0x12:
            if ((fault = bytes()))
                return fault;
            builder.setName({reinterpret_cast<const char*>(p - v), static_cast<std::size_t>(v)});
            continue;
        case 0x18:
            if ((fault = number()))
                return fault;
            builder.setType(static_cast<std::int32_t>(static_cast<std::uint32_t>(v)));
            continue;
        case 0x20:
            if ((fault = number()))
                return fault;
            builder.addCtrl(v);
            continue;
        case 0x22:
            if ((fault = bytes()) || (fault = forPacked(p - v, p, [&builder](std::uint64_t id) { builder.addCtrl(id); })))
                return fault;
            continue;
        case 0x28:
            if ((fault = number()))
                return fault;
            builder.addData(v);
            continue;
        case 0x2a:
            if ((fault = bytes()) || (fault = forPacked(p - v, p, [&builder](std::uint64_t id) { builder.addData(id); })))
                return fault;
            continue;
        case 0x30:
        case 0x38:
            if ((fault = number()))
                return fault;
            if (static_cast<std::int64_t>(v) < 0)
                return {"a time is above 2^63 - 1 microseconds", at};
            if (v != 0)
                builder.setPlain(*at == 0x30 ? EtField::Start : EtField::Duration, static_cast<std::int64_t>(v));
            continue;
        case 0x42:
            if ((fault = bytes()))
                return fault;
            inputs = p - v;
            inputsEnd = p;
            continue;
        case 0x4a:
            if ((fault = bytes()))
                return fault;
            continue;
        case 0x52:
            if ((fault = bytes()))
                return fault;
            if (!useShortAttribute<PortableGather>(p - v, p, builder) && (fault = useAttribute(p - v, p, builder)))
                return fault;
            continue;
        default: {
            WireField ignored;
            const std::uint8_t* next = p; // a copy, so that p can stay in a register
            if ((fault = readField(next, end, ignored)))
                return fault;
            p = next;
            continue;
        }
        }
    }
    if (inputs && builder.type() == static_cast<std::int32_t>(EtNodeType::Metadata)) {
        std::string_view values;
        if (const WireFault fault = ioValues(inputs, inputsEnd, values))
            return fault;
        if (!values.empty())
            builder.setGroupTable(values);
    }
    return kNone;
}

} // namespace

WireFault scanAttribute(const std::uint8_t* p, const std::uint8_t* end, EtAttribute& attribute)
{
    attribute = {};
    RawValue raw;
    while (p < end) {
        WireField field;
        if (const WireFault fault = readField(p, end, field))
            return fault;
        if (field.number == 1 && field.wire == 2)
            attribute.name = field.text();
        else if (field.number == 2 && field.wire == 2)
            attribute.doc = field.text();
        else if (field.number >= 3 && field.number <= 32 && field.wire == wireOf(field.number))
            raw = {field.number, field.value, field.data, field.wire == 2 ? field.value : 0};
    }
    attribute.kind = static_cast<EtKind>(raw.number);
    if (attribute.kind == EtKind::None)
        return kNone;
    const EtKind scalar = scalarOf(attribute.kind);
    const auto keep = [&attribute, scalar](std::uint64_t bits) {
        if (scalar == EtKind::Double) {
            double real = 0;
            std::memcpy(&real, &bits, sizeof real);
            attribute.reals.push_back(real);
        } else if (scalar == EtKind::Float) {
            const auto low = static_cast<std::uint32_t>(bits);
            float real = 0;
            std::memcpy(&real, &low, sizeof real);
            attribute.reals.push_back(static_cast<double>(real));
        } else {
            attribute.integers.push_back(integerOf(scalar, bits));
        }
    };
    if (isTextKind(attribute.kind)) {
        if (!isListKind(attribute.kind)) {
            attribute.strings.emplace_back(reinterpret_cast<const char*>(raw.data), static_cast<std::size_t>(raw.length));
            return kNone;
        }
        const std::uint8_t* at = raw.data;
        while (at < raw.data + raw.length) {
            WireField field;
            if (const WireFault fault = readField(at, raw.data + raw.length, field))
                return fault;
            if (field.number == 1 && field.wire == 2)
                attribute.strings.emplace_back(field.text());
        }
        return kNone;
    }
    if (isListKind(attribute.kind))
        return forList(raw.data, raw.data + raw.length, scalar, keep);
    keep(raw.bits);
    return kNone;
}

WireFault scanMetadata(const std::uint8_t* p, const std::uint8_t* end, EtMetadata& metadata)
{
    while (p < end) {
        WireField field;
        if (const WireFault fault = readField(p, end, field))
            return fault;
        if (field.wire != 2)
            continue;
        if (field.number == 2 || (field.number == 1 && field.value > 0 && field.data[0] == 0x0a)) {
            EtAttribute attribute;
            if (const WireFault fault = scanAttribute(field.data, field.data + field.value, attribute))
                return fault;
            metadata.attributes.push_back(std::move(attribute));
        } else if (field.number == 1) {
            metadata.version = field.text();
        }
    }
    return kNone;
}

bool looksLikeNode(const std::uint8_t* p, const std::uint8_t* end)
{
    while (p < end) {
        WireField field;
        if (readField(p, end, field))
            return false;
        if ((field.number == 1 || field.number == 3) && field.wire == 0)
            return true;
    }
    return false;
}

} // namespace fabricscope
