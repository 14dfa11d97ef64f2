#include "widgets/workload/plansearchpanel.h"

#include "core/base/stop.h"
#include "core/design/file/searchsection.h"
#include "core/draw/numbertext.h"
#include "core/report/accuracyfigures.h"
#include "core/run/planedit.h"
#include "core/run/plansimulation.h"
#include "core/run/planssection.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/files/usersettings.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/results/table.h"
#include "widgets/results/words.h"
#include "widgets/step/paneheader.h"
#include "widgets/workload/planscatter.h"
#include "widgets/workload/plansearchfields.h"
#include "widgets/workload/plansearchtables.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kProgressSteps = 1000;
constexpr int kFieldsWidth = 286;
constexpr int kLeastFields = 236;
constexpr int kMostFields = 330;
constexpr int kResultWidth = 900;
constexpr int kPlansHeight = 380;
constexpr int kBelowHeight = 290;

} // namespace

PlanSearchPanel::PlanSearchPanel(QWidget* parent)
    : QWidget(parent), m_head(new StepHeader(tr("Best plans"))), m_back(new QToolButton), m_split(new QSplitter(Qt::Horizontal)), m_lower(new QSplitter(Qt::Horizontal)), m_fields(new PlanSearchFields),
      m_note(new QLabel), m_start(new QPushButton), m_keep(new QPushButton(tr("Keep in the design"))), m_progress(new QProgressBar), m_state(new QLabel), m_counts(new QLabel), m_plans(new ResultTable),
      m_scatter(new PlanScatter), m_why(new QLabel), m_parts(new ResultTable), m_use(new QPushButton(tr("&Use this plan"))), m_open(new QPushButton(tr("Open as desi&gn"))),
      m_pin(new QPushButton(tr("P&in for Compare")))
{
    setAccessibleName(tr("Best plans"));
    setFocusProxy(m_start);
    m_back->setProperty("flat", true);
    m_back->setText(tr("Back to the plan"));
    m_back->setAccessibleName(m_back->text());
    m_back->setToolTip(tr("A search goes on (Esc)"));
    m_head->addControl(m_back);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(makeSide());
    m_split->addWidget(makeResult());
    m_split->setStretchFactor(0, 0);
    m_split->setStretchFactor(1, 1);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    column->addWidget(m_split, 1);
    connectAll();
    followTheme(this, &PlanSearchPanel::setTheme);
    check();
}

PlanSearchPanel::~PlanSearchPanel()
{
    m_comparisonStop.request_stop();
}

void PlanSearchPanel::connectAll()
{
    connect(m_back, &QToolButton::clicked, this, &PlanSearchPanel::backRequested);
    connect(m_start, &QPushButton::clicked, this, &PlanSearchPanel::startOrStop);
    connect(m_keep, &QPushButton::clicked, this, &PlanSearchPanel::keepSearch);
    connect(m_fields, &PlanSearchFields::changed, this, &PlanSearchPanel::check);
    connect(m_use, &QPushButton::clicked, this, &PlanSearchPanel::usePlan);
    connect(m_open, &QPushButton::clicked, this, &PlanSearchPanel::openPlan);
    connect(m_pin, &QPushButton::clicked, this, &PlanSearchPanel::pinPlan);
    connect(m_plans, &ResultTable::rowSelected, this, &PlanSearchPanel::choose);
    connect(m_plans, &ResultTable::rowActivated, m_use, &QPushButton::click);
    connect(m_scatter, &PlanScatter::chosen, this, [this](qint64 id) {
        m_plans->selectId(id);
        choose(id);
    });
    connect(m_scatter, &PlanScatter::activated, m_use, &QPushButton::click);
    connect(&m_runner, &PlanSearchRunner::progressed, this, &PlanSearchPanel::showMoment);
    connect(&m_runner, &PlanSearchRunner::ranked, this, &PlanSearchPanel::take);
    connect(&m_runner, &PlanSearchRunner::finished, this, &PlanSearchPanel::take);
    connect(&m_runner, &PlanSearchRunner::failed, this, &PlanSearchPanel::fail);
}

QWidget* PlanSearchPanel::makeSide()
{
    m_start->setProperty("primary", true);
    m_start->setObjectName(QStringLiteral("start"));
    m_keep->setToolTip(tr("Write these fields into the design, as its section \u201csearch\u201d"));
    m_progress->setRange(0, kProgressSteps);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the search"));
    m_note->setProperty("role", QStringLiteral("hint"));
    m_state->setProperty("role", QStringLiteral("secondary"));
    m_counts->setProperty("role", QStringLiteral("hint"));
    for (QLabel* label : {m_note, m_state, m_counts}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto* const panel = new QWidget;
    panel->setProperty("surface", QStringLiteral("panel"));
    panel->setAttribute(Qt::WA_StyledBackground);
    // What starts, and how far it is, is seen whatever the size of the letters.
    auto* const above = new QVBoxLayout;
    above->setContentsMargins(12, 10, 12, 4);
    above->setSpacing(6);
    auto* const row = new QHBoxLayout;
    row->addWidget(m_start);
    row->addWidget(m_keep);
    row->addStretch(1);
    above->addLayout(row);
    above->addWidget(m_progress);
    above->addWidget(m_note);
    above->addWidget(m_state);
    auto* const inner = new QWidget;
    inner->setProperty("surface", QStringLiteral("panel"));
    inner->setAttribute(Qt::WA_StyledBackground);
    auto* const scrolled = new QVBoxLayout(inner);
    scrolled->setContentsMargins(0, 0, 0, 0);
    scrolled->addWidget(m_fields);
    m_counts->setContentsMargins(12, 0, 12, 12);
    scrolled->addWidget(m_counts);
    scrolled->addStretch(1);
    m_side = new QScrollArea;
    m_side->setFrameShape(QFrame::NoFrame);
    m_side->setFocusPolicy(Qt::NoFocus);
    m_side->setWidgetResizable(true);
    m_side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_side->setAccessibleName(tr("What is searched"));
    m_side->setWidget(inner);
    auto* const column = new QVBoxLayout(panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(above);
    column->addWidget(m_side, 1);
    return panel;
}

QWidget* PlanSearchPanel::makeResult()
{
    m_plans->setModel(&m_planModel, tr("Plans"));
    m_parts->setModel(&m_partModel, tr("Parts of the step"));
    m_parts->bar()->hide();
    m_parts->setEmptyText(tr("Known once plans are found."));
    m_why->setWordWrap(true);
    m_why->setContentsMargins(12, 6, 12, 6);
    auto* const why = new QWidget;
    auto* const whyColumn = new QVBoxLayout(why);
    whyColumn->setContentsMargins(0, 0, 0, 0);
    whyColumn->setSpacing(0);
    whyColumn->addWidget(m_why);
    whyColumn->addWidget(m_parts, 1);
    m_lower->setChildrenCollapsible(false);
    m_lower->addWidget(m_scatter);
    m_lower->addWidget(why);
    auto* const buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 6, 12, 6);
    buttons->setSpacing(8);
    for (QPushButton* button : {m_use, m_open, m_pin})
        buttons->addWidget(button);
    buttons->addStretch(1);
    auto* const upper = new QWidget;
    auto* const upperColumn = new QVBoxLayout(upper);
    upperColumn->setContentsMargins(0, 0, 0, 0);
    upperColumn->setSpacing(0);
    upperColumn->addWidget(m_plans, 1);
    upperColumn->addLayout(buttons);
    auto* const split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(upper);
    split->addWidget(m_lower);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    split->setSizes({kPlansHeight, kBelowHeight});
    return split;
}

void PlanSearchPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_why->setFont(theme.font(TextStyle::BodyStrong));
    m_progress->setFixedHeight(3);
    for (QPushButton* button : {m_start, m_use, m_open, m_pin})
        button->setMinimumHeight(theme.scaled(28));
    // With large letters the tables need the width more.
    m_side->setMinimumWidth(theme.scaled(kLeastFields));
    m_split->setSizes({std::min(theme.scaled(kFieldsWidth), std::max(theme.scaled(kLeastFields), kMostFields)), kResultWidth});
    m_lower->setSizes({theme.scaled(420), theme.scaled(540)});
}

void PlanSearchPanel::setDocument(DesignDocument* document)
{
    m_document = document;
    if (document) {
        connect(document, &DesignDocument::replaced, this, &PlanSearchPanel::forget);
        connect(document, &DesignDocument::changed, this, [this] {
            readDesign();
            compareDesign();
            check();
        });
    }
    forget();
}

/// Another design: what was found is of the one before.
void PlanSearchPanel::forget()
{
    m_dropped = m_runner.isBusy();
    m_runner.stop();
    m_runsWhenSeen = false;
    m_answer.reset();
    m_outdated = false;
    endComparison();
    m_planModel.setContent(nullptr);
    m_partModel.setContent(nullptr);
    m_scatter->setPoints({}, 0);
    m_progress->setValue(0);
    m_counts->clear();
    m_designSearch.clear();
    showState({});
    m_fields->setSimulate(true);
    m_fields->setSpec({});
    readDesign();
    check();
}

/// The fields follow `search` of the design when that changes.
void PlanSearchPanel::readDesign()
{
    if (!m_document || !m_document->yaml())
        return;
    const Result<PlanSearchSpec> spec = readPlanSearch(*m_document->yaml());
    if (!spec)
        return;
    std::string text = planSearchText(spec.value());
    if (text == m_designSearch)
        return;
    m_designSearch = std::move(text);
    m_fields->setSpec(spec.value());
}

QString PlanSearchPanel::stateText() const
{
    return m_state->text();
}

qint64 PlanSearchPanel::chosen() const
{
    return m_answer ? m_plans->selectedId() : -1;
}

void PlanSearchPanel::check()
{
    const bool busy = m_runner.isBusy();
    QString wrong;
    const bool good = m_fields->spec(&wrong).has_value();
    const bool planned = m_document && searchedWorkload(*m_document->design());
    bool searchable = planned;
    if (!planned) {
        wrong = tr("This design has no model with a plan. Take a model in the plan, or open an example.");
    } else if (m_document->hasErrors()) {
        wrong = tr("The design has an error. Mend it first.");
    } else if (const Status status = canSearchPlans(*m_document->design()); !status) {
        searchable = false;
        wrong = texts::shown(status.error().message);
        wrong = wrong.left(1).toUpper() + wrong.mid(1) + QLatin1Char('.');
    }
    const bool ready = good && searchable && !m_document->hasErrors();
    m_note->setText(wrong);
    m_note->setVisible(!wrong.isEmpty());
    m_fields->setEnabled(!busy);
    m_start->setText(busy ? tr("&Stop") : tr("&Search"));
    m_start->setToolTip(busy ? tr("Stop; what is ranked stays") : ready || wrong.isEmpty() ? tr("Search all plans in the background") : texts::toolTip(wrong));
    m_start->setEnabled(busy || ready);
    m_keep->setEnabled(!busy && good && planned);
    m_plans->setEmptyText(busy ? tr("Nothing is ranked yet.") : planned ? tr("Nothing has been searched yet. Press Search.") : tr("There is no plan to start from."));
    const qint64 id = chosen();
    const bool any = ready && m_answer && planned::planOf(*m_answer, id);
    m_use->setEnabled(any && id != planned::kOwnPlan);
    m_open->setEnabled(any);
    m_pin->setEnabled(any);
}

void PlanSearchPanel::startOrStop()
{
    if (m_runner.isBusy()) {
        m_runner.stop();
        showState(tr("Stopping"));
        m_start->setEnabled(false);
        return;
    }
    const std::optional<PlanSearchSpec> spec = m_fields->spec(nullptr);
    if (!spec || !m_document)
        return;
    m_dropped = false;
    m_outdated = false;
    m_answer.reset();
    endComparison(); // It is of what was found before.
    m_planModel.setContent(nullptr);
    m_partModel.setContent(nullptr);
    m_scatter->setPoints({}, 0);
    m_counts->clear();
    m_progress->setValue(0);
    m_runner.start({m_document->design(), *spec, costsOf(m_document->yaml()), m_fields->simulate(), UserSettings::runThreads()});
    showState(tr("Searching"));
    check();
}

void PlanSearchPanel::showMoment(const PlanSearchMoment& moment)
{
    if (m_dropped || !m_runner.isBusy())
        return;
    m_progress->setValue(moment.of > 0 ? static_cast<int>(moment.done * kProgressSteps / moment.of) : 0);
    const QString done = texts::count(static_cast<std::int64_t>(moment.done));
    const QString of = texts::count(static_cast<std::int64_t>(moment.of));
    const QString text = moment.simulating ? tr("Simulating, %1 of %2 plans").arg(done, of) : tr("Ranking, %1 of %2 mixes of degrees").arg(done, of);
    showState(moment.best > 0 ? tr("%1; best estimate so far %2").arg(text, texts::time({moment.best})) : text);
}

void PlanSearchPanel::take(const PlanAnswerPtr& answer)
{
    if (m_dropped) {
        m_dropped = m_runner.isBusy();
        check();
        emit settled();
        return;
    }
    const qint64 before = chosen();
    m_answer = answer;
    m_planModel.setContent(planned::searchedPlans(*answer));
    std::vector<PlanScatter::Point> points;
    const auto add = [&](qint64 id, bool front) {
        const SearchedPlan& plan = *planned::planOf(*answer, id);
        points.push_back({id, planned::planName(id), plan.memory, plan.step(), front, id == planned::kOwnPlan});
    };
    for (std::size_t i = 0; i < answer->result.plans.size(); ++i)
        add(static_cast<qint64>(i), std::binary_search(answer->front.begin(), answer->front.end(), i));
    if (answer->result.own)
        add(planned::kOwnPlan, false);
    const std::optional<Quantity>& memory = answer->question.design->platform->npu.memory;
    m_scatter->setPoints(std::move(points), memory ? toBytes(*memory).value : 0);
    m_counts->setText(countsText());
    if (!m_runner.isBusy()) {
        m_progress->setValue(0);
        showState(answerText());
    }
    // The order may be another one now: the best is shown.
    const qint64 now = before == planned::kOwnPlan ? before : answer->result.plans.empty() ? -1 : 0;
    m_plans->selectId(now);
    choose(now);
    compareDesign();
    if (!m_runner.isBusy())
        emit settled();
}

void PlanSearchPanel::fail(const Error& error)
{
    m_progress->setValue(0);
    if (!std::exchange(m_dropped, false))
        showState(error.code == ErrorCode::Cancelled ? tr("Stopped before the plans were ranked.") : texts::shown(error.text()), error.code != ErrorCode::Cancelled);
    check();
    emit settled();
}

void PlanSearchPanel::showState(const QString& text, bool isError)
{
    m_state->setText(text);
    m_state->setVisible(!text.isEmpty());
    m_state->setAccessibleName(text);
    QPalette colors = m_state->palette();
    colors.setColor(QPalette::WindowText, m_theme.color(isError ? Role::Err : Role::Text2));
    m_state->setPalette(colors);
    m_state->setStyleSheet(isError ? QStringLiteral("color: %1").arg(m_theme.color(Role::Err).name()) : QString());
}

QString PlanSearchPanel::answerText() const
{
    const PlanSearchResult& result = m_answer->result;
    if (result.plans.empty())
        return planned::noPlanText(result.counts);
    QString text = planned::bestText(*m_answer);
    if (m_answer->stopped)
        text += tr("; stopped before the plans were simulated");
    if (const std::string agreement = planAgreementText(result.plans); !agreement.empty())
        text += QStringLiteral("; ") + texts::shown(agreement);
    if (const std::string alike = plansLikeFirstText(result.plans, m_answer->errorPct); !alike.empty())
        text += QStringLiteral("; ") + texts::shown(alike);
    if (m_outdated)
        text += tr(". The design has changed since: search again.");
    return text;
}

QString PlanSearchPanel::countsText() const
{
    const PlanSearchCounts& counts = m_answer->result.counts;
    QString text = texts::shown(planCountsText(counts, m_answer->question.search, numbertext::count)) + QLatin1Char('.');
    if (m_answer->result.plans.empty()) {
        for (const auto& [field, count] : counts.refused)
            text += QLatin1Char('\n') + tr("%1 cannot be because of %2").arg(texts::count(count), texts::shown(field));
    }
    return text + QLatin1Char('\n') + texts::shown(m_answer->estimate) + QLatin1Char('\n') + tr("Accuracy of the fabric: %1").arg(texts::shown(errorText(m_answer->errorPct)));
}

void PlanSearchPanel::choose(qint64 id)
{
    m_scatter->setCurrent(id);
    showParts();
    check();
}

/// Of the plan that is chosen: against the best of the others, and against that of the design.
void PlanSearchPanel::showParts()
{
    const qint64 id = chosen();
    if (!m_answer || !planned::planOf(*m_answer, id)) {
        m_why->setText(tr("Why"));
        m_partModel.setContent(nullptr);
        return;
    }
    const std::int64_t other = id == 0 ? 1 : 0;
    const bool hasOther = planned::planOf(*m_answer, other);
    const bool hasOwn = id != planned::kOwnPlan && planned::planOf(*m_answer, planned::kOwnPlan);
    m_why->setText(hasOther && hasOwn ? tr("Why: %1 against %2 and your own").arg(planned::planName(id), texts::inSentence(planned::planName(other)))
                       : hasOther     ? tr("Why: %1 against %2").arg(planned::planName(id), texts::inSentence(planned::planName(other)))
                       : hasOwn       ? tr("Why: %1 against your own").arg(planned::planName(id))
                                      : tr("Why: %1").arg(planned::planName(id)));
    m_partModel.setContent(planned::planParts(*m_answer, id, hasOther ? other : -1, hasOwn ? planned::kOwnPlan : -1));
}

/// What is being compared is of no use any more: it ends, and its answer does not count.
void PlanSearchPanel::endComparison()
{
    m_comparisonStop.request_stop();
    ++m_number;
    m_comparing = false;
    m_comparesWhenSeen = false;
}

/// Has the design changed in more than its plan since it was searched? Asked only while somebody looks.
void PlanSearchPanel::compareDesign()
{
    endComparison();
    if (!m_answer || !m_document || m_answer->result.plans.empty())
        return;
    m_comparesWhenSeen = !isVisible();
    if (m_comparesWhenSeen)
        return;
    m_comparing = true;
    m_comparisonStop = std::stop_source();
    inBackground(
        this,
        [answer = m_answer, now = m_document->design(), stop = m_comparisonStop.get_token()] {
            const SearchedPlan& plan = answer->result.plans.front();
            return untilStopped([&]() -> Result<bool> { return hashBesidePlan(*now, plan, stop) != hashBesidePlan(*answer->question.design, plan, stop); });
        },
        [this, number = m_number](const Result<bool>& differs) {
            if (number != m_number)
                return;
            m_comparing = false;
            const bool outdated = differs && differs.value();
            if (std::exchange(m_outdated, outdated) != outdated && !m_runner.isBusy())
                showState(answerText());
            if (!m_runner.isBusy())
                emit settled();
        });
}

void PlanSearchPanel::usePlan()
{
    const qint64 id = chosen();
    const SearchedPlan* plan = m_answer && m_document ? planned::planOf(*m_answer, id) : nullptr;
    if (!plan || id == planned::kOwnPlan)
        return;
    const std::shared_ptr<const Design> design = m_document->design();
    const Status done = m_document->edit(tr("Use plan %1 of the search").arg(id + 1), [&](YamlDocument& yaml) { return fabricscope::usePlan(yaml, *design, *plan); });
    if (!done)
        emit refused(texts::shown(done.error().text()));
    else
        emit said(tr("%1 is in the design: %2").arg(planned::planName(id), planned::planWords(*plan)));
}

/// Absent: refused() said why.
std::optional<std::string> PlanSearchPanel::textWithPlan()
{
    const SearchedPlan* plan = m_answer && m_document && m_document->yaml() ? planned::planOf(*m_answer, chosen()) : nullptr;
    if (!plan)
        return std::nullopt;
    YamlDocument yaml = *m_document->yaml();
    if (const Status done = fabricscope::usePlan(yaml, *m_document->design(), *plan); !done) {
        emit refused(texts::shown(done.error().text()));
        return std::nullopt;
    }
    return yaml.text();
}

void PlanSearchPanel::openPlan()
{
    const QString name = QFileInfo(m_document->displayName()).completeBaseName() + (chosen() == planned::kOwnPlan ? QStringLiteral("-own") : QStringLiteral("-plan-%1").arg(chosen() + 1)) + QStringLiteral(".yaml");
    if (const std::optional<std::string> text = textWithPlan())
        emit openRequested(QByteArray::fromStdString(*text), name, m_document->folder());
}

void PlanSearchPanel::pinPlan()
{
    const SearchedPlan* plan = m_answer ? planned::planOf(*m_answer, chosen()) : nullptr;
    const std::optional<std::string> text = plan ? textWithPlan() : std::nullopt;
    if (text)
        emit pinRequested(QStringLiteral("%1: %2").arg(planned::planName(chosen()), planned::planWords(*plan)), QDir(m_document->folder()).filePath(m_document->displayName()), QByteArray::fromStdString(*text));
}

void PlanSearchPanel::keepSearch()
{
    const std::optional<PlanSearchSpec> spec = m_fields->spec(nullptr);
    if (!spec || !m_document)
        return;
    m_designSearch = planSearchText(*spec);
    const Status done = m_document->edit(tr("Keep the search"), [&](YamlDocument& yaml) { return fabricscope::keepSearch(yaml, *spec); });
    if (!done)
        emit refused(texts::shown(done.error().text()));
    else
        emit said(tr("The search is in the design, as its section \u201csearch\u201d"));
}

QJsonObject PlanSearchPanel::kept() const
{
    QJsonObject json;
    const std::optional<PlanSearchSpec> spec = m_fields->spec(nullptr);
    if (!spec)
        return json;
    json.insert(QStringLiteral("search"), QString::fromStdString(planSearchText(*spec)));
    json.insert(QStringLiteral("simulate"), m_fields->simulate());
    json.insert(QStringLiteral("searched"), m_answer != nullptr || m_runsWhenSeen || isBusy());
    return json;
}

void PlanSearchPanel::restore(const QJsonObject& kept)
{
    const std::optional<PlanSearchSpec> spec = planSearchOf(kept.value(QStringLiteral("search")).toString().toStdString());
    if (!spec || kept.isEmpty())
        return;
    m_fields->setSpec(*spec);
    m_fields->setSimulate(kept.value(QStringLiteral("simulate")).toBool(true));
    check();
    m_runsWhenSeen = kept.value(QStringLiteral("searched")).toBool() && !isBusy();
    if (isVisible())
        showEvent(nullptr);
}

void PlanSearchPanel::showEvent(QShowEvent* event)
{
    if (event)
        QWidget::showEvent(event);
    if (std::exchange(m_runsWhenSeen, false) && !isBusy() && m_start->isEnabled())
        startOrStop();
    if (m_comparesWhenSeen)
        compareDesign();
}

/// Esc is for what has the focus first: from a field and from the filter of a table it leads out of them.
void PlanSearchPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape || event->modifiers() != Qt::NoModifier)
        return QWidget::keyPressEvent(event);
    const QWidget* const editor = focusWidget();
    if (qobject_cast<const QLineEdit*>(editor) || qobject_cast<const QComboBox*>(editor) || qobject_cast<const QAbstractSpinBox*>(editor))
        m_plans->view()->setFocus();
    else
        emit backRequested();
}

} // namespace fabricscope
