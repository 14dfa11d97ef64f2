#pragma once

#include "core/base/fraction.h"

#include <cstdint>
#include <string>

namespace fabricscope {

/// A number of operations that a step of training may reach: FLOPs of a trillion parameters and a batch of thousands are above 2^63. In decimal; in
/// optotals.cpp.
std::string wideText(WideCount value);

/// A number of elements, bytes or operations that notices when it leaves 63 bits: once it has, it and all that is computed from it do not fit.
class Count {
public:
    constexpr Count(std::int64_t value = 0) : m_value(value) {}

    constexpr bool fits() const { return m_fits; }
    /// Largest value where it does not fit.
    constexpr std::int64_t value() const { return m_fits ? m_value : INT64_MAX; }

    friend constexpr Count operator*(Count a, Count b)
    {
        Count c;
        c.m_fits = !__builtin_mul_overflow(a.m_value, b.m_value, &c.m_value) && a.m_fits && b.m_fits;
        return c;
    }
    friend constexpr Count operator+(Count a, Count b)
    {
        Count c;
        c.m_fits = !__builtin_add_overflow(a.m_value, b.m_value, &c.m_value) && a.m_fits && b.m_fits;
        return c;
    }
    friend constexpr Count operator-(Count a, Count b)
    {
        Count c;
        c.m_fits = !__builtin_sub_overflow(a.m_value, b.m_value, &c.m_value) && a.m_fits && b.m_fits;
        return c;
    }
    constexpr Count& operator+=(Count other) { return *this = *this + other; }
    /// Rounded up. \pre n > 0, the value is not negative.
    constexpr Count dividedUp(std::int64_t n) const
    {
        Count c = *this;
        c.m_value = m_value / n + (m_value % n != 0);
        return c;
    }
    /// \pre the value is a multiple of two, or rounding down is meant.
    constexpr Count half() const
    {
        Count c = *this;
        c.m_value = m_value / 2;
        return c;
    }

private:
    std::int64_t m_value = 0;
    bool m_fits = true;
};

} // namespace fabricscope
