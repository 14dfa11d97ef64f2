#include "core/report/contentfile.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::string_view kContentMark = "Fabricscope report content 1\n";

const std::vector<DrawColor>& allColors()
{
    static const std::vector<DrawColor> colors = [] {
        std::vector<DrawColor> all;
        for (int tone = 0; tone < kToneCount; ++tone)
            all.emplace_back(static_cast<Tone>(tone));
        for (std::size_t activity = 0; activity < kActivityCount; ++activity)
            all.push_back(DrawColor::activity(static_cast<Activity>(activity)));
        for (int dimension = 0; dimension < kDimensionColorCount; ++dimension)
            all.push_back(DrawColor::dimension(dimension));
        for (int bucket = 0; bucket < kHeatBucketCount; ++bucket)
            all.push_back(DrawColor::heatOf(bucket));
        for (std::size_t i = 0, plain = all.size(); i < plain; ++i)
            all.push_back(all[i].ink());
        return all;
    }();
    return colors;
}

/// Values go out, one after the other.
class PuttingWay {
public:
    static constexpr bool kPuts = true;

    template <class Number>
    void plain(Number& value)
    {
        static_assert(std::is_arithmetic_v<Number>);
        m_text.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(std::string& value)
    {
        std::uint64_t size = value.size();
        plain(size);
        m_text += value;
    }
    /// A number below `end`.
    std::size_t index(std::size_t value, std::size_t /*end*/)
    {
        auto byte = static_cast<std::uint8_t>(value);
        plain(byte);
        return value;
    }
    std::size_t count(std::size_t value)
    {
        std::uint64_t size = value;
        plain(size);
        return value;
    }
    bool failed() const { return false; }
    std::string take() { return std::move(m_text); }

private:
    std::string m_text{kContentMark};
};

/// The same values come in; after the first that cannot be, none.
class TakingWay {
public:
    static constexpr bool kPuts = false;

    explicit TakingWay(std::string_view text) : m_rest(text) {}

    template <class Number>
    void plain(Number& value)
    {
        static_assert(std::is_arithmetic_v<Number>);
        if (m_failed || m_rest.size() < sizeof value) {
            m_failed = true;
            return;
        }
        if constexpr (std::is_same_v<Number, bool>) {
            value = m_rest.front() != 0;
        } else {
            std::memcpy(&value, m_rest.data(), sizeof value);
        }
        m_rest.remove_prefix(sizeof value);
    }
    void text(std::string& value)
    {
        const std::size_t size = count(0);
        if (m_failed)
            return;
        value = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
    }
    std::size_t index(std::size_t /*value*/, std::size_t end)
    {
        std::uint8_t byte = 0;
        plain(byte);
        m_failed = m_failed || byte >= end;
        return m_failed ? 0 : byte;
    }
    /// Everything counted takes a byte at least.
    std::size_t count(std::size_t /*value*/)
    {
        std::uint64_t size = 0;
        plain(size);
        m_failed = m_failed || size > m_rest.size();
        return m_failed ? 0 : static_cast<std::size_t>(size);
    }
    bool failed() const { return m_failed; }
    bool isAtEnd() const { return m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_failed = false;
};

/// Each value once, for both ways.
template <class Way>
class ContentPass {
public:
    explicit ContentPass(Way& way) : m_way(way) {}

    void pass(ReportContent& content)
    {
        passAll(content.kind, content.title, content.question, content.notice, content.answerLead, content.answerTime, content.comparison, content.answer, content.waits, content.figures,
                content.shares, content.sharesOf, content.sections, content.program, content.file, content.hash);
        word(content.paper, ReportPaper::Letter);
    }

private:
    template <class... Values>
    void passAll(Values&... values)
    {
        (pass(values), ...);
    }

    template <class Word>
    void word(Word& value, Word last)
    {
        value = static_cast<Word>(m_way.index(static_cast<std::size_t>(value), static_cast<std::size_t>(last) + 1));
    }

    template <class Value>
    void pass(std::vector<Value>& list)
    {
        std::size_t left = m_way.count(list.size());
        if constexpr (Way::kPuts) {
            for (Value& value : list)
                pass(value);
        } else {
            for (; left > 0 && !m_way.failed(); --left) {
                Value value = blank<Value>();
                pass(value);
                list.push_back(std::move(value));
            }
        }
    }

    template <class Value>
    void pass(std::optional<Value>& value)
    {
        bool there = value.has_value();
        pass(there);
        if (there && !value)
            value.emplace();
        if (there)
            pass(*value);
    }

    template <class... Kinds>
    void pass(std::variant<Kinds...>& value)
    {
        const std::size_t kind = m_way.index(value.index(), sizeof...(Kinds));
        if constexpr (!Way::kPuts)
            make<0>(value, kind);
        std::visit([this](auto& one) { this->pass(one); }, value); // clang 14 takes `this` for unused otherwise.
    }

    template <std::size_t Kind, class Variant>
    static void make(Variant& value, std::size_t kind)
    {
        if constexpr (Kind < std::variant_size_v<Variant>) {
            if (kind == Kind)
                value.template emplace<Kind>();
            else
                make<Kind + 1>(value, kind);
        }
    }

    template <class Value>
    static Value blank()
    {
        if constexpr (std::is_same_v<Value, ReportCell>)
            return ReportCell(std::string());
        else
            return Value();
    }

    template <class Number>
        requires std::is_arithmetic_v<Number>
    void pass(Number& value)
    {
        m_way.plain(value);
    }
    void pass(std::string& value) { m_way.text(value); }

    void pass(DrawColor& color)
    {
        const std::vector<DrawColor>& all = allColors();
        color = all[m_way.index(static_cast<std::size_t>(std::find(all.begin(), all.end(), color) - all.begin()), all.size())];
    }
    void pass(PointF& point)
    {
        double x = point.x();
        double y = point.y();
        passAll(x, y);
        point = PointF(x, y);
    }
    void pass(SizeF& size)
    {
        double width = size.width();
        double height = size.height();
        passAll(width, height);
        size = SizeF(width, height);
    }
    void pass(RectF& rect)
    {
        double left = rect.left();
        double top = rect.top();
        double width = rect.width();
        double height = rect.height();
        passAll(left, top, width, height);
        rect = RectF(left, top, width, height);
    }
    void pass(LineF& line)
    {
        double x1 = line.x1();
        double y1 = line.y1();
        double x2 = line.x2();
        double y2 = line.y2();
        passAll(x1, y1, x2, y2);
        line = LineF(x1, y1, x2, y2);
    }

    void pass(DrawPen& pen) { passAll(pen.color, pen.width, pen.opacity, pen.dash); }
    void pass(BoxShape& shape) { passAll(shape.rect, shape.radius, shape.fill, shape.pen); }
    void pass(BoxesShape& shape) { passAll(shape.rects, shape.fill); }
    void pass(LinesShape& shape) { passAll(shape.lines, shape.pen); }
    void pass(PathShape& shape) { passAll(shape.points, shape.closed, shape.fill, shape.opacity, shape.pen); }
    void pass(CircleShape& shape) { passAll(shape.centre, shape.radius, shape.fill, shape.pen); }
    void pass(HatchShape& shape) { passAll(shape.rect, shape.pen, shape.pitch); }
    void pass(TextShape& shape)
    {
        passAll(shape.at, shape.text, shape.size, shape.strong, shape.color);
        word(shape.anchor, TextShape::Anchor::Right);
    }
    void pass(GroupMark& mark) { pass(mark.name); }
    void pass(Drawing& drawing) { passAll(drawing.size, drawing.title, drawing.description, drawing.shapes); }

    void pass(ReportCell& cell)
    {
        passAll(cell.text, cell.dimension);
        word(cell.look, ReportCell::Look::Chip);
    }
    void pass(ReportColumn& column) { passAll(column.title, column.number, column.weight); }
    void pass(ReportTable& table) { passAll(table.columns, table.rows, table.note); }
    void pass(ReportFigure& figure) { passAll(figure.drawing, figure.legend, figure.number, figure.caption); }
    void pass(ReportText& text) { pass(text.text); }
    void pass(ReportList& list) { pass(list.items); }
    void pass(ReportCode& code) { pass(code.text); }
    void pass(ReportSection& section)
    {
        word(section.part, ReportPart::Inputs);
        passAll(section.title, section.half, section.shown, section.blocks);
    }
    void pass(ReportKeyFigure& figure) { passAll(figure.label, figure.value, figure.detail); }
    void pass(ReportShare& share) { passAll(share.label, share.value, share.share, share.ps, share.color, share.hatched); }

    Way& m_way;
};

/// Tables whose rows have as many cells as columns.
bool areWhole(const std::vector<ReportSection>& sections)
{
    for (const ReportSection& section : sections) {
        for (const ReportBlock& block : section.blocks) {
            const auto* const table = std::get_if<ReportTable>(&block);
            if (table && std::any_of(table->rows.begin(), table->rows.end(), [&](const auto& row) { return row.size() != table->columns.size(); }))
                return false;
        }
    }
    return true;
}

} // namespace

std::string contentFileText(ReportContent content)
{
    PuttingWay way;
    ContentPass(way).pass(content);
    return way.take();
}

bool looksLikeContentFile(std::string_view text)
{
    return text.starts_with(kContentMark);
}

Result<ReportContent> readContentFile(std::string_view text)
{
    ReportContent content;
    bool whole = looksLikeContentFile(text);
    if (whole) {
        TakingWay way(text.substr(kContentMark.size()));
        ContentPass(way).pass(content);
        whole = !way.failed() && way.isAtEnd() && areWhole(content.sections) && content.answerTime <= content.answerLead.size();
    }
    if (!whole)
        return Error{ErrorCode::InvalidInput, "this is no report as another program of this version hands it over", {}, {}};
    return content;
}

} // namespace fabricscope
