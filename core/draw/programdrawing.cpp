#include "core/draw/programdrawing.h"

#include "core/base/index.h"
#include "core/draw/numbertext.h"
#include "core/draw/programcolumns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;

constexpr double kLabels = 64;   ///< Width of the names of the ranks.
constexpr double kBand = 16;     ///< Height of a line of the heading.
constexpr double kHeading = 2 * kBand + 4;
constexpr double kRow = 28;
constexpr double kReach = 46;    ///< Width of an arrow.
constexpr double kBeside = 16;   ///< Between arrows of one rank in one column.
constexpr double kPad = 10;
constexpr double kMark = 6;
constexpr double kBubble = 7;
constexpr double kText = 10.5;
constexpr std::int32_t kMostBeside = 12; ///< Arrows of a rank in a column that stand apart; further ones share places.

std::string chunkLabel(const ExplicitBody& body, std::uint32_t op)
{
    const std::int32_t first = body.chunk[op] >= 0 ? body.chunk[op] : body.sourceOffset[op];
    const std::int32_t count = body.count[op];
    return count <= 1 ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(first + count - 1);
}

/// Builds a layout; see layoutProgram().
class Layouter {
public:
    Layouter(const Program& program, const ProgramLayoutOptions& options)
        : m_body(program.asExplicit())
        , m_options(options)
        , m_columns(programColumns(program))
    {
        m_out.ranks = program.ranks;
        m_out.columns = m_columns.columns;
        m_out.firstRank = std::clamp(options.firstRank, 0, std::max(0, program.ranks - 1));
        m_out.shownRanks = std::min(options.mostRanks, program.ranks - m_out.firstRank);
        m_out.firstColumn = std::clamp(options.firstColumn, 0, std::max(0, m_columns.columns - 1));
        m_out.shownColumns = std::min(options.mostColumns, m_columns.columns - m_out.firstColumn);
        for (const OpTags& tags : m_body.tags)
            m_hasPhases = m_hasPhases || tags.phase >= 0;
    }

    ProgramLayout lay()
    {
        collect();
        limitArrows();
        placeColumns();
        placeArrows();
        bandPhases();
        say();
        return std::move(m_out);
    }

private:
    bool showsRank(std::int32_t rank) const { return rank >= m_out.firstRank && rank < m_out.firstRank + m_out.shownRanks; }
    bool showsColumn(std::int32_t column) const { return column >= m_out.firstColumn && column < m_out.firstColumn + m_out.shownColumns; }
    DrawColor colorOf(std::uint32_t op) const
    {
        if (m_hasPhases)
            return m_body.tagsOf(op).phase >= 0 ? DrawColor::dimension(m_body.tagsOf(op).phase) : DrawColor(Tone::Text2);
        return DrawColor::dimension(std::max(0, m_body.chunk[op]));
    }

    void collect()
    {
        for (std::int32_t rank = 0; rank < m_out.ranks; ++rank) {
            for (std::uint32_t op = m_body.rankBegin[at(rank)]; op < m_body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
                if (!showsColumn(m_columns.column[op]))
                    continue;
                if (m_body.tagsOf(op).instance > 0) {
                    m_instances = std::max<std::int32_t>(m_instances, m_body.tagsOf(op).instance + 1);
                    continue;
                }
                add(rank, op);
            }
        }
        std::stable_sort(m_out.arrows.begin(), m_out.arrows.end(), [](const ProgramArrow& a, const ProgramArrow& b) {
            return std::tie(a.column, a.from, a.to) < std::tie(b.column, b.from, b.to);
        });
    }

    void add(std::int32_t rank, std::uint32_t op)
    {
        switch (m_body.kind[op]) {
        case OpKind::Receive:
        case OpKind::ReceiveReduce:
        case OpKind::Signal:
        case OpKind::Wait:
            return; // Part of its message, or of the puts before it.
        case OpKind::Send:
        case OpKind::Put: {
            const std::uint32_t receive = m_body.kind[op] == OpKind::Put ? op : m_columns.partner[op];
            if (receive == ProgramColumns::kNone || !showsRank(rank) || !showsRank(m_body.peer[op])) {
                m_hidden += showsRank(rank) || (m_body.peer[op] >= 0 && showsRank(m_body.peer[op])) ? 1 : 0;
                return;
            }
            ProgramArrow arrow;
            arrow.send = op;
            arrow.receive = receive;
            arrow.from = rank;
            arrow.to = m_body.peer[op];
            arrow.column = m_columns.column[op];
            arrow.reduces = m_body.kind[receive] == OpKind::ReceiveReduce;
            arrow.label = chunkLabel(m_body, op);
            arrow.color = colorOf(op);
            m_out.arrows.push_back(std::move(arrow));
            return;
        }
        default:
            if (showsRank(rank))
                m_out.marks.push_back({op, rank, m_columns.column[op], {}, colorOf(op)});
        }
    }

    /// Takes columns away from the end until the arrows are few enough; one column stays.
    void limitArrows()
    {
        if (m_out.arrows.size() <= m_options.mostArrows)
            return;
        const std::int32_t last = std::max(m_out.arrows[m_options.mostArrows].column, m_out.firstColumn + 1);
        m_out.shownColumns = last - m_out.firstColumn;
        std::erase_if(m_out.arrows, [&](const ProgramArrow& arrow) { return arrow.column >= last; });
        std::erase_if(m_out.marks, [&](const ProgramMark& mark) { return mark.column >= last; });
        if (m_out.arrows.size() > m_options.mostArrows) {
            m_hidden += m_out.arrows.size() - m_options.mostArrows;
            m_out.arrows.resize(m_options.mostArrows);
        }
    }

    void placeColumns()
    {
        const auto columns = static_cast<std::size_t>(m_out.shownColumns);
        std::vector<std::int32_t> sends(columns, 0);
        std::vector<std::int32_t> works(columns, 0);
        const auto widen = [&](std::vector<std::int32_t>& most, std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t>& places, std::int32_t rank,
                               std::int32_t column) {
            std::int32_t& used = places[{column, rank}];
            const std::int32_t place = used++ % kMostBeside;
            std::int32_t& all = most[at(column - m_out.firstColumn)];
            all = std::max(all, place + 1);
            return place;
        };
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> arrowPlaces;
        for (const ProgramArrow& arrow : m_out.arrows)
            m_arrowPlace.push_back(widen(sends, arrowPlaces, arrow.from, arrow.column));
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> markPlaces;
        std::vector<std::int32_t> markPlace;
        for (const ProgramMark& mark : m_out.marks)
            markPlace.push_back(widen(works, markPlaces, mark.rank, mark.column));
        double x = kLabels;
        for (std::size_t i = 0; i < columns; ++i) {
            const double left = x;
            x += kPad + works[i] * (kMark + 3);
            m_arrowsFrom.push_back(x);
            x += std::max(sends[i] > 0 ? kReach + (sends[i] - 1) * kBeside : 0.0, 24.0) + kPad;
            m_out.steps.push_back({std::to_string(m_out.firstColumn + static_cast<std::int32_t>(i)), left, x, Tone::Text2});
        }
        for (std::size_t i = 0; i < m_out.marks.size(); ++i) {
            ProgramMark& mark = m_out.marks[i];
            const double left = m_out.steps[at(mark.column - m_out.firstColumn)].left + kPad + markPlace[i] * (kMark + 3);
            mark.rect = RectF(left, m_out.rowY(mark.rank) - kMark / 2, kMark, kMark);
        }
        m_out.size = SizeF(std::ceil(x + 4), std::ceil(kHeading + m_out.shownRanks * kRow + 4));
    }

    void placeArrows()
    {
        for (std::size_t i = 0; i < m_out.arrows.size(); ++i) {
            ProgramArrow& arrow = m_out.arrows[i];
            const double x = m_arrowsFrom[at(arrow.column - m_out.firstColumn)] + m_arrowPlace[i] * kBeside;
            arrow.line = LineF(x, m_out.rowY(arrow.from), x + kReach, m_out.rowY(arrow.to));
            // Near the start, where even long arrows are by themselves.
            const double share = std::min(0.3, 15 / std::hypot(kReach, arrow.line.y2() - arrow.line.y1()));
            arrow.bubble = arrow.line.p1() + PointF(kReach, arrow.line.y2() - arrow.line.y1()) * share;
        }
    }

    void bandPhases()
    {
        if (!m_hasPhases)
            return;
        // A column belongs to the phase most of its arrows are of; on a tie to the first.
        std::vector<std::map<std::int16_t, std::int32_t>> votes(static_cast<std::size_t>(m_out.shownColumns));
        for (const ProgramArrow& arrow : m_out.arrows)
            ++votes[at(arrow.column - m_out.firstColumn)][m_body.tagsOf(arrow.send).phase];
        std::int16_t current = -1;
        for (std::size_t i = 0; i < votes.size(); ++i) {
            std::int16_t phase = -1;
            std::int32_t most = 0;
            for (const auto& [candidate, count] : votes[i]) {
                if (count > most) {
                    phase = candidate;
                    most = count;
                }
            }
            if (phase < 0) {
                current = -1;
                continue;
            }
            if (phase == current) {
                m_out.phases.back().right = m_out.steps[i].right;
                continue;
            }
            current = phase;
            const auto number = static_cast<std::size_t>(phase);
            const std::string name = number < m_options.phases.size() ? m_options.phases[number] : "phase " + std::to_string(phase);
            m_out.phases.push_back({name, m_out.steps[i].left, m_out.steps[i].right, DrawColor::dimension(phase)});
        }
    }

    void say()
    {
        std::vector<std::string> parts;
        const auto range = [](std::int32_t first, std::int32_t count, std::int32_t all, const std::string& word) {
            return word + " " + std::to_string(first) + " to " + std::to_string(first + count - 1) + " of " + numbertext::count(all);
        };
        if (m_out.shownRanks < m_out.ranks)
            parts.push_back(range(m_out.firstRank, m_out.shownRanks, m_out.ranks, "ranks"));
        if (m_out.shownColumns < m_out.columns)
            parts.push_back(range(m_out.firstColumn, m_out.shownColumns, m_out.columns, "steps"));
        if (m_instances > 0)
            parts.push_back("1 of " + std::to_string(m_instances) + " instances");
        for (const std::string& part : parts)
            m_out.note += (m_out.note.empty() ? "Shown: " : ", ") + part;
        if (m_hidden > 0)
            m_out.note += std::string(m_out.note.empty() ? "Not shown: " : "; not shown: ") + numbertext::count(static_cast<std::int64_t>(m_hidden)) + (m_hidden == 1 ? " message" : " messages");
        if (m_columns.stuck > 0)
            m_out.note += (m_out.note.empty() ? "" : "; ") + numbertext::count(m_columns.stuck) + " operations wait for ever";
    }

    const ExplicitBody& m_body;
    const ProgramLayoutOptions& m_options;
    ProgramColumns m_columns;
    bool m_hasPhases = false;
    std::int32_t m_instances = 0;
    std::size_t m_hidden = 0;
    std::vector<std::int32_t> m_arrowPlace;
    std::vector<double> m_arrowsFrom; ///< By shown column.
    ProgramLayout m_out;
};

/// A head of an arrow: a triangle, hollow where the receiver adds.
PathShape head(const ProgramArrow& arrow)
{
    const PointF tip = arrow.line.p2();
    const double length = std::hypot(arrow.line.x2() - arrow.line.x1(), arrow.line.y2() - arrow.line.y1());
    const PointF along((arrow.line.x2() - arrow.line.x1()) / length, (arrow.line.y2() - arrow.line.y1()) / length);
    const PointF across(-along.y(), along.x());
    PathShape shape;
    shape.points = {tip, tip - along * 7 + across * 3, tip - along * 7 - across * 3};
    shape.closed = true;
    shape.fill = arrow.reduces ? DrawColor(Tone::View) : arrow.color;
    shape.pen = DrawPen{arrow.color};
    return shape;
}

} // namespace

double ProgramLayout::rowY(std::int32_t rank) const
{
    return kHeading + (rank - firstRank) * kRow + kRow / 2;
}

ProgramLayout layoutProgram(const Program& program, const ProgramLayoutOptions& options)
{
    return Layouter(program, options).lay();
}

Drawing programFigure(const Program& program, const ProgramLayout& layout)
{
    const double noteHeight = layout.note.empty() ? 0 : kBand + 4;
    Drawing out;
    out.size = SizeF(std::max(layout.size.width(), layout.note.empty() ? 0.0 : textWidth(layout.note, kText) + 16), layout.size.height() + noteHeight);
    out.title = program.name;
    out.description = "Messages of " + numbertext::count(layout.ranks) + " ranks in " + numbertext::count(layout.columns) + " steps. " + layout.note;
    out.box(RectF(0.5, 0.5, out.size.width() - 1, out.size.height() - 1), 0, Tone::View, DrawPen{Tone::Line});

    out.begin("phases");
    for (const ProgramLayout::Band& band : layout.phases) {
        out.box(RectF(band.left + 1, 2, band.right - band.left - 2, kBand - 2), 2, band.color);
        if (textWidth(band.text, kText) < band.right - band.left - 8)
            out.text({(band.left + band.right) / 2, kBand - 4}, band.text, kText, band.color.ink(), Anchor::Middle);
    }
    out.end();
    out.begin("steps");
    LinesShape grid;
    grid.pen = {Tone::Grid};
    for (const ProgramLayout::Band& band : layout.steps) {
        grid.lines.emplace_back(std::floor(band.left) + 0.5, kBand, std::floor(band.left) + 0.5, layout.size.height());
        out.text({(band.left + band.right) / 2, 2 * kBand - 2}, band.text, kText, Tone::Text3, Anchor::Middle);
    }
    out.add(std::move(grid));
    out.end();
    out.begin("ranks");
    LinesShape rows;
    rows.pen = {Tone::Line};
    for (std::int32_t i = 0; i < layout.shownRanks; ++i) {
        const double y = layout.rowY(layout.firstRank + i);
        rows.lines.emplace_back(kLabels, std::floor(y) + 0.5, layout.size.width() - 2, std::floor(y) + 0.5);
        out.text({kLabels - 8, y + 4}, std::to_string(layout.firstRank + i), kText, Tone::Text, Anchor::Right);
    }
    out.add(std::move(rows));
    out.text({8, 2 * kBand - 2}, "rank, step", kText, Tone::Text3);
    out.end();

    out.begin("local work");
    for (const ProgramMark& mark : layout.marks)
        out.box(mark.rect, 1, mark.color);
    out.end();
    out.begin("messages");
    for (const ProgramArrow& arrow : layout.arrows) {
        out.line(arrow.line.p1(), arrow.line.p2(), DrawPen{arrow.color, 1.2});
        out.add(head(arrow));
    }
    out.end();
    out.begin("chunks");
    for (const ProgramArrow& arrow : layout.arrows) {
        const double half = std::max(kBubble, textWidth(arrow.label, 9) / 2 + 3);
        out.box(RectF(arrow.bubble.x() - half, arrow.bubble.y() - kBubble, 2 * half, 2 * kBubble), kBubble, arrow.color);
        out.text({arrow.bubble.x(), arrow.bubble.y() + 3}, arrow.label, 9, arrow.color.ink(), Anchor::Middle);
    }
    out.end();
    if (!layout.note.empty())
        out.text({8, layout.size.height() + kBand - 4}, layout.note, kText, Tone::Text2);
    return out;
}

} // namespace fabricscope
