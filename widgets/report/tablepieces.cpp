#include "widgets/report/tablepieces.h"

#include "widgets/base/showntexts.h"
#include "widgets/report/pieces.h"
#include "widgets/report/wrappedtext.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fabricscope {

namespace {

constexpr double kTypeSizes[] = {8.25, 7.75, 7.25, 6.75, 6.25, 6}; ///< Points, the largest that fits.
constexpr double kHairline = 5;
constexpr double kChip = 200;

bool isStrong(const ReportCell& cell)
{
    return cell.look != ReportCell::Look::Plain;
}

/// What the columns of a table want, and what they must have.
struct ColumnNeeds {
    std::vector<double> whole; ///< All of a cell in one line.
    std::vector<double> least; ///< No word parted; numbers in one line.
};

ColumnNeeds needsOf(const ReportTable& table, double points)
{
    const QFont plain = reportFont(points);
    const QFont strong = reportFont(points, true);
    const QFontMetricsF plainMetrics(plain);
    const QFontMetricsF strongMetrics(strong);
    ColumnNeeds needs;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const QString title = texts::shownLines(table.columns[i].title);
        double whole = plainMetrics.horizontalAdvance(title);
        double least = widestWord(title, plain);
        for (const auto& row : table.rows) {
            const QString words = texts::shownLines(row[i].text);
            const bool chip = row[i].look == ReportCell::Look::Chip;
            const double all = chip ? kChip + 10 : (isStrong(row[i]) ? strongMetrics : plainMetrics).horizontalAdvance(words);
            whole = std::max(whole, all);
            least = std::max(least, table.columns[i].number || chip ? all : widestWord(words, isStrong(row[i]) ? strong : plain));
        }
        // A hair more, so that rounding never makes a line too long.
        needs.whole.push_back(std::ceil(whole) + 2);
        needs.least.push_back(std::ceil(least) + 2);
    }
    return needs;
}

double sumOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Room is shared: what is left over by weight, what is missing by what columns can give.
std::vector<double> sharedWidths(const ReportTable& table, const ColumnNeeds& needs, double room)
{
    std::vector<double> widths = needs.whole;
    const double wanted = sumOf(needs.whole);
    const double least = sumOf(needs.least);
    if (wanted <= room) {
        double weights = 0;
        for (const ReportColumn& column : table.columns)
            weights += column.weight;
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] += (room - wanted) * table.columns[i].weight / weights;
    } else if (least < room) {
        // Columns that lack little come first, so that short labels stay in one line.
        std::vector<std::size_t> order(widths.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto lack = [&](std::size_t i) { return needs.whole[i] - needs.least[i]; };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lack(a) < lack(b); });
        double spare = room - least;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const double share = std::min(lack(order[i]), spare / static_cast<double>(order.size() - i));
            widths[order[i]] = needs.least[order[i]] + share;
            spare -= share;
        }
    } else {
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = needs.least[i] * room / least;
    }
    return widths;
}

class TableLayout {
public:
    TableLayout(const ReportTable& table, double width) : m_table(table), m_width(width), m_gap(table.columns.size() > 6 ? 80 : 120)
    {
        const double room = width - m_gap * static_cast<double>(table.columns.size() - 1);
        for (const double points : kTypeSizes) {
            m_points = points;
            const ColumnNeeds needs = needsOf(table, points);
            m_widths = sharedWidths(table, needs, room);
            m_fits = sumOf(needs.least) <= room;
            if (m_fits)
                break;
        }
    }

    double typeSize() const { return m_fits ? m_points : 0; }

    void add(std::vector<ReportPiece>& pieces) const
    {
        std::vector<ReportCell> titles;
        for (const ReportColumn& column : m_table.columns)
            titles.emplace_back(column.title);
        const auto head = std::make_shared<const ReportPiece>(header(titles));
        ReportPiece first = *head;
        first.withNext = true;
        pieces.push_back(std::move(first));
        for (std::size_t i = 0; i < m_table.rows.size(); ++i) {
            ReportPiece piece = rowPiece(m_table.rows[i]);
            piece.head = head;
            // No row alone on the last page, nor the note without one.
            piece.withNext = i + 2 == m_table.rows.size() || (i + 1 == m_table.rows.size() && !m_table.note.empty());
            pieces.push_back(std::move(piece));
        }
    }

private:
    struct Lines {
        QStringList lines;
        QFont font;
        double left = 0;
        double width = 0;
        bool number = false;
        ReportCell::Look look = ReportCell::Look::Plain;
        int dimension = -1;

        double height() const { return static_cast<double>(lines.size()) * QFontMetricsF(font).lineSpacing(); }

        void paint(QPainter& painter, QPointF at, Tone tone) const
        {
            painter.setFont(font);
            painter.setPen(reportColor(tone));
            const QFontMetricsF metrics(font);
            double base = at.y() + metrics.ascent();
            for (const QString& line : lines) {
                const double x = at.x() + left + (number ? width - metrics.horizontalAdvance(line) : 0);
                painter.drawText(QPointF(x, base), line);
                base += metrics.lineSpacing();
            }
        }
    };

    std::vector<Lines> linesOf(const std::vector<ReportCell>& row) const
    {
        std::vector<Lines> cells;
        double left = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const QFont font = reportFont(m_points, isStrong(row[i]));
            cells.push_back({wrappedLines(texts::shownLines(row[i].text), font, m_widths[i]), font, left, m_widths[i], m_table.columns[i].number, row[i].look, row[i].dimension});
            left += m_widths[i] + m_gap;
        }
        return cells;
    }

    static double heightOf(const std::vector<Lines>& cells)
    {
        double height = 0;
        for (const Lines& cell : cells)
            height = std::max(height, cell.height());
        return height;
    }

    ReportPiece header(const std::vector<ReportCell>& titles) const
    {
        const std::vector<Lines> cells = linesOf(titles);
        const double room = heightOf(cells);
        const double height = room + 50;
        return {40, height, false, nullptr,
                [=, width = m_width](QPainter& painter, QPointF at) {
                    for (const Lines& cell : cells)
                        cell.paint(painter, at + QPointF(0, 20 + room - cell.height()), Tone::Text3);
                    painter.setPen(QPen(reportColor(Tone::Outline), 7));
                    painter.drawLine(QPointF(at.x(), at.y() + height), QPointF(at.x() + width, at.y() + height));
                },
                -1};
    }

    ReportPiece rowPiece(const std::vector<ReportCell>& row) const
    {
        const std::vector<Lines> cells = linesOf(row);
        const double height = heightOf(cells) + 44;
        return {0, height, false, nullptr,
                [=, width = m_width](QPainter& painter, QPointF at) {
                    for (const Lines& cell : cells) {
                        if (cell.look == ReportCell::Look::Chip)
                            paintChip(painter, cell, QRectF(at.x() + cell.left, at.y() + 23, kChip, std::min(height - 40, 105.0)));
                        else
                            cell.paint(painter, at + QPointF(0, 20), cell.look == ReportCell::Look::Warning ? Tone::Warn : Tone::Text);
                    }
                    painter.setPen(QPen(reportColor(Tone::Line), kHairline));
                    painter.drawLine(QPointF(at.x(), at.y() + height), QPointF(at.x() + width, at.y() + height));
                },
                -1};
    }

    static void paintChip(QPainter& painter, const Lines& cell, const QRectF& chip)
    {
        const DrawColor fill = DrawColor::dimension(cell.dimension);
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor::fromRgb(fill.rgb(false)));
        painter.drawRoundedRect(chip, 22, 22);
        painter.setPen(QColor::fromRgb(fill.ink().rgb(false)));
        painter.setFont(reportFont(7.25, true));
        painter.drawText(chip, Qt::AlignCenter, cell.lines.join(u' '));
    }

    const ReportTable& m_table;
    double m_width;
    double m_gap;
    double m_points = kTypeSizes[0];
    bool m_fits = false;
    std::vector<double> m_widths;
};

} // namespace

double typeSizeOf(const ReportTable& table, double width)
{
    return TableLayout(table, width).typeSize();
}

void addTable(std::vector<ReportPiece>& pieces, const ReportTable& table, double width)
{
    TableLayout(table, width).add(pieces);
}

} // namespace fabricscope
