#include "core/design/edits/missingfigures.h"

#include "core/formats/assumedlinks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace fabricscope {

namespace {

constexpr const char* kRateKey = "bandwidth";
constexpr const char* kLatencyKey = "latency";

/// "host3/gpu12" is alike "host*/gpu*".
std::string withoutNumbers(const std::string& name)
{
    std::string kind;
    for (const char c : name) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!digit)
            kind += c;
        else if (!kind.ends_with('*'))
            kind += '*';
    }
    return kind;
}

void addMissingKey(MissingFigures& row, const char* key)
{
    if (std::ranges::find(row.keys, key) == row.keys.end())
        row.keys.emplace_back(key);
}

/// The row of that kind, made where there is none.
MissingFigures& missingRow(std::vector<MissingFigures>& rows, MissingFigures::Of of, const std::string& kind)
{
    for (MissingFigures& row : rows) {
        if (row.of == of && row.kind == kind)
            return row;
    }
    MissingFigures row;
    row.of = of;
    row.kind = kind;
    rows.push_back(std::move(row));
    return rows.back();
}

void addLinksOfText(std::vector<MissingFigures>& rows, const GraphText& graph)
{
    for (std::size_t i = 0; i < graph.links.size(); ++i) {
        const GraphText::Link& link = graph.links[i];
        if (!link.bandwidth.empty() && !link.latency.empty())
            continue;
        std::string kind = withoutNumbers(link.from) + " to " + withoutNumbers(link.to);
        const bool known = std::ranges::any_of(rows, [&](const MissingFigures& row) { return row.kind == kind; });
        if (!known && rows.size() + 1 >= kMostMissingKinds)
            kind = "all others";
        MissingFigures& row = missingRow(rows, MissingFigures::Of::Links, kind);
        row.links.push_back(i);
        if (link.bandwidth.empty())
            addMissingKey(row, kRateKey);
        if (link.latency.empty())
            addMissingKey(row, kLatencyKey);
    }
    for (MissingFigures& row : rows)
        std::ranges::sort(row.keys); // The rate first.
}

void addTakenText(MissingFigures& row, const std::string& text)
{
    row.taken += (row.taken.empty() ? "" : "; ") + text;
}

/// "LINK (CLASS): 50 GB/s and 500 ns a link" (importer.cpp of InfraGraph). False: it is no such line.
bool addOfInfraGraph(std::vector<MissingFigures>& rows, const std::string& line)
{
    constexpr std::string_view kEnd = " a link";
    for (const LinkMedium medium : {LinkMedium::ScaleUp, LinkMedium::Pcie, LinkMedium::Processor, LinkMedium::Network}) {
        const std::string separator = " (" + std::string(linkMediumName(medium)) + "): ";
        const std::size_t at = line.find(separator);
        if (at == std::string::npos || !line.ends_with(kEnd))
            continue;
        const std::size_t begin = at + separator.size();
        const std::string figures = line.substr(begin, line.size() - kEnd.size() - begin);
        const std::size_t last = figures.rfind(" and ");
        const bool both = last != std::string::npos && parseQuantity(figures.substr(last + 5), Measure::Time);
        MissingFigures& row = missingRow(rows, MissingFigures::Of::File, line.substr(0, at));
        if (both || !parseQuantity(figures, Measure::Time))
            addMissingKey(row, kRateKey);
        if (both || parseQuantity(figures, Measure::Time))
            addMissingKey(row, kLatencyKey);
        addTakenText(row, figures);
        return true;
    }
    return false;
}

/// What stands between two words of a line; nothing: it is no such line.
std::optional<std::string> textBetween(const std::string& line, std::string_view before, std::string_view behind)
{
    if (!line.starts_with(before))
        return std::nullopt;
    const std::size_t end = line.find(behind, before.size());
    return end == std::string::npos ? std::nullopt : std::optional(line.substr(before.size(), end - before.size()));
}

/// Lines of systemtopology.cpp of NCCL. `ways`: kinds of links there are.
void addOfNccl(std::vector<MissingFigures>& rows, const std::string& line, const std::vector<std::string>& ways)
{
    const auto rate = [&](const std::string& kind) {
        MissingFigures& row = missingRow(rows, MissingFigures::Of::File, kind);
        addMissingKey(row, kRateKey);
        addTakenText(row, line);
    };
    if (const auto way = textBetween(line, "a link of kind ", " has a latency of ")) {
        MissingFigures& row = missingRow(rows, MissingFigures::Of::File, *way);
        addMissingKey(row, kLatencyKey);
        addTakenText(row, line);
    } else if (line.starts_with("an NVLink of ")) {
        const bool onSwitch = std::ranges::find(ways, "nvswitch") != ways.end();
        if (onSwitch)
            rate("nvswitch");
        if (!onSwitch || std::ranges::find(ways, "nvlink") != ways.end())
            rate("nvlink");
    } else if (line.starts_with("an xGMI link ")) {
        rate("xgmi");
    } else if (line.starts_with("NUMA domains are joined ")) {
        rate("cpu");
    } else if (line.starts_with("PCI Express links without ")) {
        rate("pcie");
    }
}

void addLinksOfFile(std::vector<MissingFigures>& rows, const Diagnostics& found)
{
    std::vector<std::string> ways;
    for (const Diagnostic& one : found) {
        if (const auto way = one.rule == "assumed" ? textBetween(one.message, "a link of kind ", " has a latency of ") : std::nullopt)
            ways.push_back(*way);
    }
    for (const Diagnostic& one : found) {
        if (one.rule == "assumed") {
            if (!addOfInfraGraph(rows, one.message))
                addOfNccl(rows, one.message, ways);
        } else if (const auto link = textBetween(one.message, "the link ", " has "); link && one.message.find("how many bytes a transfer carries") != std::string::npos) {
            addMissingKey(missingRow(rows, MissingFigures::Of::File, *link), kRateKey);
        }
    }
    for (MissingFigures& row : rows)
        std::ranges::sort(row.keys);
}

void addNpusThatLack(std::vector<MissingFigures>& rows, const YamlDocument& yaml)
{
    const YamlNode* const npu = yaml.find("platform.npu");
    MissingFigures row;
    row.of = MissingFigures::Of::Npus;
    row.kind = "NPUs";
    for (const char* const key : {"peak", "memory_bandwidth"}) {
        if (!npu || (npu->isMap() && !npu->find(key)))
            row.keys.emplace_back(key);
    }
    if (!row.keys.empty())
        rows.push_back(std::move(row));
}

/// `platform.link_figures` with more in it; keys of it may be anything, so that no path says them.
Status addLinkFigures(YamlDocument& yaml, std::span<const GivenFigures> given)
{
    const YamlNode* const before = yaml.find("platform.link_figures");
    YamlNode all = before && before->isMap() ? *before : YamlNode::map();
    bool changed = false;
    for (const auto& [missing, figures] : given) {
        if (missing.of != MissingFigures::Of::File || figures.empty())
            continue;
        YamlEntry* entry = all.find(missing.kind);
        if (!entry) {
            all.entries.push_back({});
            entry = &all.entries.back();
            entry->key = missing.kind;
        }
        if (!entry->value.isMap())
            entry->value = YamlNode::map();
        for (const auto& [key, value] : figures) {
            if (entry->value.find(key))
                continue;
            YamlEntry figure;
            figure.key = key;
            figure.value = YamlNode::scalar(value.text());
            entry->value.entries.push_back(std::move(figure));
            changed = true;
        }
    }
    return changed ? yaml.set("platform.link_figures", all) : Status();
}

} // namespace

std::vector<MissingFigures> missingFigures(const YamlDocument& yaml, const GraphText& graph, const Diagnostics& found)
{
    std::vector<MissingFigures> rows;
    addLinksOfText(rows, graph);
    if (fabricText(yaml) == FabricText::Other)
        addLinksOfFile(rows, found);
    if (!rows.empty())
        addNpusThatLack(rows, yaml);
    return rows;
}

Measure measureOfFigure(const std::string& key)
{
    return key == kLatencyKey ? Measure::Time : key == "peak" ? Measure::ComputeRate : Measure::Bandwidth;
}

Status edits::completeFigures(YamlDocument& yaml, std::span<const GivenFigures> given)
{
    const GraphText graph = graphText(yaml);
    std::vector<LinkFigures> links;
    for (const auto& [missing, figures] : given) {
        const auto rate = figures.find(kRateKey);
        const auto latency = figures.find(kLatencyKey);
        for (const std::size_t number : missing.links) {
            LinkFigures item{number};
            if (number >= graph.links.size())
                continue;
            if (rate != figures.end() && graph.links[number].bandwidth.empty())
                item.bandwidth = rate->second;
            if (latency != figures.end() && graph.links[number].latency.empty())
                item.latency = latency->second;
            if (item.bandwidth || item.latency)
                links.push_back(std::move(item));
        }
    }
    YamlDocument edited = yaml;
    if (Status status = links.empty() ? Status() : setLinkFigures(edited, links); !status)
        return status;
    if (Status status = addLinkFigures(edited, given); !status)
        return status;
    for (const auto& [missing, figures] : given) {
        for (const auto& [key, value] : figures) {
            if (missing.of != MissingFigures::Of::Npus)
                continue;
            if (Status status = edited.set("platform.npu." + key, value.text()); !status)
                return status;
        }
    }
    yaml = std::move(edited);
    return {};
}

} // namespace fabricscope
