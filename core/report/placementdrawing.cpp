#include "core/report/placementdrawing.h"

#include "core/base/index.h"
#include "core/draw/nicestep.h"
#include "core/draw/numbertext.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;

constexpr double kSide = 12;
constexpr double kHead = 40;
constexpr double kTitleLine = 16;
constexpr double kRow = 22;
constexpr double kBar = 14;
constexpr double kFoot = 8;
constexpr double kTitleSize = 12;
constexpr double kLetters = 11;
constexpr double kSmall = 10.5;
constexpr double kNames = 190;
constexpr double kFigureRoom = 76;
constexpr double kBase = 4; ///< From the middle of a line of letters down to its base line.

/// Cut where it would be wider.
std::string fitted(const std::string& text, double room, double size, bool strong = false)
{
    if (textWidth(text, size, strong) <= room)
        return text;
    std::string out = text;
    while (!out.empty() && textWidth(out + "\xE2\x80\xA6", size, strong) > room) {
        do
            out.pop_back();
        while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80);
    }
    return out + "\xE2\x80\xA6";
}

/// Title and the frame that all three have.
Drawing framed(const char* title, const std::string& beside, double width, double height)
{
    Drawing drawing;
    drawing.size = SizeF(width, height);
    drawing.title = title;
    drawing.text({kSide, kTitleLine + kBase}, title, kTitleSize, Tone::Text, Anchor::Left, true);
    const double left = kSide + textWidth(title, kTitleSize, true) + 10;
    drawing.text({left, kTitleLine + kBase}, fitted(beside, width - left - kSide, kSmall), kSmall, Tone::Text2);
    return drawing;
}

std::string percentText(double share)
{
    constexpr std::int64_t kWhole = 1'000'000'000;
    return numbertext::percent(static_cast<std::int64_t>(std::llround(share * static_cast<double>(kWhole))), 1, kWhole, 2);
}

/// One row of ratios and memory for each kind of devices.
class RatioRows {
public:
    RatioRows(const PlacementFigures& figures, double width, std::size_t most) : m_figures(figures), m_rows(std::min(most, figures.devices.size())), m_width(width)
    {
        const double plot = width - 2 * kSide - kNames;
        m_ratioRoom = std::floor(plot * 0.56);
        m_memoryLeft = kSide + kNames + m_ratioRoom + 16;
        for (const PlacedDevices& row : figures.devices) {
            m_most = std::max({m_most, row.ratio, row.speed / figures.speedOfAll()});
            m_mostBytes = std::max({m_mostBytes, row.held, row.memory});
        }
        m_most = std::max(m_most, 1.0 / static_cast<double>(std::max<std::int64_t>(figures.deviceCount(), 1)));
    }

    Drawing draw()
    {
        const double height = kHead + static_cast<double>(m_rows) * kRow + kFoot;
        m_drawing = framed("Ratios", "share of one device; marks: \xE2\x94\x82 even, \xE2\x94\x8A by speed", m_memoryLeft - kSide, height);
        m_drawing.size = SizeF(m_width, height);
        m_drawing.text({m_memoryLeft, kTitleLine + kBase}, "Memory", kTitleSize, Tone::Text, Anchor::Left, true);
        m_drawing.text({m_memoryLeft + textWidth("Memory", kTitleSize, true) + 10, kTitleLine + kBase}, "of one device", kSmall, Tone::Text2);
        double top = kHead;
        for (std::size_t i = 0; i < m_rows; ++i, top += kRow)
            device(m_figures.devices[i], top);
        return std::move(m_drawing);
    }

private:
    double ratioX(double ratio) const { return kSide + kNames + ratio / m_most * (m_ratioRoom - kFigureRoom); }

    void device(const PlacedDevices& row, double top)
    {
        const double middle = top + kRow / 2;
        const std::string count = row.count > 1 ? " \xC3\x97" + numbertext::count(row.count) : "";
        const std::string speed = placedSpeedText(row.speed);
        const double room = kNames - textWidth(speed, kSmall) - 18;
        m_drawing.text({kSide, middle + kBase}, fitted(row.name + count, room, kLetters), kLetters, Tone::Text);
        m_drawing.text({kSide + kNames - 8, middle + kBase}, speed, kSmall, Tone::Text3, Anchor::Right);
        const double end = ratioX(row.ratio);
        m_drawing.box(RectF(kSide + kNames, middle - kBar / 2, std::max(end - kSide - kNames, row.ratio > 0 ? 1.0 : 0.0), kBar), 0, DrawColor::activity(Activity::Compute));
        const double even = std::floor(ratioX(1.0 / static_cast<double>(m_figures.deviceCount()))) + 0.5;
        const double bySpeed = std::floor(ratioX(row.speed / m_figures.speedOfAll())) + 0.5;
        m_drawing.line({even, top + 1}, {even, top + kRow - 1}, DrawPen{Tone::Text});
        m_drawing.line({bySpeed, top + 1}, {bySpeed, top + kRow - 1}, DrawPen{Tone::Text2, 1.5, 1, 3});
        const std::string figure = row.ratio > 0 ? percentText(row.ratio) : "owns nothing";
        m_drawing.text({std::max({end, even, bySpeed}) + 6, middle + kBase}, figure, kSmall, Tone::Text);
        m_drawing.description += (m_drawing.description.empty() ? "" : "; ") + row.name + count + ' ' + figure;
        memory(row, middle, top);
    }

    void memory(const PlacedDevices& row, double middle, double top)
    {
        const double scale = (m_width - kSide - m_memoryLeft - kFigureRoom) / static_cast<double>(std::max<std::int64_t>(m_mostBytes, 1));
        const double end = m_memoryLeft + static_cast<double>(row.held) * scale;
        m_drawing.box(RectF(m_memoryLeft, middle - kBar / 2, std::max(end - m_memoryLeft, 1.0), kBar), 0, Tone::Text3);
        double right = end;
        if (row.memory > 0) {
            const double limit = std::floor(m_memoryLeft + static_cast<double>(row.memory) * scale) + 0.5;
            m_drawing.line({limit, top + 1}, {limit, top + kRow - 1}, DrawPen{Tone::Critical, 1, 1, 3});
            right = std::max(right, limit);
        }
        m_drawing.text({right + 6, middle + kBase}, numbertext::bytes(row.held), kSmall, Tone::Text2);
    }

    const PlacementFigures& m_figures;
    std::size_t m_rows;
    double m_width;
    double m_ratioRoom = 0;
    double m_memoryLeft = 0;
    double m_most = 0;
    std::int64_t m_mostBytes = 0;
    Drawing m_drawing;
};

constexpr std::array<const char*, 3> kLanes{"Collectives", "Computation", "Gradients"};
constexpr double kLaneNames = 96;
constexpr double kLaneFigures = 92;

std::int64_t wholePs(const std::vector<PlacedStage>& stages)
{
    std::int64_t whole = 0;
    for (const PlacedStage& stage : stages)
        whole += stage.all().ps;
    return std::max<std::int64_t>(whole, 1);
}

double laneX(double share, double width)
{
    return kSide + kLaneNames + share * (width - 2 * kSide - kLaneNames - kLaneFigures);
}

} // namespace

Drawing ratioDrawing(const PlacementFigures& figures, double width, std::size_t most)
{
    return RatioRows(figures, width, most).draw();
}

RectF stageRect(const std::vector<PlacedStage>& stages, std::size_t index, double width)
{
    const auto whole = static_cast<double>(wholePs(stages));
    double before = 0;
    for (std::size_t i = 0; i < index; ++i)
        before += static_cast<double>(stages[i].all().ps);
    const double left = laneX(before / whole, width);
    return {left, kHead, laneX((before + static_cast<double>(stages[index].all().ps)) / whole, width) - left, kRow * static_cast<double>(kLanes.size())};
}

Drawing stageDrawing(const PlacementFigures& figures, double width, std::int32_t current)
{
    const std::vector<PlacedStage> stages = stagesOf(figures);
    const std::int64_t whole = wholePs(stages);
    const double bottom = kHead + kRow * static_cast<double>(kLanes.size());
    const std::string count = numbertext::count(static_cast<std::int64_t>(stages.size())) + (stages.size() == 1 ? " stage" : " stages");
    Drawing drawing = framed("Program", count + " between collectives that all devices wait for; estimated time, forward and backward together", width, bottom + kFoot);
    drawing.description = count;
    const std::int64_t step = niceStep(whole, std::max<std::int64_t>(1, static_cast<std::int64_t>((width - kLaneNames - kLaneFigures) / 110)));
    LinesShape grid;
    grid.pen = {Tone::Grid};
    for (std::int64_t tick = 0; tick <= whole; tick += step) {
        const double x = std::floor(laneX(static_cast<double>(tick) / static_cast<double>(whole), width)) + 0.5;
        grid.lines.emplace_back(x, kHead - 2, x, bottom);
        drawing.text({x, kHead - 5}, tick == 0 ? "0" : numbertext::time({tick}, 1), kSmall, Tone::Text3, Anchor::Middle);
    }
    drawing.add(std::move(grid));
    std::array<std::int64_t, 3> sums{};
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const RectF area = stageRect(stages, i, width);
        if (stages[i].number == current)
            drawing.box(area, 0, Tone::Sel);
        // Where stages are wide enough to be told apart.
        if (i > 0 && area.width() > 4)
            drawing.line({std::floor(area.left()) + 0.5, kHead}, {std::floor(area.left()) + 0.5, bottom}, DrawPen{Tone::Line2});
        double left = area.left();
        const auto bars = [&](PlacedInstruction::Part part, std::size_t lane) {
            const double middle = kHead + kRow * (static_cast<double>(lane) + 0.5);
            for (const std::size_t number : stages[i].instructions) {
                const PlacedInstruction& row = figures.program[number];
                if (row.part != part)
                    continue;
                const double wide = static_cast<double>(row.time.ps) / static_cast<double>(whole) * (laneX(1, width) - laneX(0, width));
                sums.at(lane) += row.time.ps;
                if (wide > 0)
                    drawing.box(RectF(left, middle - kBar / 2, std::max(wide - 0.4, 0.6), kBar), 0, DrawColor::activity(row.activity));
                left += wide;
            }
        };
        bars(PlacedInstruction::Part::Entering, 0);
        bars(PlacedInstruction::Part::Computing, 1);
        bars(PlacedInstruction::Part::Gradients, 2);
    }
    for (std::size_t lane = 0; lane < kLanes.size(); ++lane) {
        const double base = kHead + kRow * (static_cast<double>(lane) + 0.5) + kBase;
        drawing.text({kSide, base}, kLanes.at(lane), kLetters, Tone::Text);
        drawing.text({width - kSide, base}, numbertext::time({sums.at(lane)}), kSmall, Tone::Text, Anchor::Right);
        drawing.description += std::string("; ") + kLanes.at(lane) + ' ' + numbertext::time({sums.at(lane)});
    }
    return drawing;
}

Drawing programsDrawing(const PlacementFigures& figures, double width)
{
    constexpr double kPair = 34;
    constexpr double kHalf = 11;
    constexpr double kFiguresRight = 190;
    const double height = kTitleLine + 14 + kPair * static_cast<double>(figures.times.size()) + kFoot;
    Drawing drawing = framed("Against the baselines", "upper bar: estimated, lower bar: simulated", width, height);
    std::int64_t most = 1;
    for (const PlacedTimes& row : figures.times)
        most = std::max({most, row.estimate.ps, row.simulated ? row.simulated->ps : 0});
    const double room = width - 2 * kSide - kNames - kFiguresRight;
    double top = kTitleLine + 14;
    for (const PlacedTimes& row : figures.times) {
        const bool own = &row == &figures.times.front();
        drawing.text({kSide, top + kPair / 2 + kBase - 3}, fitted(row.name, kNames - 12, kLetters, own), kLetters, Tone::Text, Anchor::Left, own);
        const auto bar = [&](SimTime time, SimTime found, double y, bool simulated) {
            const RectF rect(kSide + kNames, y, std::max(1.0, room * static_cast<double>(time.ps) / static_cast<double>(most)), kHalf);
            if (simulated)
                drawing.box(rect, 0, own ? DrawColor(Tone::Accent) : DrawColor(Tone::Outline));
            else
                drawing.box(rect.adjusted(0.5, 0.5, -0.5, -0.5), 0, {}, DrawPen{own ? Tone::Accent : Tone::Outline});
            std::string text = numbertext::time(time);
            if (!own && found.ps > 0)
                text += "  \xC3\x97" + numbertext::ratio(time.ps, found.ps, 2);
            drawing.text({rect.right() + 6, y + kHalf / 2 + kBase}, text, kSmall, simulated ? Tone::Text : Tone::Text2);
        };
        bar(row.estimate, figures.times.front().estimate, top, false);
        if (row.simulated)
            bar(*row.simulated, figures.times.front().simulated.value_or(SimTime{}), top + kHalf + 2, true);
        drawing.description += (own ? "" : "; ") + row.name + ' ' + numbertext::time(row.simulated.value_or(row.estimate));
        top += kPair;
    }
    return drawing;
}

} // namespace fabricscope
