#include "widgets/workload/planform.h"

#include "core/base/index.h"
#include "core/design/design.h"
#include "core/design/plankernels.h"
#include "core/model/modelspec.h"
#include "core/plan/planspec.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/design/document.h"
#include "widgets/results/words.h"
#include "widgets/workload/kernelform.h"
#include "widgets/workload/pagechoice.h"

#include <QApplication>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <utility>

namespace fabricscope {

namespace {

const PlannedWorkload* plannedOf(const DesignDocument* document)
{
    const auto* const planned = document && document->design()->workload ? std::get_if<PlannedWorkload>(document->design()->workload.get()) : nullptr;
    return planned && planned->plan && planned->plan->graph ? nullptr : planned; // A sharded graph has no plan.
}

constexpr int kLeastField = 96;

/// In two lines where there is little room, but no narrower than its longest word: a form beside long notes would leave it none.
class FieldName : public QLabel
{
public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override
    {
        int longest = 0;
        for (const QString& word : text().split(QLatin1Char(' ')))
            longest = std::max(longest, fontMetrics().horizontalAdvance(word));
        return {longest, QLabel::minimumSizeHint().height()};
    }
};

/// Where the design names a preset: `model: NAME`, or `model: {preset: NAME}`; empty: it describes its model.
QString presetPath(const DesignDocument& document)
{
    const YamlNode* const model = document.yaml() ? document.yaml()->find("workload.model") : nullptr;
    if (model && model->isScalar())
        return QStringLiteral("workload.model");
    return model && document.yaml()->find("workload.model.preset") ? QStringLiteral("workload.model.preset") : QString();
}

template <typename Value, std::size_t N>
QStringList wordsOf(const KeyTable<Value, N>& table)
{
    QStringList words;
    for (const auto& [word, value] : table)
        words.append(QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size())));
    return words;
}

template <typename Value, std::size_t N>
QString wordFor(const KeyTable<Value, N>& table, Value value)
{
    return QString::fromStdString(std::string(keyOf(table, value)));
}

} // namespace

PlanForm::PlanForm(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Model and plan"));
    (new QVBoxLayout(this))->setContentsMargins(0, 0, 0, 0);
    followTheme(this, &PlanForm::setTheme);
}

void PlanForm::setTheme(const Theme& theme)
{
    m_theme = theme;
    rebuild();
}

void PlanForm::setDocument(DesignDocument* document)
{
    m_document = document;
    if (document) {
        connect(document, &DesignDocument::replaced, this, &PlanForm::rebuild);
        connect(document, &DesignDocument::changed, this, &PlanForm::read);
    }
    rebuild();
}

void PlanForm::setPresets(const QStringList& presets)
{
    m_presets = presets;
    rebuild();
}

QWidget* PlanForm::editorOf(const QString& path) const
{
    for (const Row& row : m_rows) {
        if (row.path == path)
            return row.editor;
    }
    return nullptr;
}

QString PlanForm::shapeOf() const
{
    const PlannedWorkload* const planned = plannedOf(m_document);
    if (!planned || !planned->plan)
        return m_document && workloadtext::saysPlan(*m_document) ? QStringLiteral("error") : QString();
    QStringList axes{planned->model ? QStringLiteral("model") : QStringLiteral("times"), presetPath(*m_document), wordFor(kPlanPlacements, planned->plan->placement), QString::number(planned->plan->inference.has_value())};
    for (const std::string& axis : planned->plan->mesh.axes)
        axes.append(QString::fromStdString(axis));
    axes << kernelform::choiceOf(*m_document->design()) << QString::fromStdString(whyNoKernels(*m_document->design()));
    return axes.join(QLatin1Char('\n'));
}

void PlanForm::rebuild()
{
    // Who was at a field goes on there, or where its successor is: the keys would go to the toolbar else.
    const QWidget* const focused = QApplication::focusWidget();
    const bool hadFocus = m_body && focused && m_body->isAncestorOf(focused);
    const auto left = std::ranges::find_if(m_rows, [focused](const Row& row) { return focused && (row.editor == focused || row.editor->isAncestorOf(focused)); });
    const QString path = left != m_rows.end() ? left->path : QString();
    for (const Row& row : m_rows)
        row.editor->disconnect(this); // Half an edit is none: a field that is hidden says that it is finished.
    m_rows.clear();
    if (m_body) {
        // The edit that leads here may come of an editor in it.
        m_body->hide();
        layout()->removeWidget(m_body);
        m_body->deleteLater();
    }
    m_body = new QWidget(this);
    layout()->addWidget(m_body);
    m_form = new QFormLayout(m_body);
    m_form->setContentsMargins(m_theme.scaled(12), m_theme.scaled(8), m_theme.scaled(12), m_theme.scaled(8));
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setRowWrapPolicy(QFormLayout::DontWrapRows); // Labels stand beside their fields, all of them; long ones have two lines.
    m_shape = shapeOf();
    const PlannedWorkload* const planned = plannedOf(m_document);
    if (planned && planned->plan) {
        if (planned->model)
            addModel(*planned->plan);
        if (planned->plan->placement == PlanPlacement::Hap) {
            addHeading(tr("Placement"));
            addNote(tr("By speed (HAP): what each NPU does is searched. There is no mesh to set."));
        } else {
            addMesh(*planned->plan);
            addSections(*planned->plan);
            if (planned->model)
                addKernels();
        }
    } else if (m_shape.isEmpty()) {
        addOffer();
    } else {
        addNote(tr("The model or the plan of this design has an error. Their fields are here when it is mended."));
    }
    read();
    if (!hadFocus)
        return;
    QWidget* const same = editorOf(path);
    QWidget* const next = same ? same : !m_rows.empty() ? m_rows.front().editor : m_body->findChild<QComboBox*>();
    if (next)
        next->setFocus(Qt::OtherFocusReason);
}

void PlanForm::addHeading(const QString& text)
{
    auto* const label = new QLabel(text, m_body);
    label->setFont(m_theme.font(TextStyle::Section));
    m_form->addRow(label);
}

void PlanForm::addNote(const QString& text)
{
    auto* const note = new QLabel(text, m_body);
    note->setWordWrap(true);
    m_form->addRow(note);
}

void PlanForm::addField(const QString& label, QWidget* field)
{
    auto* const name = new FieldName(label, m_body);
    name->setWordWrap(true);
    name->setBuddy(field);
    field->setMinimumWidth(m_theme.scaled(kLeastField));
    m_form->addRow(name, field);
}

/// A design that says otherwise what runs, or nothing.
void PlanForm::addOffer()
{
    addNote(tr("This design has no model and plan: its workload is a trace, a list of steps or one collective. A model takes the place of it, as one edit."));
    if (m_presets.isEmpty() || !m_document)
        return;
    auto* const choice = new QComboBox(m_body);
    choice->setAccessibleName(tr("Model to use"));
    choice->addItems(m_presets);
    auto* const use = new QPushButton(tr("Use this model"), m_body);
    connect(use, &QPushButton::clicked, this, [this, choice] { usePreset(choice->currentText()); });
    addField(tr("Model"), choice);
    m_form->addRow(use);
}

void PlanForm::addModel(const PlanSpec& plan)
{
    addHeading(tr("Model"));
    if (const QString path = presetPath(*m_document); !path.isEmpty() && m_presets.contains(textAt({path, {}, nullptr}))) {
        addChoice(tr("Preset"), path, m_presets, {}, tr("A model that comes with the program"));
    } else {
        const QString name = texts::shown(plannedOf(m_document)->model->name);
        addNote(name.isEmpty() ? tr("Described in the design.") : name);
    }
    if (plan.inference)
        return addInference();
    addHeading(tr("Training"));
    addNumber(tr("Global batch"), QStringLiteral("workload.model.train.global_batch"), {}, tr("Sequences of one step, of all replicas together"));
    if (plan.placement == PlanPlacement::Hap)
        return; // Decides the rest by itself.
    addNumber(tr("Micro-batch"), QStringLiteral("workload.model.train.micro_batch"), {}, tr("Sequences that pass the pipeline at once, of one replica"));
    addChoice(tr("Recompute"), QStringLiteral("workload.plan.recompute"), wordsOf(kRecomputes), QStringLiteral("none"), tr("What is computed again for the backward pass instead of kept"));
}

void PlanForm::addInference()
{
    const auto usual = [](std::int64_t value) { return QString::number(value); };
    addHeading(tr("Inference"));
    addNumber(tr("Batch"), QStringLiteral("workload.plan.inference.batch"), usual(InferencePlan{}.batch), tr("Sequences of a replica at once"));
    addNumber(tr("Prompt"), QStringLiteral("workload.plan.inference.prompt"), {}, tr("Tokens of each prompt; empty: as long as the model's sequences"))->setPlaceholderText(tr("of the model"));
    addNumber(tr("Output"), QStringLiteral("workload.plan.inference.output"), usual(InferencePlan{}.output), tr("New tokens of each"));
    addNumber(tr("Chunk"), QStringLiteral("workload.plan.inference.chunk"), {}, tr("Tokens of a prompt that go through at once; empty: all"))->setPlaceholderText(tr("all"));
}

void PlanForm::addMesh(const PlanSpec& plan)
{
    addHeading(tr("Mesh axes"));
    for (std::size_t axis = 0; axis < plan.mesh.axes.size(); ++axis)
        addNumber(texts::shown(plan.mesh.axes[axis]), QStringLiteral("workload.plan.mesh.shape.%1").arg(axis), {}, tr("Ranks along this axis; all sizes multiplied are the NPUs"));
}

void PlanForm::addSections(const PlanSpec& plan)
{
    const auto hasAxis = [&](const std::string& name) { return std::find(plan.mesh.axes.begin(), plan.mesh.axes.end(), name) != plan.mesh.axes.end(); };
    if (plan.pipeline || hasAxis(PipelinePlan{}.axis)) {
        addHeading(tr("Pipeline"));
        addChoice(tr("Schedule"), QStringLiteral("workload.plan.pipeline.schedule"), wordsOf(kPipelineSchedules), wordFor(kPipelineSchedules, PipelinePlan{}.schedule), tr("In which order a rank works on micro-batches"));
        addNumber(tr("Chunks per stage"), QStringLiteral("workload.plan.pipeline.virtual"), QStringLiteral("1"), tr("Interleaved: parts of the model on every rank"));
    }
    const bool model = plannedOf(m_document)->model != nullptr;
    if (model && (plan.data || hasAxis(DataPlan{}.axis))) {
        addHeading(tr("Data"));
        addChoice(tr("ZeRO stage"), QStringLiteral("workload.plan.data.zero"), {QStringLiteral("0"), QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("3")}, QStringLiteral("0"),
                  tr("Split over the axis: 1 optimizer, 2 gradients too, 3 parameters too"));
    }
    if (model && (plan.tensor || hasAxis(TensorPlan{}.axis))) {
        addHeading(tr("Tensor"));
        addChoice(tr("Sequence parallel"), QStringLiteral("workload.plan.tensor.sequence_parallel"), {QStringLiteral("false"), QStringLiteral("true")}, QStringLiteral("false"),
                  tr("Norms and residuals are split over the sequence"));
    }
    if (model && (plan.context || hasAxis(ContextPlan{}.axis))) {
        addHeading(tr("Context"));
        addChoice(tr("Kind"), QStringLiteral("workload.plan.context.kind"), {QStringLiteral("ring"), QStringLiteral("ulysses")}, QStringLiteral("ring"), tr("How keys and values come to queries"));
    }
}

/// How long ops take: by operations and bytes, or as kernels with the terms of a machine.
void PlanForm::addKernels()
{
    const Design& design = *m_document->design();
    addHeading(tr("Kernels"));
    // Names of machines are longer than a field beside its label.
    m_form->addRow(makeChoice(tr("Machine of kernels"), kernelform::path(), kernelform::choices(), {}, tr("Ops of the plan take their time as kernels of this machine, fitted to what was measured; off: from operations and bytes")));
    if (const QString source = kernelform::sourceOf(design); !source.isEmpty())
        addNote(tr("Fitted to %1").arg(source));
    const std::vector<kernelform::Term> terms = kernelform::termsOf(design);
    if (const std::string why = whyNoKernels(design); !why.empty() && !terms.empty())
        addNote(tr("Not used: %1.").arg(texts::shown(why)));
    for (const kernelform::Term& term : terms)
        addNumber(term.name, kernelform::path() + QLatin1Char('.') + QLatin1String(term.key), {}, term.hint)->setPlaceholderText(term.usual);
}

QLineEdit* PlanForm::addNumber(const QString& label, const QString& path, const QString& usual, const QString& hint)
{
    auto* const field = new QLineEdit(m_body);
    field->setAccessibleName(label);
    field->setToolTip(hint);
    field->setPlaceholderText(usual);
    connect(field, &QLineEdit::editingFinished, this, [this, label, path, field] {
        if (field->isModified())
            change(label, path, field->text().trimmed());
    });
    addField(label, field);
    m_rows.push_back({path, usual, field});
    return field;
}

QComboBox* PlanForm::addChoice(const QString& label, const QString& path, const QStringList& words, const QString& usual, const QString& hint)
{
    QComboBox* const choice = makeChoice(label, path, words, usual, hint);
    addField(label, choice);
    return choice;
}

QComboBox* PlanForm::makeChoice(const QString& label, const QString& path, const QStringList& words, const QString& usual, const QString& hint)
{
    auto* const choice = new QComboBox(m_body);
    choice->setAccessibleName(label);
    choice->setToolTip(hint);
    choice->addItems(words);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice->setMinimumContentsLength(8);
    connect(choice, &QComboBox::activated, this, [this, label, path, choice] { change(label, path, choice->currentText()); });
    m_rows.push_back({path, usual, choice});
    return choice;
}

QString PlanForm::textAt(const Row& row) const
{
    if (m_document && row.path == kernelform::path())
        return kernelform::choiceOf(*m_document->design());
    const YamlDocument* const yaml = m_document ? m_document->yaml() : nullptr;
    const YamlNode* const node = yaml ? yaml->find(row.path.toStdString()) : nullptr;
    return node && node->isScalar() ? QString::fromStdString(node->text) : row.usual;
}

void PlanForm::read()
{
    // With an error in the text the fields stay, to mend it in.
    const bool stays = !m_rows.empty() && !plannedOf(m_document) && m_document && workloadtext::saysPlan(*m_document);
    if (!stays && shapeOf() != m_shape)
        return rebuild();
    // While a text is no YAML the last values stay.
    if (!m_document || !m_document->yaml())
        return;
    for (const Row& row : m_rows) {
        const QString text = textAt(row);
        if (auto* const field = qobject_cast<QLineEdit*>(row.editor)) {
            if (field->text() != text && !(field->hasFocus() && field->isModified()))
                field->setText(text);
        } else if (auto* const choice = qobject_cast<QComboBox*>(row.editor)) {
            choice->setCurrentIndex(choice->findText(text));
        }
    }
}

Status PlanForm::write(YamlDocument& yaml, const QString& path, const QString& text) const
{
    if (path == kernelform::path())
        return kernelform::choose(yaml, text);
    for (const kernelform::Term& term : kernelform::termsOf(*m_document->design())) {
        if (path == kernelform::path() + QLatin1Char('.') + QLatin1String(term.key))
            return kernelform::setTerm(yaml, term, text);
    }
    const YamlNode* const model = yaml.find("workload.model");
    if (model && model->isScalar() && path.startsWith(QLatin1String("workload.model."))) {
        // `model: NAME` has no room for more.
        YamlEntry preset;
        preset.key = "preset";
        preset.value = YamlNode::scalar(model->text);
        YamlNode map = YamlNode::map();
        map.entries.push_back(std::move(preset));
        if (Status whole = yaml.set("workload.model", map); !whole)
            return whole;
    }
    if (!text.isEmpty())
        return yaml.set(path.toStdString(), text.toStdString());
    return yaml.find(path.toStdString()) ? yaml.remove(path.toStdString()) : Status();
}

void PlanForm::change(const QString& label, const QString& path, const QString& text)
{
    for (const Row& row : m_rows) {
        if (row.path == path && textAt(row) == text)
            return;
    }
    const Status done = m_document->edit(tr("Change %1").arg(texts::inSentence(label)), [&](YamlDocument& yaml) { return write(yaml, path, text); });
    if (!done)
        emit refused(texts::shown(done.error().text()));
    read();
}

/// All NPUs along an axis of data: what always fits the platform; what does not fit the model is said.
void PlanForm::usePreset(const QString& preset)
{
    const std::int64_t npus = m_document->platform() ? m_document->platform()->npuCount() : 1;
    YamlNode model = YamlNode::map();
    model.add("preset", YamlNode::scalar(preset.toStdString()));
    YamlNode train = YamlNode::map();
    train.add("global_batch", YamlNode::scalar(std::to_string(npus)));
    train.add("micro_batch", YamlNode::scalar("1"));
    model.add("train", std::move(train));
    YamlNode mesh = YamlNode::map();
    mesh.add("axes", YamlNode::sequence({YamlNode::scalar("dp"), YamlNode::scalar("pp"), YamlNode::scalar("tp")}));
    mesh.add("shape", YamlNode::sequence({YamlNode::scalar(std::to_string(npus)), YamlNode::scalar("1"), YamlNode::scalar("1")}));
    YamlNode plan = YamlNode::map();
    plan.add("mesh", std::move(mesh));
    YamlNode workload = YamlNode::map();
    workload.add("model", std::move(model));
    workload.add("plan", std::move(plan));
    const Status done = m_document->edit(tr("Use %1").arg(preset), [&](YamlDocument& yaml) { return yaml.set("workload", workload); });
    if (!done)
        emit refused(texts::shown(done.error().text()));
}

} // namespace fabricscope
