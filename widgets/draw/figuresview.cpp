#include "widgets/draw/figuresview.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/step/paneheader.h"

#include <QLabel>
#include <QVBoxLayout>

#include <utility>
#include <vector>

namespace fabricscope {

namespace {

QString linksText(std::int64_t links)
{
    return links == 1 ? FiguresView::tr("1 link") : FiguresView::tr("%1 links").arg(texts::count(links));
}

QString fractionText(const Fraction& value)
{
    return value.under == 1 ? texts::count(value.over) : texts::number(static_cast<double>(value.over) / static_cast<double>(value.under), 2);
}

std::vector<ValueRow> partRows(const Fabric& fabric)
{
    std::vector<ValueRow> rows{{FiguresView::tr("NPUs"), texts::count(fabric.npus())}};
    for (const FabricTier& tier : fabric.tiers()) {
        rows.push_back({tier.name == "switch" ? FiguresView::tr("Switches") : FiguresView::tr("Switches, %1").arg(texts::shown(tier.name)), texts::count(tier.count)});
        const std::int64_t radix = fabric.radix(tier);
        const QString ports = radix > 0 ? FiguresView::tr("%1, %2 free").arg(tier.ports).arg(radix - tier.ports) : texts::count(tier.ports);
        rows.push_back({FiguresView::tr("    ports used"), tier.up > 0 ? FiguresView::tr("%1, %2 up").arg(ports).arg(tier.up) : ports});
    }
    rows.push_back({FiguresView::tr("Cables"), texts::count(fabric.cableCount())});
    for (const CableKind& kind : fabric.kinds()) {
        if (fabric.kinds().size() > 1)
            rows.push_back({QStringLiteral("    ") + (kind.inside ? FiguresView::tr("%1, inside").arg(texts::shown(kind.name)) : kind.name == "npu" ? FiguresView::tr("of NPUs") : texts::shown(kind.name)), texts::count(kind.count)});
    }
    return rows;
}

} // namespace

FiguresView::FiguresView(QWidget* parent) : QWidget(parent), m_header(new StepHeader(tr("Fabric"))), m_rows(new ValueRows), m_warnings(new QLabel)
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Figures of the fabric"));
    m_warnings->setWordWrap(true);
    m_warnings->setTextFormat(Qt::PlainText);
    m_warnings->setProperty("role", QStringLiteral("hint"));
    m_warnings->setObjectName(QStringLiteral("fabricWarnings"));
    m_rows->setContentsMargins(12, 4, 12, 8);
    m_warnings->setContentsMargins(12, 0, 12, 8);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_rows);
    column->addWidget(m_warnings);
    clear();
}

void FiguresView::setFabric(const Fabric& fabric, const std::optional<FabricFigures>& found)
{
    std::vector<ValueRow> rows = partRows(fabric);
    const KnownFigures& known = fabric.known();
    const auto missing = [&] { return found ? QStringLiteral("–") : QStringLiteral("…"); };
    const std::optional<std::int64_t> diameter = found ? found->diameter : known.diameter;
    const std::optional<Fraction> mean = found ? found->mean : known.mean;
    const std::optional<std::int64_t> ways = found ? found->ways : known.ways;
    const std::optional<Fraction> bisection = found ? found->bisection : known.bisection ? std::optional(Fraction{*known.bisection, 1}) : std::nullopt;
    const bool some = found && found->sampled > 0;
    const bool atMost = found && !bisection && found->bisectionAtMost;
    rows.push_back({tr("Diameter"), diameter ? linksText(*diameter) : some ? tr("%1 or more").arg(linksText(*found->diameterAtLeast)) : missing()});
    rows.push_back({tr("Mean distance"), mean ? tr("%1 links").arg(fractionText(*mean)) : some ? tr("about %1 links").arg(fractionText(*found->meanSampled)) : missing()});
    if (atMost)
        rows.push_back({tr("Bisection"), tr("at most %1 cables").arg(fractionText(*found->bisectionAtMost))});
    else
        rows.push_back({tr("Bisection"), bisection ? tr("%1 cables").arg(fractionText(*bisection)) : missing(), found && found->bisectionKnown == Known::Formula ? tr("formula") : QString()});
    rows.push_back({tr("Ways to the farthest"), ways ? texts::count(*ways) : missing()});
    m_rows->setRows(std::move(rows));
    QStringList warnings; // They say what a figure is from: beside its value that has no room.
    for (const Diagnostic& warning : found ? found->warnings : fabric.warnings())
        warnings.append(texts::shown(warning.message));
    m_warnings->setText(warnings.join(QLatin1Char('\n')));
    m_warnings->setVisible(!warnings.isEmpty());
    show();
}

void FiguresView::clear()
{
    hide();
}

} // namespace fabricscope
