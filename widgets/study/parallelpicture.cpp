#include "widgets/study/parallelpicture.h"

#include "core/base/index.h"
#include "core/base/seededhash.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fabricscope {

namespace {

constexpr int kBinPixels = 2;
constexpr std::uint16_t kNoBin = 0xffff;
constexpr double kSpread = 0.36; ///< Of the band of a value.
constexpr double kMostSpread = 12; ///< Pixels.

/// Lines that lie on one pixel, or go from one bin to another.
struct Heap {
    std::uint32_t others = 0;
    std::uint32_t inside = 0;
    std::uint32_t buckets = 0; ///< Their sum, of those inside.
};

/// Heaps at device pixels, column by column.
class HeapedLines {
public:
    explicit HeapedLines(const ParallelLines& lines) : m_lines(lines), m_size((QSizeF(lines.size) * lines.ratio).toSize()), m_heaps(at(m_size.width()) * at(m_size.height())), m_rows(parallelRows(*lines.columns->table)), m_bins(std::max(2, static_cast<int>(lines.height * lines.ratio) / kBinPixels))
    {
        m_pairs.resize(at(m_bins) * at(m_bins));
    }

    void addAll(const std::stop_token& stop)
    {
        std::vector<std::uint16_t> left = binsOf(m_lines.sides.front());
        for (std::size_t side = 1; side < m_lines.sides.size() && !stop.stop_requested(); ++side) {
            std::vector<std::uint16_t> right = binsOf(m_lines.sides[side]);
            count(left, right);
            for (int from = 0; from < m_bins; ++from) {
                for (int to = 0; to < m_bins; ++to) {
                    Heap& pair = m_pairs[at(from) * at(m_bins) + at(to)];
                    if (pair.others + pair.inside > 0)
                        draw(side, from, to, pair);
                    pair = {};
                }
            }
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
        for (int y = 0; y < m_size.height(); ++y) {
            auto* const line = reinterpret_cast<QRgb*>(image.scanLine(y));
            for (int x = 0; x < m_size.width(); ++x) {
                const Heap& heap = m_heaps[at(x) * at(m_size.height()) + at(y)];
                if (heap.inside > 0)
                    line[x] = Theme::mix(view, insideColour(heap), 0.25 + 0.75 * depth(heap.inside, mostInside)).rgb();
                else if (heap.others > 0)
                    line[x] = Theme::mix(view, theme.color(Role::Outline), 0.15 + 0.45 * depth(heap.others, mostOthers)).rgb();
            }
        }
        return image;
    }

private:
    static double depth(std::uint32_t count, std::uint32_t most) { return std::log2(1.0 + count) / std::log2(1.0 + most); }
    QColor insideColour(const Heap& heap) const
    {
        return m_lines.colour ? m_lines.theme.heat(static_cast<int>(std::lround(static_cast<double>(heap.buckets) / heap.inside))) : m_lines.theme.color(Role::Accent);
    }
    std::vector<std::uint16_t> binsOf(const ParallelLines::Side& side) const
    {
        std::vector<std::uint16_t> bins(m_rows.size(), kNoBin);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const double y = m_lines.yOfRow(side, m_rows[i]);
            if (!std::isnan(y))
                bins[i] = static_cast<std::uint16_t>(std::clamp(static_cast<int>((y - m_lines.top) / m_lines.height * m_bins), 0, m_bins - 1));
        }
        return bins;
    }
    void count(const std::vector<std::uint16_t>& left, const std::vector<std::uint16_t>& right)
    {
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (left[i] == kNoBin || right[i] == kNoBin)
                continue;
            Heap& pair = m_pairs[left[i] * at(m_bins) + right[i]];
            if (!m_lines.isBrushed(m_rows[i])) {
                ++pair.others;
                continue;
            }
            ++pair.inside;
            if (m_lines.colour)
                pair.buckets += static_cast<std::uint32_t>(m_lines.bucketOf(m_rows[i]));
        }
    }
    /// From the middle of a bin to that of another; a steep line fills its columns.
    void draw(std::size_t side, int from, int to, const Heap& pair)
    {
        const double ratio = m_lines.ratio;
        const int left = static_cast<int>(m_lines.sides[side - 1].x * ratio);
        const int right = static_cast<int>(m_lines.sides[side].x * ratio);
        const double bin = m_lines.height * ratio / m_bins;
        const double begin = m_lines.top * ratio + (from + 0.5) * bin;
        const double slope = (to - from) * bin / std::max(1, right - left);
        for (int x = std::max(0, left); x < std::min(right, m_size.width()); ++x) {
            const double here = begin + slope * (x - left);
            const int y = static_cast<int>(here);
            const int next = static_cast<int>(here + slope);
            const int last = next > y ? next - 1 : next < y ? next + 1 : y;
            for (int row = std::min(y, last); row <= std::max(y, last); ++row) {
                if (row < 0 || row >= m_size.height())
                    continue;
                Heap& heap = m_heaps[at(x) * at(m_size.height()) + at(row)];
                heap.others += pair.others;
                heap.inside += pair.inside;
                heap.buckets += pair.buckets;
            }
        }
    }

    const ParallelLines& m_lines;
    QSize m_size;
    std::vector<Heap> m_heaps;
    std::vector<std::size_t> m_rows;
    int m_bins;
    std::vector<Heap> m_pairs;
};

/// One by one, what is brushed above the others.
QImage pictureOfFew(const ParallelLines& lines, const std::vector<std::size_t>& rows)
{
    QImage image((QSizeF(lines.size) * lines.ratio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(lines.ratio);
    image.fill(lines.theme.color(Role::View));
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const bool inside : {false, true}) {
        for (const std::size_t row : rows) {
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

double ParallelLines::yOfRow(const Side& side, std::size_t row) const
{
    const VariantColumn& column = columns->columns[side.column];
    const double value = column.value(row);
    if (std::isnan(value))
        return value;
    const double y = yOf(side, value);
    if (column.labels().empty())
        return y;
    const double room = std::min(kSpread * height / static_cast<double>(column.labels().size()), kMostSpread);
    const double share = static_cast<double>(seededHash(0, {columns->table->rows[row].number}) >> 11) / 9007199254740992.0;
    return y + (share - 0.5) * room;
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
    const VariantColumn& column = columns->columns[*colour];
    return Theme::heatBucket(column.partOf(column.value(row)));
}

std::vector<std::size_t> parallelRows(const StudyTable& table)
{
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (table.rows[row].state == StudyTableRow::State::Done)
            rows.push_back(row);
    }
    return rows;
}

QImage parallelPicture(const ParallelLines& lines, const std::stop_token& stop)
{
    const std::vector<std::size_t> rows = parallelRows(*lines.columns->table);
    if (rows.size() <= kMostParallelLines || lines.sides.size() < 2)
        return pictureOfFew(lines, rows);
    HeapedLines heaped(lines);
    heaped.addAll(stop);
    return heaped.picture();
}

} // namespace fabricscope
