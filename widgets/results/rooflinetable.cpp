#include "widgets/results/rooflinetable.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/boundstable.h"
#include "widgets/results/words.h"

#include <QCoreApplication>

#include <array>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

using Cells = std::vector<StoredTable::Cell>;

struct RooflineTexts {
    Q_DECLARE_TR_FUNCTIONS(RooflineTexts)
};

StoredTable::Cell plainCell(const QString& text)
{
    return {text, text};
}

/// 0: not known.
StoredTable::Cell knownCell(const QString& text, double value)
{
    return value > 0 ? StoredTable::Cell{text, value} : StoredTable::Cell{};
}

StoredTable::Cell reachedCell(double rate, double roof)
{
    return roof > 0 ? StoredTable::Cell{texts::number(100 * rate / roof, 1), rate / roof, std::min(1.0, rate / roof)} : StoredTable::Cell{};
}

/// Three digits, none behind the point where there are as many before it.
QString threeDigits(double value)
{
    return texts::number(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

} // namespace

QString texts::flops(double perSecond)
{
    static constexpr std::array<std::pair<double, const char*>, 7> kUnits{{{1e18, "EFLOP/s"}, {1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1e3, "kFLOP/s"}, {1, "FLOP/s"}}};
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && perSecond < kUnits[unit].first * (1 - 1e-9))
        ++unit;
    const double value = perSecond / kUnits[unit].first;
    const bool whole = std::abs(value - std::round(value)) < 1e-9 * value;
    return (whole ? number(value, 0) : threeDigits(value)) + QChar(0x202F) + QLatin1String(kUnits[unit].second);
}

QString texts::intensity(double flopPerByte)
{
    return RooflineTexts::tr("%1 FLOP/byte").arg(threeDigits(flopPerByte));
}

QString texts::kernel(const RooflineKernel& kernel)
{
    return shown(kernel.name);
}

QString texts::collective(const RooflineCollective& collective)
{
    const QString text = RooflineTexts::tr("%1 of %2").arg(operationOfKey(collective.row.op), size(collective.row.bytes));
    return collective.row.group.empty() ? text : RooflineTexts::tr("%1, %2").arg(text, shown(collective.row.group));
}

QString texts::roof(const RooflineKernel& kernel)
{
    if (kernel.roof() <= 0)
        return {};
    return kernel.memoryBinds() ? RooflineTexts::tr("memory") : RooflineTexts::tr("peak");
}

QString texts::roof(const RooflineCollective& collective)
{
    return collective.latencyBinds() ? RooflineTexts::tr("latency") : RooflineTexts::tr("bandwidth");
}

QString texts::messages(const RooflineMessages& messages)
{
    return RooflineTexts::tr("%1 of %2").arg(shown(messages.name), size(messages.bytes));
}

QString texts::roof(const RooflineMessages& messages)
{
    return messages.latencyBinds() ? RooflineTexts::tr("latency") : RooflineTexts::tr("bandwidth");
}

TableContentPtr rooflineContent(const Roofline& roofline)
{
    using Look = TableColumn::Look;
    QStringList notes;
    for (const std::string& note : roofline.notes)
        notes.append(texts::shown(note));
    auto table = std::make_shared<StoredTable>(std::vector<TableColumn>{{RooflineTexts::tr("Point"), RooflineTexts::tr("Point"), Look::Text},
                                                                        {RooflineTexts::tr("Reaches"), RooflineTexts::tr("Reaches [FLOP/s, B/s]"), Look::Number},
                                                                        {RooflineTexts::tr("Roof"), RooflineTexts::tr("Roof [FLOP/s, B/s]"), Look::Number},
                                                                        {RooflineTexts::tr("Of the roof, %"), RooflineTexts::tr("Of the roof [1]"), Look::ShareBar},
                                                                        {RooflineTexts::tr("By"), RooflineTexts::tr("By"), Look::Text},
                                                                        {RooflineTexts::tr("FLOP/byte, or each sends"), RooflineTexts::tr("Intensity [FLOP/B, B]"), Look::Number},
                                                                        {RooflineTexts::tr("Count"), RooflineTexts::tr("Count"), Look::Number},
                                                                        {RooflineTexts::tr("Mean time"), RooflineTexts::tr("Mean time [ps]"), Look::Number},
                                                                        {RooflineTexts::tr("Ranks, algorithm"), RooflineTexts::tr("Ranks, algorithm"), Look::Text}},
                                               notes.join(QStringLiteral("; ")));
    const auto add = [&table](Cells cells) {
        StoredTable::Row row;
        row.cells = std::move(cells);
        row.id = table->rows();
        table->add(std::move(row));
    };
    for (const RooflineKernel& kernel : roofline.kernels) {
        const std::int64_t mean = std::llround(kernel.busyPs / static_cast<double>(kernel.count));
        add({plainCell(texts::kernel(kernel)), knownCell(texts::flops(kernel.rate()), kernel.rate()), knownCell(texts::flops(kernel.roof()), kernel.roof()), reachedCell(kernel.rate(), kernel.roof()),
             plainCell(texts::roof(kernel)), knownCell(texts::intensity(kernel.intensity()), kernel.intensity()), {texts::count(kernel.count), kernel.count}, {texts::time({mean}), mean},
             plainCell(texts::ranks(kernel.ranks))});
    }
    for (const RooflineCollective& collective : roofline.collectives) {
        const CollectiveBoundRow& row = collective.row;
        add({plainCell(texts::collective(collective)), knownCell(texts::rate(collective.rate()), collective.rate()), knownCell(texts::rate(collective.roof()), collective.roof()),
             reachedCell(collective.rate(), collective.roof()), plainCell(texts::roof(collective)), knownCell(texts::size(std::llround(collective.bytesPerNpu)), collective.bytesPerNpu),
             {texts::count(row.count), row.count}, {texts::time(row.best), row.best.ps}, plainCell(texts::shown(row.algorithm))});
    }
    for (const RooflineMessages& messages : roofline.messages) {
        add({plainCell(texts::messages(messages)), knownCell(texts::rate(messages.rate()), messages.rate()), knownCell(texts::rate(messages.roof()), messages.roof()),
             reachedCell(messages.rate(), messages.roof()), plainCell(texts::roof(messages)), knownCell(texts::size(messages.bytes), static_cast<double>(messages.bytes)),
             {texts::count(messages.count), messages.count}, {texts::time(messages.best), messages.best.ps}, {}});
    }
    return table;
}

} // namespace fabricscope
