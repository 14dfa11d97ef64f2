#include "tests/unit/support/cases/networkcase.h"

#include "core/scenario/lowering.h"
#include "core/sim/events/events.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>
#include <sstream>

namespace fabricscope::test {

namespace {

[[noreturn]] void giveUp(const std::string& text)
{
    std::fprintf(stderr, "%s\n", text.c_str());
    std::abort();
}

} // namespace

Scenario scenarioOf(const std::string& yaml)
{
    const auto loaded = readDesignText(yaml, "test.yaml");
    if (!loaded)
        giveUp(loaded.error().text() + "\n" + yaml);
    for (const Diagnostic& found : validate(loaded.value().design))
        if (found.severity == Severity::Error)
            giveUp(found.message + "\n" + yaml);
    const auto scenario = prepare(loaded.value().design);
    if (!scenario)
        giveUp(scenario.error().text());
    return *scenario.value();
}

RunRecord simulated(const std::string& yaml, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    auto record = simulate(scenarioOf(yaml), options);
    if (!record)
        giveUp(record.error().text());
    return std::move(record).value();
}

std::string problemsOf(const std::string& yaml)
{
    const auto loaded = readDesignText(yaml, "test.yaml");
    if (!loaded)
        return loaded.error().text() + '\n';
    std::string texts;
    for (const Diagnostic& found : validate(loaded.value().design))
        texts += toError(found).text() + '\n';
    return texts;
}

std::string graphDesign(const std::string& links, const std::string& network, const std::string& steps)
{
    std::vector<std::string> nodes;
    std::string lines;
    std::istringstream in(links);
    for (std::string pair; in >> pair;) {
        const std::string ends[] = {pair.substr(0, pair.find('-')), pair.substr(pair.find('-') + 1)};
        for (const std::string& end : ends)
            if (std::find(nodes.begin(), nodes.end(), end) == nodes.end())
                nodes.push_back(end);
        lines += "    - {between: [" + ends[0] + ", " + ends[1] + "], bandwidth: 1 GB/s, latency: 100 ns}\n";
    }
    std::stable_sort(nodes.begin(), nodes.end(), [](const std::string& a, const std::string& b) {
        return (a[0] == 's') != (b[0] == 's') ? b[0] == 's' : (a[0] != 's' && a < b);
    });
    std::string yaml = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (const std::string& node : nodes)
        yaml += "    - {name: " + node + (node[0] == 's' ? ", kind: switch" : "") + "}\n";
    return yaml + "  links:\n" + lines + "model: {version: physical/1}\nworkload: {steps: [" + steps + "]}\n" + (network.empty() ? "" : "network: {" + network + "}\n");
}

Scenario withNetwork(const Scenario& scenario, NetworkParams network, const std::vector<LinkFault>& faults)
{
    auto params = std::make_shared<Params>(*scenario.params);
    network.changes = linkChanges(faults, *scenario.structure, *params);
    network.failures = std::any_of(faults.begin(), faults.end(), [](const LinkFault& fault) { return fault.rate == 0; });
    network.graph = makeFabricGraph(scenario.structure->platform);
    params->network = std::make_shared<const NetworkParams>(std::move(network));
    Scenario changed = scenario;
    changed.costs = std::make_shared<const CostTable>(*params);
    changed.params = std::move(params);
    return changed;
}

CaseSpec openCase(std::uint64_t seed, const RandomLimits& limits)
{
    CaseSpec spec = randomCase(seed, limits);
    for (CaseSpec::Family& family : spec.families)
        for (CaseSpec::Call& call : family.calls)
            call.window = 0;
    return spec;
}

Scenario smallOpenCase(std::uint64_t seed)
{
    RandomLimits limits;
    limits.maxNpus = 8;
    limits.maxTasks = 8;
    limits.explicitGraph = seed % 4 != 0;
    auto scenario = build(openCase(seed, limits));
    if (!scenario)
        giveUp(scenario.error().text());
    return std::move(scenario).value();
}

LinksRun runNetwork(const Scenario& scenario, std::uint64_t seed)
{
    LinksRun run;
    RunOptions options;
    options.messageDigest = true;
    options.seed = seed;
    options.message = [&run](const MessageRecord& message) { run.messages.push_back(message); };
    auto record = simulateEvents(scenario, options, {});
    if (!record)
        giveUp(record.error().text());
    run.record = std::move(record).value();
    std::sort(run.messages.begin(), run.messages.end(), [](const MessageRecord& a, const MessageRecord& b) { return a.words() < b.words(); });
    return run;
}

std::int64_t onlyMessage(const LinksRun& run)
{
    if (run.messages.size() != 1)
        giveUp(std::to_string(run.messages.size()) + " messages");
    return run.messages.front().donePs;
}

std::int64_t bytesOfLinks(const LinksRun& run)
{
    return std::accumulate(run.record.links.begin(), run.record.links.end(), std::int64_t{0}, [](std::int64_t sum, const LinkUse& use) { return sum + use.bytes; });
}

std::map<std::string, std::int64_t> bytesByLink(const Scenario& scenario, const LinksRun& run)
{
    std::map<std::string, std::int64_t> bytes;
    for (const LinkUse& use : run.record.links)
        bytes[scenario.structure->platform.linkName(use.link)] = use.bytes;
    return bytes;
}

} // namespace fabricscope::test
