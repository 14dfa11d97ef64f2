#include "widgets/base/tablemodel.h"

#include "core/base/index.h"

#include "widgets/base/showntexts.h"

namespace fabricscope {

namespace {

QVariant variantOf(const TableValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return QVariant::fromValue(static_cast<qlonglong>(*whole));
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    if (const auto* text = std::get_if<QString>(&value))
        return *text;
    return {};
}

Qt::Alignment alignmentOf(TableColumn::Look look)
{
    const bool right = look == TableColumn::Look::Number || look == TableColumn::Look::ShareBar;
    return Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft);
}

} // namespace

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::setContent(TableContentPtr content, TableOrder order)
{
    beginResetModel();
    m_content = std::move(content);
    m_order = std::move(order);
    m_missing = false;
    endResetModel();
}

void TableModel::setMissing()
{
    beginResetModel();
    m_content.reset();
    m_order.reset();
    m_missing = true;
    endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() || !m_content)
        return 0;
    return m_order ? static_cast<int>(m_order->size()) : m_content->rows();
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_content ? 0 : static_cast<int>(m_content->columns().size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const int row = contentRow(index.row());
    const TableColumn& column = m_content->columns()[at(index.column())];
    switch (role) {
    case Qt::DisplayRole: return texts::shown(m_content->text(row, index.column()));
    case Qt::ToolTipRole: return column.look == TableColumn::Look::Text ? QVariant(texts::toolTip(texts::shown(m_content->text(row, index.column())))) : QVariant(); // may be cut off
    case Qt::AccessibleTextRole: return column.title + QLatin1Char(' ') + m_content->text(row, index.column());
    case Qt::TextAlignmentRole: return QVariant::fromValue(alignmentOf(column.look));
    case SortRole: return variantOf(m_content->value(row, index.column()));
    case ExportRole: return exportText(m_content->value(row, index.column()));
    case ShareRole: return m_content->share(row, index.column());
    case DimensionRole: return m_content->dimension(row);
    case IdRole: return QVariant::fromValue(static_cast<qlonglong>(m_content->id(row)));
    case LookRole: return static_cast<int>(column.look);
    default: return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || !m_content || section < 0 || section >= columnCount())
        return {};
    const TableColumn& column = m_content->columns()[at(section)];
    switch (role) {
    case Qt::DisplayRole: return column.title;
    case Qt::ToolTipRole: return column.title;
    case ExportRole: return column.exportTitle;
    case Qt::TextAlignmentRole: return QVariant::fromValue(alignmentOf(column.look));
    default: return {};
    }
}

} // namespace fabricscope
