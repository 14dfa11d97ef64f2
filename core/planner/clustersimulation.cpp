#include "core/planner/clustersimulation.h"

#include "core/base/index.h"
#include "core/design/file/designdocument.h"
#include "core/planner/placedworkload.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

double secondsIn(SimTime time)
{
    return static_cast<double>(time.ps) * 1e-12;
}

std::int64_t nanosecondsIn(SimTime time)
{
    return (time.ps + 500) / 1000;
}

std::int64_t nanosecondsOf(double seconds)
{
    return std::llround(std::min(seconds * 1e9, 9e18));
}

/// NPUs that are there, with the speeds of devices as peaks.
void setPeaks(PlatformSpec& spec, const UnequalCluster& cluster)
{
    std::map<NodeId, NpuOverride> changes;
    for (const NpuOverride& change : spec.npuOverrides)
        changes.emplace(change.node, change);
    spec.npuOverrides.clear();
    NodeId node = 0;
    for (const DeviceType& type : cluster.types) {
        for (std::int64_t i = 0; i < type.count; ++i, ++node) {
            while (changes.contains(node) && changes[node].removed)
                ++node;
            NpuOverride& change = changes[node];
            change.node = node;
            change.speed.reset();
            change.peak = Quantity{type.speed, "FLOP/s", Measure::ComputeRate};
        }
    }
    for (auto& [at, change] : changes)
        spec.npuOverrides.push_back(change);
}

/// All computations one after the other, the slowest device of each, by whole elements.
double computingSeconds(const UnequalCluster& cluster, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios)
{
    double sum = 0;
    for (const PlacedStep& step : program.steps) {
        if (step.kind != PlacedStep::Kind::Compute || step.op < 0)
            continue;
        for (const RatioTerm& term : step.terms) {
            const std::vector<double> flops = flopsOfDevices(cluster, term, ratios[at(term.segment)]);
            double slowest = 0;
            std::size_t device = 0;
            for (const DeviceType& type : cluster.types) {
                for (std::int64_t i = 0; i < type.count; ++i, ++device)
                    slowest = std::max(slowest, flops[device] / type.speed);
            }
            sum += slowest;
        }
    }
    return sum;
}

SharedCollective equalParts(ShareCollective kind, double bytes, std::int64_t devices)
{
    return {kind, bytes, kind == ShareCollective::AllReduce ? std::vector<std::int64_t>() : std::vector<std::int64_t>(at(devices), 1)};
}

} // namespace

ClusterSimulation::ClusterSimulation(Design design, Platform platform, Place place)
    : m_design(std::move(design)), m_platform(std::move(platform)), m_place(std::move(place)), m_devices(m_platform.remainingNpus())
{
}

/// The error of a design that was made of the platform: what it says about is the platform.
Error ClusterSimulation::ofPlatform(Error error) const
{
    if (error.code != ErrorCode::Cancelled)
        error.place = m_place;
    return error;
}

Result<ClusterSimulation> ClusterSimulation::checked(Design design, const Place& place, std::int64_t devices, const std::stop_token& stop)
{
    Result<Platform> platform = Platform::create(*design.platform, stop);
    if (!platform)
        return platform.error();
    ClusterSimulation made(std::move(design), std::move(platform).value(), place);
    if (devices >= 0 && made.devices() != devices)
        return made.ofPlatform(invalidInput("the platform has " + std::to_string(made.devices()) + " NPUs, the cluster " + std::to_string(devices) + " devices", {}, "one NPU for each device"));
    if (made.devices() > kMostNpus)
        return made.ofPlatform({ErrorCode::Unsupported, "collectives of " + std::to_string(made.devices()) + " devices are not timed by simulation", {}, "at most " + std::to_string(kMostNpus)});
    return made;
}

Result<ClusterSimulation> ClusterSimulation::create(const YamlNode& platform, const std::string& file, const UnequalCluster& cluster, const std::stop_token& stop)
{
    const Place place = placeOfNode(platform, file, "place.cluster.platform");
    // Fields of the platform of the design made here are those of the cluster; what is not about them is about the platform as a whole.
    const auto inCluster = [&](Error error) {
        const bool elsewhere = !error.place.file.empty() && error.place.file != file;
        if (error.code == ErrorCode::Cancelled)
            return error;
        const std::string field = error.place.field.starts_with("platform") ? "place.cluster." + error.place.field : std::string();
        if (!elsewhere && (field.empty() || error.place.line == 0))
            error.place = place;
        if (!field.empty())
            error.place.field = field;
        return error;
    };
    Result<YamlDocument> document = YamlDocument::parse("fabricscope: 1\nplatform: {}\nworkload: {collective: all_reduce, size: 1 B}\n", file, stop);
    if (!document)
        return document.error();
    if (const Status status = document.value().overlay("platform", platform); !status)
        return inCluster(status.error());
    Result<LoadedDesign> loaded = readDesignDocument(document.value(), {}, stop);
    if (!loaded)
        return inCluster(loaded.error());
    Design design = std::move(loaded).value().design;
    for (const Diagnostic& problem : validate(design, stop)) {
        if (problem.severity == Severity::Error)
            return inCluster(toError(problem));
    }
    // The number of NPUs first: the speeds of devices that are not there would be an error of their own.
    Result<ClusterSimulation> plain = checked(design, place, cluster.devices(), stop);
    if (!plain)
        return inCluster(plain.error());
    auto spec = std::make_shared<PlatformSpec>(*design.platform);
    setPeaks(*spec, cluster);
    design.platform = std::move(spec);
    return checked(std::move(design), place, cluster.devices(), stop);
}

Result<ClusterSimulation> ClusterSimulation::create(const Design& design, const std::stop_token& stop)
{
    Place place;
    place.file = design.file;
    place.field = "platform";
    return checked(design, place, -1, stop);
}

Result<SimTime> ClusterSimulation::finishOf(const WorkloadPtr& workload, const std::stop_token& stop) const
{
    const Result<ScenarioPtr> scenario = lower(m_design, m_platform, workload, stop);
    if (!scenario)
        return ofPlatform(scenario.error());
    RunOptions options;
    options.taskTimes = false;
    options.busyOverTime = false;
    const Result<RunRecord> record = simulate(*scenario.value(), options, stop);
    if (!record)
        return ofPlatform(record.error());
    if (!record.value().complete)
        return ofPlatform({ErrorCode::Stuck, "a collective does not finish on the platform", {}, {}});
    return record.value().finish;
}

Status ClusterSimulation::timeCollectives(UnequalCluster& cluster, double mostBytes, const std::stop_token& stop) const
{
    const auto seconds = [&](const SharedCollective& collective, ShareForm form) -> Result<double> {
        const Result<SimTime> finish = finishOf(workloadOf(collective, form, m_devices), stop);
        return finish ? Result<double>(secondsIn(finish.value())) : Result<double>(finish.error());
    };
    constexpr double kLeastBytes = 1024;
    const double last = std::clamp(mostBytes * 2, 16 * kLeastBytes, 1e15);
    for (const ShareCollective kind : {ShareCollective::AllGather, ShareCollective::ReduceScatter, ShareCollective::AllReduce, ShareCollective::AllToAll}) {
        CollectiveTime& time = cluster.time(kind);
        time = {true, 0, 0, {}};
        for (double bytes = kLeastBytes;; bytes = std::min(bytes * 8, last)) {
            const Result<double> taken = seconds(equalParts(kind, bytes, m_devices), ShareForm::Padded);
            if (!taken)
                return taken.error();
            time.samples.emplace_back(bytes, taken.value());
            if (bytes >= last)
                break;
        }
    }
    for (const ShareCollective kind : {ShareCollective::GroupedAllGather, ShareCollective::GroupedReduceScatter})
        cluster.time(kind) = {};
    if (!traitsOf(m_design.model.model).broadcasts)
        return {};
    // A broadcast from the first device alone.
    std::vector<std::int64_t> first(at(m_devices), 0);
    first.front() = 1;
    const double large = std::max(last / static_cast<double>(m_devices), 16 * kLeastBytes);
    const Result<double> few = seconds({ShareCollective::AllGather, large / 16, first}, ShareForm::Grouped);
    const Result<double> many = few ? seconds({ShareCollective::AllGather, large, first}, ShareForm::Grouped) : few;
    if (!many)
        return many.error();
    const double slope = std::max(0.0, (many.value() - few.value()) / (large * 15 / 16));
    for (const ShareCollective kind : {ShareCollective::GroupedAllGather, ShareCollective::GroupedReduceScatter})
        cluster.time(kind) = {true, std::max(0.0, many.value() - slope * large), slope, {}};
    return {};
}

/// The fastest form alone; of equals the first.
Status ClusterSimulation::chooseForm(const SharedCollective& what, ChosenForm& chosen, const std::stop_token& stop) const
{
    for (const ShareForm form : what.forms()) {
        if (form == ShareForm::Grouped && !traitsOf(m_design.model.model).broadcasts)
            continue;
        const Result<SimTime> time = finishOf(workloadOf(what, form, m_devices), stop);
        if (!time)
            return time.error();
        if (chosen.alone.empty() || time.value() < chosen.time())
            chosen.form = form;
        chosen.alone.emplace_back(form, time.value());
    }
    return {};
}

Result<SimulatedProgram> ClusterSimulation::run(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios, double cost,
                                                const std::stop_token& stop) const
{
    SimulatedProgram made;
    made.costNs = nanosecondsOf(cost);
    double estimated = 0;
    double simulated = 0;
    Status status;
    forCollectives(program, ratios, [&](const PlacedStep& step, const RatioTerm& term) {
        const SharedCollective what = collectiveOf(problem, step, term, ratios);
        const auto [entry, fresh] = made.forms.try_emplace(what);
        if (fresh && status)
            status = chooseForm(what, entry->second, stop);
        estimated += secondsOf(problem.cluster, {term}, ratios);
        simulated += secondsIn(entry->second.time());
    });
    if (!status)
        return status.error();
    const double computing = computingSeconds(problem.cluster, program, ratios);
    constexpr double kMostSeconds = 4e6; // Twice of it is within the range of SimTime.
    if (computing + std::max(estimated, simulated) > kMostSeconds)
        return ofPlatform({ErrorCode::Unsupported, "a step of more than 4000000 s is not simulated", {}, "fewer FLOP, or faster devices"});
    std::array<std::int64_t, 5> times{made.costNs, nanosecondsOf(computing + estimated), nanosecondsOf(computing + simulated), 0, 0};
    for (const GradientOrder order : {GradientOrder::InLine, GradientOrder::Beside}) {
        const Result<WorkloadPtr> workload = workloadOf(problem, program, ratios, made.forms, order);
        if (!workload)
            return workload.error();
        const Result<SimTime> finish = finishOf(workload.value(), stop);
        if (!finish)
            return finish.error();
        times.at(order == GradientOrder::InLine ? 3 : 4) = nanosecondsIn(finish.value());
    }
    made.ns = times.back();
    for (std::size_t i = 0; i < kDifferenceCauses.size(); ++i)
        made.difference.push_back({static_cast<DifferenceCause>(i), times.at(i + 1) - times.at(i)});
    return made;
}

} // namespace fabricscope
