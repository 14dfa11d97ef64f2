#pragma once

#include "core/base/error.h"

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

namespace fabricscope {

/// A value, or the reason why there is none. Errors of user input travel this way; programming mistakes are asserts.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return m_state.index() == 0; }
    const T& value() const&
    {
        assert(*this);
        return std::get<0>(m_state);
    }
    T& value() &
    {
        assert(*this);
        return std::get<0>(m_state);
    }
    T&& value() &&
    {
        assert(*this);
        return std::get<0>(std::move(m_state));
    }
    const Error& error() const&
    {
        assert(!*this);
        return std::get<1>(m_state);
    }
    Error&& error() &&
    {
        assert(!*this);
        return std::get<1>(std::move(m_state));
    }

private:
    std::variant<T, Error> m_state;
};

/// Success, or the reason of a failure.
class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Error error) : m_error(std::move(error)) {}

    explicit operator bool() const { return !m_error; }
    const Error& error() const&
    {
        assert(m_error);
        return *m_error;
    }
    Error&& error() &&
    {
        assert(m_error);
        return *std::move(m_error);
    }

private:
    std::optional<Error> m_error;
};

} // namespace fabricscope
