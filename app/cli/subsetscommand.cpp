// fabricscope-cli subsets: what packed trees and what rings reach on every subset of a machine's NPUs.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/base/quantity.h"
#include "core/design/file/readdesign.h"
#include "core/design/design.h"
#include "core/platform/platform.h"
#include "core/report/jsonwriter.h"
#include "core/synthesis/subsets.h"

#include <cmath>
#include <memory>
#include <numeric>

namespace fabricscope::cli {

namespace {

struct SubsetFlags {
    std::string file;
    std::string fallback = "12 GB/s";
    bool json = false;
};

std::string ranksText(const std::vector<std::int32_t>& ranks)
{
    std::string out;
    for (const std::int32_t rank : ranks)
        out += (out.empty() ? "" : "-") + std::to_string(rank);
    return out;
}

std::string cell(std::string text, std::size_t width)
{
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::vector<double> broadcastSpeedUps(const std::vector<SubsetRates>& rows)
{
    std::vector<double> out;
    for (const SubsetRates& row : rows)
        out.push_back(row.broadcastSpeedUp());
    return out;
}

std::vector<double> allReduceSpeedUps(const std::vector<SubsetRates>& rows)
{
    std::vector<double> out;
    for (const SubsetRates& row : rows)
        out.push_back(row.allReduceSpeedUp());
    return out;
}

std::string table(const std::vector<SubsetRates>& rows, const std::string& fallback)
{
    std::string out = "Pipelined rates in GB/s over direct links; without a ring of direct links, one ring at " + fallback + ".\n\n"
                      "NPUs               alike  rings | broadcast: rings   trees  speed-up | all_reduce: rings   trees  speed-up\n";
    for (const SubsetRates& row : rows) {
        std::string name = ranksText(row.ranks);
        name.resize(std::max<std::size_t>(name.size(), 17), ' ');
        out += name + cell(std::to_string(row.alike), 7) + cell(std::to_string(row.rings), 7) + " | " + cell(withDecimals(row.ringBroadcast / 1e9, 2), 16)
            + cell(withDecimals(row.treeBroadcast / 1e9, 2), 8) + cell(withDecimals(row.broadcastSpeedUp(), 2), 10) + " | " + cell(withDecimals(row.ringAllReduce / 1e9, 2), 17)
            + cell(withDecimals(row.treeAllReduce / 1e9, 2), 8) + cell(withDecimals(row.allReduceSpeedUp(), 2), 10) + '\n';
    }
    const auto line = [](const std::string& name, const SpeedUps& all) {
        return name + withDecimals(all.least, 2) + " at least, " + withDecimals(all.geometricMean, 2) + " geometric mean, " + withDecimals(all.most, 2) + " at most\n";
    };
    out += '\n' + std::to_string(rows.size()) + " classes of subsets. Speed-up of trees over rings:\n";
    out += line("  broadcast   ", speedUps(broadcastSpeedUps(rows)));
    out += line("  all_reduce  ", speedUps(allReduceSpeedUps(rows)));
    return out;
}

std::string json(const std::vector<SubsetRates>& rows)
{
    JsonWriter out;
    const auto rate = [&](std::string_view key, double bytesPerSecond) {
        out.member(key, std::llround(bytesPerSecond));
    };
    out.beginObject();
    out.member("schema", 1);
    out.key("result");
    out.beginObject();
    out.key("subsets");
    out.beginArray();
    for (const SubsetRates& row : rows) {
        out.beginCompactObject();
        out.key("npus");
        out.beginCompactArray();
        for (const std::int32_t rank : row.ranks)
            out.integer(rank);
        out.endArray();
        out.member("alike", row.alike);
        out.member("rings", row.rings);
        rate("ring_broadcast_bytes_per_s", row.ringBroadcast);
        rate("tree_broadcast_bytes_per_s", row.treeBroadcast);
        rate("ring_all_reduce_bytes_per_s", row.ringAllReduce);
        rate("tree_all_reduce_bytes_per_s", row.treeAllReduce);
        out.member("broadcast_trees", row.broadcastTrees);
        out.member("all_reduce_trees", row.allReduceTrees);
        out.key("broadcast_speed_up");
        out.number(withDecimals(row.broadcastSpeedUp(), 6));
        out.key("all_reduce_speed_up");
        out.number(withDecimals(row.allReduceSpeedUp(), 6));
        out.endObject();
    }
    out.endArray();
    for (const auto& [name, all] : {std::pair{"broadcast_speed_up", speedUps(broadcastSpeedUps(rows))}, {"all_reduce_speed_up", speedUps(allReduceSpeedUps(rows))}}) {
        out.key(name);
        out.beginCompactObject();
        out.key("min");
        out.number(withDecimals(all.least, 6));
        out.key("geometric_mean");
        out.number(withDecimals(all.geometricMean, 6));
        out.key("max");
        out.number(withDecimals(all.most, 6));
        out.endObject();
    }
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

void run(const SubsetFlags& flags, Session& session)
{
    const Result<Quantity> fallback = parseQuantity(flags.fallback, Measure::Bandwidth);
    if (!fallback || toBandwidth(fallback.value()).bytesPerSecond <= 0) {
        Error error{ErrorCode::Usage, fallback ? "the fallback must be more than nothing" : fallback.error().message, {}, "a bandwidth such as \"12 GB/s\""};
        error.place.field = "--fallback";
        return session.fail(error);
    }
    if (const Status status = checkOption(fallback.value(), Meaning::Rate, "--fallback"); !status)
        return session.fail(status);
    Result<LoadedDesign> loaded = readDesignOnly(flags.file, {}, session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    if (session.failOn(loaded.value().diagnostics))
        return;
    if (Status status = checkValues(*loaded.value().design.platform); !status) {
        Error error = std::move(status).error();
        error.place = loaded.value().design.place(error.place.field);
        return session.fail(error);
    }
    const Result<Platform> platform = Platform::create(*loaded.value().design.platform, session.stopToken());
    if (!platform)
        return session.fail(platform.error());
    std::vector<NodeId> members(static_cast<std::size_t>(platform.value().npuCount()));
    std::iota(members.begin(), members.end(), 0);
    const Result<SynthesisGraph> graph = synthesisGraph(platform.value(), members);
    if (!graph)
        return session.fail(graph.error());
    const auto rows = subsetRates(graph.value(), static_cast<double>(toBandwidth(fallback.value()).bytesPerSecond), session.stopToken());
    if (!rows)
        return session.fail(rows.error());
    if (rows.value().empty()) {
        Error error{ErrorCode::Unsupported, "no three NPUs of this platform are joined by direct links", {}, "NPUs with links of their own, such as preset dgx-1v"};
        error.place.file = flags.file;
        return session.fail(error);
    }
    session.print(flags.json ? json(rows.value()) : table(rows.value(), fallback.value().text()));
}

} // namespace

void addSubsets(Command& program, Session& session)
{
    auto flags = std::make_shared<SubsetFlags>();
    Command& command = *program.add_subcommand("subsets", "What packed trees and what rings reach on every subset of a machine's NPUs");
    command.add_option("DESIGN", flags->file, "A design whose platform has 3 to 8 NPUs with links of their own")->required();
    command.add_option("--fallback", flags->fallback, "Rate of a ring where direct links form none (default: 12 GB/s, PCIe)");
    command.add_flag("--json", flags->json, "As JSON, rates in bytes per second");
    command.callback([flags, &session] { run(*flags, session); });
}

} // namespace fabricscope::cli
