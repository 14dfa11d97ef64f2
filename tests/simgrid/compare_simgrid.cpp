// Model `flow` against SimGrid's plain flow model: random graphs and traffic, the finish time of every message.
//
// What makes the two comparable:
// * SimGrid's CM02 without its factors, cross traffic and TCP window: max-min fair sharing of directed links, as in flow/1.
// * CM02 divides a link in inverse proportion to the latencies of the flows on it (the unfairness of TCP), also at weight-S 0. And it
//   pays the latency before a flow takes its share, flow/1 afterwards. Both have no effect where all flows have the same latency. So
//   every route gets, in SimGrid only, a link of its own that limits nothing and pads the latency to that of the longest route of
//   the graph; what it adds is taken off the finish. The latencies of the links themselves are paid on both sides.
// * Routes are those of Platform::route on both sides. Messages of one pair follow each other in flow/1, so each pair sends one.

#include "core/base/index.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases/fattree.h"
#include "tests/unit/support/cases/randomcase.h"

#include <simgrid/s4u.hpp>
#include <xbt/log.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;
namespace s4u = simgrid::s4u;

namespace {

constexpr int kCases = 30;
constexpr double kAllowed = 1e-3; ///< Of the finish time of a message.
constexpr double kSecondsPerPs = 1e-12;
constexpr double kNoLimit = 1e18; ///< B/s.

struct Transfer {
    std::int32_t source = 0;
    std::int32_t target = 0;
    std::int64_t bytes = 0;
    std::int64_t startPs = 0;
    // Found out.
    std::vector<LinkId> route;
    double aloneSeconds = 0;   ///< From start to finish, nobody else there.
    double paddingSeconds = 0;
    double flowSeconds = -1;    ///< Finish under model `flow`.
    double simgridSeconds = -1; ///< And SimGrid, without padding.
};

struct Comparison {
    CaseSpec spec;
    std::int32_t npus = 0;
    const char* traffic = "";
    std::vector<Transfer> transfers;
};

[[noreturn]] void fail(const std::string& text)
{
    std::fprintf(stderr, "%s\n", text.c_str());
    std::exit(1);
}

/// 6 to 14 NPUs and up to 4 switches: a random tree and further links, each direction with a rate and a latency of its own.
void addGraph(Comparison& comparison, Random& random)
{
    CaseSpec& spec = comparison.spec;
    comparison.npus = static_cast<std::int32_t>(6 + random.below(9));
    spec.nodes.assign(static_cast<std::size_t>(comparison.npus), NodeKind::Npu);
    spec.nodes.insert(spec.nodes.end(), static_cast<std::size_t>(random.below(5)), NodeKind::Switch);
    const auto nodes = static_cast<NodeId>(spec.nodes.size());
    std::set<std::pair<NodeId, NodeId>> joined;
    const auto join = [&](NodeId a, NodeId b) {
        if (a == b || !joined.insert(std::minmax(a, b)).second)
            return;
        for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
            spec.links.push_back({from, to, 1'000'000'000 + random.below(49'000'000'000), 50'000 + random.below(1'950'000)});
    };
    const std::vector<std::int32_t> order = permutation(nodes, random);
    for (NodeId i = 1; i < nodes; ++i)
        join(order[at(i)], order[at(random.below(i))]);
    const std::int64_t more = random.below(nodes + 1);
    for (std::int64_t i = 0; i < more; ++i)
        join(static_cast<NodeId>(random.below(nodes)), static_cast<NodeId>(random.below(nodes)));
}

/// 20 to 40 messages of different pairs: between any NPUs, most of them into one NPU, or most of them out of one. In every second case
/// half of the messages start later.
void addTraffic(Comparison& comparison, int number, Random& random)
{
    static constexpr const char* kNames[2][3] = {{"any", "into one", "out of one"}, {"any, later", "into one, later", "out of one, later"}};
    const bool later = number % 2 == 1;
    comparison.traffic = kNames[later ? 1 : 0][number % 3];
    const std::int64_t npus = comparison.npus;
    const std::int64_t count = std::min(20 + random.below(21), npus * (npus - 1));
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    while (static_cast<std::int64_t>(comparison.transfers.size()) < count) {
        Transfer transfer;
        transfer.source = static_cast<std::int32_t>(random.below(npus));
        transfer.target = static_cast<std::int32_t>(random.below(npus));
        const bool toHot = random.below(3) > 0;
        if (toHot && number % 3 == 1)
            transfer.target = 0;
        if (toHot && number % 3 == 2)
            transfer.source = 0;
        if (transfer.source == transfer.target || !pairs.insert({transfer.source, transfer.target}).second)
            continue;
        transfer.bytes = (1 << 20) + random.below(63 << 20);
        if (later && random.below(2) == 0)
            transfer.startPs = random.below(20'000'000'000);
        comparison.transfers.push_back(transfer);
    }
}

/// Tasks of every rank: a chain of computes that ends at the starts of its messages, and receives that wait from the beginning.
void addTasks(Comparison& comparison)
{
    CaseSpec& spec = comparison.spec;
    spec.model = Model::Flow;
    spec.tasks.resize(static_cast<std::size_t>(comparison.npus));
    std::vector<const Transfer*> byStart;
    for (const Transfer& transfer : comparison.transfers)
        byStart.push_back(&transfer);
    std::stable_sort(byStart.begin(), byStart.end(), [](const Transfer* a, const Transfer* b) { return a->startPs < b->startPs; });
    std::vector<std::int64_t> clock(spec.tasks.size());
    std::vector<std::vector<TaskIndex>> lastCompute(spec.tasks.size());
    for (const Transfer* transfer : byStart) {
        const auto source = static_cast<std::size_t>(transfer->source);
        if (transfer->startPs > clock[source]) {
            CaseSpec::Task wait;
            wait.durationPs = transfer->startPs - clock[source];
            wait.depends = lastCompute[source];
            lastCompute[source] = {static_cast<TaskIndex>(spec.tasks[source].size())};
            spec.tasks[source].push_back(wait);
            clock[source] = transfer->startPs;
        }
        CaseSpec::Task send;
        send.kind = TaskKind::Send;
        send.bytes = transfer->bytes;
        send.peer = transfer->target;
        CaseSpec::Task receive = send;
        receive.kind = TaskKind::Receive;
        receive.peer = transfer->source;
        send.depends = lastCompute[source];
        spec.tasks[source].push_back(send);
        spec.tasks[at(transfer->target)].push_back(receive);
    }
    std::vector<std::int32_t> world;
    for (std::int32_t rank = 0; rank < comparison.npus; ++rank)
        world.push_back(rank);
    spec.jobs.push_back(world);
    spec.families.push_back({{world}, {}});
}

void runFlow(Comparison& comparison)
{
    const Result<Scenario> scenario = build(comparison.spec);
    if (!scenario)
        fail(scenario.error().text());
    std::map<std::pair<std::int32_t, std::int32_t>, MessageRecord> messages;
    RunOptions options;
    options.message = [&](const MessageRecord& message) { messages[{message.source, message.target}] = message; };
    const Result<RunRecord> record = simulate(scenario.value(), options);
    if (!record)
        fail(record.error().text());
    const Platform& platform = scenario.value().structure->platform;
    double longest = 0;
    for (Transfer& transfer : comparison.transfers) {
        const auto found = messages.find({transfer.source, transfer.target});
        if (found == messages.end() || found->second.readyPs != transfer.startPs || found->second.bytes != transfer.bytes)
            fail("a message was not sent as planned");
        transfer.flowSeconds = static_cast<double>(found->second.donePs) * kSecondsPerPs;
        platform.route(transfer.source, transfer.target, transfer.route);
        double latency = 0;
        double slowest = kNoLimit;
        for (const LinkId link : transfer.route) {
            latency += static_cast<double>(platform.latency(link).ps) * kSecondsPerPs;
            slowest = std::min(slowest, static_cast<double>(platform.bandwidth(link).bytesPerSecond));
        }
        transfer.aloneSeconds = latency + static_cast<double>(transfer.bytes) / slowest;
        transfer.paddingSeconds = -latency;
        longest = std::max(longest, latency);
    }
    for (Transfer& transfer : comparison.transfers)
        transfer.paddingSeconds += longest;
}

/// SimGrid has one engine per process: all graphs become parts of one platform that have no link in common.
void runSimgrid(std::vector<Comparison>& comparisons)
{
    xbt_log_control_set("xbt_cfg.threshold:warning"); // Does not tell of every option it is given.
    s4u::Engine engine("compare_simgrid");
    for (const char* option : {"network/model:CM02", "network/crosstraffic:0", "network/weight-S:0", "network/TCP-gamma:1e30",
                               "network/latency-factor:1", "network/bandwidth-factor:1", "surf/precision:1e-12", "maxmin/precision:1e-8",
                               "contexts/stack-size:256"})
        s4u::Engine::set_config(option);
    s4u::NetZone* zone = s4u::create_full_zone("all");
    std::vector<std::vector<s4u::Host*>> hosts;
    for (std::size_t c = 0; c < comparisons.size(); ++c) {
        const Comparison& comparison = comparisons[c];
        const std::string prefix = "case" + std::to_string(c);
        hosts.emplace_back();
        for (std::int32_t npu = 0; npu < comparison.npus; ++npu)
            hosts.back().push_back(zone->create_host(prefix + "npu" + std::to_string(npu), 1e9));
        std::vector<const s4u::Link*> links;
        for (const CaseSpec::Link& link : comparison.spec.links) {
            s4u::Link* made = zone->create_link(prefix + "link" + std::to_string(links.size()), static_cast<double>(link.rate));
            links.push_back(made->set_latency(static_cast<double>(link.latencyPs) * kSecondsPerPs)->seal());
        }
        for (std::size_t t = 0; t < comparison.transfers.size(); ++t) {
            const Transfer& transfer = comparison.transfers[t];
            s4u::Link* padding = zone->create_link(prefix + "padding" + std::to_string(t), kNoLimit);
            padding->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)->set_latency(std::max(transfer.paddingSeconds, 0.0))->seal();
            std::vector<s4u::LinkInRoute> route{s4u::LinkInRoute(padding)};
            for (const LinkId link : transfer.route)
                route.emplace_back(links[at(link)]);
            zone->add_route(hosts[c][at(transfer.source)]->get_netpoint(),
                            hosts[c][at(transfer.target)]->get_netpoint(), nullptr, nullptr, route, false);
        }
    }
    zone->seal();
    for (std::size_t c = 0; c < comparisons.size(); ++c) {
        for (Transfer& transfer : comparisons[c].transfers) {
            s4u::Host* source = hosts[c][at(transfer.source)];
            s4u::Host* target = hosts[c][at(transfer.target)];
            s4u::Actor::create("sender", source, [&transfer, source, target] {
                if (transfer.startPs > 0)
                    s4u::this_actor::sleep_until(static_cast<double>(transfer.startPs) * kSecondsPerPs);
                s4u::Comm::sendto(source, target, static_cast<std::uint64_t>(transfer.bytes));
                transfer.simgridSeconds = s4u::Engine::get_clock() - transfer.paddingSeconds;
            });
        }
    }
    engine.run();
}

} // namespace

int main()
{
    std::vector<Comparison> comparisons(kCases);
    for (int number = 0; number < kCases; ++number) {
        Comparison& comparison = comparisons[at(number)];
        Random random(static_cast<std::uint64_t>(number));
        addGraph(comparison, random);
        addTraffic(comparison, number, random);
        addTasks(comparison);
        runFlow(comparison);
    }
    runSimgrid(comparisons);

    std::printf("case  traffic            NPUs  links  flows  slowed by sharing  worst difference  median\n");
    std::vector<double> all;
    for (std::size_t c = 0; c < comparisons.size(); ++c) {
        const Comparison& comparison = comparisons[c];
        std::vector<double> differences;
        double slowed = 0;
        for (const Transfer& transfer : comparison.transfers) {
            if (transfer.simgridSeconds < 0)
                fail("SimGrid did not finish a message");
            differences.push_back(std::abs(transfer.flowSeconds / transfer.simgridSeconds - 1));
            slowed += (transfer.simgridSeconds - static_cast<double>(transfer.startPs) * kSecondsPerPs) / transfer.aloneSeconds;
        }
        std::sort(differences.begin(), differences.end());
        all.insert(all.end(), differences.begin(), differences.end());
        std::printf("%4zu  %-17s  %4d  %5zu  %5zu  %16.2fx  %15.2g%%  %5.1g%%\n", c, comparison.traffic, comparison.npus,
                    comparison.spec.links.size(), differences.size(), slowed / static_cast<double>(differences.size()),
                    100 * differences.back(), 100 * differences[differences.size() / 2]);
    }
    std::sort(all.begin(), all.end());
    const bool agrees = all.back() <= kAllowed;
    std::printf("%zu flows: worst difference %.2g %%, median %.2g %%, allowed %g %%: %s\n", all.size(), 100 * all.back(),
                100 * all[all.size() / 2], 100 * kAllowed, agrees ? "agrees" : "DIFFERS");
    return agrees ? 0 : 1;
}
