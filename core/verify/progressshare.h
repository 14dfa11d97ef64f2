#pragma once

#include <cstdint>
#include <functional>

namespace fabricscope {

/// A part of a whole that says how far the whole is. Cheap to copy; says nothing where nobody listens.
class ProgressShare {
public:
    ProgressShare() = default;
    /// The whole; `tell` may be empty, and must live as long.
    explicit ProgressShare(const std::function<void(double)>& tell) : m_tell(tell ? &tell : nullptr) {}

    /// The part from `begin` to `end` of this one. \pre 0 <= begin <= end <= 1.
    ProgressShare part(double begin, double end) const
    {
        ProgressShare out = *this;
        out.m_begin = m_begin + begin * (m_end - m_begin);
        out.m_end = m_begin + end * (m_end - m_begin);
        return out;
    }
    /// `done` of `of` of this part are done. \pre done <= of, of > 0.
    void tell(std::uint64_t done, std::uint64_t of) const
    {
        if (m_tell)
            (*m_tell)(m_begin + (m_end - m_begin) * static_cast<double>(done) / static_cast<double>(of));
    }

private:
    const std::function<void(double)>* m_tell = nullptr;
    double m_begin = 0;
    double m_end = 1;
};

} // namespace fabricscope
