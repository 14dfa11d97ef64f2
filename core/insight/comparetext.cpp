#include "core/insight/comparetext.h"

#include "core/base/decimal.h"
#include "core/base/showntext.h"
#include "core/report/runtext.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kShownClasses = 12;
constexpr std::size_t kShownFields = 40;

/// Columns of a text that shownText() made: characters, not bytes.
std::size_t columns(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string left(const std::string& text, std::size_t width)
{
    const std::string shown = shownText(text); // Names may hold anything, also ends of lines.
    return shown + std::string(width - std::min(width, columns(shown)), ' ');
}

std::string right(const std::string& text, std::size_t width)
{
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// Cuts a text that would not fit.
std::string fitted(const std::string& text, std::size_t width)
{
    return shownText(text, width);
}

/// Lines of at most kColumns, later ones set in as far as the first begins.
std::string wrapped(const std::string& head, const std::string& raw)
{
    const std::string text = shownText(raw);
    const std::string pad(columns(head), ' ');
    std::string out;
    std::string line = head;
    bool empty = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (!empty && line.size() + 1 + word.size() > kColumns) {
            out += line + '\n';
            line = pad;
            empty = true;
        }
        line += (empty ? "" : " ") + word;
        empty = false;
        at = end + 1;
    }
    return out + line + '\n';
}

std::string finishText(bool complete, SimTime finish)
{
    return complete ? showTime(finish) : "never";
}

std::string exactText(SimTime time)
{
    return showTime(time) + "  (" + nsText(time) + " ns)";
}

std::string shareText1(const std::optional<double>& share)
{
    if (!share)
        return "-";
    return percentText(static_cast<std::int64_t>(*share * 1e6 + 0.5), 1, 1'000'000);
}

/// "dimension 0, Ring(8)" is enough where both agree.
std::string dimensionName(const DimensionDifference& entry)
{
    if (entry.nameA == entry.nameB || entry.nameB.empty())
        return entry.nameA;
    if (entry.nameA.empty())
        return entry.nameB;
    // "dimension 0, Switch(8) | Ring(4)": the number once.
    const std::size_t comma = entry.nameA.find(", ");
    const bool sameNumber = comma != std::string::npos && entry.nameB.compare(0, comma, entry.nameA, 0, comma) == 0 && entry.nameB.size() > comma + 2;
    return entry.nameA + " | " + (sameNumber ? entry.nameB.substr(comma + 2) : entry.nameB);
}

} // namespace

std::string signedNs(SimTime delta)
{
    return std::string(delta.ps > 0 ? "+" : "") + nsText(delta) + " ns";
}

std::string deltaText(SimTime delta)
{
    if (delta.ps == 0)
        return "0";
    return std::string(delta.ps > 0 ? "+" : "") + showTime(delta);
}

std::string relativeText(SimTime part, SimTime whole)
{
    if (whole.ps <= 0)
        return {};
    const std::string share = percentText(part.ps < 0 ? -part.ps : part.ps, 1, whole.ps);
    return (part.ps < 0 ? "-" : "+") + share;
}

std::string reconciliationText(const Reconciliation& result)
{
    const RunRecord& a = result.a->record();
    const RunRecord& b = result.b->record();
    std::string out;
    if (!result.a->summary.name.empty())
        out += left("Design", 16) + fitted(result.a->summary.name, kColumns - 16) + '\n';
    if (!result.a->summary.workload.empty())
        out += left("Workload", 16) + fitted(result.a->summary.workload, kColumns - 16) + '\n';
    out += left(std::string(modelName(result.modelA)), 16) + exactText(a.finish) + '\n';
    out += left(std::string(modelName(result.modelB)), 16) + exactText(b.finish) + '\n';
    out += left("Difference", 16) + deltaText(result.difference()) + "  (" + signedNs(result.difference()) + ", "
        + relativeText(result.difference(), a.finish) + ")\n";
    if (result.items.empty())
        return out + "\nBoth are the same model.\n";

    out += "\nFrom " + std::string(modelName(result.modelA)) + " to " + std::string(modelName(result.modelB))
        + ", one rule switched after the other, in this order:\n";
    std::size_t name = 0;
    for (const ReconcileItem& item : result.items)
        name = std::max(name, columns(shownText(item.name)));
    const auto row = [&](const std::string& number, const std::string& text, const std::string& delta, const std::string& after) {
        std::string line = right(number, 4) + "  " + left(text, name) + right(delta, 22) + right(after, 24);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    };
    row("", "rule", "difference", "time then");
    row("", std::string(modelName(result.modelA)), "", nsText(a.finish) + " ns");
    std::size_t number = 0;
    for (const ReconcileItem& item : result.items)
        row(std::to_string(++number), item.name, item.apart ? signedNs(item.delta()) : "not apart", nsText(item.to) + " ns");
    row("", "sum", signedNs(result.difference()), nsText(b.finish) + " ns");

    out += "\nWhat the rules say\n";
    number = 0;
    for (const ReconcileItem& item : result.items)
        out += wrapped(right(std::to_string(++number), 4) + "  ", item.explanation + '.');
    return out;
}

std::string comparisonText(const DesignComparison& comparison)
{
    const RunDifference& difference = comparison.difference;
    const RunRecord& a = *comparison.a.record;
    const RunRecord& b = *comparison.b.record;
    std::string out;
    const auto head = [&](const char* letter, const std::string& name, const RunRecord& record) {
        const std::string model = std::string(modelName(record.model)) + ' ' + record.version;
        out += left(letter, 3) + left(fitted(name, 44), 46) + left(model, 24) + (record.complete ? nsText(record.finish) + " ns" : "never ends") + '\n';
    };
    head("A", comparison.nameA, a);
    head("B", comparison.nameB, b);
    const bool both = difference.completeA && difference.completeB;
    out += '\n' + left("", 38) + right("A", 15) + right("B", 15) + right("B - A", 17) + '\n';
    const auto row = [&](const std::string& name, const std::string& one, const std::string& two, const std::string& delta, const std::string& relative) {
        std::string line = left(fitted(name, 37), 38) + right(one, 15) + right(two, 15) + right(delta, 17) + right(relative, 12);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    };
    row("Step time", finishText(difference.completeA, a.finish), finishText(difference.completeB, b.finish), both ? deltaText(difference.delta()) : "",
        both ? relativeText(difference.delta(), a.finish) : "");
    out += "\nBusy share of the links\n";
    for (const DimensionDifference& entry : difference.dimensions) {
        std::string delta;
        if (entry.busyShareA && entry.busyShareB) {
            const auto tenths = static_cast<std::int64_t>((*entry.busyShareB - *entry.busyShareA) * 1000 + (*entry.busyShareB >= *entry.busyShareA ? 0.5 : -0.5));
            delta = (tenths > 0 ? "+" : "") + fixedDecimal(tenths, 1) + " points";
        }
        row("  " + dimensionName(entry), shareText1(entry.busyShareA), shareText1(entry.busyShareB), delta, "");
    }
    out += "\nFinish of the ranks, most different first\n";
    std::vector<const ClassDifference*> classes;
    for (const ClassDifference& entry : difference.classes)
        classes.push_back(&entry);
    const auto size = [](const ClassDifference* entry) {
        return entry->a && entry->b ? std::abs(entry->b->finish.ps - entry->a->finish.ps) : INT64_MAX;
    };
    std::stable_sort(classes.begin(), classes.end(), [&](const ClassDifference* x, const ClassDifference* y) { return size(x) > size(y); });
    for (std::size_t i = 0; i < std::min(classes.size(), kShownClasses); ++i) {
        const ClassDifference& entry = *classes[i];
        const bool comparable = entry.a && entry.b && entry.a->finished && entry.b->finished;
        const SimTime delta = comparable ? entry.b->finish - entry.a->finish : SimTime{};
        row("  " + ranksText(entry.ranks), entry.a ? finishText(entry.a->finished, entry.a->finish) : "-",
            entry.b ? finishText(entry.b->finished, entry.b->finish) : "-", comparable ? deltaText(delta) : "",
            comparable ? relativeText(delta, entry.a->finish) : "");
    }
    if (classes.size() > kShownClasses)
        out += "  and " + std::to_string(classes.size() - kShownClasses) + " more classes of ranks (--json lists all)\n";

    out += comparison.fields.empty() ? "\nThe designs do not differ in any field.\n" : "\nFields that differ\n";
    for (std::size_t i = 0; i < std::min(comparison.fields.size(), kShownFields); ++i) {
        const FieldDifference& field = comparison.fields[i];
        out += wrapped("  ", field.field + ": " + fitted(field.a.empty() ? "(not there)" : field.a, 60) + " -> "
                                 + fitted(field.b.empty() ? "(not there)" : field.b, 60));
    }
    if (comparison.fields.size() > kShownFields)
        out += "  and " + std::to_string(comparison.fields.size() - kShownFields) + " more (--json lists all)\n";
    return comparison.set ? out + partsText(*comparison.set) + waterfallsText(*comparison.set) : out;
}

} // namespace fabricscope
