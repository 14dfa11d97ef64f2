#include "widgets/design/dimensiontable.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/design/dimensiondelegate.h"
#include "widgets/design/editactions.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QTimer>
#include <QVBoxLayout>

namespace fabricscope {

DimensionView::DimensionView(QWidget* parent) : QTableView(parent), m_dimensions(new DimensionModel(this))
{
    setModel(m_dimensions);
    auto* delegate = new DimensionDelegate(this);
    setItemDelegate(delegate);
    connect(delegate, &DimensionDelegate::message, this, &DimensionView::message);
    setAccessibleName(tr("Dimensions"));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    setTabKeyNavigation(false); // Tab leaves the table, except from an open editor
    setShowGrid(false);
    setMouseTracking(true);
    setWordWrap(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(1);
    horizontalHeader()->setMinimumSectionSize(1);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    connect(m_dimensions, &DimensionModel::refused, this, [this](const QModelIndex&, const QString& text) { emit message(text); });
    connect(m_dimensions, &QAbstractItemModel::dataChanged, this, [this] {
        emit message({});
        layoutColumns();
    });
    connect(m_dimensions, &QAbstractItemModel::modelReset, this, [this] {
        emit message({});
        layoutColumns();
        updateGeometry();
    });
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current, const QModelIndex& previous) {
        if (current.row() != previous.row())
            emit dimensionSelected(current.isValid() ? current.row() : -1);
    });
    followTheme(this, &DimensionView::setTheme);
}

/// An open editor goes first: losing the focus it would hand its text to a view that is no longer whole.
DimensionView::~DimensionView()
{
    const auto editors = viewport()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    for (QWidget* editor : editors) {
        editor->removeEventFilter(itemDelegate());
        delete editor;
    }
}

void DimensionView::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font(TextStyle::Table));
    horizontalHeader()->setFont(theme.font(TextStyle::Label));
    horizontalHeader()->setFixedHeight(2 * QFontMetrics(theme.font(TextStyle::Label)).height() + theme.scaled(4));
    horizontalHeader()->setStyleSheet(QStringLiteral("QHeaderView::section { padding: 1px %1px; } QHeaderView::section:last { padding-right: %2px; }").arg(DimensionDelegate::kPadding).arg(DimensionDelegate::kPadding + theme.scaled(6)));
    verticalHeader()->setDefaultSectionSize(theme.scaled(24));
    layoutColumns();
    updateGeometry();
    viewport()->update();
}

void DimensionView::layoutColumns()
{
    const QFontMetrics header(m_theme.font(TextStyle::Label));
    const QFontMetrics cell(m_theme.font(TextStyle::Table));
    const int padding = 2 * DimensionDelegate::kPadding + 2;
    const int chip = m_theme.scaled(24) + m_theme.scaled(8) + m_theme.scaled(4);
    int left = viewport()->width() - chip;
    horizontalHeader()->resizeSection(DimensionModel::Chip, chip);
    const char* const samples[] = {"", "", "0000", "000.0", "0000", "00.00"};
    for (const int column : {DimensionModel::Latency, DimensionModel::PerNpu, DimensionModel::PerLink, DimensionModel::Size}) {
        int width = cell.horizontalAdvance(QLatin1String(samples[column]));
        for (const QString& line : m_dimensions->headerData(column, Qt::Horizontal).toString().split(QLatin1Char('\n')))
            width = std::max(width, header.horizontalAdvance(line));
        for (int row = 0; row < m_dimensions->rowCount(); ++row)
            width = std::max(width, cell.horizontalAdvance(m_dimensions->index(row, column).data().toString()));
        width += padding + (column == DimensionModel::Latency ? m_theme.scaled(6) : 0);
        horizontalHeader()->resizeSection(column, width);
        left -= width;
    }
    horizontalHeader()->resizeSection(DimensionModel::ShapeColumn, std::max(left, m_theme.scaled(40)));
}

int DimensionView::selectedDimension() const
{
    return currentIndex().isValid() ? currentIndex().row() : -1;
}

void DimensionView::selectDimension(int dimension)
{
    if (dimension < 0 || dimension >= m_dimensions->rowCount())
        setCurrentIndex({});
    else if (dimension != selectedDimension())
        setCurrentIndex(m_dimensions->index(dimension, currentIndex().isValid() ? currentIndex().column() : DimensionModel::PerLink));
    if (dimension >= 0)
        selectRow(dimension);
}

void DimensionView::editCell(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    setFocus();
    setCurrentIndex(index);
    editIfPossible(index);
}

bool DimensionView::edit(const QModelIndex& index, EditTrigger trigger, QEvent* event)
{
    if (trigger != SelectedClicked)
        return QTableView::edit(index, trigger, event);
    // Qt would open, once this can no longer become a double click, whatever cell is current then, be it gone or closed to typing.
    QTimer::singleShot(QApplication::doubleClickInterval(), this, [this, clicked = QPersistentModelIndex(index)] {
        if (clicked.isValid() && clicked == currentIndex() && state() != EditingState)
            editIfPossible(clicked);
    });
    return false;
}

void DimensionView::editIfPossible(const QModelIndex& index)
{
    // While the text of the design cannot be read there is nothing to write to.
    if (index.flags() & Qt::ItemIsEditable)
        edit(index);
}

void DimensionView::removeSelected()
{
    DesignDocument* document = m_dimensions->document();
    const int at = selectedDimension();
    if (!document || at < 0)
        return;
    const Status status = DesignActions::removeDimension(*document, at);
    if (!status)
        emit message(DesignActions::errorText(status.error()));
    else
        selectDimension(std::min(at, m_dimensions->rowCount() - 1));
}

void DimensionView::moveSelected(int by)
{
    const int from = selectedDimension();
    if (from >= 0)
        move(from, std::clamp(from + by, 0, m_dimensions->rowCount() - 1));
}

void DimensionView::move(int from, int to)
{
    DesignDocument* document = m_dimensions->document();
    if (!document || from == to)
        return;
    const Status status = DesignActions::moveDimension(*document, from, to);
    if (!status)
        emit message(DesignActions::errorText(status.error()));
    else
        selectDimension(to);
}

QSize DimensionView::sizeHint() const
{
    const int rows = m_dimensions->rowCount() * verticalHeader()->defaultSectionSize();
    return {m_theme.scaled(280), horizontalHeader()->height() + rows + 1};
}

QSize DimensionView::minimumSizeHint() const
{
    return {m_theme.scaled(200), sizeHint().height()};
}

void DimensionView::keyPressEvent(QKeyEvent* event)
{
    const bool alt = event->modifiers() == Qt::AltModifier;
    if (alt && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down))
        return moveSelected(event->key() == Qt::Key_Up ? -1 : 1);
    if (event->key() == Qt::Key_Delete && state() != EditingState)
        return removeSelected();
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && state() != EditingState && currentIndex().isValid()) {
        editIfPossible(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

int DimensionView::dropRow(int y) const
{
    const int row = rowAt(y);
    return row >= 0 ? row : y < 0 ? 0 : m_dimensions->rowCount() - 1;
}

void DimensionView::mousePressEvent(QMouseEvent* event)
{
    const QModelIndex at = indexAt(event->position().toPoint());
    m_dragged = event->button() == Qt::LeftButton && at.isValid() && at.column() == DimensionModel::Chip ? at.row() : -1;
    m_drop = -1;
    m_pressed = event->position().toPoint();
    QTableView::mousePressEvent(event);
}

void DimensionView::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint at = event->position().toPoint();
    if (m_dragged < 0) {
        const QModelIndex below = indexAt(at);
        viewport()->setCursor(below.isValid() && below.column() == DimensionModel::Chip ? Qt::OpenHandCursor : Qt::ArrowCursor);
        QTableView::mouseMoveEvent(event);
        return;
    }
    if (m_drop < 0 && (at - m_pressed).manhattanLength() < QApplication::startDragDistance())
        return;
    viewport()->setCursor(Qt::ClosedHandCursor);
    m_drop = dropRow(at.y());
    viewport()->update();
}

void DimensionView::mouseReleaseEvent(QMouseEvent* event)
{
    const int from = m_dragged;
    const int to = m_drop;
    m_dragged = m_drop = -1;
    viewport()->setCursor(Qt::ArrowCursor);
    viewport()->update();
    QTableView::mouseReleaseEvent(event);
    if (from >= 0 && to >= 0)
        move(from, to);
}

void DimensionView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (m_dragged < 0 || m_drop < 0 || m_drop == m_dragged)
        return;
    const int y = rowViewportPosition(m_drop) + (m_drop > m_dragged ? rowHeight(m_drop) : 0);
    QPainter painter(viewport());
    painter.fillRect(QRect(0, y - 1, viewport()->width(), 2), m_theme.color(Role::Accent));
}

void DimensionView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    layoutColumns();
}

DimensionTable::DimensionTable(QWidget* parent)
    : QWidget(parent), m_view(new DimensionView(this)), m_counts(new QLabel(this)), m_message(new QLabel(this)), m_add(new QPushButton(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view);
    layout->addWidget(m_message);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 4, 8, 4);
    foot->addWidget(m_counts, 1);
    foot->addWidget(m_add);
    layout->addLayout(foot);
    m_message->setWordWrap(true);
    m_message->setContentsMargins(12, 2, 12, 2);
    m_message->hide();
    m_counts->setWordWrap(true); // large platforms have long numbers
    m_counts->setProperty("role", QStringLiteral("secondary"));
    m_counts->setAccessibleName(tr("Counts"));
    m_add->setText(tr("+ Dimension"));
    m_add->setProperty("link", true);
    m_add->setAutoDefault(false);
    m_add->setToolTip(tr("Adds a dimension outside the others"));
    m_add->setCursor(Qt::PointingHandCursor);
    connect(m_view, &DimensionView::message, this, [this](const QString& text) {
        m_message->setText(text);
        m_message->setVisible(!text.isEmpty());
    });
    connect(m_add, &QPushButton::clicked, this, [this] {
        if (!m_document)
            return;
        const int at = m_view->dimensions()->rowCount();
        const Status status = DesignActions::addDimension(*m_document, at);
        if (status) {
            m_view->selectDimension(at);
            m_view->setFocus();
        } else {
            emit m_view->message(DesignActions::errorText(status.error()));
        }
    });
    followTheme(this, &DimensionTable::setTheme);
}

void DimensionTable::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    m_view->dimensions()->setDocument(document);
    if (document)
        connect(document, &DesignDocument::changed, this, &DimensionTable::update);
    update();
}

void DimensionTable::setTheme(const Theme& theme)
{
    m_counts->setFont(theme.font(TextStyle::Hint));
    m_add->setFont(theme.font(TextStyle::Hint));
    m_message->setFont(theme.font(TextStyle::Hint));
    QPalette palette = m_message->palette();
    palette.setColor(QPalette::WindowText, theme.color(Role::Err));
    m_message->setPalette(palette);
}

QString DimensionTable::summary(const Platform& platform)
{
    std::int64_t switches = 0;
    if (platform.isExplicit())
        switches = platform.spec().nodes.count(NodeKind::Switch);
    for (const Dimension& dimension : platform.dimensions())
        switches += dimension.shape == Shape::Switch && dimension.size > 1 ? platform.npuCount() / dimension.size : 0;
    const auto part = [](std::int64_t count, const QString& one, const QString& many) { return texts::count(count) + QLatin1Char(' ') + (count == 1 ? one : many); };
    // What was removed is no longer there to be counted.
    std::int64_t links = platform.linkCount();
    for (LinkId link = 0; platform.hasRemovals() && link < platform.linkCount(); ++link)
        links -= platform.isRemoved(link) ? 1 : 0;
    QStringList parts{part(platform.remainingNpus(), tr("NPU"), tr("NPUs")), part(links, tr("link"), tr("links"))};
    if (switches > 0)
        parts << part(switches, tr("switch"), tr("switches"));
    if (const std::int64_t removed = platform.npuCount() - platform.remainingNpus(); removed > 0)
        parts << (removed == 1 ? tr("1 NPU removed") : tr("%1 NPUs removed").arg(texts::count(removed)));
    return parts.join(QStringLiteral(" · "));
}

void DimensionTable::update()
{
    m_counts->setText(m_document && m_document->platform() ? summary(*m_document->platform()) : QString());
    m_view->updateGeometry();
    m_view->setVisible(m_view->dimensions()->rowCount() > 0);
    const bool named = m_document && m_document->yaml() && !m_document->design()->platform->nodes.empty();
    m_add->setVisible(m_document && !named);
    m_add->setEnabled(m_document && m_document->yaml());
}

} // namespace fabricscope
