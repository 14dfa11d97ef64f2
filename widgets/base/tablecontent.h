#pragma once

#include "core/base/index.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace fabricscope {

/// What a cell is, exactly: sorted and exported by this, while people read TableContent::text().
using TableValue = std::variant<std::monostate, std::int64_t, double, QString>;

/// Plain digits, C locale, shortest text that reads back as the same number; empty: nothing there.
QString exportText(const TableValue& value);
/// Numbers before texts, nothing last; -1, 0, 1.
int compare(const TableValue& a, const TableValue& b);

struct TableColumn {
    enum class Look : std::uint8_t { Text, Number, Chip, ShareBar };
    QString title;       ///< With the unit of the whole column: "Busy, ms".
    QString exportTitle; ///< With the unit of the exact value: "Busy [ps]".
    Look look = Look::Text;
};

/// The rows of a table: immutable, so that a worker can sort, filter and write them while the table shows them.
class TableContent {
public:
    virtual ~TableContent() = default;

    const std::vector<TableColumn>& columns() const { return m_columns; }
    virtual int rows() const = 0;
    virtual QString text(int row, int column) const = 0;
    virtual TableValue value(int row, int column) const = 0;
    /// Link, rank or instance of the row; -1: none.
    virtual std::int64_t id(int row) const = 0;
    virtual int dimension(int /*row*/) const { return -1; }  ///< Of a Chip column.
    virtual double share(int /*row*/, int /*column*/) const { return 0; } ///< Of a ShareBar column, 0..1.
    /// What the table leaves out, for people: "busiest 4 096 of 8 192 links"; empty: nothing.
    const QString& note() const { return m_note; }

protected:
    std::vector<TableColumn> m_columns;
    QString m_note;
};

using TableContentPtr = std::shared_ptr<const TableContent>;

/// Rows kept cell by cell.
class StoredTable : public TableContent {
public:
    struct Cell {
        QString text;
        TableValue value;
        double share = 0;
    };
    struct Row {
        std::vector<Cell> cells;
        std::int64_t id = -1;
        int dimension = -1;
    };

    StoredTable(std::vector<TableColumn> columns, QString note = {})
    {
        m_columns = std::move(columns);
        m_note = std::move(note);
    }
    void add(Row row) { m_rows.push_back(std::make_shared<const Row>(std::move(row))); }
    void add(std::shared_ptr<const Row> row) { m_rows.push_back(std::move(row)); }

    int rows() const override { return static_cast<int>(m_rows.size()); }
    QString text(int row, int column) const override { return cell(row, column).text; }
    TableValue value(int row, int column) const override { return cell(row, column).value; }
    std::int64_t id(int row) const override { return m_rows[at(row)]->id; }
    int dimension(int row) const override { return m_rows[at(row)]->dimension; }
    double share(int row, int column) const override { return cell(row, column).share; }

private:
    const Cell& cell(int row, int column) const { return m_rows[at(row)]->cells[at(column)]; }

    std::vector<std::shared_ptr<const Row>> m_rows; // shared: a log that grows copies pointers
};

/// One unit and equal decimals for a whole column.
struct ColumnUnit {
    QString name;
    double divisor = 1;
    int decimals = 0;

    static ColumnUnit ofTime(std::int64_t largestPs, int decimals = 3);
    static ColumnUnit ofBytes(std::int64_t largest, int decimals = 1);
    /// As few decimals, at most three, as show every value exactly.
    static ColumnUnit ofRates(const std::vector<double>& bytesPerSecond);
    static ColumnUnit ofShortTimes(const std::vector<std::int64_t>& ps);

    QString text(double value) const; ///< Without the unit.
    QString title(const QString& what) const { return name.isEmpty() ? what : what + QStringLiteral(", ") + name; }
};

} // namespace fabricscope
