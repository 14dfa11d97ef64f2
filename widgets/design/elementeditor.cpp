#include "widgets/design/elementeditor.h"

#include "widgets/base/apptheme.h"
#include "widgets/design/editactions.h"

#include <QGridLayout>
#include <QHBoxLayout>

namespace fabricscope {

namespace {

/// In the unit of its dimension where it has one, so that figures of one kind stay in one unit.
Quantity rateOf(const Platform& platform, LinkId link)
{
    for (const LinkOverride& change : platform.spec().linkOverrides) {
        if (change.link == link && change.bandwidth)
            return *change.bandwidth;
    }
    const std::int32_t dimension = platform.linkInfo(link).dimension;
    if (dimension < 0)
        return platform.spec().links[static_cast<std::size_t>(link)].bandwidth;
    const Dimension& at = platform.dimensions()[static_cast<std::size_t>(dimension)];
    return at.bandwidthIsPerNpu ? Quantity{static_cast<double>(at.linkBandwidth().bytesPerSecond) / 1e9, "GB/s", Measure::Bandwidth} : at.bandwidth;
}

Quantity latencyOf(const Platform& platform, LinkId link)
{
    for (const LinkOverride& change : platform.spec().linkOverrides) {
        if (change.link == link && change.latency)
            return *change.latency;
    }
    const std::int32_t dimension = platform.linkInfo(link).dimension;
    return dimension < 0 ? platform.spec().links[static_cast<std::size_t>(link)].latency : platform.dimensions()[static_cast<std::size_t>(dimension)].latency;
}

} // namespace

ElementEditor::ElementEditor(QWidget* parent) : QWidget(parent), m_title(new QLabel(this)), m_message(new QLabel(this)), m_remove(new QPushButton(this)), m_reset(new QPushButton(this))
{
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setHorizontalSpacing(8);
    layout->setVerticalSpacing(3);
    layout->addWidget(m_title, 0, 0, 1, 2);
    m_remove->setObjectName(QStringLiteral("remove")); // Remove or Restore.
    m_reset->setObjectName(QStringLiteral("reset"));
    const Measure measures[FieldCount] = {Measure::Bandwidth, Measure::Time, Measure::Count, Measure::ComputeRate, Measure::Bandwidth};
    const QString names[FieldCount] = {tr("Bandwidth"), tr("Latency"), tr("Speed"), tr("Peak"), tr("Memory bandwidth")};
    for (int i = 0; i < FieldCount; ++i) {
        m_labels[i] = new QLabel(names[i], this);
        m_fields[i] = new QuantityField(measures[i], this);
        m_fields[i]->setName(names[i]);
        m_labels[i]->setBuddy(m_fields[i]);
        layout->addWidget(m_labels[i], i + 1, 0, Qt::AlignTop);
        layout->addWidget(m_fields[i], i + 1, 1, Qt::AlignRight | Qt::AlignTop);
        connect(m_fields[i], &QuantityField::edited, this, [this, i](const Quantity& value) { edited(i, value); });
        connect(m_fields[i], &QuantityField::finished, this, [this] {
            if (m_document)
                m_document->endMerge();
        });
    }
    m_fields[Latency]->setZeroAllowed(true);
    m_fields[Speed]->setToolTip(tr("Factor on its compute speed: 0.5 is half as fast"));
    layout->addWidget(m_message, FieldCount + 1, 0, 1, 2);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_remove);
    buttons->addWidget(m_reset);
    buttons->addStretch(1);
    layout->addLayout(buttons, FieldCount + 2, 0, 1, 2);
    layout->setColumnStretch(0, 1);
    m_title->setProperty("role", QStringLiteral("section"));
    m_message->setWordWrap(true);
    m_message->hide();
    m_reset->setText(tr("Reset override"));
    for (QPushButton* button : {m_remove, m_reset})
        button->setAutoDefault(false);
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (!m_document || !m_document->platform())
            return;
        if (m_link >= 0)
            tell(DesignActions::setLinkRemoved(*m_document, m_link, !DesignActions::isLinkRemoved(*m_document, m_document->platform()->linkName(m_link))));
        else
            tell(DesignActions::setNpuRemoved(*m_document, m_npu, !DesignActions::isNpuRemoved(*m_document, m_npu)));
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (m_document && m_document->platform())
            tell(m_link >= 0 ? DesignActions::resetLink(*m_document, m_link) : DesignActions::resetNpu(*m_document, m_npu));
    });
    followTheme(this, &ElementEditor::setTheme);
    update();
}

void ElementEditor::setTheme(const Theme& theme)
{
    m_title->setFont(theme.font(TextStyle::Section));
    m_message->setFont(theme.font(TextStyle::Hint));
    QPalette palette = m_message->palette();
    palette.setColor(QPalette::WindowText, theme.color(Role::Err));
    m_message->setPalette(palette);
    const int width = QFontMetrics(theme.font(TextStyle::Body)).horizontalAdvance(QStringLiteral("0000 TFLOP/s")) + theme.scaled(18);
    for (int i = 0; i < FieldCount; ++i) {
        m_labels[i]->setFont(theme.font(TextStyle::Body));
        m_labels[i]->setFixedHeight(theme.scaled(26));
        m_fields[i]->setFixedWidth(width);
    }
    m_remove->setFont(theme.font(TextStyle::Body));
    m_reset->setFont(theme.font(TextStyle::Body));
}

void ElementEditor::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    if (document) {
        connect(document, &DesignDocument::replaced, this, &ElementEditor::clear);
        connect(document, &DesignDocument::changed, this, &ElementEditor::update);
    }
    clear();
}

void ElementEditor::setLink(LinkId link)
{
    m_link = link;
    m_npu = -1;
    m_message->hide();
    update();
}

void ElementEditor::setNpu(NodeId npu)
{
    m_npu = npu;
    m_link = -1;
    m_message->hide();
    update();
}

void ElementEditor::clear()
{
    m_link = -1;
    m_npu = -1;
    update();
}

void ElementEditor::tell(const Status& status)
{
    m_message->setVisible(!status);
    if (!status)
        m_message->setText(DesignActions::errorText(status.error()));
}

void ElementEditor::update()
{
    const Platform* platform = m_document && m_document->platform() ? &*m_document->platform() : nullptr;
    const bool link = platform && m_link >= 0 && m_link < platform->linkCount();
    const bool npu = platform && m_npu >= 0 && m_npu < platform->npuCount();
    setVisible(link || npu);
    if (!link && !npu)
        return;
    setEnabled(m_document->yaml() != nullptr);
    for (int i = 0; i < FieldCount; ++i) {
        const bool shown = (i <= Latency) == link;
        m_labels[i]->setVisible(shown);
        m_fields[i]->setVisible(shown);
    }
    const std::string name = link ? platform->linkName(m_link) : std::string();
    const bool removed = link ? DesignActions::isLinkRemoved(*m_document, name) : DesignActions::isNpuRemoved(*m_document, m_npu);
    m_title->setText(link ? DesignActions::linkTitle(*platform, m_link) : tr("NPU %1").arg(m_npu));
    m_remove->setText(removed ? tr("Restore") : tr("Remove"));
    m_reset->setEnabled(link ? DesignActions::hasLinkOverride(*m_document, name) : DesignActions::hasNpuOverride(*m_document, m_npu));
    if (link) {
        m_fields[Bandwidth]->setQuantity(rateOf(*platform, m_link));
        m_fields[Latency]->setQuantity(latencyOf(*platform, m_link));
        return;
    }
    const NpuSpec& base = platform->spec().npu;
    std::optional<Quantity> peak = base.peak;
    std::optional<Quantity> memory = base.memoryBandwidth;
    for (const NpuOverride& change : platform->spec().npuOverrides) {
        if (change.node == m_npu) {
            peak = change.peak ? change.peak : peak;
            memory = change.memoryBandwidth ? change.memoryBandwidth : memory;
        }
    }
    m_fields[Speed]->setQuantity({platform->speed(m_npu), "", Measure::Count});
    peak ? m_fields[Peak]->setQuantity(*peak) : m_fields[Peak]->setAbsent("TFLOP/s");
    memory ? m_fields[Memory]->setQuantity(*memory) : m_fields[Memory]->setAbsent("GB/s");
}

void ElementEditor::edited(int field, const Quantity& value)
{
    if (!m_document || !m_document->platform())
        return;
    const QString merge = QStringLiteral("element %1 %2 %3").arg(m_link).arg(m_npu).arg(field);
    switch (field) {
    case Bandwidth: return tell(DesignActions::setLinkBandwidth(*m_document, m_link, value, merge));
    case Latency: return tell(DesignActions::setLinkLatency(*m_document, m_link, value, merge));
    case Speed: return tell(DesignActions::setNpuSpeed(*m_document, m_npu, value.value, merge));
    case Peak: return tell(DesignActions::setNpuPeak(*m_document, m_npu, value, merge));
    default: return tell(DesignActions::setNpuMemoryBandwidth(*m_document, m_npu, value, merge));
    }
}

} // namespace fabricscope
