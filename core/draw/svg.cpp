#include "core/draw/svg.h"

#include "core/base/decimal.h"
#include "core/base/shownlines.h"
#include "core/base/stop.h"

#include <array>

namespace fabricscope {

namespace {

constexpr std::string_view kFonts = "'Noto Sans', 'DejaVu Sans', system-ui, sans-serif";

class Writer {
public:
    Writer(const Drawing& drawing, const SvgOptions& options) : m_drawing(drawing), m_options(options) {}

    std::string write()
    {
        // Inside a page the name space is known, and the page names no address.
        m_out += m_options.file ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" : "<svg";
        attribute("width", m_drawing.size.width());
        attribute("height", m_drawing.size.height());
        m_out += " viewBox=\"0 0 " + number(m_drawing.size.width()) + ' ' + number(m_drawing.size.height()) + "\" role=\"img\" font-family=\""
            + std::string(kFonts) + "\" fill=\"none\">";
        m_out += "<title>" + xmlEscaped(m_drawing.title) + "</title>";
        if (!m_drawing.description.empty())
            m_out += "<desc>" + xmlEscaped(m_drawing.description) + "</desc>";
        m_out += '\n';
        if (m_options.file) {
            m_out += "<rect";
            box({PointF(0, 0), m_drawing.size});
            fill(Tone::View);
            m_out += "/>\n";
        }
        for (const DrawShape& shape : m_drawing.shapes) {
            checkStop(m_options.stop);
            std::visit([this](const auto& one) { write(one); }, shape);
        }
        m_out += "</svg>";
        if (m_options.file)
            m_out += '\n';
        return std::move(m_out);
    }

private:
    static std::string number(double value)
    {
        const auto hundredths = static_cast<std::int64_t>(std::floor(value * 100 + 0.5));
        return shortDecimal(hundredths, 2);
    }

    static std::string point(const PointF& at) { return number(at.x()) + ' ' + number(at.y()); }

    std::string color(const DrawColor& token) const
    {
        static constexpr std::string_view kDigits = "0123456789ABCDEF";
        const std::uint32_t rgb = token.rgb(m_options.dark);
        std::string out = "#";
        for (int shift = 20; shift >= 0; shift -= 4)
            out += kDigits[rgb >> shift & 0xFU];
        return out;
    }

    void attribute(std::string_view name, double value) { m_out += ' ' + std::string(name) + "=\"" + number(value) + '"'; }
    void fill(const DrawColor& token) { m_out += " fill=\"" + color(token) + '"'; }

    void box(const RectF& rect)
    {
        attribute("x", rect.left());
        attribute("y", rect.top());
        attribute("width", rect.width());
        attribute("height", rect.height());
    }

    void stroke(const DrawPen& pen)
    {
        m_out += " stroke=\"" + color(pen.color) + '"';
        if (pen.width != 1)
            attribute("stroke-width", pen.width);
        if (pen.opacity < 1)
            attribute("stroke-opacity", pen.opacity);
        if (pen.dash > 0)
            m_out += " stroke-dasharray=\"" + number(pen.dash) + '"';
    }

    void write(const BoxShape& shape)
    {
        m_out += "<rect";
        box(shape.rect);
        if (shape.radius > 0)
            attribute("rx", shape.radius);
        if (shape.fill)
            fill(*shape.fill);
        if (shape.pen)
            stroke(*shape.pen);
        m_out += "/>\n";
    }

    void write(const BoxesShape& shape)
    {
        if (shape.rects.empty())
            return;
        m_out += "<path d=\"";
        for (const RectF& rect : shape.rects) {
            checkStop(m_options.stop);
            m_out += 'M' + point(rect.topLeft()) + 'h' + number(rect.width()) + 'v' + number(rect.height()) + 'h' + number(-rect.width()) + 'z';
        }
        m_out += '"';
        fill(shape.fill);
        m_out += "/>\n";
    }

    void write(const LinesShape& shape)
    {
        if (shape.lines.empty())
            return;
        m_out += "<path d=\"";
        for (const LineF& line : shape.lines) {
            checkStop(m_options.stop);
            m_out += 'M' + point(line.p1()) + 'L' + point(line.p2());
        }
        m_out += '"';
        stroke(shape.pen);
        m_out += "/>\n";
    }

    void write(const PathShape& shape)
    {
        if (shape.points.size() < 2)
            return;
        m_out += "<path d=\"";
        for (std::size_t i = 0; i < shape.points.size(); ++i) {
            checkStop(m_options.stop);
            m_out += (i == 0 ? 'M' : 'L') + point(shape.points[i]);
        }
        m_out += shape.closed ? "z\"" : "\"";
        if (shape.fill) {
            fill(*shape.fill);
            if (shape.opacity < 1)
                attribute("fill-opacity", shape.opacity);
        }
        if (shape.pen) {
            stroke(*shape.pen);
            m_out += " stroke-linejoin=\"round\"";
        }
        m_out += "/>\n";
    }

    void write(const CircleShape& shape)
    {
        m_out += "<circle";
        attribute("cx", shape.centre.x());
        attribute("cy", shape.centre.y());
        attribute("r", shape.radius);
        if (shape.fill)
            fill(*shape.fill);
        if (shape.pen)
            stroke(*shape.pen);
        m_out += "/>\n";
    }

    void write(const HatchShape& shape) { write(LinesShape{hatchLines(shape), shape.pen}); }

    void write(const TextShape& shape)
    {
        static constexpr std::array<std::string_view, 3> kAnchors{"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
        m_out += "<text";
        attribute("x", shape.at.x());
        attribute("y", shape.at.y());
        attribute("font-size", shape.size);
        if (shape.strong)
            m_out += " font-weight=\"600\"";
        m_out += kAnchors[static_cast<std::size_t>(shape.anchor)];
        fill(shape.color);
        m_out += '>' + xmlEscaped(shape.text) + "</text>\n";
    }

    void write(const GroupMark& shape) { m_out += shape.name.empty() ? "</g>\n" : "<g class=\"" + xmlEscaped(shape.name) + "\">\n"; }

    const Drawing& m_drawing;
    const SvgOptions& m_options;
    std::string m_out;
};

} // namespace

std::string xmlEscaped(std::string_view text)
{
    // What XML cannot hold and what would reorder or hide the rest is shown as what it is.
    std::string out;
    out.reserve(text.size());
    for (const char c : shownLines(text)) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    // U+FFFE and U+FFFF are characters of Unicode and not of XML.
    for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
        for (std::size_t at = out.find(none); at != std::string::npos; at = out.find(none, at))
            out.replace(at, none.size(), "\xEF\xBF\xBD");
    }
    return out;
}

std::string svgText(const Drawing& drawing, const SvgOptions& options)
{
    return Writer(drawing, options).write();
}

} // namespace fabricscope
