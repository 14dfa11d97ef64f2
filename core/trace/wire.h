#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fabricscope {

/// Bytes that must be readable behind the end of every buffer handed to the scanners, so that they check once per field, not per byte.
constexpr std::size_t kWirePadding = 16;

/// Why bytes are not what they should be. `what` is static text; null: no fault.
struct WireFault {
    const char* what = nullptr;
    const std::uint8_t* at = nullptr;
    explicit operator bool() const { return what != nullptr; }
};

/// Numbers of nine and ten bytes; those above are none.
bool readLongVarint(const std::uint8_t*& p, std::uint64_t& value);

/// Gathers the low seven bits of each byte of a number of up to eight bytes.
struct PortableGather {
    static std::uint64_t gather(std::uint64_t word)
    {
        word = (word & 0x007f007f007f007fU) | ((word & 0x7f007f007f007f00U) >> 1);
        word = (word & 0x00003fff00003fffU) | ((word & 0x3fff00003fff0000U) >> 2);
        return (word & 0x000000000fffffffU) | ((word & 0x0fffffff00000000U) >> 4);
    }
};

#if defined(__x86_64__)
/// The same in one instruction; only where the processor has BMI2. Assembly, so that it may be inlined into code for any processor.
struct Bmi2Gather {
    static std::uint64_t gather(std::uint64_t word)
    {
        std::uint64_t out = 0;
        asm("pext %2, %1, %0" : "=r"(out) : "r"(word), "r"(std::uint64_t{0x7f7f7f7f7f7f7f7fU}));
        return out;
    }
};
#endif

/// Reads LEB128; false when it is longer than ten bytes. May read up to ten bytes, whatever the end (see kWirePadding).
/// Up to eight bytes are read as one word and squeezed together, since the lengths of numbers are hard to predict.
template <typename Gather = PortableGather>
inline bool readVarint(const std::uint8_t*& p, std::uint64_t& value)
{
    if (*p < 0x80) [[likely]] {
        value = *p++;
        return true;
    }
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    const std::uint64_t last = ~word & 0x8080808080808080U;
    if (last == 0) [[unlikely]] { // copies, so that the callers' variables can stay in registers
        const std::uint8_t* at = p;
        const bool fits = readLongVarint(at, word);
        p = at;
        value = word;
        return fits;
    }
    p += (static_cast<unsigned>(std::countr_zero(last)) >> 3) + 1;
    value = Gather::gather(word & (last ^ (last - 1)));
    return true;
}

inline std::int64_t zigzag(std::uint64_t v) { return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1)); }

inline std::uint64_t loadFixed64(const std::uint8_t* p)
{
    std::uint64_t v = 0;
    std::memcpy(&v, p, 8);
    return v;
}

inline std::uint32_t loadFixed32(const std::uint8_t* p)
{
    std::uint32_t v = 0;
    std::memcpy(&v, p, 4);
    return v;
}

/// One field of a message.
struct WireField {
    std::uint32_t number = 0;
    std::uint32_t wire = 0;            ///< 0 varint, 1 eight bytes, 2 bytes with length, 3 group (already skipped), 5 four bytes.
    std::uint64_t value = 0;           ///< Wire 0, 1, 5; the length for wire 2.
    const std::uint8_t* data = nullptr; ///< Wire 2: the bytes.
    std::string_view text() const { return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(value)}; }
};

/// Reads the next field and moves `p` behind it. Groups, which no schema here has, are skipped as protobuf does.
WireFault readField(const std::uint8_t*& p, const std::uint8_t* end, WireField& field);

/// Calls `use(std::uint64_t)` for every varint of a packed list.
template <typename Use>
WireFault forPacked(const std::uint8_t* p, const std::uint8_t* end, Use&& use)
{
    while (p < end) {
        std::uint64_t v = 0;
        const std::uint8_t* const at = p;
        if (!readVarint(p, v) || p > end)
            return {"a list of numbers ends inside a number", at};
        use(v);
    }
    return {};
}

} // namespace fabricscope
