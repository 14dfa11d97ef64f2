#include "core/base/showntext.h"
#include "core/insight/comparetext.h"
#include "core/insight/designset.h"
#include "core/report/runtext.h"
#include "core/report/textcolumns.h"
#include "core/scenario/networkparams.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kMostFields = 20;
constexpr std::size_t kNameColumns = 34;
constexpr std::size_t kFieldColumns = 52;
constexpr std::size_t kValueColumns = 60;

std::string letterOf(std::size_t number)
{
    return std::string(1, DesignSet::letter(number));
}

std::string signedText(const std::optional<std::int64_t>& difference, ResultUnit unit)
{
    if (!difference)
        return "-";
    if (*difference == 0)
        return "0";
    const std::string size = columnText(*difference < 0 ? -*difference : *difference, unit);
    return std::string(*difference < 0 ? "-" : "+") + (unit == ResultUnit::Millionths ? size.substr(0, size.find(' ')) + " pt" : size);
}

std::string headText(const DesignSet& set)
{
    TextColumns table({"", "Design", "Model", "Step time"}, 3);
    for (std::size_t i = 0; i < set.designs.size(); ++i) {
        const RunRecord& record = *set.designs[i].summary.record;
        table.add({letterOf(i), shownText(set.designs[i].name, 40) + (i == set.baseline ? " (baseline)" : ""), std::string(modelName(record.model)) + ' ' + record.version,
                   record.complete ? nsText(record.finish) + " ns" : "never ends"});
    }
    return table.text();
}

std::string cautionLines(const DesignSet& set)
{
    std::string out;
    for (const std::string& caution : cautionsOf(set))
        out += caution + '\n';
    return out.empty() ? out : '\n' + out;
}

std::string columnsText(const DesignSet& set, bool partsOnly)
{
    std::vector<std::string> header{partsOnly ? "Step of the slowest ranks" : "Slowest ranks, fabric"};
    for (std::size_t i = 0; i < set.designs.size(); ++i)
        header.push_back(letterOf(i));
    TextColumns values(header);
    std::vector<std::string> changes{"Change against " + letterOf(set.baseline)};
    for (const DesignPath& path : set.paths)
        changes.push_back(letterOf(path.to));
    TextColumns differences(changes);
    for (const ResultColumnRow& row : set.columns) {
        if (partsOnly && row.kind > ResultColumnRow::Kind::StepTime)
            continue;
        const std::string name = shownText(rowName(row), kNameColumns);
        std::vector<std::string> cells{name};
        for (const auto& value : row.values)
            cells.push_back(columnText(value, row.unit));
        values.add(cells);
        cells = {name};
        for (const DesignPath& path : set.paths)
            cells.push_back(signedText(row.difference(set.baseline, path.to), row.unit));
        differences.add(cells);
    }
    return values.text() + '\n' + differences.text();
}

/// One line for all designs that have the value of this one, at the first of them.
std::string valueLine(const std::vector<std::string>& values, std::size_t number)
{
    if (std::find(values.begin(), values.end(), values[number]) != values.begin() + static_cast<std::ptrdiff_t>(number))
        return {};
    std::string letters;
    for (std::size_t i = number; i < values.size(); ++i)
        letters += values[i] == values[number] ? (letters.empty() ? "" : ", ") + letterOf(i) : "";
    return "    " + letters + "  " + (values[number].empty() ? "(not there)" : shownText(values[number], kValueColumns)) + '\n';
}

std::string fieldsText(const DesignSet& set)
{
    const std::vector<FieldColumns>& rows = set.fields;
    if (rows.empty())
        return "\nThe designs do not differ in any field.\n";
    std::string out = "\nFields that differ\n";
    for (std::size_t r = 0; r < std::min(rows.size(), kMostFields); ++r) {
        out += "  " + shownText(rows[r].field, kFieldColumns) + '\n';
        for (std::size_t i = 0; i < rows[r].values.size(); ++i)
            out += valueLine(rows[r].values, i);
    }
    if (rows.size() > kMostFields)
        out += "  and " + std::to_string(rows.size() - kMostFields) + " more (--json lists all)\n";
    return out;
}

std::string waterfallText(const DesignSet& set, const DesignPath& path)
{
    const Waterfall& made = *path.waterfall;
    TextColumns table({"", "difference", "change", "time then"}, 2);
    table.add({"", letterOf(set.baseline), "", nsText(made.a) + " ns"});
    std::size_t number = 0;
    for (const WaterfallItem& item : made.items)
        table.add({std::to_string(++number), shownText(path.changes.rows()[item.change].field, kFieldColumns), item.apart ? signedNs(item.delta()) : "with the next",
                   nsText(item.to) + " ns"});
    table.add({"", letterOf(path.to) + ", sum", signedNs(made.b - made.a), nsText(made.b) + " ns"});
    return "\nFrom " + letterOf(set.baseline) + " to " + letterOf(path.to) + ", "
        + (made.mean ? "mean of each difference over " + std::to_string(made.mean.orders) + " orders" : std::string("one difference carried over after the other")) + ":\n" + table.text();
}

} // namespace

std::vector<std::string> cautionsOf(const DesignSet& set)
{
    std::vector<std::string> out;
    for (const DesignPath& path : set.paths) {
        const std::string pair = letterOf(set.baseline) + " and " + letterOf(path.to);
        if (path.changes.hasOtherWorkload())
            out.push_back(pair + " run different workloads.");
        if (path.changes.hasOtherModel())
            out.push_back(pair + " are of different models.");
        const ComparedDesign& from = set.designs[set.baseline];
        const ComparedDesign& to = set.designs[path.to];
        if (from.summary.seed != to.summary.seed && drawsAtRandom(from.scenario.get()) && drawsAtRandom(to.scenario.get()))
            out.push_back(pair + " were run with different seeds; the designs between them with that of " + letterOf(path.to) + '.');
        if (const std::string same = notDistinguishable(from.summary, to.summary); !same.empty())
            out.push_back(pair + " are " + same + '.');
    }
    return out;
}

std::string columnText(const std::optional<std::int64_t>& value, ResultUnit unit)
{
    if (!value)
        return "-";
    switch (unit) {
    case ResultUnit::Picoseconds: return *value == 0 ? "0" : showTime({*value});
    case ResultUnit::Bytes: return showBytes({*value});
    case ResultUnit::Millionths: break;
    }
    constexpr std::int64_t kMillion = 1'000'000;
    return percentText(*value, 1, kMillion);
}

std::string namedByFile(const RunSummary& summary)
{
    const std::string file = summary.designFile.substr(summary.designFile.rfind('/') + 1);
    if (summary.name.empty() || file.empty())
        return summary.name + file;
    return summary.name + " (" + file + ')';
}

std::string nameOf(const DesignSet& set, std::size_t number)
{
    constexpr std::size_t kMostOfName = 60;
    const std::string name = namedByFile(set.designs[number].summary);
    return shownText(name.empty() ? set.designs[number].name : name, kMostOfName);
}

std::string partsText(const DesignSet& set)
{
    return cautionLines(set) + '\n' + columnsText(set, true);
}

std::string waterfallsText(const DesignSet& set)
{
    std::string out;
    for (const DesignPath& path : set.paths) {
        if (path.waterfall && !path.waterfall->items.empty())
            out += waterfallText(set, path);
    }
    return out;
}

std::string designSetText(const DesignSet& set)
{
    return headText(set) + cautionLines(set) + '\n' + columnsText(set, false) + fieldsText(set) + waterfallsText(set);
}

} // namespace fabricscope
