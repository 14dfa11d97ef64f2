#include "core/insight/difference.h"

#include "core/base/stop.h"
#include "core/design/file/sectiontree.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// The row of every stretch of ranks, ascending.
struct Stretch {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::size_t row = 0;
};

std::vector<Stretch> stretches(const std::vector<RankClass>& rows)
{
    std::vector<Stretch> result;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (const RankSet::Interval& interval : rows[row].ranks.intervals())
            result.push_back({interval.first, interval.last, row});
    }
    std::sort(result.begin(), result.end(), [](const Stretch& a, const Stretch& b) { return a.first < b.first; });
    return result;
}

std::vector<ClassDifference> classDifferences(const RunRecord& a, const RunRecord& b)
{
    const std::vector<RankClass> rowsA = resultRows(a);
    const std::vector<RankClass> rowsB = resultRows(b);
    const std::vector<Stretch> inA = stretches(rowsA);
    const std::vector<Stretch> inB = stretches(rowsB);
    constexpr auto kNobody = static_cast<std::size_t>(-1);
    std::map<std::pair<std::size_t, std::size_t>, RankSet> common;
    std::size_t i = 0;
    std::size_t k = 0;
    std::int64_t rank = 0;
    while (i < inA.size() || k < inB.size()) {
        const bool here = i < inA.size() && inA[i].first <= rank;
        const bool there = k < inB.size() && inB[k].first <= rank;
        std::int64_t until = INT64_MAX; // Last rank for which nothing changes.
        if (i < inA.size())
            until = std::min(until, here ? inA[i].last : inA[i].first - 1);
        if (k < inB.size())
            until = std::min(until, there ? inB[k].last : inB[k].first - 1);
        if (here || there) {
            RankSet& set = common[{here ? inA[i].row : kNobody, there ? inB[k].row : kNobody}];
            for (; rank <= until; ++rank)
                set.add(rank);
        }
        rank = until + 1;
        if (here && inA[i].last < rank)
            ++i;
        if (there && inB[k].last < rank)
            ++k;
    }
    std::vector<ClassDifference> result;
    for (auto& [rows, ranks] : common) {
        ClassDifference entry;
        entry.ranks = std::move(ranks);
        if (rows.first != kNobody)
            entry.a = rowsA[rows.first].times;
        if (rows.second != kNobody)
            entry.b = rowsB[rows.second].times;
        result.push_back(std::move(entry));
    }
    std::sort(result.begin(), result.end(), [](const ClassDifference& x, const ClassDifference& y) {
        return x.ranks.intervals().front().first < y.ranks.intervals().front().first;
    });
    return result;
}

/// Algorithms as a design says them: the canonical form keeps their first names, for its hashes.
void nameAlgorithms(YamlNode& node)
{
    for (YamlNode& item : node.items)
        nameAlgorithms(item);
    if (node.isScalar())
        node.text = node.text == "auto" ? "standard" : node.text == "simulated" ? "auto" : node.text;
}

/// Every leaf of a tree with its path.
void flatten(const YamlNode& node, YamlPath& path, std::vector<std::pair<std::string, std::string>>& leaves, const std::stop_token& stop)
{
    checkStop(stop);
    if (node.isMap() && !node.entries.empty()) {
        for (const YamlEntry& entry : node.entries) {
            path.push_back(entry.key);
            flatten(entry.value, path, leaves, stop);
            path.pop_back();
        }
    } else if (node.isSequence() && std::any_of(node.items.begin(), node.items.end(), [](const YamlNode& item) { return item.isMap(); })) {
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            path.push_back(std::to_string(i));
            flatten(node.items[i], path, leaves, stop);
            path.pop_back();
        }
    } else if (!path.empty() && path.back() == "algorithm") {
        YamlNode named = node;
        nameAlgorithms(named);
        leaves.emplace_back(yamlPathText(path), renderYaml(named, true));
    } else {
        leaves.emplace_back(yamlPathText(path), renderYaml(node, true));
    }
}

} // namespace

double RunDifference::relative() const
{
    return finishA.ps > 0 ? static_cast<double>(delta().ps) / static_cast<double>(finishA.ps) : 0.0;
}

RunDifference differenceOf(const RunRecord& a, const RunRecord& b)
{
    RunDifference difference;
    difference.finishA = a.finish;
    difference.finishB = b.finish;
    difference.completeA = a.complete;
    difference.completeB = b.complete;
    for (std::size_t d = 0; d < std::max(a.dimensions.size(), b.dimensions.size()); ++d) {
        DimensionDifference entry;
        if (d < a.dimensions.size()) {
            entry.nameA = a.dimensions[d].name;
            entry.busyShareA = a.dimensions[d].busyShare(a.finish);
            entry.bytesA = a.dimensions[d].bytes;
        }
        if (d < b.dimensions.size()) {
            entry.nameB = b.dimensions[d].name;
            entry.busyShareB = b.dimensions[d].busyShare(b.finish);
            entry.bytesB = b.dimensions[d].bytes;
        }
        difference.dimensions.push_back(std::move(entry));
    }
    difference.classes = classDifferences(a, b);
    return difference;
}

std::vector<FieldDifference> differingFields(const Design& a, const Design& b, const std::stop_token& stop)
{
    std::vector<std::pair<std::string, std::string>> inA;
    std::vector<std::pair<std::string, std::string>> inB;
    YamlPath path;
    flatten(designTree(a, DesignForm::Canonical, stop), path, inA, stop);
    flatten(designTree(b, DesignForm::Canonical, stop), path, inB, stop);
    const std::map<std::string, std::string> valuesA(inA.begin(), inA.end());
    const std::map<std::string, std::string> valuesB(inB.begin(), inB.end());
    std::vector<FieldDifference> result;
    for (const auto& [field, value] : inA) {
        const auto other = valuesB.find(field);
        if (other == valuesB.end() || other->second != value)
            result.push_back({field, value, other == valuesB.end() ? std::string() : other->second});
    }
    for (const auto& [field, value] : inB) {
        if (!valuesA.contains(field))
            result.push_back({field, {}, value});
    }
    return result;
}

} // namespace fabricscope
