#include "core/base/files/contentdigest.h"
#include "core/base/stop.h"
#include "core/design/file/sectiontree.h"
#include "core/workload/goalreader.h"

#include <filesystem>
#include <set>

namespace fabricscope {

namespace {

/// Content of one file for the hash; a missing file counts as missing, so that its appearing changes the hash.
std::string contentMark(const std::string& role, const std::string& path, const std::stop_token& stop)
{
    const auto content = digestOfFile(path, stop);
    checkStop(stop);
    return role + ' ' + (content ? content.value().digest.hex() + ' ' + std::to_string(content.value().bytes) : std::string("absent")) + '\n';
}

bool exists(const std::string& path)
{
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// PREFIX.RANK.et of ranks 0..count-1; stops at the first gap.
std::string rankFiles(const std::string& role, const std::string& prefix, std::int64_t count, const std::stop_token& stop)
{
    std::string marks;
    for (std::int64_t rank = 0; rank < count; ++rank) {
        std::string path;
        for (const char* suffix : {".et", ".json", ".et.gz"}) {
            path = prefix + '.' + std::to_string(rank) + suffix;
            if (exists(path))
                break;
            path.clear();
        }
        if (path.empty())
            return marks + role + ' ' + std::to_string(rank) + " absent\n";
        marks += contentMark(role + ' ' + std::to_string(rank), path, stop);
    }
    return marks;
}

std::int64_t rankCount(const Design& design)
{
    std::int64_t ranks = 0;
    for (const Placement::Job& job : design.jobs)
        ranks += job.ranks;
    if (ranks > 0 || !design.platform)
        return std::min(ranks, kMaxNpus);
    ranks = design.platform->dimensions.empty() ? 0 : 1;
    for (const Dimension& dimension : design.platform->dimensions)
        ranks = std::min(kMaxNpus, ranks * std::max(dimension.size, 1));
    ranks += design.platform->nodes.count(NodeKind::Npu);
    return std::min(ranks, kMaxNpus);
}

std::string customFiles(const AstraSystem& system, const std::stop_token& stop)
{
    std::set<std::string> prefixes(system.custom.begin(), system.custom.end());
    for (const auto& [node, prefix] : system.perNodeCustom)
        prefixes.insert(prefix);
    prefixes.erase("");
    std::string marks;
    std::size_t number = 0;
    for (const std::string& prefix : prefixes) {
        const std::string beside = (std::filesystem::path(system.file).parent_path() / prefix).string();
        marks += rankFiles("custom " + std::to_string(number++), exists(beside + ".0.et") ? beside : prefix, kMaxNpus, stop);
    }
    return marks;
}

/// Content of every program and script the design names, in the order of the canonical form.
std::string programFiles(const Design& design, const std::stop_token& stop)
{
    std::string marks;
    std::size_t number = 0;
    const auto add = [&](const ProgramSource& source) {
        if (!source.hasFile())
            return;
        const std::string path = design.resolve(source.text);
        const std::string role = "program " + std::to_string(number++);
        marks += source.kind == ProgramSource::Kind::Script || exists(path) ? contentMark(role, path, stop) : rankFiles(role, path, kMaxNpus, stop);
    };
    const auto addAll = [&](const ProgramChoice& choice) {
        for (const ProgramSource& source : choice.program)
            add(source);
        for (const ProgramSource& source : choice.candidates)
            add(source);
    };
    addAll(design.collectives.defaults.program);
    for (const CollectiveRule& rule : design.collectives.rules)
        addAll(rule.program);
    return marks;
}

/// Block style for the outer levels, one line for what is small.
void writeBlock(const YamlNode& node, std::size_t indent, std::string& out, const std::stop_token& stop)
{
    constexpr std::size_t kWidth = 120;
    const auto isLine = [&](const YamlNode& value, std::size_t used) {
        if (!value.isSequence() && !value.isMap())
            return true;
        const auto leaf = [](const YamlNode& child) { return child.isScalar(); };
        const bool flat = std::all_of(value.items.begin(), value.items.end(), leaf)
            && std::all_of(value.entries.begin(), value.entries.end(), [&](const YamlEntry& entry) { return leaf(entry.value) || entry.value.isSequence(); });
        return flat && indent > 0 && (value.items.size() + value.entries.size() == 0 || used + renderYaml(value, true, stop).size() <= kWidth || value.isSequence());
    };
    const std::string space(indent, ' ');
    for (const YamlEntry& entry : node.entries) {
        const std::string key = renderYaml(YamlNode::scalar(entry.key), false);
        if (isLine(entry.value, indent + key.size() + 2)) {
            out += space + key + ": " + renderYaml(entry.value, false, stop) + '\n';
        } else {
            out += space + key + ":\n";
            writeBlock(entry.value, indent + 2, out, stop);
        }
    }
    for (const YamlNode& item : node.items) {
        if (isLine(item, indent + 2) || item.isSequence()) {
            out += space + "- " + renderYaml(item, false, stop) + '\n';
            continue;
        }
        std::string inner;
        writeBlock(item, indent + 2, inner, stop);
        inner[indent] = '-';
        out += inner;
    }
}

} // namespace

std::string writeDesign(const Design& design, const std::stop_token& stop)
{
    std::string text;
    writeBlock(designTree(design, DesignForm::File, stop), 0, text, stop);
    return text;
}

Digest designHash(const Design& design, const std::stop_token& stop)
{
    std::string text = renderYaml(designTree(design, DesignForm::Canonical, stop), true, stop) + '\n';
    for (const std::string& file : design.files)
        text += contentMark("file", file, stop);
    if (design.astra)
        text += customFiles(*design.astra, stop);
    text += programFiles(design, stop);
    const auto addTrace = [&](const auto& spec, std::int64_t ranks) {
        const auto* trace = std::get_if<TraceWorkload>(&spec);
        if (!trace)
            return;
        const std::string path = design.resolve(trace->prefix);
        text += isGoalFile(path) ? contentMark("schedule", path, stop) : rankFiles("rank", path, ranks, stop);
        if (!trace->commGroups.empty())
            text += contentMark("groups", design.resolve(trace->commGroups), stop);
    };
    if (design.workload)
        addTrace(*design.workload, rankCount(design));
    const auto* several = design.workload ? std::get_if<JobsWorkload>(design.workload.get()) : nullptr;
    for (std::size_t j = 0; several && j < several->jobs.size(); ++j)
        addTrace(several->jobs[j].runs, j < design.jobs.size() ? std::min<std::int64_t>(design.jobs[j].ranks, kMaxNpus) : 0);
    return digestOf(text);
}

} // namespace fabricscope
