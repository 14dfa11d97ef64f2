#include "widgets/results/table.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/cellcopies.h"
#include "widgets/base/elidedlabel.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/tabledelegate.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

constexpr int kHeadPadding = 6; ///< At both sides of a title (themestyle.cpp).
constexpr int kMeasuredRows = 200; ///< Column widths are those of the first rows.
/// The head of a table; the chevron of the sorted column stands beside its title, never on it.
class TableHeader : public QHeaderView
{
public:
    explicit TableHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}
    void setSorted(int column, Qt::SortOrder order, const QColor& color)
    {
        m_column = column;
        m_order = order;
        m_color = color;
        viewport()->update();
    }

protected:
    /// The mode of the view knows nothing of what the style puts around the words.
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override
    {
        QHeaderView::initStyleOptionForIndex(option, section);
        option->text = fontMetrics().elidedText(option->text, Qt::ElideRight, sectionSize(section) - 2 * kHeadPadding);
    }
    void paintSection(QPainter* painter, const QRect& rect, int section) const override
    {
        painter->save();
        QHeaderView::paintSection(painter, rect, section);
        painter->restore();
        if (section != m_column)
            return;
        const int text = fontMetrics().horizontalAdvance(model()->headerData(section, Qt::Horizontal).toString());
        const bool right = (model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0;
        const double half = fontMetrics().height() / 5.0;
        const double x = right ? std::max(rect.right() - 6 - text - 2.5 * half, rect.left() + half + 1) : std::min(rect.left() + 6 + text + 2.5 * half, rect.right() - half - 1);
        const double y = rect.center().y() + 0.5;
        const double tip = m_order == Qt::DescendingOrder ? half / 2 : -half / 2;
        const QPointF chevron[] = {{x - half, y - tip}, {x, y + tip}, {x + half, y - tip}};
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(m_color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPolyline(chevron, 3);
        painter->restore();
    }

private:
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    QColor m_color;
};

constexpr int kSmallestName = 168; ///< The first column shrinks to this before others hide,
constexpr int kSmallestText = 96;  ///< other columns of text to this.

} // namespace

ResultTable::ResultTable(QWidget* parent)
    : QWidget(parent), m_shown(new TableModel(this)), m_view(new QTableView(this)), m_delegate(new TableDelegate(this)), m_bar(new QWidget(this)),
      m_note(new ElidedLabel(m_bar)), m_empty(new QLabel(m_view->viewport())), m_filter(new QLineEdit(m_bar)), m_export(new QPushButton(m_bar))
{
    m_note->setProperty("role", QStringLiteral("hint"));
    m_empty->setObjectName(QStringLiteral("empty"));
    m_empty->setProperty("role", QStringLiteral("secondary"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    connect(m_empty, &QLabel::linkActivated, this, [this] {
        if (m_source && m_source->isMissing())
            m_source->tryAgain();
        else
            reorder();
    });
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_export->setText(tr("Export CSV…"));
    m_export->setAccessibleName(tr("Export CSV"));

    auto* row = new QHBoxLayout(m_bar);
    row->addWidget(m_note, 1);
    row->addWidget(m_filter);
    row->addWidget(m_export);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_view, 1);

    m_view->setHorizontalHeader(new TableHeader(m_view));
    m_view->setModel(m_shown);
    m_view->setItemDelegate(m_delegate);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setShowGrid(false);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setCornerButtonEnabled(false);
    m_view->setProperty(CellCopies::kCopiesItself, true);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    QHeaderView* header = m_view->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsClickable(true);
    header->setMinimumSectionSize(1);
    header->setSectionResizeMode(QHeaderView::Fixed);
    m_view->installEventFilter(this);
    m_view->viewport()->installEventFilter(this);

    connect(header, &QHeaderView::sectionClicked, this, &ResultTable::headerClicked);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_query.filter = text;
        reorder();
    });
    connect(m_export, &QPushButton::clicked, this, &ResultTable::askForFile);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!m_restoring && current.isValid())
            emit rowSelected(current.data(TableModel::IdRole).toLongLong());
    });
    connect(m_view, &QTableView::activated, this, [this](const QModelIndex& index) { emit rowActivated(index.data(TableModel::IdRole).toLongLong()); });
    setFocusProxy(m_view);
    followTheme(this, &ResultTable::setTheme);
}

ResultTable::~ResultTable()
{
    m_stop.request_stop();
}

void ResultTable::setModel(TableModel* model, const QString& name)
{
    if (m_source)
        m_source->disconnect(this);
    m_source = model;
    m_name = name;
    m_query.sortColumn = -1;
    m_view->setAccessibleName(name);
    setAccessibleName(name);
    if (m_source)
        connect(m_source, &QAbstractItemModel::modelReset, this, &ResultTable::reorder);
    reorder();
}

void ResultTable::setTheme(const Theme& theme)
{
    m_theme = theme;
    restyle();
}

void ResultTable::setEmptyText(const QString& text)
{
    m_emptyText = text;
    updateNote();
}

void ResultTable::setFilter(const QString& text)
{
    m_filter->setText(text);
}

void ResultTable::sortBy(int column, Qt::SortOrder order)
{
    m_query.sortColumn = column;
    m_query.sortOrder = order;
    reorder();
}

void ResultTable::headerClicked(int section)
{
    // Numbers are first wanted from the top: the busiest link, the latest rank.
    const auto look = static_cast<TableColumn::Look>(m_shown->content()->columns()[at(section)].look);
    const bool number = look == TableColumn::Look::Number || look == TableColumn::Look::ShareBar;
    const Qt::SortOrder first = number ? Qt::DescendingOrder : Qt::AscendingOrder;
    const Qt::SortOrder second = number ? Qt::AscendingOrder : Qt::DescendingOrder;
    if (m_query.sortColumn != section)
        sortBy(section, first);
    else if (m_query.sortOrder == first)
        sortBy(section, second);
    else
        sortBy(-1, Qt::AscendingOrder);
}

void ResultTable::reorder()
{
    const TableContentPtr content = m_source ? m_source->content() : nullptr;
    const int wanted = ++m_wanted;
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_working = m_missing = false;
    if (!content || (m_query.filter.trimmed().isEmpty() && m_query.sortColumn < 0)) {
        present(content, m_source ? m_source->order() : nullptr);
        return;
    }
    if (content->rows() <= kRowsAtOnce) {
        present(content, orderRows(*content, m_query));
        return;
    }
    m_working = true;
    updateNote();
    inBackground(this, [content, query = m_query, stop = m_stop.get_token()] { return orderRows(*content, query, stop); },
                 [this, content, wanted](Result<TableOrder> order) {
                     if (wanted != m_wanted || (order && !order.value()))
                         return;
                     m_working = false;
                     m_missing = !order; // No rows, rather than others than those that were asked for.
                     present(order ? content : nullptr, order ? std::move(order).value() : nullptr);
                 });
}

void ResultTable::present(TableContentPtr content, TableOrder order)
{
    const qint64 selected = selectedId();
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    const int scrolled = m_view->verticalScrollBar()->value();
    const bool columnsDiffer = !m_shown->content() || !content || m_shown->content()->columns().size() != content->columns().size();
    m_restoring = true;
    m_shown->setContent(std::move(content), std::move(order));
    m_restoring = false;
    static_cast<TableHeader*>(m_view->horizontalHeader())->setSorted(m_query.sortColumn, m_query.sortOrder, m_theme.color(Role::Text2));
    m_widths.clear();
    layoutColumns();
    updateNote();
    if (selected >= 0 && !rows.isEmpty())
        selectId(selected);
    else if (!columnsDiffer)
        m_view->verticalScrollBar()->setValue(scrolled);
}

void ResultTable::updateNote()
{
    const TableContentPtr& content = m_shown->content();
    const int all = content ? content->rows() : 0;
    const int shown = m_shown->rowCount();
    QString text = content ? content->note() : QString();
    if (m_working)
        text = tr("Sorting %1 rows").arg(texts::count(m_source->content()->rows()));
    else if (shown < all)
        text = tr("%1 of %2 rows").arg(texts::count(shown), texts::count(all));
    m_note->setText(text);
    m_empty->setText(m_missing || (m_source && m_source->isMissing()) ? texts::notShown() : m_emptyText);
    m_empty->setVisible(shown == 0);
    m_empty->setGeometry(m_view->viewport()->rect());
    m_export->setEnabled(shown > 0);
}

void ResultTable::selectId(qint64 id)
{
    m_restoring = true;
    int found = -1;
    for (int row = 0; row < m_shown->rowCount() && found < 0 && id >= 0; ++row)
        if (m_shown->content()->id(m_shown->contentRow(row)) == id)
            found = row;
    if (found < 0) {
        m_view->clearSelection();
        m_view->setCurrentIndex({});
    } else if (found != m_view->currentIndex().row() || m_view->selectionModel()->selectedRows().isEmpty()) {
        m_view->selectRow(found);
        m_view->scrollTo(m_shown->index(found, 0));
    }
    m_restoring = false;
}

qint64 ResultTable::selectedId() const
{
    const QModelIndex current = m_view->currentIndex();
    return current.isValid() ? current.data(TableModel::IdRole).toLongLong() : -1;
}

void ResultTable::copySelection() const
{
    const TableContentPtr& content = m_shown->content();
    if (!content)
        return;
    std::vector<int> rows;
    for (const QItemSelectionRange& range : m_view->selectionModel()->selection())
        for (int row = range.top(); row <= range.bottom(); ++row)
            rows.push_back(row);
    if (rows.empty()) {
        rows.resize(static_cast<std::size_t>(m_shown->rowCount()));
        std::iota(rows.begin(), rows.end(), 0);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int& row : rows)
        row = m_shown->contentRow(row);
    std::vector<int> columns;
    for (int column = 0; column < m_shown->columnCount(); ++column)
        if (!m_view->isColumnHidden(column))
            columns.push_back(column);
    QApplication::clipboard()->setText(tabSeparated(*content, rows, columns));
}

void ResultTable::exportCsv(const QString& path)
{
    const TableContentPtr content = m_shown->content();
    if (!content)
        return;
    if (const Status target = checkExportTarget(path); !target) {
        emit exportDone(path, QString::fromStdString(target.error().text()));
        return;
    }
    const auto write = [content, order = m_shown->order(), path] {
        const Status status = writeCsv(*content, order, path);
        return status ? QString() : QString::fromStdString(status.error().text());
    };
    const auto done = [this, path](const Result<QString>& error) { emit exportDone(path, error ? error.value() : QString::fromStdString(error.error().message)); };
    if (m_shown->rowCount() <= kRowsAtOnce)
        done(attempted(write));
    else
        inBackground(this, write, done);
}

void ResultTable::askForFile()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export CSV"), suggestedName(), tr("CSV (*.csv)"));
    if (!path.isEmpty())
        exportCsv(path);
}

void ResultTable::layoutColumns()
{
    const TableContentPtr& content = m_shown->content();
    if (!content)
        return;
    const int columns = m_shown->columnCount();
    if (m_widths.size() != static_cast<std::size_t>(columns)) {
        const QFontMetrics metrics(m_view->font());
        const QFontMetrics header(m_view->horizontalHeader()->font());
        const int padding = m_theme.scaled(20); // 6 at both sides by the style sheet, and what the style leaves beside a text.
        m_widths.assign(static_cast<std::size_t>(columns), 0);
        for (int column = 0; column < columns; ++column) {
            const TableColumn& shown = content->columns()[at(column)];
            int width = 0;
            for (int row = 0; row < std::min(m_shown->rowCount(), kMeasuredRows); ++row)
                width = std::max(width, metrics.horizontalAdvance(content->text(m_shown->contentRow(row), column)));
            width += m_delegate->extraWidth(static_cast<int>(shown.look));
            const int marker = column == m_query.sortColumn ? m_theme.scaled(14) : 0;
            m_widths[at(column)] = std::max(width, header.horizontalAdvance(shown.title) + marker) + padding;
        }
    }
    const int available = m_view->viewport()->width();
    int shownColumns = columns;
    // Texts can end in dots, numbers cannot.
    const auto smallest = [&](int column) {
        const int wanted = m_widths[at(column)];
        return content->columns()[at(column)].look == TableColumn::Look::Text ? std::min(wanted, m_theme.scaled(column == 0 ? kSmallestName : kSmallestText)) : wanted;
    };
    const auto sumOf = [&](auto width) {
        int sum = 0;
        for (int column = 0; column < shownColumns; ++column)
            sum += width(column);
        return sum;
    };
    while (shownColumns > kAlwaysShown && sumOf(smallest) > available)
        --shownColumns;
    const int sum = sumOf([&](int column) { return m_widths[at(column)]; });
    const int least = sumOf(smallest);
    int left = available;
    for (int column = 0; column < columns; ++column) {
        m_view->setColumnHidden(column, column >= shownColumns);
        if (column >= shownColumns)
            continue;
        const int wanted = m_widths[at(column)];
        // Room to spare goes to all, most to the first; what is missing is taken from the texts, and only then from all alike.
        const int spare = available - sum;
        int width = wanted + (column == 0 ? spare / 3 : 2 * spare / 3 / std::max(shownColumns - 1, 1));
        if (least > available)
            width = static_cast<int>(static_cast<std::int64_t>(smallest(column)) * available / least);
        else if (spare < 0)
            width = smallest(column) + static_cast<int>(static_cast<std::int64_t>(wanted - smallest(column)) * (available - least) / std::max(sum - least, 1));
        if (column == shownColumns - 1)
            width = std::max(left, 0);
        m_view->setColumnWidth(column, width);
        left -= width;
    }
}

void ResultTable::restyle()
{
    m_delegate->setTheme(m_theme);
    m_view->setFont(m_theme.font(TextStyle::Table));
    m_view->horizontalHeader()->setFont(m_theme.font(TextStyle::Hint));
    m_view->horizontalHeader()->setFixedHeight(m_theme.scaled(24));
    m_view->verticalHeader()->setDefaultSectionSize(m_theme.scaled(24));
    m_view->verticalHeader()->setMinimumSectionSize(m_theme.scaled(24));
    m_view->setAlternatingRowColors(false);
    m_bar->layout()->setContentsMargins(m_theme.scaled(12), m_theme.scaled(2), m_theme.scaled(8), m_theme.scaled(2));
    m_bar->layout()->setSpacing(m_theme.scaled(8));
    static_cast<TableHeader*>(m_view->horizontalHeader())->setSorted(m_query.sortColumn, m_query.sortOrder, m_theme.color(Role::Text2));
    m_widths.clear();
    fitBar();
    layoutColumns();
}

int ResultTable::besideFilter() const
{
    const QMargins margins = m_bar->layout()->contentsMargins();
    return m_note->minimumSizeHint().width() + m_export->sizeHint().width() + margins.left() + margins.right() + 2 * m_bar->layout()->spacing();
}

/// Where there is little room, the filter gives way. A bar that stands elsewhere has another's width.
void ResultTable::fitBar()
{
    const int most = m_theme.scaled(180);
    m_filter->setFixedWidth(m_bar->parentWidget() == this ? std::clamp(width() - besideFilter(), m_theme.scaled(kLeastFilter) / 3, most) : most);
}

QSize ResultTable::minimumSizeHint() const
{
    const QSize least = QWidget::minimumSizeHint();
    if (m_bar->parentWidget() != this)
        return least;
    return {std::max(besideFilter() + m_theme.scaled(kLeastFilter), m_view->minimumSizeHint().width()), least.height()};
}

void ResultTable::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_bar->parentWidget() == this)
        fitBar();
    layoutColumns();
}

bool ResultTable::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copySelection();
        return true;
    }
    if (watched == m_view->viewport() && event->type() == QEvent::Resize) {
        m_empty->setGeometry(m_view->viewport()->rect());
        layoutColumns();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace fabricscope
