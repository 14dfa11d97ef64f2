#include "widgets/design/factsheet.h"

#include "core/base/index.h"
#include "core/model/modelspec.h"
#include "core/plan/plangraph.h"
#include "core/plan/planspec.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/editactions.h"
#include "widgets/design/quantityinput.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLocale>
#include <QScrollBar>

#include <algorithm>

namespace fabricscope {

namespace {

/// What CollectiveFacts::ofAll() says.
enum : int { ByDimension, Fastest, OfProgram };

void followDocument(QPointer<DesignDocument>& held, DesignDocument* document, QObject* receiver, const std::function<void()>& read)
{
    if (held)
        QObject::disconnect(held, nullptr, receiver, nullptr);
    held = document;
    if (document)
        QObject::connect(document, &DesignDocument::changed, receiver, read);
    read();
}

} // namespace

NpuFacts::NpuFacts(QWidget* parent) : QWidget(parent)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(0, 1);
    const auto add = [&](const char* key, const QString& name, Measure measure) {
        Row row{key, new QLabel(name, this), new QLabel(tr("assumed"), this), new QuantityField(measure, this)};
        const int line = grid->rowCount();
        grid->addWidget(row.label, line, 0, Qt::AlignTop);
        grid->addWidget(row.chip, line, 1, Qt::AlignVCenter);
        grid->addWidget(row.field, line, 2, Qt::AlignTop);
        row.label->setBuddy(row.field);
        row.field->setName(tr("NPU %1").arg(name));
        row.field->setPlain(true);
        row.chip->setObjectName(QLatin1String(key));
        row.chip->setProperty("chip", QStringLiteral("warn"));
        connect(row.field, &QuantityField::edited, this, [this, key](const Quantity& value) {
            if (!m_document)
                return;
            const Status status = DesignActions::setNpuField(*m_document, key, value, QStringLiteral("npu ") + QLatin1String(key));
            field(QLatin1String(key))->setProblem(status ? QString() : DesignActions::errorText(status.error()));
        });
        connect(row.field, &QuantityField::finished, this, [this] {
            if (m_document)
                m_document->endMerge();
        });
        m_rows.push_back(row);
    };
    add("peak", tr("Peak"), Measure::ComputeRate);
    add("memory", tr("Memory"), Measure::Size);
    add("memory_bandwidth", tr("Memory rate"), Measure::Bandwidth);
    followTheme(this, &NpuFacts::setTheme);
}

void NpuFacts::setTheme(const Theme& theme)
{
    const int width = QFontMetrics(theme.font(TextStyle::Body)).horizontalAdvance(QStringLiteral("0000 TFLOP/s")) + theme.scaled(18);
    for (const Row& row : m_rows) {
        row.label->setFont(theme.font(TextStyle::Body));
        row.label->setFixedHeight(theme.scaled(26));
        row.chip->setFont(theme.font(TextStyle::Section));
        row.chip->setStyleSheet(QStringLiteral("QLabel { padding: 1px 6px; }"));
        row.field->setFixedWidth(width);
    }
}

void NpuFacts::setDocument(DesignDocument* document)
{
    followDocument(m_document, document, this, [this] { read(); });
}

QuantityField* NpuFacts::field(const QString& key) const
{
    for (const Row& row : m_rows) {
        if (key == QLatin1String(row.key))
            return row.field;
    }
    return nullptr;
}

void NpuFacts::read()
{
    setEnabled(m_document && m_document->yaml());
    if (!m_document)
        return;
    const PlatformSpec& spec = *m_document->design()->platform;
    const QString source = texts::shown(spec.source);
    for (const Row& row : m_rows) {
        const std::string key = row.key;
        const std::optional<Quantity>& value = key == "peak" ? spec.npu.peak : key == "memory" ? spec.npu.memory : spec.npu.memoryBandwidth;
        const char* unit = key == "peak" ? "TFLOP/s" : key == "memory" ? "GiB" : "GB/s";
        value ? row.field->setQuantity(*value) : row.field->setAbsent(unit);
        const bool own = m_document->yaml() && m_document->yaml()->find("platform.npu." + key);
        const bool assumed = value && !own && source.contains(QLatin1String("assumed"));
        row.chip->setToolTip(texts::toolTip(source));
        row.chip->setVisible(assumed);
        row.field->setToolTip(value ? QString() : tr("What needs this figure takes no time"));
    }
}

WorkloadFacts::WorkloadFacts(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(4);
    m_grid->setColumnStretch(1, 1);
    setAccessibleName(tr("Workload"));
    followTheme(this, &WorkloadFacts::setTheme);
}

void WorkloadFacts::setTheme(const Theme& theme)
{
    m_theme = theme;
    read();
}

void WorkloadFacts::setDocument(DesignDocument* document)
{
    followDocument(m_document, document, this, [this] { read(); });
}

void WorkloadFacts::addPlanFacts(Facts& facts, const PlannedWorkload& planned)
{
    if (const PlanGraph* const graph = planned.plan->graph.get()) {
        facts.emplace_back(tr("Graph"), tr("%1 ops on %2 devices").arg(texts::count(static_cast<std::int64_t>(graph->problem.graph.ops.size())), texts::count(graph->problem.mesh.devices())));
        return;
    }
    facts.emplace_back(tr("Model"), !planned.model ? tr("given by its times") : planned.model->name.empty() ? tr("described here") : texts::shown(planned.model->name));
    QStringList axes;
    for (std::size_t i = 0; i < std::min(planned.plan->mesh.axes.size(), planned.plan->mesh.shape.size()); ++i)
        axes << QStringLiteral("%1 %2").arg(texts::shown(planned.plan->mesh.axes[i])).arg(planned.plan->mesh.shape[i]);
    facts.emplace_back(tr("Plan"), planned.plan->placement == PlanPlacement::Hap ? tr("placed by speed (HAP)") : axes.join(QStringLiteral(" \u00d7 ")));
}

WorkloadFacts::Facts WorkloadFacts::factsOf(const Design& design)
{
    Facts facts;
    const auto dimensionsText = [](const std::vector<std::int32_t>& dimensions) {
        QStringList names;
        for (const std::int32_t dimension : dimensions)
            names << QStringLiteral("D%1").arg(dimension);
        return names.join(QLatin1Char(' '));
    };
    if (const auto* trace = std::get_if<TraceWorkload>(design.workload.get())) {
        facts.emplace_back(tr("Traces"), texts::shown(trace->prefix));
        if (!trace->commGroups.empty())
            facts.emplace_back(tr("Groups"), texts::shown(trace->commGroups));
    } else if (const auto* single = std::get_if<SingleCollective>(design.workload.get())) {
        QString name = QString::fromStdString(std::string(collectiveKey(single->op))).replace(QLatin1Char('_'), QLatin1Char('-'));
        if (!name.isEmpty())
            name[0] = name[0].toUpper();
        facts.emplace_back(name, quantitytext::text(single->size));
    } else if (const auto* planned = std::get_if<PlannedWorkload>(design.workload.get())) {
        addPlanFacts(facts, *planned);
    } else if (const auto* inlined = std::get_if<StepsWorkload>(design.workload.get())) {
        const std::size_t count = inlined->steps.size();
        facts.emplace_back(tr("Steps in the design"), texts::count(static_cast<std::int64_t>(count)));
        for (const GroupSpec& group : inlined->groups) {
            std::int64_t members = 1;
            for (const std::int32_t d : group.dimensions) {
                if (static_cast<std::size_t>(d) < design.platform->dimensions.size())
                    members *= design.platform->dimensions[at(d)].size;
            }
            QString who = !group.dimensions.empty() ? tr("%1 along %2").arg(texts::count(members), dimensionsText(group.dimensions))
                          : !group.lists.empty()    ? (group.lists.size() == 1 ? tr("1 listed group") : tr("%1 listed groups").arg(group.lists.size()))
                                                    : QString();
            if (!group.axes.empty()) {
                members = 1;
                for (const GroupFamily::Axis& axis : group.axes)
                    members *= axis.size;
                who = tr("%1 by stride").arg(texts::count(members));
            }
            facts.emplace_back(tr("Group %1").arg(texts::shown(group.name)), who);
        }
    } else {
        facts.emplace_back(tr("No workload yet"), QString());
    }
    std::int64_t ranks = 0;
    for (const Placement::Job& job : design.jobs)
        ranks += job.nodes.empty() ? job.ranks : static_cast<std::int64_t>(job.nodes.size());
    std::int64_t npus = 0;
    if (design.platform->nodes.empty()) {
        npus = design.platform->dimensions.empty() ? 0 : 1;
        for (const Dimension& dimension : design.platform->dimensions)
            npus *= dimension.size;
    }
    npus += design.platform->nodes.count(NodeKind::Npu);
    for (const NpuOverride& override : design.platform->npuOverrides)
        npus -= override.removed ? 1 : 0;
    facts.emplace_back(tr("Placement"), tr("%1 on %2").arg(texts::ranks(design.jobs.empty() ? npus : ranks), texts::npus(npus)));
    return facts;
}

void WorkloadFacts::read()
{
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        if (item->widget())
            item->widget()->hide();
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    if (!m_document)
        return;
    int line = 0;
    for (const auto& [name, value] : factsOf(*m_document->design())) {
        auto* label = new QLabel(name, this);
        auto* figure = new QLabel(value, this);
        label->setFont(m_theme.font(TextStyle::Body));
        figure->setFont(m_theme.font(TextStyle::Body));
        label->setTextFormat(Qt::PlainText);
        figure->setTextFormat(Qt::PlainText);
        figure->setAlignment(Qt::AlignRight | Qt::AlignTop);
        figure->setWordWrap(true);
        m_grid->addWidget(label, line, 0, Qt::AlignTop);
        m_grid->addWidget(figure, line, 1);
        ++line;
    }
}

CollectiveFacts::CollectiveFacts(QWidget* parent)
    : QWidget(parent), m_grid(new QGridLayout(this)), m_ofAllLabel(new QLabel(tr("Algorithm"), this)), m_ofAll(new QComboBox(this)), m_chunksLabel(new QLabel(tr("Chunks"), this)), m_chunks(new QuantityField(Measure::Count, this)), m_rules(new QLabel(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(3);
    m_grid->setColumnStretch(0, 1);
    m_grid->addWidget(m_ofAllLabel, 0, 0);
    m_grid->addWidget(m_ofAll, 0, 1);
    m_ofAllLabel->setBuddy(m_ofAll);
    m_ofAll->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_ofAll->setMinimumContentsLength(8);
    m_ofAll->setAccessibleName(tr("Algorithm of collectives"));
    m_ofAll->setToolTip(tr("Fastest: every algorithm known is simulated, for each collective, and the fastest runs"));
    m_ofAll->setFocusPolicy(Qt::StrongFocus);
    connect(m_ofAll, &QComboBox::activated, this, [this] {
        const int chosen = m_ofAll->currentData().toInt();
        if (m_document && chosen != OfProgram)
            static_cast<void>(DesignActions::setAlgorithmOfAll(*m_document, chosen == Fastest));
        read(); // A program from a file keeps its place.
    });
    m_chunks->setWhole(1);
    m_chunks->setName(tr("Chunks per collective"));
    m_chunksLabel->setBuddy(m_chunks);
    m_rules->setWordWrap(true);
    m_rules->setTextFormat(Qt::PlainText);
    m_rules->setProperty("role", QStringLiteral("secondary"));
    m_rules->setAccessibleName(tr("Rules"));
    connect(m_chunks, &QuantityField::edited, this, [this](const Quantity& value) {
        if (!m_document)
            return;
        const double most = 1 << 20;
        const Status status = DesignActions::setChunks(*m_document, static_cast<std::int32_t>(std::min(value.value, most)), QStringLiteral("chunks"));
        m_chunks->setProblem(status ? QString() : DesignActions::errorText(status.error()));
    });
    connect(m_chunks, &QuantityField::finished, this, [this] {
        if (m_document)
            m_document->endMerge();
    });
    followTheme(this, &CollectiveFacts::setTheme);
}

void CollectiveFacts::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_chunks->setFixedWidth(theme.scaled(72));
    m_chunksLabel->setFont(theme.font(TextStyle::Body));
    m_rules->setFont(theme.font(TextStyle::Hint));
    m_ofAllLabel->setFont(theme.font(TextStyle::Body));
    m_ofAll->setFont(theme.font(TextStyle::Body));
    m_ofAll->setFixedWidth(theme.scaled(144));
    for (QLabel* name : m_names)
        name->setFont(theme.font(TextStyle::Body));
    for (QComboBox* box : m_boxes) {
        box->setFont(theme.font(TextStyle::Body));
        box->setFixedWidth(theme.scaled(144));
    }
}

void CollectiveFacts::setDocument(DesignDocument* document)
{
    followDocument(m_document, document, this, [this] { read(); });
}

QComboBox* CollectiveFacts::algorithm(int dimension) const
{
    return dimension >= 0 && static_cast<std::size_t>(dimension) < m_boxes.size() ? m_boxes[at(dimension)] : nullptr;
}

bool CollectiveFacts::readOfAll(const Design& design)
{
    const ProgramChoice& program = design.collectives.defaults.program;
    m_ofAll->clear();
    m_ofAll->addItem(design.platform->dimensions.empty() ? tr("Standard") : tr("By dimension"), ByDimension);
    m_ofAll->addItem(tr("Fastest"), Fastest);
    if (!program.choose && !program.program.empty())
        m_ofAll->addItem(texts::shown(program.program.front().text), OfProgram);
    m_ofAll->setCurrentIndex(program.choose ? Fastest : m_ofAll->count() - 1 == OfProgram ? OfProgram : ByDimension);
    return m_ofAll->currentIndex() == ByDimension;
}

void CollectiveFacts::read()
{
    if (!m_document)
        return;
    const Design& design = *m_document->design();
    // An ASTRA-sim system file decides all of this.
    setEnabled(m_document->yaml() && !design.astra);
    const std::size_t count = design.platform->dimensions.size();
    while (m_boxes.size() > count) {
        delete m_boxes.back();
        delete m_names.back();
        m_boxes.pop_back();
        m_names.pop_back();
    }
    while (m_boxes.size() < count) {
        const int dimension = static_cast<int>(m_boxes.size());
        auto* box = new QComboBox(this);
        const std::pair<QString, const char*> choices[] = {{tr("Automatic"), "auto"}, {tr("Ring"), "ring"}, {tr("Direct"), "direct"}, {tr("Halving-doubling"), "halving_doubling"}, {tr("Double binary tree"), "double_binary_tree"}};
        for (const auto& [title, key] : choices)
            box->addItem(title, QString::fromLatin1(key));
        box->setAccessibleName(tr("D%1 algorithm").arg(dimension));
        box->setFocusPolicy(Qt::StrongFocus); // the wheel scrolls the panel
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
        connect(box, &QComboBox::activated, this, [this, box, dimension] {
            if (const auto choice = algorithmFromText(box->currentData().toString().toStdString()); choice && m_document)
                static_cast<void>(DesignActions::setAlgorithm(*m_document, dimension, *choice));
        });
        m_boxes.push_back(box);
        auto* name = new QLabel(this);
        name->setBuddy(box);
        m_names.push_back(name);
        name->setFont(m_theme.font(TextStyle::Body));
        box->setFont(m_theme.font(TextStyle::Body));
        box->setFixedWidth(m_theme.scaled(144));
        m_grid->addWidget(name, dimension + 1, 0);
        m_grid->addWidget(box, dimension + 1, 1);
    }
    const bool byDimension = readOfAll(design);
    const CollectiveSetting& setting = design.collectives.defaults;
    for (std::size_t d = 0; d < count; ++d) {
        const AlgorithmChoice choice = setting.algorithms.empty() ? AlgorithmChoice{} : setting.algorithms.size() == 1 ? setting.algorithms[0] : d < setting.algorithms.size() ? setting.algorithms[d] : AlgorithmChoice{};
        const QString key = texts::shown(algorithmText(choice));
        QComboBox* box = m_boxes[d];
        if (box->findData(key) < 0)
            box->addItem(key, key); // direct4
        box->setCurrentIndex(box->findData(key));
        m_names[d]->setText(QStringLiteral("D%1 ").arg(d) + DesignActions::shapeTitle(design.platform->dimensions[d].shape));
        m_names[d]->setVisible(byDimension);
        box->setVisible(byDimension);
    }
    m_grid->addWidget(m_chunksLabel, static_cast<int>(count) + 1, 0);
    m_grid->addWidget(m_chunks, static_cast<int>(count) + 1, 1, Qt::AlignRight);
    m_grid->addWidget(m_rules, static_cast<int>(count) + 2, 0, 1, 2);
    m_chunks->setQuantity({static_cast<double>(design.astra ? design.astra->splits : setting.chunks), "", Measure::Count});
    QStringList rules;
    for (const CollectiveRule& rule : design.collectives.rules) {
        QStringList algorithms;
        for (const AlgorithmChoice& choice : rule.algorithms.value_or(std::vector<AlgorithmChoice>()))
            algorithms << texts::shown(algorithmText(choice));
        QString line = rule.group == "*" ? tr("All groups") : tr("Group %1").arg(texts::shown(rule.group));
        if (rule.maxSize)
            line += tr(", up to %1").arg(quantitytext::text(*rule.maxSize));
        if (rule.minSize)
            line += tr(", from %1").arg(quantitytext::text(*rule.minSize));
        if (rule.algorithms)
            line += QStringLiteral(": ") + (algorithms.isEmpty() ? QStringLiteral("auto") : algorithms.join(QStringLiteral(", ")));
        if (rule.chunks)
            line += tr(", %1 chunks").arg(*rule.chunks);
        rules << line;
    }
    m_rules->setText(rules.join(QLatin1Char('\n')));
    m_rules->setVisible(!rules.isEmpty());
}

QuestionEdit::QuestionEdit(QWidget* parent) : PlainTextEdit(parent)
{
    setUndoRedoEnabled(false);
    setTabChangesFocus(true);
    setAccessibleName(tr("Question"));
    setPlaceholderText(tr("What should this design answer?"));
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        fit();
        if (m_busy || !m_edited)
            return;
        m_busy = true;
        static_cast<void>(DesignActions::setQuestion(*m_edited, toPlainText(), QStringLiteral("question")));
        m_busy = false;
    });
    followTheme(this, &QuestionEdit::setTheme);
}

void QuestionEdit::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font(TextStyle::Body));
    fit();
}

void QuestionEdit::setDocument(DesignDocument* document)
{
    followDocument(m_edited, document, this, [this] { read(); });
}

void QuestionEdit::read()
{
    setEnabled(m_edited && m_edited->yaml());
    if (m_busy)
        return;
    QString notes = m_edited ? QString::fromStdString(m_edited->design()->notes) : QString();
    while (notes.endsWith(QLatin1Char('\n')))
        notes.chop(1);
    if (notes == toPlainText())
        return;
    m_busy = true;
    setPlainText(notes);
    m_busy = false;
}

/// As tall as its text, two to six lines.
void QuestionEdit::fit()
{
    const int lines = std::clamp(static_cast<int>(document()->size().height()), 2, 6);
    setFixedHeight(lines * fontMetrics().lineSpacing() + m_theme.scaled(14));
}

void QuestionEdit::resizeEvent(QResizeEvent* event)
{
    PlainTextEdit::resizeEvent(event);
    fit();
}

void QuestionEdit::focusOutEvent(QFocusEvent* event)
{
    PlainTextEdit::focusOutEvent(event);
    if (m_edited)
        m_edited->endMerge();
}

void QuestionEdit::keyPressEvent(QKeyEvent* event)
{
    if (m_edited && event->matches(QKeySequence::Undo))
        m_edited->undoStack().undo();
    else if (m_edited && event->matches(QKeySequence::Redo))
        m_edited->undoStack().redo();
    else
        PlainTextEdit::keyPressEvent(event);
}

} // namespace fabricscope
