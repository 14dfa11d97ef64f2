#include "widgets/step/movelists.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/step/chunkpaint.h"
#include "widgets/step/paneheader.h"
#include "widgets/step/player.h"

#include <QHeaderView>
#include <QPainter>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kRowsToFit = 1000;

/// Cells with little padding and one colour for the selected row; a square in the colour of the phase before its name, chips of dimensions.
class StepDelegate : public QStyledItemDelegate
{
public:
    StepDelegate(bool ofSteps, QObject* parent) : QStyledItemDelegate(parent), forSteps(ofSteps) {}
    bool forSteps;
    Theme theme;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const bool selected = option.state & QStyle::State_Selected;
        if (selected || (option.state & QStyle::State_MouseOver))
            painter->fillRect(option.rect, theme.color(selected ? Role::Sel : Role::Hover));
        const QRectF cell = option.rect;
        if (!forSteps || (index.column() != StepTableModel::Phase && index.column() != StepTableModel::Dimension)) {
            painter->setPen(theme.color(Role::Text));
            painter->setFont(option.font);
            const QRectF inner = cell.adjusted(5, 0, -5, 0);
            painter->drawText(inner, index.data(Qt::TextAlignmentRole).toInt(), painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, static_cast<int>(inner.width()) + 1));
            return;
        }
        if (index.column() == StepTableModel::Dimension) {
            QSizeF chip = steppaint::dimensionChipSize(theme, index.data().toString());
            chip.setWidth(std::min(chip.width(), cell.width() - 8));
            steppaint::dimensionChip(*painter, QRectF(QPointF(cell.left() + 6, cell.center().y() - chip.height() / 2), chip), index.data(StepTableModel::kDimensionRole).toInt(), theme,
                                     index.data().toString());
            return;
        }
        const double square = theme.scaled(8);
        painter->fillRect(QRectF(cell.left() + 6, cell.center().y() - square / 2, square, square), index.data(Qt::DecorationRole).value<QColor>());
        painter->setPen(theme.color(Role::Text));
        painter->setFont(option.font);
        const QRectF text = cell.adjusted(12 + square, 0, -2, 0);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter, painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, static_cast<int>(text.width())));
    }
};

QTableView* makeTable(QAbstractItemModel* model, const QString& name)
{
    auto* table = new QTableView;
    table->setModel(model);
    table->setAccessibleName(name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setSectionsClickable(false);
    table->horizontalHeader()->setMinimumSectionSize(20);
    return table;
}

} // namespace

StepLists::StepLists(StepPlayer* player, QWidget* parent) : QWidget(parent), m_player(player)
{
    setAccessibleName(tr("Steps and moves"));
    m_stepModel = new StepTableModel(player, this);
    m_moveModel = new MoveTableModel(player, this);
    m_stepHead = new StepHeader(tr("Steps"));
    m_moveHead = new StepHeader(tr("Moves"));
    m_steps = makeTable(m_stepModel, tr("Steps of the chunk"));
    m_moves = makeTable(m_moveModel, tr("Moves of the step"));
    m_steps->setItemDelegate(new StepDelegate(true, m_steps));
    m_moves->setItemDelegate(new StepDelegate(false, m_moves));
    QHeaderView* head = m_steps->horizontalHeader();
    head->setSectionResizeMode(QHeaderView::Fixed);
    head->setSectionResizeMode(StepTableModel::Phase, QHeaderView::Stretch);
    QHeaderView* moveHead = m_moves->horizontalHeader();
    moveHead->setSectionResizeMode(QHeaderView::Fixed);
    moveHead->setSectionResizeMode(MoveTableModel::FromTo, QHeaderView::Stretch);

    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setAccessibleName(tr("Steps over moves"));
    splitter->setChildrenCollapsible(false);
    const auto half = [](StepHeader* header, QTableView* table) {
        auto* widget = new QWidget;
        auto* column = new QVBoxLayout(widget);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(header);
        column->addWidget(table, 1);
        return widget;
    };
    splitter->addWidget(half(m_stepHead, m_steps));
    splitter->addWidget(half(m_moveHead, m_moves));
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(splitter);

    connect(m_steps->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!m_following && current.isValid()) {
            m_player->pause();
            m_player->setStep(current.row());
        }
    });
    connect(m_moves->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!m_following && current.isValid())
            m_player->selectMove(m_moveModel->moveAt(current.row()));
    });
    const auto follow = [this] {
        followStep();
        followMove();
        updateHeads();
    };
    connect(player, &StepPlayer::replayChanged, this, follow);
    connect(player, &StepPlayer::replayChanged, this, &StepLists::fitColumns);
    connect(player, &StepPlayer::stepChanged, this, follow);
    connect(player, &StepPlayer::selectionChanged, this, &StepLists::followMove);
    connect(player, &StepPlayer::timeChanged, this, &StepLists::updateHeads);
    followTheme(this, &StepLists::setTheme);
    follow();
}

void StepLists::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (QTableView* table : {m_steps, m_moves})
        static_cast<StepDelegate*>(table->itemDelegate())->theme = theme;
    const QFont font = theme.font(TextStyle::Table);
    const QFontMetrics metrics(font);
    for (QTableView* table : {m_steps, m_moves}) {
        table->setFont(font);
        table->horizontalHeader()->setFont(theme.font(TextStyle::Hint));
        table->horizontalHeader()->setFixedHeight(theme.scaled(24)); // By itself it keeps the height of the text it began with.
        table->verticalHeader()->setDefaultSectionSize(theme.scaled(table == m_steps ? 28 : 24));
    }
    const auto width = [&](const QString& sample) { return metrics.horizontalAdvance(sample) + 11; };
    fitColumns();
    QHeaderView* moves = m_moves->horizontalHeader();
    moves->resizeSection(MoveTableModel::Part, width(tr("Chunk part")) + 8);
    moves->resizeSection(MoveTableModel::State, width(tr("State at %1").arg(QStringLiteral("000.0 µs"))) + 8);
}

/// Columns are as wide as what they say; that of dimensions as the longest name of a level, within reason.
void StepLists::fitColumns()
{
    const QFontMetrics metrics(m_theme.font(TextStyle::Table));
    for (const int column : {int{StepTableModel::Number}, int{StepTableModel::Moves}, int{StepTableModel::Each}, int{StepTableModel::Duration}}) {
        int wide = 0;
        for (int row = 0; row < std::min(m_stepModel->rowCount(), kRowsToFit); ++row)
            wide = std::max(wide, metrics.horizontalAdvance(m_stepModel->index(row, column).data().toString()));
        m_steps->horizontalHeader()->resizeSection(column, std::max(wide + 11, m_steps->horizontalHeader()->sectionSizeHint(column))); // With what the style puts around its words.
    }
    double widest = 0;
    for (int row = 0; row < std::min(m_stepModel->rowCount(), kRowsToFit); ++row)
        widest = std::max(widest, steppaint::dimensionChipSize(m_theme, m_stepModel->index(row, StepTableModel::Dimension).data().toString()).width());
    const double least = m_theme.scaled(24);
    m_steps->horizontalHeader()->resizeSection(StepTableModel::Dimension, static_cast<int>(std::clamp(widest, least, 3 * least)) + 12);
}

void StepLists::resizeEvent(QResizeEvent*)
{
    // The name of the phase comes before counts that the list of moves shows, too.
    m_steps->setColumnHidden(StepTableModel::Moves, width() < m_theme.scaled(330));
    m_steps->setColumnHidden(StepTableModel::Each, width() < m_theme.scaled(296));
}

void StepLists::followStep()
{
    m_following = true;
    if (m_player->step() >= 0)
        m_steps->setCurrentIndex(m_stepModel->index(m_player->step(), 0));
    m_following = false;
}

void StepLists::followMove()
{
    const int row = m_moveModel->rowOf(m_player->selectedMove());
    m_following = true;
    if (row >= 0)
        m_moves->setCurrentIndex(m_moveModel->index(row, 0));
    else
        m_moves->clearSelection();
    m_following = false;
}

void StepLists::updateHeads()
{
    const int all = m_moveModel->rowCount();
    const int done = m_moveModel->doneCount();
    if (m_player->step() < 0) {
        m_stepHead->setHint({});
        m_moveHead->setTitle(tr("Moves"));
        m_moveHead->setHint({});
        return;
    }
    m_stepHead->setHint(tr("chunk %1, %2").arg(m_player->chunk() + 1).arg(texts::time(SimTime{m_player->endPs() - m_player->beginPs()})));
    m_moveHead->setTitle(tr("Moves of step %1").arg(m_player->step() + 1));
    m_moveHead->setHint(done == all ? tr("all %1 done").arg(texts::count(all)) : tr("%1 of %2 done").arg(texts::count(done), texts::count(all)));
}

} // namespace fabricscope
