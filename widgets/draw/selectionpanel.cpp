#include "widgets/draw/selectionpanel.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/design/quantityfield.h"
#include "widgets/draw/blueprintpanel.h"
#include "widgets/draw/grapheditor.h"
#include "widgets/step/paneheader.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

namespace fabricscope {

SelectionPanel::SelectionPanel(GraphEditor* editor, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_header(new StepHeader(tr("Selection"))), m_counts(new QLabel), m_nameRow(new QWidget), m_name(new QLineEdit),
      m_figures(new QWidget), m_rate(new QuantityField(Measure::Bandwidth)), m_latency(new QuantityField(Measure::Time)), m_rates(new QLabel), m_latencies(new QLabel), m_switches(new QWidget), m_crossbar(new QuantityField(Measure::Bandwidth)), m_crossbars(new QLabel), m_anyNumber(new QPushButton(tr("No limit"))),
      m_overrides(new QWidget), m_overridden(new QLabel), m_reset(new QPushButton(tr("Reset"))), m_blueprint(new BlueprintPanel(editor)), m_arrange(new QWidget)
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    m_counts->setWordWrap(true);
    m_counts->setObjectName(QStringLiteral("counts"));
    m_counts->setProperty("role", QStringLiteral("secondary"));
    m_counts->setContentsMargins(12, 8, 12, 8);

    auto* name = new QGridLayout(m_nameRow);
    name->setContentsMargins(12, 8, 12, 0);
    name->setSpacing(8);
    name->addWidget(new QLabel(tr("Name")), 0, 0);
    name->addWidget(m_name, 0, 1);
    name->setColumnStretch(1, 1);
    m_name->setAccessibleName(tr("Name of the part"));
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        if (m_editor->nodes().size() == 1 && m_name->isModified())
            m_editor->rename(*m_editor->nodes().begin(), m_name->text());
        else if (m_name->isModified() && !m_name->text().trimmed().isEmpty())
            m_editor->renameSelected(m_name->text());
        m_name->setModified(false);
        showSelection(); // A name that was refused gives way to the one there is.
    });

    buildFigures();
    buildCrossbar();
    buildOverrides();
    buildArrange();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    for (QWidget* part : {static_cast<QWidget*>(m_counts), m_nameRow, m_figures, m_switches, m_overrides, m_arrange, static_cast<QWidget*>(m_blueprint)})
        column->addWidget(part);
    column->addStretch(1);
    connect(editor, &GraphEditor::selectionChanged, this, &SelectionPanel::showSelection);
    connect(editor, &GraphEditor::changed, this, &SelectionPanel::showSelection);
    followTheme(this, &SelectionPanel::setTheme);
    showSelection();
}

void SelectionPanel::buildFigures()
{
    auto* rows = new QGridLayout(m_figures);
    rows->setContentsMargins(12, 8, 12, 8);
    rows->setSpacing(8);
    rows->setColumnStretch(1, 1);
    addRow(rows, 0, new QLabel(tr("Rate")), m_rate);
    addRow(rows, 2, new QLabel(tr("Latency")), m_latency);
    for (const auto& [row, label] : {std::pair{1, m_rates}, {3, m_latencies}}) {
        label->setWordWrap(true);
        label->setProperty("role", QStringLiteral("hint"));
        rows->addWidget(label, row, 0, 1, 2);
    }
    m_rates->setObjectName(QStringLiteral("rates"));
    m_latencies->setObjectName(QStringLiteral("latencies"));
    m_rate->setName(tr("Rate of the selected links"));
    m_latency->setName(tr("Latency of the selected links"));
    m_latency->setZeroAllowed(true);
    connect(m_rate, &QuantityField::edited, this, [this](const Quantity& value) { m_editor->setSelectedRate(value, QStringLiteral("draw rate")); });
    connect(m_latency, &QuantityField::edited, this, [this](const Quantity& value) { m_editor->setSelectedLatency(value, QStringLiteral("draw latency")); });
    for (QuantityField* field : {m_rate, m_latency}) {
        field->setToolTip(tr("A value, or a change such as +10% or *2, of each selected link"));
        connect(field, &QuantityField::changedBy, this, [this, field](const QuantityChange& change) { m_editor->changeSelected(field->measure(), change); });
        connect(field, &QuantityField::finished, this, [this] {
            if (m_editor->document())
                m_editor->document()->endMerge();
        });
    }
}

void SelectionPanel::buildCrossbar()
{
    auto* rows = new QGridLayout(m_switches);
    rows->setContentsMargins(12, 8, 12, 0);
    rows->setSpacing(8);
    rows->setColumnStretch(1, 1);
    addRow(rows, 0, new QLabel(tr("Crossbar")), m_crossbar);
    m_crossbars->setWordWrap(true);
    m_crossbars->setProperty("role", QStringLiteral("hint"));
    m_crossbars->setObjectName(QStringLiteral("crossbars"));
    rows->addWidget(m_crossbars, 1, 0, 1, 2);
    rows->addWidget(m_anyNumber, 2, 1, Qt::AlignLeft);
    m_crossbar->setName(tr("Crossbar of the selected switches"));
    m_crossbar->setToolTip(tr("Bytes that each selected switch passes on per second, all its ports together"));
    m_anyNumber->setObjectName(QStringLiteral("anyCrossbar"));
    m_anyNumber->setToolTip(tr("The selected switches pass on as much as their links carry"));
    connect(m_crossbar, &QuantityField::edited, this, [this](const Quantity& value) { m_editor->setSelectedCrossbar(value, QStringLiteral("draw crossbar")); });
    connect(m_crossbar, &QuantityField::changedBy, this, [this] { emit m_editor->refused(tr("These switches differ: a value is set for all.")); });
    connect(m_crossbar, &QuantityField::finished, this, [this] {
        if (m_editor->document())
            m_editor->document()->endMerge();
    });
    connect(m_anyNumber, &QPushButton::clicked, this, [this] { m_editor->setSelectedCrossbar(std::nullopt); });
}

void SelectionPanel::buildOverrides()
{
    auto* overrides = new QVBoxLayout(m_overrides);
    overrides->setContentsMargins(12, 8, 12, 0);
    overrides->setSpacing(8);
    overrides->addWidget(m_overridden);
    overrides->addWidget(m_reset, 0, Qt::AlignLeft);
    m_overridden->setWordWrap(true);
    m_overridden->setObjectName(QStringLiteral("overridden"));
    m_reset->setObjectName(QStringLiteral("resetOverrides"));
    m_reset->setToolTip(tr("Takes the override out of the design"));
    connect(m_reset, &QPushButton::clicked, m_editor, &GraphEditor::resetSelected);
}

void SelectionPanel::buildArrange()
{
    auto* arrange = new QGridLayout(m_arrange);
    arrange->setContentsMargins(12, 8, 12, 8);
    arrange->setSpacing(8);
    const auto align = [this](Alignment how) { return [this, how] { m_editor->align(how); }; };
    m_align = addMenu(tr("Align"), {{tr("Left"), align(Alignment::Left)}, {tr("Centres"), align(Alignment::Centre)}, {tr("Right"), align(Alignment::Right)},
                                    {tr("Top"), align(Alignment::Top)}, {tr("Middles"), align(Alignment::Middle)}, {tr("Bottom"), align(Alignment::Bottom)}});
    m_distribute = addMenu(tr("Distribute"), {{tr("Across"), [this] { m_editor->distribute(true); }}, {tr("Down"), [this] { m_editor->distribute(false); }}});
    m_duplicate = new QPushButton(tr("Duplicate"));
    m_duplicate->setToolTip(tr("With the links to others (Ctrl+D)"));
    m_delete = new QPushButton(tr("Delete"));
    connect(m_duplicate, &QPushButton::clicked, m_editor, &GraphEditor::duplicate);
    connect(m_delete, &QPushButton::clicked, m_editor, &GraphEditor::removeSelected);
    int at = 0;
    for (QPushButton* button : {m_align, m_distribute, m_duplicate, m_delete}) {
        arrange->addWidget(button, at / 2, at % 2);
        ++at;
    }
}

void SelectionPanel::setTheme(const Theme& theme)
{
    setMinimumWidth(theme.scaled(200));
}

void SelectionPanel::addRow(QGridLayout* rows, int row, QLabel* label, QWidget* field)
{
    rows->addWidget(label, row, 0);
    rows->addWidget(field, row, 1);
}

QPushButton* SelectionPanel::addMenu(const QString& text, const std::vector<std::pair<QString, std::function<void()>>>& entries)
{
    auto* button = new QPushButton(text);
    auto* menu = new QMenu(button);
    menu->setAccessibleName(text);
    for (const auto& [name, what] : entries)
        connect(menu->addAction(name), &QAction::triggered, this, what);
    button->setMenu(menu);
    return button;
}

/// The value all have, or that they differ, with the values there are.
void SelectionPanel::showFigure(QuantityField* field, QLabel* beside, Measure measure)
{
    const std::vector<GraphText::Link>& links = m_editor->picture().graph().links;
    std::vector<std::string> values;
    for (const std::size_t link : m_editor->selectedLinks()) {
        const std::string& value = measure == Measure::Bandwidth ? links[link].bandwidth : links[link].latency;
        if (std::ranges::find(values, value) == values.end())
            values.push_back(value);
    }
    showValues(field, beside, values);
}

/// What the selected switches pass on.
void SelectionPanel::showCrossbar()
{
    const std::vector<std::size_t> switches = m_editor->selectedSwitches();
    m_switches->setVisible(!switches.empty() && m_editor->bundles().empty());
    std::vector<std::string> values;
    for (const std::size_t node : switches) {
        const std::string& value = m_editor->picture().graph().nodes[node].crossbar;
        if (std::ranges::find(values, value) == values.end())
            values.push_back(value);
    }
    showValues(m_crossbar, m_crossbars, values);
    m_anyNumber->setEnabled(values.size() > 1 || (values.size() == 1 && !values.front().empty()));
}

void SelectionPanel::showValues(QuantityField* field, QLabel* beside, const std::vector<std::string>& values)
{
    const Measure measure = field->measure();
    const auto quantity = values.size() == 1 ? parseQuantity(values.front(), measure) : Result<Quantity>(Error{ErrorCode::InvalidInput, {}, {}, {}});
    if (quantity)
        field->setQuantity(quantity.value());
    else if (values.size() > 1)
        field->setMixed(measure == Measure::Bandwidth ? "GB/s" : "us");
    else
        field->setAbsent(measure == Measure::Bandwidth ? "GB/s" : "us");
    QStringList texts;
    for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), 4); ++i)
        texts.append(values[i].empty() ? tr("none") : QString::fromStdString(values[i]));
    if (values.size() > 4)
        texts.append(tr("%1 more").arg(values.size() - 4));
    beside->setText(values.size() > 1 ? tr("mixed: %1").arg(texts.join(QStringLiteral(", "))) : QString());
    beside->setVisible(values.size() > 1);
}

/// Figures of a run are not those of the fields where an override changes them.
void SelectionPanel::showOverrides()
{
    const GraphChanges& changes = m_editor->changes();
    const GraphText& graph = m_editor->picture().graph();
    std::vector<std::size_t> links = m_editor->selectedLinks();
    const std::size_t all = links.size();
    std::erase_if(links, [&](std::size_t link) { return !changes.hasLink(link); });
    std::vector<std::size_t> npus(m_editor->nodes().begin(), m_editor->nodes().end());
    std::erase_if(npus, [&](std::size_t node) { return !changes.hasNpu(node); });
    QStringList lines;
    if (all == 1 && links.size() == 1) {
        for (const auto& [measure, usual] : {std::pair{Measure::Bandwidth, graph.links[links.front()].bandwidth}, {Measure::Time, graph.links[links.front()].latency}}) {
            if (const QString text = changes.figure(graph, links.front(), measure); text != writtenFigure(usual, measure))
                lines.append(text);
        }
        lines.append(changes.removal(graph, links.front()));
    } else if (!links.empty()) {
        lines.append(tr("%1 of %2 links overridden").arg(links.size()).arg(all));
    }
    if (m_editor->nodes().size() == 1 && npus.size() == 1)
        lines += changes.npuTexts(npus.front());
    else if (!npus.empty())
        lines.append(npus.size() == 1 ? tr("1 NPU overridden") : tr("%1 NPUs overridden").arg(npus.size()));
    lines.removeAll(QString());
    m_overridden->setText(lines.join(QLatin1Char('\n')));
    m_overrides->setVisible(!links.empty() || !npus.empty());
}

void SelectionPanel::showSelection()
{
    const std::vector<GraphText::Node>& nodes = m_editor->picture().graph().nodes;
    const std::vector<GraphText::Link>& links = m_editor->picture().graph().links;
    const QString what = m_editor->selectionText();
    m_header->setHint(what.isEmpty() ? tr("nothing") : what);
    QStringList counts;
    for (const NodeKind kind : {NodeKind::Npu, NodeKind::Switch, NodeKind::Memory}) {
        const auto count = std::ranges::count_if(nodes, [&](const GraphText::Node& node) { return node.kind == kind; });
        if (count > 0)
            counts.append(GraphEditor::kindText(kind, count));
    }
    if (!links.empty())
        counts.append(links.size() == 1 ? tr("1 link") : tr("%1 links").arg(links.size()));
    m_counts->setText(m_editor->fabric() == FabricText::Other ? tr("The parts of this fabric are not written one by one.") : counts.isEmpty() ? tr("Nothing is drawn yet.") : tr("On the page: %1").arg(counts.join(QStringLiteral(", "))));
    m_counts->setVisible(what.isEmpty());
    const bool onlyNodes = !m_editor->nodes().empty() && m_editor->bundles().empty();
    const bool one = onlyNodes && m_editor->nodes().size() == 1;
    m_nameRow->setVisible(onlyNodes);
    if (onlyNodes && !(m_name->hasFocus() && m_name->isModified()))
        m_name->setText(one ? QString::fromStdString(nodes[*m_editor->nodes().begin()].name) : QString());
    m_name->setPlaceholderText(one ? QString() : tr("mixed"));
    m_name->setToolTip(one ? QString() : tr("A name with {i} numbers the parts: gpu{i}"));
    m_figures->setVisible(!m_editor->bundles().empty());
    if (!m_editor->bundles().empty()) {
        showFigure(m_rate, m_rates, Measure::Bandwidth);
        showFigure(m_latency, m_latencies, Measure::Time);
    }
    showCrossbar();
    showOverrides();
    m_arrange->setVisible(m_editor->hasSelection());
    m_align->setEnabled(m_editor->nodes().size() > 1);
    m_distribute->setEnabled(m_editor->nodes().size() > 2);
    m_duplicate->setEnabled(!m_editor->nodes().empty());
}

} // namespace fabricscope
