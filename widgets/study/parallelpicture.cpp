#include "widgets/study/parallelpicture.h"

#include "core/base/index.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fabricscope {

namespace {

constexpr int kBinPixels = 2;
constexpr std::uint16_t kNoBin = 0xffff;
constexpr float kSpread = 0.36F; ///< Of the band of a value.
constexpr float kMostSpread = 0.08F; ///< Of the axis.

/// How many lines lie on a pixel, or go from one bin to another.
struct Heap {
    std::uint32_t others = 0;
    std::uint32_t inside = 0;
    std::uint32_t buckets = 0; ///< Their sum, of those inside.
    Heap& operator+=(const Heap& other)
    {
        others += other.others;
        inside += other.inside;
        buckets += other.buckets;
        return *this;
    }
};

/// The lines from one bin of an axis to one of the next, at device pixels.
struct HeapedLine {
    float begin = 0;
    float slope = 0; ///< By a pixel to the right.
    Heap heap;
};

/// Shades of a count: more are stronger, by powers of two up to `most`.
class Shades {
public:
    Shades(const QColor& under, const QColor& over, double least, double strongest, std::uint32_t most)
        : m_under(under), m_over(over), m_least(least), m_perPower((strongest - least) / std::log2(1.0 + most))
    {
        for (std::uint32_t count = 0; count < kUsual; ++count)
            m_usual.push_back(made(std::min(count, most)));
    }
    QRgb operator()(std::uint32_t count) const { return count < kUsual ? m_usual[count] : made(count); }

private:
    static constexpr std::uint32_t kUsual = 512; ///< Counts below this are looked up.
    QRgb made(std::uint32_t count) const { return Theme::mix(m_under, m_over, m_least + m_perPower * std::log2(1.0 + count)).rgb(); }

    QColor m_under;
    QColor m_over;
    double m_least;
    double m_perPower;
    std::vector<QRgb> m_usual;
};

/// Heaps of all pixels, column by column.
class HeapedLines {
public:
    explicit HeapedLines(const ParallelLines& lines) : m_lines(lines), m_size((QSizeF(lines.size) * lines.ratio).toSize()), m_heaps(at(m_size.width()) * at(m_size.height())), m_bins(std::max(2, static_cast<int>(lines.height * lines.ratio) / kBinPixels))
    {
        m_pairs.resize(at(m_bins) * at(m_bins));
        m_heapOf.reserve(lines.columns->done.size());
        for (const std::size_t row : lines.columns->done) {
            const bool brushed = lines.isBrushed(row);
            m_heapOf.push_back({brushed ? 0U : 1U, brushed ? 1U : 0U, brushed && lines.colour ? static_cast<std::uint32_t>(lines.bucketOf(row)) : 0U});
        }
    }

    void addAll(const std::stop_token& stop)
    {
        std::vector<std::uint16_t> left = binsOf(m_lines.sides.front());
        for (std::size_t side = 1; side < m_lines.sides.size() && !stop.stop_requested(); ++side) {
            std::vector<std::uint16_t> right = binsOf(m_lines.sides[side]);
            count(left, right);
            draw(side);
            left = std::move(right);
        }
    }

    QImage picture() const
    {
        QImage image(m_size, QImage::Format_RGB32);
        image.setDevicePixelRatio(m_lines.ratio);
        const Theme& theme = m_lines.theme;
        const QColor view = theme.color(Role::View);
        image.fill(view);
        std::uint32_t mostOthers = 1;
        std::uint32_t mostInside = 1;
        for (const Heap& heap : m_heaps) {
            mostOthers = std::max(mostOthers, heap.others);
            mostInside = std::max(mostInside, heap.inside);
        }
        const Shades others(view, theme.color(Role::Outline), 0.15, 0.6, mostOthers);
        std::vector<Shades> inside; // By bucket.
        for (int bucket = 0; bucket < (m_lines.colour ? Theme::kHeatBuckets : 1); ++bucket)
            inside.emplace_back(view, m_lines.colour ? theme.heat(bucket) : theme.color(Role::Accent), 0.25, 1.0, mostInside);
        // Some columns at a time: heaps are near each other along them, pixels across.
        constexpr int kTogether = 16;
        for (int first = 0; first < m_size.width(); first += kTogether) {
            for (int y = 0; y < m_size.height(); ++y) {
                auto* const line = reinterpret_cast<QRgb*>(image.bits() + y * image.bytesPerLine());
                for (int x = first; x < std::min(first + kTogether, m_size.width()); ++x) {
                    const Heap& heap = m_heaps[at(x) * at(m_size.height()) + at(y)];
                    if (heap.inside > 0)
                        line[x] = inside[(heap.buckets + heap.inside / 2) / heap.inside](heap.inside);
                    else if (heap.others > 0)
                        line[x] = others(heap.others);
                }
            }
        }
        return image;
    }

private:
    std::vector<std::uint16_t> binsOf(const ParallelLines::Side& side) const
    {
        const std::vector<std::uint32_t>& rows = m_lines.columns->done;
        std::vector<std::uint16_t> bins(rows.size(), kNoBin);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const float share = m_lines.shareOfRow(side, rows[i]);
            if (!std::isnan(share))
                bins[i] = static_cast<std::uint16_t>(std::clamp(static_cast<int>(share * static_cast<float>(m_bins)), 0, m_bins - 1));
        }
        return bins;
    }
    void count(const std::vector<std::uint16_t>& left, const std::vector<std::uint16_t>& right)
    {
        for (std::size_t i = 0; i < m_heapOf.size(); ++i) {
            if (left[i] != kNoBin && right[i] != kNoBin)
                m_pairs[left[i] * at(m_bins) + right[i]] += m_heapOf[i];
        }
    }
    /// From the middles of bins to those of the next axis, one column of pixels after the other, as that is near in memory. A steep line fills its columns.
    void draw(std::size_t side)
    {
        const double ratio = m_lines.ratio;
        const int left = static_cast<int>(m_lines.sides[side - 1].x * ratio);
        const int right = std::min(static_cast<int>(m_lines.sides[side].x * ratio), m_size.width());
        const double bin = m_lines.height * ratio / m_bins;
        std::vector<HeapedLine> lines;
        for (int from = 0; from < m_bins; ++from) {
            for (int to = 0; to < m_bins; ++to) {
                Heap& pair = m_pairs[at(from) * at(m_bins) + at(to)];
                if (pair.others + pair.inside > 0)
                    lines.push_back({static_cast<float>(m_lines.top * ratio + (from + 0.5) * bin), static_cast<float>((to - from) * bin / std::max(1, right - left)), pair});
                pair = {};
            }
        }
        const int last = m_size.height() - 1;
        for (int x = std::max(0, left); x < right; ++x) {
            Heap* const column = m_heaps.data() + at(x) * at(m_size.height());
            for (const HeapedLine& line : lines) {
                const float here = line.begin + line.slope * static_cast<float>(x - left);
                const int y = static_cast<int>(here);
                const int next = static_cast<int>(here + line.slope);
                const int end = next > y ? next - 1 : next < y ? next + 1 : y;
                for (int row = std::max(0, std::min(y, end)); row <= std::min(last, std::max(y, end)); ++row)
                    column[row] += line.heap;
            }
        }
    }

    const ParallelLines& m_lines;
    QSize m_size;
    std::vector<Heap> m_heaps;
    int m_bins;
    std::vector<Heap> m_pairs;
    std::vector<Heap> m_heapOf; ///< What a design adds, of those that are done.
};

/// One by one, what is brushed above the others.
QImage pictureOfFew(const ParallelLines& lines)
{
    QImage image((QSizeF(lines.size) * lines.ratio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(lines.ratio);
    image.fill(lines.theme.color(Role::View));
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const bool inside : {false, true}) {
        for (const std::size_t row : lines.columns->done) {
            if (lines.isBrushed(row) != inside)
                continue;
            painter.setPen(QPen(!inside ? lines.theme.color(Role::Ghost) : lines.colour ? lines.theme.heat(lines.bucketOf(row)) : lines.theme.color(Role::Accent), inside ? 1.2 : 0.8));
            for (const QPolygonF& line : lines.lineOf(row))
                painter.drawPolyline(line);
        }
    }
    return image;
}

} // namespace

double ParallelLines::yOf(const Side& side, double value) const
{
    const double part = columns->columns[side.column].partOf(value);
    return top + height * (side.inverted ? part : 1 - part);
}

float ParallelLines::shareOfRow(const Side& side, std::size_t row) const
{
    const VariantColumn& column = columns->columns[side.column];
    float part = column.part(row);
    if (!column.labels().empty())
        part += columns->spread[row] * std::min(kSpread / static_cast<float>(column.labels().size()), kMostSpread);
    return side.inverted ? part : 1 - part;
}

double ParallelLines::valueAt(const Side& side, double y) const
{
    const double part = (y - top) / height;
    return columns->columns[side.column].valueAt(side.inverted ? part : 1 - part);
}

std::vector<QPolygonF> ParallelLines::lineOf(std::size_t row) const
{
    std::vector<QPolygonF> pieces(1);
    for (const Side& side : sides) {
        if (const double y = yOfRow(side, row); !std::isnan(y))
            pieces.back() << QPointF(side.x, y);
        else if (!pieces.back().isEmpty())
            pieces.emplace_back();
    }
    return pieces;
}

int ParallelLines::bucketOf(std::size_t row) const
{
    return Theme::heatBucket(columns->columns[*colour].part(row));
}

QImage parallelPicture(const ParallelLines& lines, const std::stop_token& stop)
{
    if (lines.columns->done.size() <= kMostParallelLines || lines.sides.size() < 2)
        return pictureOfFew(lines);
    HeapedLines heaped(lines);
    heaped.addAll(stop);
    return heaped.picture();
}

} // namespace fabricscope
