#include "widgets/programs/synthesispanel.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/programs/useprogramdialog.h"
#include "widgets/results/table.h"
#include "widgets/results/words.h"
#include "widgets/step/paneheader.h"

#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

constexpr int kProgressSteps = 1000;
constexpr int kTableHeight = 110; ///< Of the table at least, at the base size of the text.

QString latin(std::string_view words)
{
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

QString methodTitle(const std::string& key)
{
    for (const SynthesisMethod& method : synthesisMethods()) {
        if (method.key == key)
            return latin(method.title);
    }
    return QString::fromStdString(key);
}

double shareOf(const Synthesis& synthesis)
{
    return synthesis.plannedPs > 0 ? static_cast<double>(synthesis.boundPs) / static_cast<double>(synthesis.plannedPs) : 0;
}

TableContentPtr rowsContent(const std::vector<SynthesisRow>& rows, int best)
{
    using Look = TableColumn::Look;
    std::int64_t longest = 0;
    for (const SynthesisRow& row : rows)
        longest = std::max(longest, row.synthesis.plannedPs);
    const ColumnUnit time = ColumnUnit::ofTime(longest);
    auto table = std::make_shared<StoredTable>(std::vector<TableColumn>{{SynthesisPanel::tr("Method"), SynthesisPanel::tr("Method"), Look::Text},
                                                                        {SynthesisPanel::tr("Chunks"), SynthesisPanel::tr("Chunks"), Look::Number},
                                                                        {time.title(SynthesisPanel::tr("Planned")), SynthesisPanel::tr("Planned [ps]"), Look::Number},
                                                                        {SynthesisPanel::tr("Of the plan at best, %"), SynthesisPanel::tr("Of the plan at best [1]"), Look::Number},
                                                                        {SynthesisPanel::tr("Taken"), SynthesisPanel::tr("Taken"), Look::Text},
                                                                        {time.title(SynthesisPanel::tr("Plan at best")), SynthesisPanel::tr("Plan at best [ps]"), Look::Number},
                                                                        {SynthesisPanel::tr("Steps"), SynthesisPanel::tr("Steps"), Look::Number},
                                                                        {SynthesisPanel::tr("Seed"), SynthesisPanel::tr("Seed"), Look::Number},
                                                                        {SynthesisPanel::tr("Note"), SynthesisPanel::tr("Note"), Look::Text}});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Synthesis& found = rows[i].synthesis;
        const auto number = [](std::int64_t value) { return StoredTable::Cell{texts::count(value), value}; };
        const auto words = [](const QString& text) { return StoredTable::Cell{text, text}; };
        const auto span = [&time](std::int64_t ps) { return StoredTable::Cell{time.text(static_cast<double>(ps)), ps}; };
        StoredTable::Row cells;
        cells.id = static_cast<std::int64_t>(i);
        cells.cells.push_back(words(methodTitle(rows[i].method)));
        cells.cells.push_back(number(rows[i].chunks));
        cells.cells.push_back(span(found.plannedPs));
        cells.cells.push_back(found.boundPs > 0 ? StoredTable::Cell{texts::number(100 * shareOf(found), 1), shareOf(found)} : StoredTable::Cell{});
        cells.cells.push_back(words(static_cast<int>(i) == best ? SynthesisPanel::tr("best") : QString()));
        cells.cells.push_back(found.boundPs > 0 ? span(found.boundPs) : StoredTable::Cell{});
        cells.cells.push_back(found.steps > 0 ? number(found.steps) : StoredTable::Cell{});
        cells.cells.push_back(number(static_cast<std::int64_t>(found.seed)));
        QString note = texts::shown(found.note);
        if (found.optimal)
            note = note.isEmpty() ? SynthesisPanel::tr("optimal") : SynthesisPanel::tr("optimal, %1").arg(note);
        if (found.cutShort)
            note = note.isEmpty() ? SynthesisPanel::tr("best so far") : SynthesisPanel::tr("best so far, %1").arg(note);
        cells.cells.push_back(words(note));
        table->add(std::move(cells));
    }
    return table;
}

} // namespace

SynthesisPanel::SynthesisPanel(QWidget* parent)
    : QWidget(parent), m_head(new StepHeader(tr("Synthesise"))), m_npus(new QLineEdit), m_op(new QComboBox), m_size(new QLineEdit(QStringLiteral("64 MiB"))), m_root(new QSpinBox),
      m_method(new QComboBox), m_chunks(new QSpinBox), m_tries(new QSpinBox), m_seed(new QSpinBox), m_time(new QSpinBox), m_note(new QLabel), m_start(new QPushButton),
      m_progress(new QProgressBar), m_state(new QLabel), m_table(new ResultTable), m_open(new QPushButton(tr("Open &as text"))), m_save(new QPushButton(tr("&Save…"))),
      m_use(new QPushButton(tr("&Use in design…"))), m_back(new QToolButton)
{
    setAccessibleName(tr("Synthesise a program"));
    setFocusProxy(m_npus);
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    m_back->setProperty("flat", true);
    m_back->setText(tr("Back to the text"));
    m_back->setAccessibleName(m_back->text());
    m_back->setToolTip(tr("The search goes on (Esc)"));
    m_back->setShortcut(Qt::Key_Escape);
    m_head->addControl(m_back);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    m_scroll = new QScrollArea;
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(makeForm());
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->widget()->setAutoFillBackground(false);
    column->addWidget(m_scroll);
    m_progress->setRange(0, kProgressSteps);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the search"));
    column->addWidget(m_progress);
    m_table->setModel(&m_rows, tr("Programs found"));
    m_table->setEmptyText(tr("Nothing has been searched yet."));
    m_table->bar()->hide();
    column->addWidget(m_table, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 8, 12, 8);
    row->setSpacing(8);
    for (QPushButton* button : {m_open, m_save, m_use})
        row->addWidget(button);
    row->addStretch(1);
    column->addLayout(row);

    connect(m_back, &QToolButton::clicked, this, &SynthesisPanel::backRequested);
    connect(m_start, &QPushButton::clicked, this, &SynthesisPanel::startOrStop);
    const auto hand = [this](QPushButton* button, auto signal) {
        connect(button, &QPushButton::clicked, this, [this, signal] {
            if (const std::optional<SynthesisedProgram> program = chosen())
                emit(this->*signal)(*program);
        });
    };
    hand(m_open, &SynthesisPanel::openRequested);
    hand(m_save, &SynthesisPanel::saveRequested);
    hand(m_use, &SynthesisPanel::useRequested);
    connect(m_table, &ResultTable::rowSelected, this, &SynthesisPanel::updateButtons);
    connect(m_table, &ResultTable::rowActivated, m_open, &QPushButton::click);
    connect(&m_runner, &SynthesisRunner::tried, this, [this](const std::vector<SynthesisRow>& rows) { showRows(rows, -1); });
    connect(&m_runner, &SynthesisRunner::progressed, this, [this](double share, const QString& best) {
        m_progress->setValue(static_cast<int>(share * kProgressSteps));
        showState(best.isEmpty() ? texts::percent(share, 0) : tr("%1, best %2").arg(texts::percent(share, 0), best));
    });
    connect(&m_runner, &SynthesisRunner::finished, this, &SynthesisPanel::take);
    connect(&m_runner, &SynthesisRunner::failed, this, [this](const Error& error) {
        m_progress->setValue(0);
        showState(error.code == ErrorCode::Cancelled ? tr("Stopped before anything was found.") : texts::shown(error.text()));
        check();
    });
    for (QLineEdit* field : {m_npus, m_size}) {
        connect(field, &QLineEdit::textChanged, this, &SynthesisPanel::check);
        connect(field, &QLineEdit::returnPressed, m_start, &QPushButton::click);
    }
    for (QComboBox* box : {m_op, m_method})
        connect(box, &QComboBox::currentIndexChanged, this, &SynthesisPanel::check);
    for (QSpinBox* box : {m_root, m_chunks, m_tries, m_seed, m_time})
        connect(box, &QSpinBox::valueChanged, this, &SynthesisPanel::check);
    followTheme(this, &SynthesisPanel::setTheme);
    m_scroll->widget()->installEventFilter(this);
    check();
}

bool SynthesisPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_scroll->widget() && event->type() == QEvent::LayoutRequest)
        fitForm();
    return QWidget::eventFilter(watched, event);
}

QWidget* SynthesisPanel::makeForm()
{
    for (const CollectiveOp op : synthesisOps())
        m_op->addItem(texts::operation(op), static_cast<int>(op));
    m_method->addItem(tr("Automatic"), QStringLiteral("auto"));
    for (const SynthesisMethod& method : synthesisMethods())
        m_method->addItem(latin(method.title), latin(method.key));
    m_npus->setToolTip(tr("Which NPUs take part, such as 0-7,16; empty: all"));
    m_size->setToolTip(tr("The large side: what an all-gather gives, what a reduce-scatter takes"));
    m_root->setRange(0, 1'000'000);
    m_root->setToolTip(tr("Rank that broadcasts or gets the sum"));
    m_chunks->setRange(0, 4096);
    m_chunks->setSpecialValueText(tr("1 to 16"));
    m_chunks->setValue(1);
    m_chunks->setToolTip(tr("Parts of what each rank gives; below 1: 1, 2, 4, 8 and 16 are tried"));
    m_tries->setRange(1, 4096);
    m_tries->setToolTip(tr("So many seeds are tried; the best is kept"));
    m_seed->setRange(0, INT_MAX);
    m_seed->setValue(1);
    m_seed->setToolTip(tr("The first of the seeds"));
    m_time->setRange(0, 86'400);
    m_time->setSpecialValueText(tr("no limit"));
    m_time->setSuffix(tr(" s"));
    m_time->setToolTip(tr("For each method and number of chunks; then the best so far is given"));
    for (QSpinBox* box : {m_root, m_chunks, m_tries, m_seed, m_time})
        box->setButtonSymbols(QAbstractSpinBox::NoButtons); // Typed, or changed by arrow keys and the wheel.
    auto* inner = new QWidget;
    auto* form = new QFormLayout(inner);
    form->setContentsMargins(12, 10, 12, 10);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setVerticalSpacing(6);
    // Letters that no menu of the window has.
    const auto label = [](const QString& text, QWidget* field) {
        field->setAccessibleName(QString(text).remove(QLatin1Char('&')));
        auto* made = new QLabel(text);
        made->setBuddy(field);
        return made;
    };
    const auto pair = [&](const QString& first, QWidget* one, const QString& second, QWidget* two) {
        auto* row = new QHBoxLayout;
        row->setSpacing(8);
        row->addWidget(one, 1);
        row->addWidget(label(second, two));
        row->addWidget(two, 1);
        form->addRow(label(first, one), row);
    };
    form->addRow(label(tr("&NPUs"), m_npus), m_npus);
    pair(tr("&Collective"), m_op, tr("Roo&t"), m_root);
    form->addRow(label(tr("Si&ze"), m_size), m_size);
    pair(tr("&Method"), m_method, tr("Chun&ks"), m_chunks);
    pair(tr("Seeds"), m_tries, tr("from"), m_seed);
    m_seed->setAccessibleName(tr("First seed"));
    form->addRow(label(tr("Time &limit"), m_time), m_time);
    m_note->setObjectName(QStringLiteral("note"));
    m_note->setWordWrap(true);
    m_note->setProperty("role", QStringLiteral("hint"));
    m_note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    form->addRow(m_note);
    m_start->setObjectName(QStringLiteral("start"));
    m_start->setProperty("primary", true);
    m_state->setObjectName(QStringLiteral("state"));
    m_state->setWordWrap(true);
    m_state->setProperty("role", QStringLiteral("secondary"));
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_start);
    row->addWidget(m_state, 1);
    form->addRow(row);
    return inner;
}

void SynthesisPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_note->setMinimumHeight(theme.scaled(34));
    m_progress->setFixedHeight(2);
    for (QPushButton* button : {m_start, m_open, m_save, m_use})
        button->setMinimumHeight(theme.scaled(28));
    fitForm();
}

/// The form has what it needs, and scrolls where the table would be left without its first rows.
void SynthesisPanel::fitForm()
{
    const int wanted = m_scroll->widget()->sizeHint().height();
    const int others = m_head->height() + m_progress->height() + m_open->sizeHint().height() + m_theme.scaled(16);
    m_scroll->setFixedHeight(std::clamp(height() - others - m_theme.scaled(kTableHeight), m_theme.scaled(120), std::max(wanted, m_theme.scaled(120))));
}

void SynthesisPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitForm();
}

void SynthesisPanel::setPlatform(std::shared_ptr<const PlatformSpec> platform, std::int32_t npus, const QString& name)
{
    m_platform = std::move(platform);
    m_npuCount = m_platform ? npus : 0;
    m_npus->setPlaceholderText(m_platform ? tr("all %1 of %2").arg(texts::count(npus), name) : tr("no platform"));
    check();
}

std::optional<SynthesisJob> SynthesisPanel::job(QString* wrong)
{
    SynthesisJob job;
    const auto refuse = [wrong](const QString& text) {
        if (wrong->isEmpty())
            *wrong = text;
    };
    if (!m_platform || m_npuCount == 0)
        refuse(tr("The design has no platform that can be read. Open one."));
    job.platform = m_platform;
    bool wrongNpus = false;
    if (const QString typed = m_npus->text().simplified().remove(QLatin1Char(' ')); m_npuCount > 0 && !typed.isEmpty()) {
        const Result<RankSet> members = RankSet::parse(typed.toStdString());
        // The largest first: a count of absurd ranges would not fit.
        wrongNpus = !members || members.value().empty() || members.value().intervals().back().last >= m_npuCount || members.value().count() < 2;
        if (wrongNpus) {
            refuse(tr("NPUs: two or more numbers below %1, such as 0-7,16; empty: all.").arg(m_npuCount));
        } else {
            for (const RankSet::Interval& interval : members.value().intervals())
                for (std::int64_t npu = interval.first; npu <= interval.last; ++npu)
                    job.members.push_back(static_cast<NodeId>(npu));
        }
    }
    markWrong(*m_npus, wrongNpus);
    QString wrongSize;
    const std::optional<Quantity> size = typedSize(m_size->text(), &wrongSize);
    if (wrongSize.isEmpty() && (!size || toBytes(*size).value < 1))
        wrongSize = tr("There is nothing to send. Enter a size such as 64 MiB.");
    markWrong(*m_size, !wrongSize.isEmpty());
    if (!wrongSize.isEmpty())
        refuse(wrongSize);
    SynthesisOptions& options = job.search.options;
    options.op = static_cast<CollectiveOp>(m_op->currentData().toInt());
    options.bytes = size ? toBytes(*size).value : 0;
    options.root = m_root->isEnabled() ? m_root->value() : 0;
    options.seed = static_cast<std::uint64_t>(m_seed->value());
    options.tries = m_tries->value();
    options.timeLimitSeconds = m_time->value();
    job.search.method = m_method->currentData().toString().toStdString();
    if (m_chunks->value() > 0)
        job.search.chunks = {m_chunks->value()};
    else
        job.search.chunks.assign(automaticChunks().begin(), automaticChunks().end());
    const std::size_t ranks = job.members.empty() ? static_cast<std::size_t>(m_npuCount) : job.members.size();
    if (wrong->isEmpty() && static_cast<std::size_t>(options.root) >= ranks)
        refuse(tr("Rank %1 is none of %2. Choose a root from 0 on.").arg(m_root->value()).arg(static_cast<qint64>(ranks)));
    return wrong->isEmpty() ? std::optional(std::move(job)) : std::nullopt;
}

void SynthesisPanel::check()
{
    const auto op = static_cast<CollectiveOp>(m_op->currentData().toInt());
    m_root->setEnabled(op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce);
    QString wrong;
    const bool good = job(&wrong).has_value();
    QString note = tr("The shortest of the first three methods.");
    for (const SynthesisMethod& method : synthesisMethods()) {
        if (latin(method.key) == m_method->currentData().toString())
            note = latin(method.note);
    }
    m_note->setText(good ? note : wrong);
    const bool busy = m_runner.isBusy();
    m_start->setText(busy ? tr("&Stop") : tr("S&ynthesise"));
    m_start->setToolTip(busy ? tr("Stop the search and keep the best so far") : tr("Search for a program in the background"));
    m_start->setEnabled(busy || good);
    updateButtons();
}

void SynthesisPanel::startOrStop()
{
    if (m_runner.isBusy()) {
        m_runner.stop();
        showState(tr("Stopping"));
        m_start->setEnabled(false);
        return;
    }
    QString wrong;
    std::optional<SynthesisJob> wanted = job(&wrong);
    if (!wanted)
        return;
    m_answer.reset();
    showRows({}, -1);
    m_progress->setValue(0);
    showState(tr("Searching"));
    m_runner.start(std::move(*wanted));
    check();
}

void SynthesisPanel::showRows(const std::vector<SynthesisRow>& rows, int best)
{
    m_table->setEmptyText(m_runner.isBusy() ? tr("Nothing has been found yet.") : tr("Nothing has been searched yet."));
    m_rows.setContent(rows.empty() ? nullptr : rowsContent(rows, best));
}

void SynthesisPanel::showState(const QString& text)
{
    m_state->setText(text);
    m_state->setAccessibleName(text);
}

void SynthesisPanel::take(const SynthesisAnswerPtr& answer)
{
    m_answer = answer;
    m_progress->setValue(0);
    showRows(answer->rows, static_cast<int>(answer->best));
    m_table->selectId(static_cast<qint64>(answer->best));
    const Synthesis& best = answer->rows[answer->best].synthesis;
    QStringList parts{answer->stopped ? tr("Stopped, best so far %1").arg(texts::time({best.plannedPs})) : tr("%1 planned").arg(texts::time({best.plannedPs}))};
    if (best.boundPs > 0)
        parts << tr("%1 of the plan at best").arg(texts::percent(shareOf(best)));
    parts << (answer->simulated ? tr("%1 under links").arg(texts::time(*answer->simulated)) : tr("not simulated: %1").arg(texts::shown(answer->simulateNote)));
    parts << tr("verified");
    showState(parts.join(QStringLiteral(", ")));
    check();
}

std::optional<SynthesisedProgram> SynthesisPanel::chosen() const
{
    if (!m_answer)
        return std::nullopt;
    const qint64 id = m_table->selectedId();
    const std::size_t index = id < 0 ? m_answer->best : static_cast<std::size_t>(id);
    const SynthesisRow& row = m_answer->rows[index];
    if (!row.synthesis.program)
        return std::nullopt;
    SynthesisedProgram out;
    out.program = row.synthesis.program;
    out.bytes = m_answer->job.search.options.bytes;
    out.name = QStringLiteral("%1_%2_%3").arg(QString::fromStdString(row.method), latin(collectiveKey(out.program->op))).arg(out.program->ranks);
    out.facts.push_back({tr("Synthesised by"), methodTitle(row.method)});
    out.facts.push_back({tr("For"), texts::size(out.bytes)});
    out.facts.push_back({tr("Planned"), texts::time({row.synthesis.plannedPs})});
    if (row.synthesis.boundPs > 0) {
        out.facts.push_back({tr("Plan at best"), texts::time({row.synthesis.boundPs})});
        out.facts.push_back({tr("Reached"), texts::percent(shareOf(row.synthesis))});
    }
    if (index == m_answer->best && m_answer->simulated)
        out.facts.push_back({tr("Under links"), texts::time(*m_answer->simulated)});
    return out;
}

void SynthesisPanel::updateButtons()
{
    const bool any = !m_runner.isBusy() && chosen().has_value();
    const bool dropped = m_answer && !m_runner.isBusy() && !any;
    for (QPushButton* button : {m_open, m_save, m_use}) {
        button->setEnabled(any);
        button->setToolTip(dropped ? tr("This program was too large to keep. Synthesise it alone.") : QString());
    }
}

} // namespace fabricscope
