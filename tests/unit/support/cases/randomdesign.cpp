#include "tests/unit/support/cases/randomdesign.h"

#include "core/design/modelversions.h"

#include <cstdio>
#include <cstdlib>

namespace fabricscope::test {

Design RandomDesign::next()
{
    Design design;
    design.name = pick<std::string>({"", "plain", "with: colon", "quote \" and '", "  spaces  ", "# no remark", "two\nlines", "é"});
    design.notes = pick<std::string>({"", "null", "notes"});
    auto spec = std::make_shared<PlatformSpec>();
    chance() ? addDimensions(*spec) : addGraph(*spec);
    spec->name = pick<std::string>({"", "fabric"});
    spec->source = pick<std::string>({"", "a, b [c]"});
    if (chance())
        spec->npu.peak = Quantity{number(), "TFLOP/s", Measure::ComputeRate};
    if (chance())
        spec->npu.memoryBandwidth = bandwidth();
    if (chance())
        spec->npu.injection = bandwidth();
    if (chance())
        spec->npuOverrides.push_back({static_cast<NodeId>(below(2)), number(), std::nullopt, bandwidth()});
    const auto platform = Platform::create(*spec);
    if (!platform) {
        std::fprintf(stderr, "%s\n", platform.error().text().c_str());
        std::abort();
    }
    if (chance() && platform.value().linkCount() > 0)
        spec->linkOverrides.push_back({static_cast<LinkId>(below(static_cast<int>(platform.value().linkCount()))), bandwidth(), std::nullopt});
    design.platform = spec;
    if (chance())
        design.jobs.push_back({"job", 2, below(2), 1, {}});
    else if (chance())
        design.jobs.push_back({"", 2, 0, 1, {1, 0}});
    if (chance())
        design.remoteMemory = {RemoteMemory::Kind::PerNode, below(5000), 1 + below(400), 4, 2 + below(8)};
    addWorkload(design);
    addCollectives(design.collectives);
    design.model.model = pick<Model>({Model::Links, Model::Ideal, Model::AstraUnaware});
    design.model.version = pick<std::string>({"", std::string(currentVersion(design.model.model))});
    if (chance())
        design.model.endpointDelay = time();
    design.model.rendezvous = chance();
    design.model.roofline = chance();
    return design;
}

void RandomDesign::addDimensions(PlatformSpec& spec)
{
    for (int i = 0; i < 1 + below(3); ++i)
        spec.dimensions.push_back({pick<Shape>({Shape::Ring, Shape::FullyConnected, Shape::Switch}), 1 + i % 2 + below(4) + (i == 0 ? 1 : 0), bandwidth(), chance(), time()});
}

void RandomDesign::addGraph(PlatformSpec& spec)
{
    const int npus = 2 + below(4);
    for (int i = 0; i < npus; ++i)
        spec.nodes.push_back({"gpu " + std::to_string(i), NodeKind::Npu});
    spec.nodes.push_back({"sw", NodeKind::Switch});
    for (int i = 0; i < npus; ++i) {
        const ExplicitLink up{i, npus, bandwidth(), time()};
        spec.links.push_back(up);
        if (chance())
            spec.links.push_back({i, npus, bandwidth(), time()});
        spec.links.push_back({npus, i, chance() ? up.bandwidth : bandwidth(), up.latency});
    }
}

std::vector<Step> RandomDesign::steps(int depth, int& number)
{
    using Kind = Step::Kind;
    std::vector<Step> list;
    for (int i = 0; i < 1 + below(4); ++i) {
        Step step;
        step.kind = pick<Kind>({Kind::Compute, Kind::Collective, Kind::Send, Kind::Receive, Kind::Load, Kind::Store, Kind::Repeat});
        if (step.kind == Kind::Repeat) {
            if (depth == 2)
                continue;
            step.times = 1 + below(3);
            step.steps = steps(depth + 1, number);
            if (step.steps.empty())
                continue;
            list.push_back(step);
            continue;
        }
        step.name = chance() ? "step " + std::to_string(number++) : "";
        step.afterGiven = chance();
        if (step.afterGiven && chance())
            step.after = {"step 0", "a: b"};
        if (chance())
            step.ranks = RankSet::parse("0,2-3").value();
        if (step.kind == Kind::Compute) {
            if (chance())
                step.duration = time();
            if (!step.duration || chance())
                step.operations = Quantity{this->number(), "GFLOP", Measure::Operations};
            if (chance())
                step.bytes = size();
        } else {
            step.bytes = size();
        }
        if (step.kind == Kind::Collective) {
            step.op = pick<CollectiveOp>({CollectiveOp::AllReduce, CollectiveOp::AllToAll, CollectiveOp::AllGather});
            step.group = pick<std::string>({"", "g"});
        }
        if (step.kind == Kind::Send || step.kind == Kind::Receive) {
            step.peer = pick<std::string>({"+1", "-2", "3"});
            step.tag = static_cast<std::uint32_t>(below(3));
        }
        list.push_back(step);
    }
    return list;
}

void RandomDesign::addWorkload(Design& design)
{
    WorkloadSpec spec;
    switch (below(3)) {
    case 0:
        spec = TraceWorkload{"traces/a b", pick<std::string>({"", "empty/groups.json"}), pick<CtrlDeps>({CtrlDeps::Auto, CtrlDeps::Ignore}), 1 + below(4)};
        break;
    case 1: {
        StepsWorkload workload;
        workload.groups.push_back({"g", {0, 1}, {}, {}, {}});
        workload.groups.push_back({"h", {}, {{2, 1}, {2, 4}}, {}, {}});
        workload.groups.push_back({"i, j", {}, {}, {{3, 0}, {1}}, {}});
        int number = 0;
        workload.steps = steps(0, number);
        spec = std::move(workload);
        break;
    }
    default:
        spec = SingleCollective{CollectiveOp::ReduceScatter, size()};
    }
    design.workload = std::make_shared<const WorkloadSpec>(std::move(spec));
}

void RandomDesign::addCollectives(CollectiveConfig& config)
{
    const AlgorithmChoice ring{false, Algorithm::Ring, 0};
    const AlgorithmChoice windowed{false, Algorithm::Direct, 3};
    config.defaults.algorithms = pick<std::vector<AlgorithmChoice>>({{}, {ring}, {ring, windowed}, {AlgorithmChoice{}, windowed}});
    config.defaults.chunks = 1 + below(8);
    config.defaults.window = below(3);
    if (chance())
        config.rules.push_back({CollectiveOp::AllGather, "g", size(), std::nullopt, {}, {}, std::vector<AlgorithmChoice>{windowed}, std::nullopt, 2});
    if (chance())
        config.rules.push_back({std::nullopt, "*", std::nullopt, size(), {}, {}, std::vector<AlgorithmChoice>{}, 3, std::nullopt});
    config.activeChunks = 1 + below(3);
    config.queuesPerDimension = 1 + below(3);
    config.localBandwidthAware = chance();
}

} // namespace fabricscope::test
