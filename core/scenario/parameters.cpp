#include "core/scenario/parameters.h"

#include "core/base/index.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/scenario/computeparams.h"
#include "core/scenario/networkparams.h"
#include "core/scenario/offloadrates.h"
#include "core/scenario/taskscheduling.h"

#include <cmath>
#include <map>

namespace fabricscope {

namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

/// Rate of a figure that ASTRA-sim gives as a double; nearest whole number (manual: models 1).
std::optional<std::int64_t> wholeRate(double perSecond)
{
    if (!(perSecond >= 1) || perSecond > 9e18)
        return std::nullopt;
    return static_cast<std::int64_t>(std::llround(perSecond));
}

class ParameterList {
public:
    ParameterList(const Design& design, std::vector<Parameter>& list)
        : m_list(list)
        , m_source(!design.platformOrigin.empty() ? design.platformOrigin : design.file.empty() ? "given" : design.file)
    {
    }
    void add(std::string name, std::string value) { m_list.push_back({std::move(name), std::move(value), m_source, false}); }
    void add(std::string name, std::string value, std::string source) { m_list.push_back({std::move(name), std::move(value), std::move(source), false}); }
    void assume(std::string name, std::string value) { m_list.push_back({std::move(name), std::move(value), "default", true}); }

private:
    std::vector<Parameter>& m_list;
    std::string m_source;
};

void addOffload(const std::string& name, const std::optional<SwitchOffload>& offload, ParameterList& list)
{
    if (!offload)
        return;
    const auto text = [](const std::optional<Quantity>& quantity, const char* absent) { return quantity ? quantity->text() : std::string(absent); };
    list.add(name, "reduction " + text(offload->reduction, "none") + ", multicast " + text(offload->multicast, "at any rate") + ", buffer "
                       + text(offload->buffer, "unlimited") + ", latency " + offload->latency.text()
                       + (offload->shares ? ", members hand sums back" : "")
                       + (offload->efficiency ? ", " + std::to_string(offload->efficiency->first) + '/' + std::to_string(offload->efficiency->second) + " of the bytes are payload" : ""));
}

std::string nameOf(std::size_t number, const Dimension& dimension)
{
    return "dimension " + std::to_string(number) + ", " + std::string(shapeName(dimension.shape)) + '(' + std::to_string(dimension.size) + ')';
}

void addLinks(const Structure& structure, Params& params, ParameterList& list)
{
    const Platform& platform = structure.platform;
    for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
        const Dimension& dimension = platform.dimensions()[d];
        params.linkRate.push_back(dimension.linkBandwidth());
        params.linkLatency.push_back(dimension.linkLatency());
        const std::string name = nameOf(d, dimension);
        list.add(name + " bandwidth", dimension.bandwidth.text() + (dimension.bandwidthIsPerNpu ? " per NPU" : " per link"));
        list.add(name + " latency", dimension.latency.text());
        addOffload(name + " in network", dimension.offload, list);
    }
    for (std::size_t figures = 0; figures < static_cast<std::size_t>(structure.figureClasses); ++figures) {
        params.linkRate.push_back(platform.rateOf(figures));
        params.linkLatency.push_back(platform.latencyOf(figures));
    }
    for (const LinkId link : structure.classedLinks) {
        params.linkRate.push_back(platform.bandwidth(link));
        params.linkLatency.push_back(platform.latency(link));
    }
    for (const auto& [node, offload] : platform.spec().nodes.offloads())
        addOffload(platform.spec().nodes.name(node) + " in network", offload, list);
    if (platform.hasLinkOverrides())
        list.add("links overridden", std::to_string(platform.spec().linkOverrides.size()));
}

/// People see one entry per limit, however many switches have it.
void addCrossbars(const PlatformSpec& spec, Params& params, ParameterList& list)
{
    for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
        const Dimension& dimension = spec.dimensions[d];
        if (!dimension.crossbar || dimension.size < 2)
            continue;
        params.crossbars.emplace_back(static_cast<std::int32_t>(d), toBandwidth(*dimension.crossbar));
        list.add(nameOf(d, dimension) + " crossbar", dimension.crossbar->text());
    }
    const NodeList& nodes = spec.nodes;
    std::map<std::string, std::vector<std::size_t>> byRate;
    for (const auto& [node, rate] : nodes.crossbars()) {
        params.crossbars.emplace_back(static_cast<std::int32_t>(node), toBandwidth(rate));
        byRate[rate.text()].push_back(node);
    }
    for (const auto& [rate, limited] : byRate)
        list.add("crossbar of " + (limited.size() == 1 ? nodes.name(limited.front()) : std::to_string(limited.size()) + " switches"), rate);
}

/// Rate and latency that a generated fabric has where its line or its levels say none.
void addAssumedCables(const Platform& platform, ParameterList& list)
{
    const std::shared_ptr<const FabricForm>& form = platform.spec().generated.form;
    if (!form)
        return;
    const Result<Fabric> fabric = fabricOfForm(*form);
    if (!fabric || fabric.value().cableCount() == fabric.value().cablesInside())
        return;
    const AssumedFigures assumed = assumedFigures(fabric.value());
    if (assumed.bandwidth)
        list.assume("bandwidth of cables given none", assumed.bandwidth->text());
    if (assumed.latency)
        list.assume("latency of cables given none", assumed.latency->text());
}

void addNpu(const Design& design, const Structure& structure, Params& params, ParameterList& list, Diagnostics& diagnostics)
{
    const NpuSpec& npu = structure.platform.spec().npu;
    if (npu.memoryBandwidth) {
        params.memoryRate = toBandwidth(*npu.memoryBandwidth);
        list.add("memory bandwidth", npu.memoryBandwidth->text());
    }
    if (npu.peak) {
        params.peak = toComputeRate(*npu.peak);
        list.add("peak compute", npu.peak->text());
    }
    params.roofline = design.model.roofline;
    if (design.astra) {
        const AstraSystem& system = *design.astra;
        if (const auto rate = wholeRate(system.localMemoryGBps * kGiga))
            params.memoryRate = Bandwidth{*rate};
        if (const auto rate = wholeRate(system.peakTflops * kTera))
            params.peak = ComputeRate{*rate};
        params.roofline = system.roofline;
        params.replayOnly = system.replayOnly;
        if (params.memoryRate)
            list.add("local-mem-bw", showBandwidth(*params.memoryRate), system.file);
    }
    params.reducerRate = params.memoryRate;
    if (!params.memoryRate) {
        list.assume("memory bandwidth", "unknown");
        diagnostics.push_back(warning("free-reductions", "the memory bandwidth of an NPU is unknown: reductions take no time"));
    }
    if (npu.injection) {
        params.injection = toBandwidth(*npu.injection);
        list.add("injection budget", npu.injection->text());
    }
    if (npu.ejection) {
        params.ejection = toBandwidth(*npu.ejection);
        list.add("ejection budget", npu.ejection->text());
    }
}

std::vector<AstraAlgorithm> astraList(const Design& design, CollectiveOp op)
{
    const auto& dimensions = design.platform->dimensions;
    const auto& given = design.collectives.defaults.algorithms;
    std::vector<AstraAlgorithm> list;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const AlgorithmChoice choice = given.size() == 1 ? given[0] : d < given.size() ? given[d] : AlgorithmChoice{};
        AstraAlgorithm entry = automaticAstraAlgorithm(dimensions[d], op);
        if (!choice.automatic) {
            entry.algorithm = choice.algorithm;
            entry.window = choice.window > 0 ? choice.window : -1;
        }
        list.push_back(entry);
        if (given.size() > dimensions.size() && d + 1 == dimensions.size()) {
            for (std::size_t more = d + 1; more < given.size(); ++more)
                list.push_back({given[more].algorithm, false, -1});
        }
    }
    return list;
}

} // namespace

Params makeParams(const Design& design, const Structure& structure, Diagnostics& diagnostics)
{
    Params params;
    ParameterList list(design, params.list);
    addLinks(structure, params, list);
    if (traitsOf(design.model.model).noBudgets.empty()) // Else validate() says that they are not used.
        addCrossbars(structure.platform.spec(), params, list);
    addAssumedCables(structure.platform, list);
    addNpu(design, structure, params, list, diagnostics);
    if (design.astra) {
        const double delay = static_cast<double>(design.astra->endpointDelayNs);
        params.endpointDelay = nanoseconds(static_cast<std::int64_t>(design.astra->endpointDelayGiven ? delay * design.astra->injectionScale : delay));
        params.rendezvous = design.astra->rendezvous;
        list.add("endpoint-delay", showTime(params.endpointDelay), design.astra->file);
        if (!traitsOf(design.model.model).chunkQueues && design.astra->activeChunks > 0 && design.astra->activeChunks < design.astra->splits) {
            diagnostics.push_back(note("active-chunks-ignored",
                                       "active-chunks-per-dimension has no effect here: all chunks are released at once and share the links"));
        }
    } else {
        params.endpointDelay = toSimTime(design.model.endpointDelay);
        params.rendezvous = design.model.rendezvous;
        if (design.model.endpointDelay.value > 0)
            list.add("endpoint delay", design.model.endpointDelay.text());
        else
            list.assume("endpoint delay", "0 ns");
    }
    if (design.model.model == Model::Flow) {
        list.assume("sharing of links", "max-min fair");
        diagnostics.push_back(note("flow-rules", "messages of one group or pair between the same two NPUs follow one another; all others share links "
                                                 "and budgets at max-min fair rates, a message takes all links of its route at once, and the sum of "
                                                 "their latencies comes on top; reductions share the reducer in the same way"));
    } else if (traitsOf(design.model.model).pieces) {
        list.assume("piece size", showBytes({params.pieceBytes}));
    }
    params.remoteMemory = design.remoteMemory;
    params.offload = offloadRates(structure.platform.spec());
    params.network = makeNetworkParams(design, structure, params, diagnostics);
    params.compute = makeComputeParams(design, structure, params, diagnostics);
    params.scheduling = makeTaskScheduling(design, structure, params, diagnostics);
    return params;
}

AstraSystem makeAstraSystem(const Design& design, Diagnostics& diagnostics)
{
    if (design.astra)
        return *design.astra;
    const NpuSpec& npu = design.platform->npu;
    AstraSystem system;
    for (const CollectiveOp op : kDesignCollectives) {
        if (const auto configured = configuredCollective(op))
            system.implementations[at(*configured)] = astraList(design, op);
    }
    system.localBandwidthAware = design.collectives.localBandwidthAware;
    system.splits = design.collectives.defaults.chunks;
    system.activeChunks = design.collectives.activeChunks;
    system.queuesPerDimension = design.collectives.queuesPerDimension;
    system.endpointDelayNs = toSimTime(design.model.endpointDelay).ps / kPsPerNs;
    system.endpointDelayGiven = true;
    system.rendezvous = design.model.rendezvous;
    system.localMemoryGBps = npu.memoryBandwidth ? npu.memoryBandwidth->base() / kGiga : 0;
    system.peakTflops = npu.peak ? npu.peak->base() / kTera : 0;
    system.roofline = design.model.roofline && system.peakTflops > 0 && system.localMemoryGBps > 0;
    if (toSimTime(design.model.endpointDelay).ps % kPsPerNs != 0)
        diagnostics.push_back(warning("rounded-endpoint-delay", "astra-* models count whole nanoseconds: the endpoint delay is rounded down"));
    if (!design.collectives.rules.empty())
        diagnostics.push_back(warning("rules-ignored", "astra-* models know one algorithm per collective and dimension: the rules of the design are not used"));
    return system;
}

} // namespace fabricscope
