#pragma once

#include "core/model/graph/opgraph.h"

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

namespace fabricscope {

/// A number of the interpreters: an element of the field of integers modulo the prime 2^31 - 1, or poison.
///
/// Why a field: addition and multiplication are exact, associative and distributive, and all but 0 have inverses, so that whatever partitioning may change (order of sums,
/// where a mean is divided, when partial sums meet) changes nothing, and everything else changes the result but for a chance of 2^-31 per element. No tolerance is needed behind
/// which a defect could hide. Small integers are themselves: -3 + 5 is 2, while no sum leaves 2^30. exp, gelu, roots and the like are fixed functions drawn by a hash
/// (ofUnary()), as no partitioning may rely on more than that they are functions of one element; what it may rely on holds: relu, neg and copies are themselves, and
/// those that are 0 at 0 stay so.
///
/// Order (max, min, sort, relu, equality of ids modulo a size) is that of the representatives from -(2^30 - 1) to 2^30 - 1. It does not fit the sums, which nothing relies on,
/// and for small integers is the usual one.
///
/// Poison stands in memory that must not be read, as the padding of a last shard. Everything computed from it is poison.
class Exact {
public:
    static constexpr std::uint32_t kPrime = 2'147'483'647;
    static constexpr std::int32_t kMost = static_cast<std::int32_t>(kPrime / 2);

    constexpr Exact() = default; ///< 0.
    explicit constexpr Exact(std::int64_t value) : m_value(static_cast<std::uint32_t>(((value % kPrime) + kPrime) % kPrime)) {}
    static constexpr Exact poison()
    {
        Exact number;
        number.m_value = kPoison;
        return number;
    }
    static constexpr Exact least() { return Exact(-std::int64_t{kMost}); }   ///< Identity of max.
    static constexpr Exact greatest() { return Exact(std::int64_t{kMost}); } ///< Identity of min.

    constexpr bool isPoison() const { return m_value == kPoison; }
    constexpr bool isZero() const { return m_value == 0; }
    /// The representative nearest 0. \pre not poison.
    constexpr std::int32_t centred() const
    {
        assert(!isPoison());
        return m_value <= kPrime / 2 ? static_cast<std::int32_t>(m_value) : static_cast<std::int32_t>(static_cast<std::int64_t>(m_value) - kPrime);
    }
    /// As an index below `size`: the representative modulo it, from 0 on. \pre not poison, size from 1.
    constexpr std::int64_t below(std::int64_t size) const
    {
        const std::int64_t rest = centred() % size;
        return rest < 0 ? rest + size : rest;
    }

    friend constexpr bool operator==(Exact, Exact) = default;
    friend constexpr Exact operator+(Exact a, Exact b)
    {
        if (((a.m_value | b.m_value) & kTop) != 0)
            return poison();
        const std::uint32_t sum = a.m_value + b.m_value;
        return raw(sum >= kPrime ? sum - kPrime : sum);
    }
    friend constexpr Exact operator-(Exact a)
    {
        return a.isPoison() || a.isZero() ? a : raw(kPrime - a.m_value);
    }
    friend constexpr Exact operator-(Exact a, Exact b) { return a + -b; }
    friend constexpr Exact operator*(Exact a, Exact b)
    {
        if (((a.m_value | b.m_value) & kTop) != 0)
            return poison();
        return raw(static_cast<std::uint32_t>(std::uint64_t{a.m_value} * b.m_value % kPrime));
    }
    Exact& operator+=(Exact other) { return *this = *this + other; }

    /// 1 / this; 0 of 0, so that division is total. O(31).
    constexpr Exact inverse() const
    {
        if (isPoison())
            return *this;
        Exact result(1);
        Exact power = *this;
        for (std::uint32_t exponent = kPrime - 2; exponent != 0; exponent >>= 1) {
            if (exponent & 1)
                result = result * power;
            power = power * power;
        }
        return result;
    }

    /// Lower in the order. \pre neither is poison.
    friend constexpr bool lower(Exact a, Exact b) { return a.centred() < b.centred(); }
    friend constexpr Exact higherOf(Exact a, Exact b) { return a.isPoison() || b.isPoison() ? poison() : lower(a, b) ? b : a; }
    friend constexpr Exact lowerOf(Exact a, Exact b) { return a.isPoison() || b.isPoison() ? poison() : lower(b, a) ? b : a; }

    /// "12", "-3", "poison".
    std::string text() const { return isPoison() ? "poison" : std::to_string(centred()); }

private:
    static constexpr std::uint32_t kPoison = 0xffffffffu;
    static constexpr std::uint32_t kTop = 0x80000000u;
    static constexpr Exact raw(std::uint32_t value)
    {
        Exact number;
        number.m_value = value;
        return number;
    }

    std::uint32_t m_value = 0;
};

/// Value of an elementwise op with one operand (Relu to Cast; Dropout is not among them). Relu, Neg, Copy as they are; Cast changes nothing, as numbers here have no precision
/// (and a cast may be given partial sums); the others hashed, with gelu(0) = silu(0) = tanh(0) = sqrt(0) = log(1) = 0 and exp(0) = 1.
Exact ofUnary(GraphOpKind kind, Exact x);
/// Value of Map: drawn by a hash of the name of its function and of the values; poison where one of them is.
Exact ofNamed(std::string_view function, std::span<const Exact> values);
/// The derivative of ofUnary(): 1 or 0 of Relu (0 at 0), exp of Exp, hashed where the op is.
Exact derivativeOf(GraphOpKind kind, Exact x);
/// Stands for 1 / root(x) in LayerNorm.
Exact inverseRoot(Exact x);

/// Combines two values as reductions do; Mean as Sum.
Exact combined(ReduceKind kind, Exact a, Exact b);
/// What combined() leaves the other as it is with.
Exact identityOf(ReduceKind kind);

/// Does Dropout with this seed and rate (of [0, 1)) zero the element of that row-major index in the whole tensor?
bool isDropped(std::uint64_t seed, double rate, std::int64_t index);

/// Element of an input: of floating tensors from -20 to 20, so that equal ones occur; of Bool 0 or 1; of other integers 0 to 99. Depends on name, seed and index alone.
Exact inputElement(std::uint64_t nameHash, std::uint64_t seed, ElementType type, std::int64_t index);

} // namespace fabricscope
