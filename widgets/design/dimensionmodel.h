#pragma once

#include "widgets/design/document.h"
#include "core/base/index.h"

#include <QAbstractTableModel>
#include <QPointer>

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// The dimensions of the edited design as a table; every change is an edit of the document.
class DimensionModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Chip, ShapeColumn, Size, PerLink, PerNpu, Latency, ColumnCount };
    enum Role { DerivedRole = Qt::UserRole, ///< bool: worked out from the other bandwidth.
                ProblemRole,                ///< QString: what is wrong with the value; empty: nothing.
                ShapeRole };                ///< int: Shape.

    explicit DimensionModel(QObject* parent = nullptr);
    void setDocument(DesignDocument* document);
    DesignDocument* document() const { return m_document; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Shape: the number of a Shape. Else a text with or without a unit (GB/s, or the unit as typed before). False, and refused(), for
    /// a text that cannot be read.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

    /// Why this text cannot be the value of a column; empty: it can.
    static QString refusal(int column, const QString& text);
    /// "platform.dimensions[1].latency" for a cell, and back.
    QString field(const QModelIndex& index) const;
    QModelIndex indexOf(const QString& field) const;

signals:
    void refused(const QModelIndex& index, const QString& message);

private:
    void read();
    const Dimension& dimension(const QModelIndex& index) const { return m_dimensions[at(index.row())]; }
    /// What the text has for a value that cannot be read, and why not.
    struct Wrong {
        QString written; ///< Empty: nothing.
        QString problem;
        std::string misspelt; ///< The key that stands there for the one of the column; empty: none does.
    };
    std::optional<Wrong> wrong(const QModelIndex& index) const;
    std::optional<Wrong> missing(const std::string& item, const std::string& key) const;
    bool isDerivedOfWrong(const QModelIndex& index) const;
    Status replaceWrong(const QModelIndex& index, const Wrong& wrong, const QString& title, const std::string& value);
    QString shown(const QModelIndex& index) const;
    QString shown(const Dimension& dimension, int column) const;
    Quantity typed(const Dimension& dimension, int column) const;

    QPointer<DesignDocument> m_document;
    std::vector<Dimension> m_dimensions;
};

} // namespace fabricscope
