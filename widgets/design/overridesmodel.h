#pragma once

#include "widgets/design/document.h"
#include "core/base/index.h"

#include <QAbstractTableModel>
#include <QPointer>

namespace fabricscope {

/// What differs from the rest of the platform: overridden and removed links and NPUs, one row each.
class OverridesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Value, Change, ColumnCount };

    explicit OverridesModel(QObject* parent = nullptr);
    void setDocument(DesignDocument* document);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// -1: the row is about the other kind, or its link does not exist.
    LinkId linkOf(int row) const { return m_rows[at(row)].link; }
    NodeId npuOf(int row) const { return m_rows[at(row)].npu; }
    int rowOf(LinkId link, NodeId npu) const;
    /// "platform.overrides.links[0]".
    QString field(int row) const { return m_rows[at(row)].field; }
    /// Takes the override of a row out of the design.
    Status reset(int row);

private:
    struct Row {
        LinkId link = -1;
        NodeId npu = -1;
        std::string name; ///< As written in the design.
        QString title;
        QString value;
        QString change;
        QString field;
    };
    void read();

    QPointer<DesignDocument> m_document;
    std::vector<Row> m_rows;
};

} // namespace fabricscope
