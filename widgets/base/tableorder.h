#pragma once

#include "core/base/result.h"
#include "widgets/base/tablecontent.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Rows of a content in the order in which a table shows them.
using TableOrder = std::shared_ptr<const std::vector<int>>;

/// What is shown and how it is sorted.
struct TableQuery {
    QString filter;      ///< Words; a row is shown when every word stands in one of its cells (case and thin spaces ignored).
    int sortColumn = -1; ///< -1: as they come.
    Qt::SortOrder sortOrder = Qt::AscendingOrder;
};

/// Rows that pass the filter, sorted; equal ones as they come. Null when stopped. Any thread. O(rows log rows + cells read).
TableOrder orderRows(const TableContent& content, const TableQuery& query, std::stop_token stop = {});

/// Exact values with a header line, cells (tabCell) separated by tabs, lines by '\n'. Any thread.
QString tabSeparated(const TableContent& content, const std::vector<int>& rows, const std::vector<int>& columns);

/// The same for all columns as CSV (RFC 4180, CRLF, UTF-8) into a file that is written whole or not at all. `order` null: all rows.
/// Errors: NotWritable. Any thread.
Status writeCsv(const TableContent& content, const TableOrder& order, const QString& path);

} // namespace fabricscope
