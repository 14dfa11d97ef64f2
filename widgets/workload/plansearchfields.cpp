#include "widgets/workload/plansearchfields.h"

#include "core/base/index.h"
#include "core/design/file/searchsection.h"
#include "core/yaml/tree.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/programs/useprogramdialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <utility>

namespace fabricscope {

namespace {

QString wordOf(std::string_view word)
{
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

QString tried()
{
    return PlanSearchFields::tr("tried");
}

QString asInThePlan()
{
    return PlanSearchFields::tr("as in the plan");
}

QString titleOf(PlanVariable variable)
{
    switch (variable) {
    case PlanVariable::Tensor: return PlanSearchFields::tr("Tensor");
    case PlanVariable::Pipeline: return PlanSearchFields::tr("Pipeline");
    case PlanVariable::Data: return PlanSearchFields::tr("Data");
    case PlanVariable::Expert: return PlanSearchFields::tr("Experts");
    case PlanVariable::Context: return PlanSearchFields::tr("Context");
    case PlanVariable::MicroBatch: return PlanSearchFields::tr("Micro-batch");
    case PlanVariable::Recompute: return PlanSearchFields::tr("Recompute");
    case PlanVariable::Zero: return PlanSearchFields::tr("ZeRO");
    case PlanVariable::Schedule: return PlanSearchFields::tr("Schedule");
    case PlanVariable::Npus: return PlanSearchFields::tr("NPUs");
    case PlanVariable::MeshOrder: break;
    }
    return PlanSearchFields::tr("Mesh order");
}

QString hintOf(PlanVariable variable)
{
    switch (variable) {
    case PlanVariable::Tensor: return PlanSearchFields::tr("Ranks that share the matrices of a layer");
    case PlanVariable::Pipeline: return PlanSearchFields::tr("Ranks that share the layers");
    case PlanVariable::Data: return PlanSearchFields::tr("Ranks that share the batch");
    case PlanVariable::Expert: return PlanSearchFields::tr("Of the ranks that share the batch, those that share the experts");
    case PlanVariable::Context: return PlanSearchFields::tr("Ranks that share a sequence");
    case PlanVariable::MicroBatch: return PlanSearchFields::tr("Sequences that go through at once");
    case PlanVariable::Recompute: return PlanSearchFields::tr("What of the forward pass is computed again instead of kept");
    case PlanVariable::Zero: return PlanSearchFields::tr("What ranks of the same data share: 1 optimizer, 2 gradients, 3 parameters, too");
    case PlanVariable::Schedule: return PlanSearchFields::tr("Order of the micro-batches in the pipeline");
    case PlanVariable::Npus: return PlanSearchFields::tr("NPUs the plan has, the first ones of the machine; as in the plan: all");
    case PlanVariable::MeshOrder: break;
    }
    return PlanSearchFields::tr("Axes of the mesh, the slowest first, such as pp, dp, tp");
}

QString titleOf(PlanObjective objective)
{
    switch (objective) {
    case PlanObjective::StepTime: return PlanSearchFields::tr("Step time");
    case PlanObjective::TokensPerNpu: return PlanSearchFields::tr("Tokens/s per NPU");
    case PlanObjective::Npus: return PlanSearchFields::tr("Number of NPUs");
    case PlanObjective::Cost: return PlanSearchFields::tr("Cost per token");
    case PlanObjective::Energy: return PlanSearchFields::tr("Energy per token");
    case PlanObjective::Memory: break;
    }
    return PlanSearchFields::tr("Memory");
}

/// Of a degree; null: it is none.
std::optional<std::int64_t> FixedPlan::* degreeOf(PlanVariable variable)
{
    switch (variable) {
    case PlanVariable::Tensor: return &FixedPlan::tensor;
    case PlanVariable::Pipeline: return &FixedPlan::pipeline;
    case PlanVariable::Data: return &FixedPlan::data;
    case PlanVariable::Expert: return &FixedPlan::expert;
    case PlanVariable::Context: return &FixedPlan::context;
    case PlanVariable::MicroBatch: return &FixedPlan::microBatch;
    case PlanVariable::Npus: return &FixedPlan::npus;
    case PlanVariable::Recompute:
    case PlanVariable::Zero:
    case PlanVariable::Schedule:
    case PlanVariable::MeshOrder: break;
    }
    return nullptr;
}

/// What the field of a variable is given; empty: nothing is.
QString givenText(const FixedPlan& fixed, PlanVariable variable)
{
    if (const auto degree = degreeOf(variable))
        return fixed.*degree ? QString::number(*(fixed.*degree)) : QString();
    QStringList axes;
    switch (variable) {
    case PlanVariable::Zero: return fixed.zero ? QString::number(*fixed.zero) : QString();
    case PlanVariable::Recompute: return fixed.recompute ? wordOf(keyOf(kRecomputes, *fixed.recompute)) : QString();
    case PlanVariable::Schedule: return fixed.schedule ? wordOf(keyOf(kPipelineSchedules, *fixed.schedule)) : QString();
    default: break;
    }
    for (const std::string& axis : fixed.meshOrder)
        axes << QString::fromStdString(axis);
    return axes.join(QStringLiteral(", "));
}

/// False: the text is no value of the variable.
bool give(FixedPlan& fixed, PlanVariable variable, const QString& text)
{
    bool isNumber = false;
    const int number = text.toInt(&isNumber);
    if (const auto degree = degreeOf(variable)) {
        fixed.*degree = number;
        return isNumber && number >= 1;
    }
    const std::string word = text.toStdString();
    switch (variable) {
    case PlanVariable::Zero: fixed.zero = number; return isNumber && number >= 0 && number <= 3;
    case PlanVariable::Recompute: fixed.recompute = valueOf(kRecomputes, word); return fixed.recompute.has_value();
    case PlanVariable::Schedule: fixed.schedule = valueOf(kPipelineSchedules, word); return fixed.schedule.has_value();
    default: break;
    }
    for (const QString& axis : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
        fixed.meshOrder.push_back(axis.trimmed().toStdString());
    return !fixed.meshOrder.empty();
}

QStringList valuesOf(PlanVariable variable)
{
    QStringList words;
    if (variable == PlanVariable::Zero)
        return {QStringLiteral("0"), QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("3")};
    if (variable == PlanVariable::Recompute) {
        for (const auto& [word, value] : kRecomputes)
            words << wordOf(word);
    }
    if (variable == PlanVariable::Schedule) {
        for (const auto& [word, value] : kPipelineSchedules)
            words << wordOf(word);
    }
    return words;
}

} // namespace

PlanSearchFields::PlanSearchFields(QWidget* parent) : QWidget(parent), m_objective(new QComboBox), m_top(new QSpinBox), m_simulate(new QCheckBox(tr("Simulate them")))
{
    setAccessibleName(tr("What is searched"));
    auto* const form = new QFormLayout(this);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addVariables(*form);
    addObjectives(*form);
    m_top->setRange(1, static_cast<int>(kMostTopPlans));
    m_top->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_top->setAccessibleName(tr("Plans to list"));
    m_top->setToolTip(tr("The best so many are listed"));
    form->addRow(tr("List the best"), m_top);
    m_simulate->setToolTip(tr("Each plan that is listed is simulated; else the estimate alone ranks"));
    form->addRow(QString(), m_simulate);
    connect(m_top, &QSpinBox::valueChanged, this, &PlanSearchFields::changed);
    connect(m_simulate, &QCheckBox::toggled, this, &PlanSearchFields::changed);
    setSimulate(true);
    setSpec({});
    followTheme(this, &PlanSearchFields::setTheme);
}

void PlanSearchFields::addVariables(QFormLayout& form)
{
    for (const auto& [word, variable] : kPlanVariables) {
        auto* const editor = new QComboBox;
        const QStringList values = valuesOf(variable);
        editor->setEditable(values.isEmpty());
        editor->setInsertPolicy(QComboBox::NoInsert);
        editor->addItems(QStringList{tried(), asInThePlan()} + values);
        editor->setAccessibleName(titleOf(variable));
        editor->setToolTip(values.isEmpty() ? tr("%1: tried, as in the plan, or a value that is typed").arg(hintOf(variable)) : hintOf(variable));
        editor->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        editor->setMinimumContentsLength(8);
        form.addRow(titleOf(variable), editor);
        connect(editor, &QComboBox::currentTextChanged, this, &PlanSearchFields::changed);
        m_rows.push_back({variable, editor});
    }
}

void PlanSearchFields::addObjectives(QFormLayout& form)
{
    m_objective->setAccessibleName(tr("Best by"));
    m_objective->setToolTip(tr("What ranks the plans"));
    auto* const others = new QWidget;
    auto* const column = new QVBoxLayout(others);
    column->setContentsMargins(0, 0, 0, 0);
    for (const auto& [word, objective] : kPlanObjectives) {
        m_objective->addItem(titleOf(objective), static_cast<int>(objective));
        auto* const also = new QCheckBox(titleOf(objective));
        also->setAccessibleName(tr("Also wanted: %1").arg(titleOf(objective)));
        also->setToolTip(tr("Plans that are good in this are kept, too"));
        column->addWidget(also);
        connect(also, &QCheckBox::toggled, this, &PlanSearchFields::changed);
        m_also.push_back(also);
    }
    form.addRow(tr("Best by"), m_objective);
    form.addRow(tr("Also wanted"), others);
    connect(m_objective, &QComboBox::currentIndexChanged, this, [this] {
        showFirst();
        emit changed();
    });
}

void PlanSearchFields::setTheme(const Theme& theme)
{
    for (const Row& row : m_rows)
        row.editor->setMinimumWidth(theme.scaled(96));
    layout()->setContentsMargins(theme.scaled(12), theme.scaled(10), theme.scaled(12), theme.scaled(10));
    static_cast<QFormLayout*>(layout())->setVerticalSpacing(theme.scaled(5));
}

/// What ranks is wanted anyway.
void PlanSearchFields::showFirst()
{
    for (std::size_t i = 0; i < m_also.size(); ++i)
        m_also[i]->setEnabled(static_cast<int>(kPlanObjectives[i].second) != m_objective->currentData().toInt());
}

void PlanSearchFields::setSpec(const PlanSearchSpec& spec)
{
    const bool before = blockSignals(true);
    for (const Row& row : m_rows) {
        const QString given = givenText(spec.fixed, row.variable);
        const QString text = !given.isEmpty() ? given : spec.varies(row.variable) ? tried() : asInThePlan();
        if (row.editor->isEditable())
            row.editor->setEditText(text);
        else
            row.editor->setCurrentIndex(row.editor->findText(text));
    }
    m_objective->setCurrentIndex(m_objective->findData(static_cast<int>(spec.objectives.front())));
    for (std::size_t i = 0; i < m_also.size(); ++i)
        m_also[i]->setChecked(std::find(spec.objectives.begin() + 1, spec.objectives.end(), kPlanObjectives[i].second) != spec.objectives.end());
    m_top->setValue(static_cast<int>(spec.top));
    showFirst();
    blockSignals(before);
}

std::optional<PlanSearchSpec> PlanSearchFields::spec(QString* wrong) const
{
    PlanSearchSpec spec;
    bool good = true;
    for (const Row& row : m_rows) {
        const QString text = row.editor->currentText().trimmed();
        bool known = true;
        if (text == tried() || text.isEmpty())
            spec.vary.push_back(row.variable);
        else if (text != asInThePlan())
            known = give(spec.fixed, row.variable, text);
        markWrong(*row.editor, !known);
        if (!known && good && wrong)
            *wrong = tr("%1: \u201c%2\u201d is no value. Expected: tried, as in the plan, or %3.")
                         .arg(titleOf(row.variable), texts::shown(text), row.variable == PlanVariable::MeshOrder ? tr("axes such as pp, dp, tp") : tr("a whole number from 1"));
        good = good && known;
    }
    const bool isUsual = std::all_of(m_rows.begin(), m_rows.end(), [&spec](const Row& row) { return PlanSearchSpec{}.varies(row.variable) == (std::find(spec.vary.begin(), spec.vary.end(), row.variable) != spec.vary.end()); });
    if (isUsual)
        spec.vary.clear();
    else if (spec.vary.empty() && good) {
        good = false;
        if (wrong)
            *wrong = tr("Nothing is tried: choose \u201ctried\u201d for something.");
    }
    spec.objectives = {static_cast<PlanObjective>(m_objective->currentData().toInt())};
    for (std::size_t i = 0; i < m_also.size(); ++i) {
        if (m_also[i]->isChecked() && m_also[i]->isEnabled())
            spec.objectives.push_back(kPlanObjectives[i].second);
    }
    spec.top = m_top->value();
    return good ? std::optional(std::move(spec)) : std::nullopt;
}

bool PlanSearchFields::simulate() const
{
    return m_simulate->isChecked();
}

void PlanSearchFields::setSimulate(bool on)
{
    m_simulate->setChecked(on);
}

QComboBox* PlanSearchFields::editorOf(PlanVariable variable) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [variable](const Row& row) { return row.variable == variable; });
    return found == m_rows.end() ? nullptr : found->editor;
}

QCheckBox* PlanSearchFields::alsoOf(PlanObjective objective) const
{
    return m_also[at(objective)];
}

std::string planSearchText(const PlanSearchSpec& spec)
{
    return renderYaml(fieldsTree(planSearchFields(), spec), true);
}

std::optional<PlanSearchSpec> planSearchOf(const std::string& text)
{
    const Result<YamlDocument> document = YamlDocument::parse("search: " + text);
    const Result<PlanSearchSpec> spec = document ? readPlanSearch(document.value()) : Result<PlanSearchSpec>(document.error());
    return spec ? std::optional(spec.value()) : std::nullopt;
}

} // namespace fabricscope
