#pragma once

#include "widgets/base/tablecontent.h"
#include "core/base/index.h"
#include "widgets/base/tableorder.h"

#include <QAbstractTableModel>

namespace fabricscope {

/// Shows a content, all rows as they come or in a given order. Replacing either resets the model.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Role {
        SortRole = Qt::UserRole, ///< Exact number or text.
        ExportRole,              ///< The same as text, full precision; header: title with the unit of it.
        ShareRole,               ///< 0..1 of a share bar.
        DimensionRole,           ///< Of a chip.
        IdRole,                  ///< Link, rank or instance of the row.
        LookRole                 ///< TableColumn::Look.
    };

    explicit TableModel(QObject* parent = nullptr);

    const TableContentPtr& content() const { return m_content; } ///< Null: empty.
    const TableOrder& order() const { return m_order; }          ///< Null: as they come.
    void setContent(TableContentPtr content, TableOrder order = nullptr);
    /// There was no memory or no thread to make the content; it is empty.
    void setMissing();
    bool isMissing() const { return m_missing; }
    /// Makes a content that is missing once more.
    virtual void tryAgain() {}
    int contentRow(int row) const { return m_order ? (*m_order)[at(row)] : row; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    TableContentPtr m_content;
    TableOrder m_order;
    bool m_missing = false;
};

} // namespace fabricscope
