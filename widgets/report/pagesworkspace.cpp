#include "widgets/report/pagesworkspace.h"

#include "core/base/index.h"
#include "core/report/html.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/showntexts.h"
#include "widgets/report/pages.h"
#include "widgets/report/preview.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>

#include <cmath>

namespace fabricscope {

namespace {
constexpr int kSideWidth = 280;
constexpr int kPartRole = Qt::UserRole + 1;
constexpr int kFrontPage = -1; ///< The item that stands for what is always there.
constexpr int kPauseMs = 200;  ///< Of typing.
} // namespace

ReportWorkspace::ReportWorkspace(QWidget* parent)
    : QWidget(parent), m_model(new QStandardItemModel(this)), m_question(new QLineEdit), m_paper(new QComboBox), m_pause(new QTimer(this)), m_tree(new QTreeView), m_side(new QWidget),
      m_questionHeading(new QLabel(tr("Question"))), m_heading(new QLabel(tr("Sections"))), m_count(new QLabel),
      m_zoomLabel(new QLabel), m_empty(new QLabel(tr("Nothing has run yet. Run a design to see its report."))), m_html(new QPushButton(tr("Export HTML\u2026"))),
      m_pdf(new QPushButton(tr("Export PDF\u2026"))), m_zoomIn(new QToolButton), m_zoomOut(new QToolButton), m_fit(new QToolButton), m_scroll(new QScrollArea), m_preview(new ReportPreview)
{
    m_shown.fill(true);
    setAccessibleName(tr("Report"));
    m_tree->setModel(m_model);
    m_tree->setHeaderHidden(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setUniformRowHeights(true);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setAccessibleName(tr("Sections of the report"));
    m_heading->setBuddy(m_tree);
    setUpChoice();

    m_zoomIn->setText(QStringLiteral("+"));
    m_zoomIn->setAccessibleName(tr("Larger"));
    m_zoomOut->setText(QStringLiteral("\u2212"));
    m_zoomOut->setAccessibleName(tr("Smaller"));
    m_fit->setText(tr("Fit width"));
    for (QToolButton* const button : {m_zoomIn, m_zoomOut, m_fit}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }

    layOutSide();
    m_scroll->setWidget(m_preview);
    m_scroll->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setAccessibleName(tr("Pages"));
    m_scroll->viewport()->installEventFilter(this);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);

    auto* whole = new QHBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addWidget(m_side);
    whole->addWidget(m_scroll, 1);
    whole->addWidget(m_empty, 1);

    connectControls();
    followTheme(this, &ReportWorkspace::setTheme);
    clear();
}

void ReportWorkspace::setUpChoice()
{
    m_question->setAccessibleName(tr("Question of the report"));
    m_question->setProperty("setting", true); // Found by name, as all that has this property.
    m_question->setToolTip(tr("The question the report answers; empty: the notes of the design"));
    m_question->setMaxLength(static_cast<int>(kLongestQuestion / 4)); // A character has at most four bytes.
    m_question->setClearButtonEnabled(true);
    m_questionHeading->setBuddy(m_question);
    m_paper->setAccessibleName(tr("Paper"));
    m_paper->setProperty("setting", true);
    m_paper->addItem(tr("A4"), static_cast<int>(ReportPaper::A4));
    m_paper->addItem(tr("Letter"), static_cast<int>(ReportPaper::Letter));
    m_pause->setSingleShot(true);
    m_pause->setInterval(kPauseMs);
}

void ReportWorkspace::layOutSide()
{
    auto* side = new QVBoxLayout(m_side);
    side->setContentsMargins(12, 12, 12, 12);
    side->setSpacing(8);
    side->addWidget(m_questionHeading);
    side->addWidget(m_question);
    side->addWidget(m_heading);
    side->addWidget(m_tree, 1);
    auto* sheet = new QHBoxLayout;
    sheet->setSpacing(8);
    sheet->addWidget(m_count, 1);
    sheet->addWidget(m_paper);
    side->addLayout(sheet);
    auto* zoom = new QHBoxLayout;
    zoom->setSpacing(4);
    zoom->addWidget(m_zoomOut);
    zoom->addWidget(m_zoomLabel);
    zoom->addWidget(m_zoomIn);
    zoom->addStretch(1);
    zoom->addWidget(m_fit);
    side->addLayout(zoom);
    side->addWidget(m_html);
    side->addWidget(m_pdf);
}

void ReportWorkspace::connectControls()
{
    connect(m_model, &QStandardItemModel::itemChanged, this, [this](const QStandardItem* item) { switchSection(*item); });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (m_pages && !m_filling && current.isValid())
            showSection(current.data(kPartRole).toInt());
    });
    connect(m_question, &QLineEdit::textEdited, this, [this] { m_pause->start(); });
    connect(m_question, &QLineEdit::editingFinished, this, &ReportWorkspace::takeQuestion);
    connect(m_pause, &QTimer::timeout, this, &ReportWorkspace::takeQuestion);
    connect(m_paper, &QComboBox::activated, this, [this] {
        m_content.paper = choice().paper;
        if (m_pages)
            rebuildPages();
        if (m_fitted)
            fitWidth();
        emit choiceChanged();
    });
    connect(m_zoomIn, &QToolButton::clicked, this, [this] { zoomBy(1.25); });
    connect(m_zoomOut, &QToolButton::clicked, this, [this] { zoomBy(0.8); });
    connect(m_fit, &QToolButton::clicked, this, &ReportWorkspace::fitWidth);
    connect(m_html, &QPushButton::clicked, this, [this] { askFor(QStringLiteral("html"), tr("Web pages (*.html)")); });
    connect(m_pdf, &QPushButton::clicked, this, [this] { askFor(QStringLiteral("pdf"), tr("PDF documents (*.pdf)")); });
}

void ReportWorkspace::switchSection(const QStandardItem& item)
{
    const int part = item.data(kPartRole).toInt();
    if (m_filling || part == kFrontPage)
        return;
    const bool shown = item.checkState() == Qt::Checked;
    m_shown[at(part)] = shown;
    m_content.show(static_cast<ReportPart>(part), shown);
    rebuildPages();
    emit choiceChanged();
}

void ReportWorkspace::showSection(int part)
{
    int page = 0;
    const std::vector<const ReportSection*> shown = m_content.shownSections();
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (static_cast<int>(shown[i]->part) == part)
            page = m_pages->sectionPages()[i];
    m_scroll->verticalScrollBar()->setValue(m_preview->pageTop(page));
}

void ReportWorkspace::takeQuestion()
{
    m_pause->stop();
    const std::string typed = m_question->text().trimmed().toStdString();
    const std::string& question = typed.empty() ? m_notes : typed;
    if (!m_pages || question == m_content.question)
        return;
    m_content.question = question;
    rebuildPages();
    emit choiceChanged();
}

ReportChoice ReportWorkspace::choice() const
{
    ReportChoice choice;
    choice.sections.emplace();
    for (std::size_t part = 0; part < m_shown.size(); ++part)
        if (m_shown[part])
            choice.sections->push_back(static_cast<ReportPart>(part));
    if (const QString typed = m_question->text().trimmed(); !typed.isEmpty())
        choice.question = typed.toStdString();
    choice.paper = static_cast<ReportPaper>(m_paper->currentData().toInt());
    return choice;
}

void ReportWorkspace::setChoice(const ReportChoice& choice)
{
    m_shown.fill(!choice.sections);
    if (choice.sections)
        for (const ReportPart part : *choice.sections)
            m_shown[at(part)] = true;
    m_question->setText(choice.question ? texts::shown(*choice.question) : QString());
    m_paper->setCurrentIndex(m_paper->findData(static_cast<int>(choice.paper)));
    if (m_pages) {
        ReportContent content = std::move(m_content);
        content.question = m_notes;
        setContent(std::move(content), m_whole);
    }
}

void ReportWorkspace::setContent(ReportContent content, bool whole)
{
    m_notes = content.question;
    m_whole = whole;
    m_content = std::move(content);
    choose(choice(), m_content);
    m_question->setPlaceholderText(m_notes.empty() ? tr("What does this run answer?") : texts::shown(m_notes));
    m_question->setEnabled(true);
    m_paper->setEnabled(true);
    rebuildTree();
    rebuildPages();
    if (m_fitted)
        fitWidth();
}

void ReportWorkspace::leaveOut(ReportPart part, const std::string& why)
{
    if (!m_pages)
        return;
    for (ReportSection& section : m_content.sections)
        if (section.part == part)
            section.blocks = {ReportText{why}};
    m_whole = true;
    rebuildPages();
}

void ReportWorkspace::clear()
{
    m_content = {};
    m_shown.fill(true); // Left out of another report.
    m_question->clear();
    m_pause->stop();
    m_pages.reset();
    m_preview->setPages(nullptr);
    rebuildTree();
    m_count->clear();
    m_scroll->hide();
    m_empty->show();
    m_html->setEnabled(false);
    m_pdf->setEnabled(false);
    m_question->setEnabled(false);
    m_paper->setEnabled(false);
}

void ReportWorkspace::rebuildTree()
{
    m_filling = true;
    const int current = m_tree->currentIndex().row(); // Stays where it is, when the next result is shown.
    m_model->clear();
    const auto add = [this](const QString& text, int part, bool checked) {
        auto* item = new QStandardItem(text);
        item->setData(part, kPartRole);
        item->setCheckable(true);
        item->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
        if (part == kFrontPage) {
            item->setFlags(Qt::NoItemFlags);
            item->setToolTip(tr("Always part of the report"));
            item->setAccessibleDescription(item->toolTip());
        }
        m_model->appendRow(item);
        return item;
    };
    if (!m_content.title.empty())
        add(QStringLiteral("Question, answer and key figures"), kFrontPage, true); // In English, as the report.
    bool passed = false; // The place of the comparison, which has a row also where there is none.
    for (const ReportSection& section : m_content.sections) {
        if (!passed && section.part > ReportPart::Comparison) {
            QStandardItem* const item = add(QStringLiteral("Comparison"), static_cast<int>(ReportPart::Comparison), false);
            const QString needs = tr("Needs this result and at least one other in Compare (Ctrl+4): pin it and change something, or add designs.");
            item->setFlags(Qt::NoItemFlags);
            item->setToolTip(needs);
            item->setAccessibleDescription(needs);
        }
        passed = passed || section.part >= ReportPart::Comparison;
        add(QString::fromStdString(section.title), static_cast<int>(section.part), section.shown);
    }
    m_tree->setCurrentIndex(m_model->index(current, 0));
    m_filling = false;
}

void ReportWorkspace::rebuildPages()
{
    m_pages = std::make_shared<const ReportPages>(m_content);
    m_preview->setPages(m_pages);
    m_count->setText(m_pages->pageCount() == 1 ? tr("1 page") : tr("%1 pages").arg(m_pages->pageCount()));
    m_scroll->show();
    m_empty->hide();
    if (!m_whole)
        m_count->setText(tr("%1, collecting steps\u2026").arg(m_count->text()));
    m_html->setEnabled(m_whole);
    m_pdf->setEnabled(m_whole);
}

void ReportWorkspace::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_side->setFixedWidth(theme.scaled(kSideWidth));
    for (QLabel* const label : {m_questionHeading, m_heading})
        label->setFont(theme.font(TextStyle::Section));
    m_count->setFont(theme.font(TextStyle::Hint));
    m_zoomLabel->setFont(theme.font(TextStyle::Hint));
    m_empty->setFont(theme.font(TextStyle::Body));
    m_tree->setFont(theme.font(TextStyle::Table));
    const auto paintText = [](QWidget* widget, const QColor& color) {
        QPalette palette = widget->palette();
        palette.setColor(QPalette::WindowText, color);
        widget->setPalette(palette);
    };
    for (QLabel* const label : {m_questionHeading, m_heading})
        paintText(label, theme.color(Role::Text2));
    for (QLabel* const label : {m_count, m_zoomLabel, m_empty})
        paintText(label, theme.color(label == m_empty ? Role::Text2 : Role::Text3));
    const auto paintGround = [](QWidget* widget, const QColor& color) {
        QPalette palette = widget->palette();
        palette.setColor(QPalette::Window, color);
        palette.setColor(QPalette::Base, color);
        widget->setPalette(palette);
        widget->setAutoFillBackground(true);
    };
    paintGround(m_side, theme.color(Role::Panel));
    paintGround(m_tree, theme.color(Role::Panel));
    paintGround(m_scroll, theme.color(Role::Window));
    paintGround(m_scroll->viewport(), theme.color(Role::Window)); // It keeps the colour of the style sheet before.
    showZoom();
}

void ReportWorkspace::showZoom()
{
    m_zoomLabel->setText(tr("%1\u202F%").arg(std::lround(m_preview->zoom() * 100)));
    m_zoomLabel->setMinimumWidth(m_zoomLabel->fontMetrics().horizontalAdvance(QStringLiteral("100\u202F%")) + 4);
}

void ReportWorkspace::zoomBy(double factor)
{
    m_fitted = false;
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_preview->setZoom(m_preview->zoom() * factor);
    showZoom();
}

void ReportWorkspace::fitWidth()
{
    m_fitted = true;
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_preview->setZoom(1);
    // What is not paper stays as wide as it is.
    const double paper = paperSize(m_content.paper).width() * 96 / 720;
    const double edges = m_preview->sizeHint().width() - paper;
    const double room = width() - m_side->width() - style()->pixelMetric(QStyle::PM_ScrollBarExtent) - 4;
    m_preview->setZoom(std::min(1.6, (room - edges) / paper));
    showZoom();
}

void ReportWorkspace::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_fitted && m_pages)
        fitWidth();
}

void ReportWorkspace::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomBy(1.25); return;
    case Qt::Key_Minus: zoomBy(0.8); return;
    case Qt::Key_0:
        if (event->modifiers() & Qt::ControlModifier) {
            fitWidth();
            return;
        }
        break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

bool ReportWorkspace::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Wheel && watched == m_scroll->viewport()) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        if (wheel->modifiers() & Qt::ControlModifier) {
            zoomBy(std::pow(1.25, wheel->angleDelta().y() / 120.0));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

Status ReportWorkspace::exportTo(const QString& path) const
{
    const std::string name = path.toStdString();
    if (Status status = checkReportName(name, true); !status)
        return status;
    if (Status status = checkExportTarget(path); !status)
        return status;
    return name.ends_with(".pdf") ? writePdf(path, m_content) : writeReport(name, m_content);
}

QString ReportWorkspace::suggestedName(const QString& suffix) const
{
    QString name = QFileInfo(QString::fromStdString(m_content.file)).completeBaseName();
    if (name.isEmpty())
        name = tr("report");
    return name + u'.' + suffix;
}

void ReportWorkspace::askFor(const QString& suffix, const QString& filter)
{
    auto* dialog = new QFileDialog(this, tr("Export report"), suggestedName(suffix), filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(suggestedName(suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (const Status status = exportTo(path); !status)
            emit exportFailed(QString::fromStdString(status.error().text()));
        else
            emit exported(path);
    });
    dialog->open();
}

} // namespace fabricscope
