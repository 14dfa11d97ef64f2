#include "widgets/base/tableorder.h"

#include "core/base/csvtext.h"
#include "core/base/index.h"
#include "core/report/outputfile.h"
#include "widgets/base/files/savetarget.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kStopEvery = 4096; ///< Rows between looks at the stop token.

QString folded(const QString& text)
{
    QString result = text.toCaseFolded();
    result.remove(QChar(0x202F));
    return result;
}

bool passes(const TableContent& content, int row, const QStringList& words)
{
    if (words.isEmpty())
        return true;
    QStringList missing = words;
    const int columns = static_cast<int>(content.columns().size());
    for (int column = 0; column < columns && !missing.isEmpty(); ++column) {
        const QString cell = folded(content.text(row, column));
        missing.removeIf([&cell](const QString& word) { return cell.contains(word); });
    }
    return missing.isEmpty();
}

/// `cell` of a text; numbers as they are: a minus sign of theirs is no formula.
std::string cellText(const TableValue& value, std::string (*cell)(std::string_view))
{
    const std::string text = exportText(value).toStdString();
    return std::holds_alternative<QString>(value) ? cell(text) : text;
}

} // namespace

TableOrder orderRows(const TableContent& content, const TableQuery& query, std::stop_token stop)
{
    const QStringList words = folded(query.filter).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    auto order = std::make_shared<std::vector<int>>();
    for (int row = 0; row < content.rows(); ++row) {
        if (row % kStopEvery == 0 && stop.stop_requested())
            return nullptr;
        if (passes(content, row, words))
            order->push_back(row);
    }
    if (query.sortColumn < 0 || query.sortColumn >= static_cast<int>(content.columns().size()))
        return order;

    std::vector<TableValue> keys;
    keys.reserve(order->size());
    for (const int row : *order) {
        if (keys.size() % kStopEvery == 0 && stop.stop_requested())
            return nullptr;
        keys.push_back(content.value(row, query.sortColumn));
    }
    std::vector<int> places(order->size());
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = static_cast<int>(i);
    const bool descending = query.sortOrder == Qt::DescendingOrder;
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
        const TableValue& left = keys[at(a)];
        const TableValue& right = keys[at(b)];
        // What is not known stays last either way.
        if (left.index() == 0 || right.index() == 0)
            return left.index() != 0 && right.index() == 0;
        return descending ? compare(left, right) > 0 : compare(left, right) < 0;
    });
    for (int& place : places)
        place = (*order)[at(place)];
    *order = std::move(places);
    return order;
}

QString tabSeparated(const TableContent& content, const std::vector<int>& rows, const std::vector<int>& columns)
{
    QStringList lines;
    QStringList cells;
    for (const int column : columns)
        cells.append(QString::fromStdString(tabCell(content.columns()[at(column)].exportTitle.toStdString())));
    lines.append(cells.join(QLatin1Char('\t')));
    for (const int row : rows) {
        cells.clear();
        for (const int column : columns)
            cells.append(QString::fromStdString(cellText(content.value(row, column), tabCell)));
        lines.append(cells.join(QLatin1Char('\t')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

Status writeCsv(const TableContent& content, const TableOrder& order, const QString& path)
{
    if (Status status = checkSaveTarget(path); !status)
        return status;
    const int columns = static_cast<int>(content.columns().size());
    std::string text;
    const auto endLine = [&text] {
        text.pop_back();
        text += "\r\n";
    };
    for (const TableColumn& column : content.columns())
        text += csvCell(column.exportTitle.toStdString()) + ',';
    endLine();
    const int rows = order ? static_cast<int>(order->size()) : content.rows();
    for (int i = 0; i < rows; ++i) {
        const int row = order ? (*order)[at(i)] : i;
        for (int column = 0; column < columns; ++column)
            text += cellText(content.value(row, column), csvCell) + ',';
        endLine();
    }
    return writeOutputFile(QFile::encodeName(path).toStdString(), text);
}

} // namespace fabricscope
