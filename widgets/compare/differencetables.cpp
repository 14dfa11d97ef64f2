#include "widgets/compare/differencetables.h"

#include "core/insight/designset.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/compare/letters.h"

#include <QCoreApplication>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

namespace fabricscope::comparing {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope::comparing", text);
}

QString valueText(const std::optional<std::int64_t>& value, ResultUnit unit)
{
    if (!value)
        return QStringLiteral("\u2013");
    const QString sign = *value < 0 ? QString(QChar(0x2212)) : QString();
    const std::int64_t size = std::abs(*value);
    constexpr double kMillion = 1e6;
    switch (unit) {
    case ResultUnit::Picoseconds: return *value == 0 ? QStringLiteral("0") : sign + texts::time({size});
    case ResultUnit::Bytes: return *value == 0 ? QStringLiteral("0") : sign + texts::bytes(size);
    case ResultUnit::Millionths: break;
    }
    return sign + texts::percent(static_cast<double>(size) / kMillion);
}

/// A change of a share is in points.
StoredTable::Cell changeOf(const std::optional<std::int64_t>& value, ResultUnit unit)
{
    constexpr double kPoint = 1e4;
    QString text = valueText(value, unit);
    if (value && unit == ResultUnit::Millionths)
        text = (*value < 0 ? QString(QChar(0x2212)) : QString()) + texts::number(static_cast<double>(std::abs(*value)) / kPoint, 1) + QChar(0x202F) + QCoreApplication::translate("fabricscope::comparing", "pt");
    return {text, value ? TableValue(*value) : TableValue(), 0};
}

StoredTable::Cell cellOf(const std::optional<std::int64_t>& value, ResultUnit unit)
{
    return {valueText(value, unit), value ? TableValue(*value) : TableValue(), 0};
}

} // namespace

std::shared_ptr<StoredTable> figureTable(const DesignSet& set)
{
    std::vector<TableColumn> columns{{tr("Figure"), tr("Figure"), TableColumn::Look::Text}};
    for (std::size_t i = 0; i < set.designs.size(); ++i)
        columns.push_back({letter(i), tr("%1 [ps, bytes or millionths]").arg(letter(i)), TableColumn::Look::Number});
    const QString base = letter(set.baseline);
    for (const DesignPath& path : set.paths) {
        const QString title = tr("%1 \u2212 %2").arg(letter(path.to), base);
        columns.push_back({title, title, TableColumn::Look::Number});
    }
    auto content = std::make_shared<StoredTable>(std::move(columns));
    for (const ResultColumnRow& row : set.columns) {
        StoredTable::Row line;
        const QString name = rowText(row);
        line.cells.push_back({name, name, 0});
        for (const auto& value : row.values)
            line.cells.push_back(cellOf(value, row.unit));
        for (const DesignPath& path : set.paths)
            line.cells.push_back(changeOf(row.difference(set.baseline, path.to), row.unit));
        line.id = content->rows();
        content->add(std::move(line));
    }
    return content;
}

std::shared_ptr<StoredTable> fieldTable(const DesignSet& set)
{
    std::vector<TableColumn> columns{{tr("Field"), tr("Field"), TableColumn::Look::Text}};
    for (std::size_t i = 0; i < set.designs.size(); ++i)
        columns.push_back({letter(i), letter(i), TableColumn::Look::Text});
    auto content = std::make_shared<StoredTable>(std::move(columns));
    for (const FieldColumns& field : set.fields) {
        StoredTable::Row line;
        const QString name = texts::shown(field.field);
        line.cells.push_back({name, name, 0});
        for (const std::string& value : field.values) {
            const QString text = value.empty() ? QStringLiteral("\u2013") : texts::shown(value);
            line.cells.push_back({text, text, 0});
        }
        line.id = content->rows();
        content->add(std::move(line));
    }
    return content;
}

} // namespace fabricscope::comparing
