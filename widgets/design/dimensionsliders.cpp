#include "widgets/design/dimensionsliders.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/design/editactions.h"
#include "widgets/design/quantityinput.h"

#include <QGridLayout>
#include <QHBoxLayout>

namespace fabricscope {

namespace {

enum : std::size_t { kBandwidth, kLatency };

/// Rates people buy, in GB/s.
constexpr double kCommonRates[] = {12.5, 25, 50, 100, 200, 400, 450, 900};

std::vector<double> detentsIn(const std::string& unit)
{
    std::vector<double> detents;
    for (const double rate : kCommonRates)
        detents.push_back(quantitytext::inUnit({rate, "GB/s", Measure::Bandwidth}, unit).value);
    return detents;
}

} // namespace

DimensionSliders::DimensionSliders(QWidget* parent) : QWidget(parent), m_title(new QLabel(this)), m_was(new QLabel(this))
{
    makeRow(m_rows[kBandwidth], Measure::Bandwidth);
    makeRow(m_rows[kLatency], Measure::Time);
    m_rows[kBandwidth].label->setText(tr("Bandwidth"));
    m_rows[kLatency].label->setText(tr("Latency"));
    m_rows[kLatency].field->setZeroAllowed(true);

    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setHorizontalSpacing(8);
    layout->setVerticalSpacing(2);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_was);
    layout->addLayout(head, 0, 0, 1, 3);
    for (std::size_t i = 0; i < 2; ++i) {
        const int line = static_cast<int>(i) + 1;
        layout->addWidget(m_rows[i].label, line, 0, Qt::AlignTop);
        layout->addWidget(m_rows[i].slider, line, 1, Qt::AlignTop);
        layout->addWidget(m_rows[i].field, line, 2, Qt::AlignTop);
        connect(m_rows[i].slider, &LogSlider::moved, this, [this, i](double value) { edited(i, value); });
        connect(m_rows[i].field, &QuantityField::edited, this, [this, i](const Quantity& value) { set(i, value); });
        const auto end = [this] {
            if (m_document)
                m_document->endMerge();
        };
        connect(m_rows[i].slider, &LogSlider::finished, this, end);
        connect(m_rows[i].field, &QuantityField::finished, this, end);
    }
    m_rows[0].slider->setObjectName(QStringLiteral("bandwidth"));
    m_rows[0].field->setObjectName(QStringLiteral("bandwidth"));
    layout->setColumnStretch(1, 1);
    m_title->setProperty("role", QStringLiteral("section"));
    m_was->setProperty("role", QStringLiteral("hint"));
    m_was->setAccessibleName(tr("Value before"));
    followTheme(this, &DimensionSliders::setTheme);
}

void DimensionSliders::makeRow(Row& row, Measure measure)
{
    row.label = new QLabel(this);
    row.slider = new LogSlider(this);
    row.field = new QuantityField(measure, this);
    row.label->setBuddy(row.field);
}

void DimensionSliders::setTheme(const Theme& theme)
{
    m_title->setFont(theme.font(TextStyle::Section));
    m_was->setFont(theme.font(TextStyle::Hint));
    for (Row& row : m_rows) {
        row.label->setFont(theme.font(TextStyle::Body));
        row.label->setFixedHeight(theme.scaled(26));
        row.slider->setFixedHeight(theme.scaled(26));
        row.field->setFixedWidth(std::max(theme.scaled(88), QFontMetrics(theme.font(TextStyle::Body)).horizontalAdvance(QStringLiteral("0000.0 Gbit/s")) + 16));
    }
}

void DimensionSliders::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    if (document) {
        connect(document, &DesignDocument::replaced, this, &DimensionSliders::reset);
        connect(document, &DesignDocument::changed, this, &DimensionSliders::read);
    }
    reset();
    read();
}

void DimensionSliders::setDimension(int dimension)
{
    m_dimension = dimension;
    update();
}

void DimensionSliders::reset()
{
    for (Row& row : m_rows) {
        row.before.clear();
        row.shown.clear();
    }
    m_lastRow = -1;
    m_count = 0;
}

Quantity DimensionSliders::valueOf(std::size_t row, int dimension) const
{
    const Dimension& at = m_document->design()->platform->dimensions[static_cast<std::size_t>(dimension)];
    return row == kBandwidth ? at.bandwidth : at.latency;
}

void DimensionSliders::read()
{
    const std::size_t count = m_document ? m_document->design()->platform->dimensions.size() : 0;
    if (count != m_count)
        reset(); // other dimensions under the same numbers
    m_count = count;
    const bool continues = m_document && m_document->gesture() == m_gesture;
    m_gesture = m_document ? m_document->gesture() : 0;
    for (std::size_t i = 0; i < 2; ++i) {
        Row& row = m_rows[i];
        for (int d = 0; d < static_cast<int>(count); ++d) {
            const Quantity now = valueOf(i, d);
            const auto known = row.shown.find(d);
            if (known != row.shown.end() && !(known->second == now)) {
                // A gesture that goes on (a drag) keeps what was before it.
                if (!continues || row.before.find(d) == row.before.end())
                    row.before[d] = known->second;
                if (d == m_dimension)
                    m_lastRow = static_cast<int>(i);
            }
            row.shown[d] = now;
        }
    }
    update();
}

void DimensionSliders::update()
{
    const bool there = m_document && m_dimension >= 0 && m_dimension < static_cast<int>(m_count);
    setVisible(there);
    if (!there)
        return;
    setEnabled(m_document->yaml() != nullptr);
    const Dimension& at = m_document->design()->platform->dimensions[static_cast<std::size_t>(m_dimension)];
    m_title->setText(QStringLiteral("D%1 ").arg(m_dimension) + DesignActions::shapeTitle(at.shape));
    m_rows[kBandwidth].label->setText(at.bandwidthIsPerNpu ? tr("Per NPU") : tr("Bandwidth"));
    QString was;
    for (std::size_t i = 0; i < 2; ++i) {
        Row& row = m_rows[i];
        const Quantity now = valueOf(i, m_dimension);
        const QString name = i == kBandwidth ? tr("D%1 bandwidth").arg(m_dimension) : tr("D%1 latency").arg(m_dimension);
        row.slider->setAccessibleName(name);
        row.field->setName(name);
        row.slider->setUnit(quantitytext::unit(now));
        if (i == kBandwidth)
            row.slider->setDetents(detentsIn(now.unit.empty() ? "GB/s" : now.unit.text()));
        row.slider->setValue(now.value);
        row.field->setQuantity(now);
        const std::string field = "platform.dimensions[" + std::to_string(m_dimension) + "]." + (i == kLatency ? "latency" : at.bandwidthIsPerNpu ? "npu_bandwidth" : "bandwidth");
        QString problem;
        for (const Diagnostic& issue : m_document->issues()) {
            if (issue.severity == Severity::Error && issue.place.field == field)
                problem = texts::shownMessage(issue.message);
        }
        row.field->setProblem(problem);
        const auto before = row.before.find(m_dimension);
        const bool differs = before != row.before.end() && !(before->second == now);
        row.slider->setGhost(differs && !now.unit.empty() && !before->second.unit.empty() ? std::optional(quantitytext::inUnit(before->second, now.unit).value) : std::nullopt);
        if (differs && (was.isEmpty() || m_lastRow == static_cast<int>(i)))
            was = tr("was %1").arg(quantitytext::text(before->second));
    }
    m_was->setText(was);
}

void DimensionSliders::edited(std::size_t row, double value)
{
    const Quantity now = valueOf(row, m_dimension);
    set(row, {value, now.unit, now.measure});
}

void DimensionSliders::set(std::size_t row, const Quantity& value)
{
    if (!m_document || m_dimension < 0)
        return;
    const QString merge = QStringLiteral("D%1 %2").arg(m_dimension).arg(row);
    const bool perNpu = m_document->design()->platform->dimensions[static_cast<std::size_t>(m_dimension)].bandwidthIsPerNpu;
    const Status status = row == kBandwidth ? DesignActions::setBandwidth(*m_document, m_dimension, value, perNpu, merge) : DesignActions::setLatency(*m_document, m_dimension, value, merge);
    m_rows[row].field->setProblem(status ? QString() : DesignActions::errorText(status.error()));
}

} // namespace fabricscope
