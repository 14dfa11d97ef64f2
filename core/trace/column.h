#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace fabricscope {

namespace detail {
/// Changes the size of a block of memory (null: none yet; 0: free it), keeping its content. Large blocks come from the system in huge pages
/// and move without copying: filling fresh 4 KiB pages takes as long as reading the trace. Throws std::bad_alloc.
void* resizeBlock(void* block, std::size_t oldBytes, std::size_t newBytes);
/// Capacity to ask for when `wanted` bytes are needed.
std::size_t grownBytes(std::size_t oldBytes, std::size_t wanted);
} // namespace detail

/// A growing array of plain values, as std::vector without initialising what is added.
template <typename T>
class Column {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Column() = default;
    Column(const Column& other) { append(other.m_data, other.m_size); }
    Column(Column&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)), m_capacity(std::exchange(other.m_capacity, 0)) {}
    Column& operator=(Column other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_size, other.m_size);
        std::swap(m_capacity, other.m_capacity);
        return *this;
    }
    ~Column() { detail::resizeBlock(m_data, m_capacity * sizeof(T), 0); }

    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    std::size_t capacity() const { return m_capacity; }
    const T* data() const { return m_data; }
    const T* begin() const { return m_data; }
    const T* end() const { return m_data + m_size; }
    const T& operator[](std::size_t i) const { return m_data[i]; }

    /// Room for `count` more values; write them and call `added`.
    T* room(std::size_t count)
    {
        if (m_capacity - m_size < count) [[unlikely]]
            setCapacity(detail::grownBytes(m_capacity * sizeof(T), (m_size + count) * sizeof(T)) / sizeof(T));
        return m_data + m_size;
    }
    void added(std::size_t count) { m_size += count; }
    void push_back(T value)
    {
        *room(1) = value;
        ++m_size;
    }
    void append(const T* values, std::size_t count)
    {
        if (count > 0)
            std::memcpy(room(count), values, count * sizeof(T));
        m_size += count;
    }
    void reserve(std::size_t count)
    {
        if (count > m_capacity)
            setCapacity(count);
    }
    /// Gives back room that is more than an eighth of the whole.
    void trim()
    {
        if (m_capacity - m_size > m_size / 8)
            setCapacity(m_size);
    }

    friend bool operator==(const Column& a, const Column& b) { return a.m_size == b.m_size && (a.m_size == 0 || std::memcmp(a.m_data, b.m_data, a.m_size * sizeof(T)) == 0); }

private:
    void setCapacity(std::size_t capacity)
    {
        m_data = static_cast<T*>(detail::resizeBlock(m_data, m_capacity * sizeof(T), capacity * sizeof(T)));
        m_capacity = capacity;
    }

    T* m_data = nullptr;
    std::size_t m_size = 0;
    std::size_t m_capacity = 0;
};

} // namespace fabricscope
