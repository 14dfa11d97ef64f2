#include "core/trace/etscan.h"

namespace fabricscope {

namespace {

constexpr WireFault kNone{};

/// 0.0.1 and 0.0.2 had no METADATA_NODE.
std::int32_t typeOf(std::uint64_t number, EtDialect dialect)
{
    const auto type = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
    return dialect != EtDialect::V003 && type >= 1 && type <= 6 ? type + 1 : type;
}

/// Unknown numbers stay unknown: they are moved out of the range of today's.
std::int64_t commTypeOf(std::uint64_t number, EtDialect dialect)
{
    static constexpr EtCommType kTypes[] = {EtCommType::AllReduce, EtCommType::AllToAll, EtCommType::AllGather, EtCommType::ReduceScatter, EtCommType::Broadcast};
    const std::uint64_t index = dialect == EtDialect::V001 ? number - 1 : number; // 0 was INVALID_COMM in 0.0.1
    return index < std::size(kTypes) ? static_cast<std::int64_t>(kTypes[index]) : 1000 + static_cast<std::int64_t>(number & 0xffff);
}

/// Attributes of 0.0.2 and later went by different numbers for the same kinds, so the wire type decides.
WireFault useOldAttribute(const std::uint8_t* p, const std::uint8_t* end, EtDialect dialect, TraceBuilder& builder)
{
    std::string_view name;
    std::uint64_t number = 0;
    std::uint32_t bits = 0;
    std::uint32_t numbers = 0;
    std::string_view text;
    bool hasText = false;
    bool hasReal = false;
    const auto add = [&](std::uint64_t v) {
        number = v;
        if (numbers < 32 && v != 0)
            bits |= 1U << numbers;
        ++numbers;
    };
    while (p < end) {
        WireField field;
        if (const WireFault fault = readField(p, end, field))
            return fault;
        if (field.number == 1 && field.wire == 2) {
            name = field.text();
        } else if (field.number >= 4 && field.wire == 0) {
            add(field.value);
        } else if (field.number >= 4 && field.wire == 2) {
            text = field.text();
            hasText = true;
        } else if (field.number >= 4 && (field.wire == 5 || field.wire == 1)) {
            hasReal = true;
        }
    }
    const auto known = etAttributeName(name.data(), name.size());
    if (!known)
        return kNone;
    if (known->field == EtField::InvolvedDim) {
        if (hasText) {
            const auto* const data = reinterpret_cast<const std::uint8_t*>(text.data());
            if (const WireFault fault = forPacked(data, data + text.size(), add))
                return fault;
        }
        builder.setDimensions(*known, bits, numbers);
    } else if (numbers > 0) {
        builder.setInteger(*known, known->field == EtField::CommType ? commTypeOf(number, dialect) : static_cast<std::int64_t>(number));
    } else if (hasText) {
        builder.setText(*known, text);
    } else {
        builder.setOdd(*known, hasReal ? EtOddity::Real : EtOddity::Empty);
    }
    return kNone;
}

/// The flat fields of 0.0.1.
void useFlatField(const WireField& field, std::uint32_t& dimensions, std::uint32_t& dimensionCount, TraceBuilder& builder)
{
    const auto set = [&](EtField name) { builder.setInteger({name}, static_cast<std::int64_t>(field.value)); };
    switch (field.number) {
    case 6: set(EtField::TensorSize); break;
    case 7: builder.setPlain(EtField::Duration, static_cast<std::int64_t>(field.value)); break;
    case 12: set(EtField::NumOps); break;
    case 13:
        if (field.value != 0)
            builder.setInteger({EtField::CommType}, commTypeOf(field.value, EtDialect::V001));
        break;
    case 14:
        if (dimensionCount < 32 && field.value != 0)
            dimensions |= 1U << dimensionCount;
        ++dimensionCount;
        break;
    case 15: builder.setText({EtField::PgName, true}, std::to_string(field.value)); break;
    case 16: set(EtField::CommSrc); break;
    case 17: set(EtField::CommDst); break;
    case 18: set(EtField::CommSize); break;
    case 19: set(EtField::CommTag); break;
    case 20: set(EtField::CommPriority); break;
    default: break;
    }
}

} // namespace

WireFault scanOldNode(const std::uint8_t* p, const std::uint8_t* end, EtDialect dialect, TraceBuilder& builder)
{
    builder.beginNode();
    std::uint32_t dimensions = 0;
    std::uint32_t dimensionCount = 0;
    std::string_view inputs;
    while (p < end) {
        WireField field;
        if (const WireFault fault = readField(p, end, field))
            return fault;
        if (field.wire == 0) {
            if (field.number == 1)
                builder.setId(field.value);
            else if (field.number == 3)
                builder.setType(typeOf(field.value, dialect));
            else if (field.number == 4)
                builder.addData(field.value);
            else if (dialect == EtDialect::V001)
                useFlatField(field, dimensions, dimensionCount, builder);
        } else if (field.wire == 2) {
            WireFault fault;
            if (field.number == 2)
                builder.setName(field.text());
            else if (field.number == 4)
                fault = forPacked(field.data, field.data + field.value, [&builder](std::uint64_t id) { builder.addData(id); });
            else if (field.number == 5)
                inputs = field.text();
            else if (field.number == 11 && dialect != EtDialect::V001)
                fault = useOldAttribute(field.data, field.data + field.value, dialect, builder);
            if (fault)
                return fault;
        }
    }
    if (dimensionCount > 0)
        builder.setDimensions({EtField::InvolvedDim}, dimensions, dimensionCount);
    if (!inputs.empty() && builder.type() == static_cast<std::int32_t>(EtNodeType::Metadata))
        builder.setGroupTable(inputs);
    return kNone;
}

void DialectVote::look(const std::uint8_t* p, const std::uint8_t* end)
{
    while (p < end) {
        WireField field;
        if (readField(p, end, field))
            return;
        if (field.number == 5 && field.wire == 2)
            ++m_packedDeps;
        else if (field.number == 7 && field.wire == 0)
            ++m_flatRuntime;
        else if (field.number >= 12 && field.number <= 20 && field.wire == 0)
            ++m_flat;
        if ((field.number != 10 && field.number != 11) || field.wire != 2)
            continue;
        EtAttribute attribute;
        const bool named = field.value > 0 && field.data[0] == 0x0a && !scanAttribute(field.data, field.data + field.value, attribute) && !attribute.name.empty();
        if (field.number == 10) {
            m_current += named;
            continue;
        }
        m_attribute11 += named;
        const std::uint8_t* at = field.data;
        while (at < field.data + field.value) {
            WireField inner;
            if (readField(at, field.data + field.value, inner))
                break;
            m_as002 += (inner.number == 5 && inner.wire == 0) || (inner.number == 6 && inner.wire == 2) || (inner.number == 4 && inner.wire == 5);
            m_as003 += (inner.number == 6 && inner.wire == 0) || (inner.number == 4 && inner.wire == 0) || (inner.number == 5 && inner.wire == 5);
        }
    }
}

EtDialect DialectVote::verdict(bool hasMetadata) const
{
    if (m_current == 0 && m_attribute11 > 0)
        return m_as002 > m_as003 ? EtDialect::V002 : EtDialect::V003;
    if (hasMetadata || m_current > 0)
        return EtDialect::Current;
    if (m_flat > 0 || (m_flatRuntime > 0 && m_packedDeps == 0))
        return EtDialect::V001;
    return EtDialect::Current;
}

} // namespace fabricscope
