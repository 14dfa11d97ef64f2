#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>

namespace fabricscope {

// Points, sizes, rectangles and lines of doubles, y downwards. They convert from and to the types of a drawing library that have the same
// accessors and constructors, so that a painter needs no glue; their operators apply to themselves only.

namespace drawn {

template <typename T>
concept Point = std::constructible_from<T, double, double> && requires(const T& t) {
    { t.x() } -> std::same_as<double>;
    { t.y() } -> std::same_as<double>;
    t.manhattanLength();
};

template <typename T>
concept Size = std::constructible_from<T, double, double> && requires(const T& t) {
    { t.width() } -> std::same_as<double>;
    { t.height() } -> std::same_as<double>;
    t.transposed();
};

template <typename T>
concept Rect = std::constructible_from<T, double, double, double, double> && requires(const T& t) {
    { t.left() } -> std::same_as<double>;
    { t.top() } -> std::same_as<double>;
    { t.width() } -> std::same_as<double>;
    { t.height() } -> std::same_as<double>;
    t.normalized();
};

template <typename T>
concept Line = std::constructible_from<T, double, double, double, double> && requires(const T& t) {
    { t.x1() } -> std::same_as<double>;
    { t.y1() } -> std::same_as<double>;
    { t.x2() } -> std::same_as<double>;
    { t.y2() } -> std::same_as<double>;
    t.isNull();
};

} // namespace drawn

class PointF {
public:
    constexpr PointF() = default;
    constexpr PointF(double x, double y) : m_x(x), m_y(y) {}
    template <drawn::Point T>
    PointF(const T& other) : m_x(other.x()), m_y(other.y())
    {
    }
    template <drawn::Point T>
    operator T() const
    {
        return T(m_x, m_y);
    }

    constexpr double x() const { return m_x; }
    constexpr double y() const { return m_y; }
    static constexpr double dotProduct(const PointF& a, const PointF& b) { return a.m_x * b.m_x + a.m_y * b.m_y; }

    PointF& operator+=(const PointF& other)
    {
        m_x += other.m_x;
        m_y += other.m_y;
        return *this;
    }
    PointF& operator-=(const PointF& other)
    {
        m_x -= other.m_x;
        m_y -= other.m_y;
        return *this;
    }
    template <std::same_as<PointF> P>
    friend constexpr P operator+(const P& a, const P& b)
    {
        return {a.m_x + b.m_x, a.m_y + b.m_y};
    }
    template <std::same_as<PointF> P>
    friend constexpr P operator-(const P& a, const P& b)
    {
        return {a.m_x - b.m_x, a.m_y - b.m_y};
    }
    template <std::same_as<PointF> P>
    friend constexpr P operator*(const P& a, double factor)
    {
        return {a.m_x * factor, a.m_y * factor};
    }
    template <std::same_as<PointF> P>
    friend constexpr P operator/(const P& a, double divisor)
    {
        return {a.m_x / divisor, a.m_y / divisor};
    }
    template <std::same_as<PointF> P>
    friend constexpr bool operator==(const P& a, const P& b)
    {
        return a.m_x == b.m_x && a.m_y == b.m_y;
    }

private:
    double m_x = 0;
    double m_y = 0;
};

class SizeF {
public:
    constexpr SizeF() = default;
    constexpr SizeF(double width, double height) : m_width(width), m_height(height) {}
    template <drawn::Size T>
    SizeF(const T& other) : m_width(other.width()), m_height(other.height())
    {
    }
    template <drawn::Size T>
    operator T() const
    {
        return T(m_width, m_height);
    }

    constexpr double width() const { return m_width; }
    constexpr double height() const { return m_height; }
    template <std::same_as<SizeF> S>
    friend constexpr S operator*(const S& size, double factor)
    {
        return {size.m_width * factor, size.m_height * factor};
    }

private:
    double m_width = 0;
    double m_height = 0;
};

class RectF {
public:
    constexpr RectF() = default;
    constexpr RectF(double left, double top, double width, double height) : m_left(left), m_top(top), m_width(width), m_height(height) {}
    constexpr RectF(const PointF& topLeft, const SizeF& size) : RectF(topLeft.x(), topLeft.y(), size.width(), size.height()) {}
    constexpr RectF(const PointF& topLeft, const PointF& bottomRight)
        : RectF(topLeft.x(), topLeft.y(), bottomRight.x() - topLeft.x(), bottomRight.y() - topLeft.y())
    {
    }
    template <drawn::Rect T>
    RectF(const T& other) : m_left(other.left()), m_top(other.top()), m_width(other.width()), m_height(other.height())
    {
    }
    template <drawn::Rect T>
    operator T() const
    {
        return T(m_left, m_top, m_width, m_height);
    }

    constexpr double left() const { return m_left; }
    constexpr double top() const { return m_top; }
    constexpr double right() const { return m_left + m_width; }
    constexpr double bottom() const { return m_top + m_height; }
    constexpr double width() const { return m_width; }
    constexpr double height() const { return m_height; }
    constexpr bool isNull() const { return m_width == 0 && m_height == 0; }
    constexpr bool isEmpty() const { return m_width <= 0 || m_height <= 0; }
    constexpr PointF topLeft() const { return {m_left, m_top}; }
    constexpr PointF bottomRight() const { return {right(), bottom()}; }
    constexpr PointF center() const { return {m_left + m_width / 2, m_top + m_height / 2}; }
    constexpr SizeF size() const { return {m_width, m_height}; }

    constexpr RectF translated(const PointF& by) const { return {m_left + by.x(), m_top + by.y(), m_width, m_height}; }
    constexpr RectF translated(double dx, double dy) const { return {m_left + dx, m_top + dy, m_width, m_height}; }
    /// Moves the edges by these amounts.
    constexpr RectF adjusted(double left, double top, double right, double bottom) const
    {
        return {m_left + left, m_top + top, m_width - left + right, m_height - top + bottom};
    }
    constexpr RectF normalized() const
    {
        return {m_width < 0 ? right() : m_left, m_height < 0 ? bottom() : m_top, m_width < 0 ? -m_width : m_width, m_height < 0 ? -m_height : m_height};
    }
    /// With its edges.
    constexpr bool contains(const PointF& point) const { return point.x() >= m_left && point.x() <= right() && point.y() >= m_top && point.y() <= bottom(); }
    /// False when either has no area.
    constexpr bool intersects(const RectF& other) const
    {
        return !isEmpty() && !other.isEmpty() && m_left < other.right() && other.m_left < right() && m_top < other.bottom() && other.m_top < bottom();
    }
    /// The smallest rectangle that holds both.
    constexpr RectF united(const RectF& other) const
    {
        const PointF low(std::min(m_left, other.m_left), std::min(m_top, other.m_top));
        return {low, PointF(std::max(right(), other.right()), std::max(bottom(), other.bottom()))};
    }

private:
    double m_left = 0;
    double m_top = 0;
    double m_width = 0;
    double m_height = 0;
};

class LineF {
public:
    constexpr LineF() = default;
    constexpr LineF(double x1, double y1, double x2, double y2) : m_p1(x1, y1), m_p2(x2, y2) {}
    constexpr LineF(const PointF& p1, const PointF& p2) : m_p1(p1), m_p2(p2) {}
    template <drawn::Line T>
    operator T() const
    {
        return T(m_p1.x(), m_p1.y(), m_p2.x(), m_p2.y());
    }

    constexpr PointF p1() const { return m_p1; }
    constexpr PointF p2() const { return m_p2; }
    constexpr double x1() const { return m_p1.x(); }
    constexpr double y1() const { return m_p1.y(); }
    constexpr double x2() const { return m_p2.x(); }
    constexpr double y2() const { return m_p2.y(); }
    constexpr double dx() const { return m_p2.x() - m_p1.x(); }
    constexpr double dy() const { return m_p2.y() - m_p1.y(); }
    double length() const { return std::hypot(dx(), dy()); }

private:
    PointF m_p1;
    PointF m_p2;
};

} // namespace fabricscope
