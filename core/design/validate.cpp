#include "core/design/steps.h"
#include "core/design/stepscompile.h"
#include "core/platform/platformcheck.h"

namespace fabricscope {

namespace {

/// Where the design file has a field that the platform knows under another path.
std::string inDesign(std::string field)
{
    for (const char* key : {"injection", "ejection"}) {
        if (field == std::string("platform.npu.") + key)
            return std::string("platform.budgets.") + key;
    }
    constexpr std::string_view kLinks = "platform.link_overrides";
    constexpr std::string_view kNpus = "platform.npu_overrides";
    constexpr std::string_view kNode = "].node";
    if (field.starts_with(kLinks))
        field.replace(0, kLinks.size(), "platform.overrides.links");
    if (field.starts_with(kNpus)) {
        field.replace(0, kNpus.size(), "platform.overrides.npus");
        if (field.ends_with(kNode))
            field.replace(field.size() - kNode.size(), kNode.size(), "].npu");
    }
    return field;
}

class Validator {
public:
    explicit Validator(const Design& design) : m_design(design) {}

    Diagnostics run()
    {
        checkPlatformSection();
        checkPlacement();
        checkRemoteMemory();
        checkCollectives();
        checkModel();
        checkWorkload();
        return std::move(m_found);
    }

private:
    void add(const char* rule, Error error)
    {
        if (error.place.file.empty() && error.place.line == 0)
            error.place = m_design.place(inDesign(error.place.field));
        m_found.push_back(finding(rule, std::move(error)));
    }
    void add(const char* rule, const std::string& field, std::string message, std::string expected = {}, ErrorCode code = ErrorCode::InvalidInput)
    {
        add(rule, Error{code, std::move(message), m_design.place(field), std::move(expected)});
    }
    void warn(const char* rule, const std::string& field, std::string message) { m_found.push_back(warning(rule, std::move(message), m_design.place(field))); }

    void checkPlatformSection()
    {
        if (!m_design.platform) {
            add("platform-missing", "platform", "the design has no platform");
            return;
        }
        const PlatformSpec& spec = *m_design.platform;
        bool sound = true;
        // One dimension at a time, so that all of them are reported.
        for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
            PlatformSpec alone;
            alone.dimensions.push_back(spec.dimensions[i]);
            Status status = checkPlatform(alone);
            if (status)
                continue;
            Error error = std::move(status).error();
            constexpr std::string_view kFirst = "platform.dimensions[0]";
            if (error.place.field.starts_with(kFirst))
                error.place.field.replace(0, kFirst.size(), "platform.dimensions[" + std::to_string(i) + "]");
            add("platform-dimension", std::move(error));
            sound = false;
        }
        if (!sound)
            return;
        auto platform = Platform::create(spec);
        if (platform)
            m_platform = std::move(platform).value();
        else
            add("platform", std::move(platform).error());
    }

    void checkPlacement()
    {
        if (m_design.jobs.size() > 1) {
            add("several-jobs", "platform.placement.jobs[1]", "several jobs are not possible yet", "one job", ErrorCode::Unsupported);
            return;
        }
        if (!m_platform)
            return;
        m_placement = Placement::onRemaining(*m_platform, m_platform->remainingNpus());
        if (m_design.jobs.empty())
            return;
        auto placement = Placement::create(m_design.jobs, *m_platform);
        if (placement) {
            m_placement = std::move(placement).value();
            return;
        }
        m_placement.reset();
        Error error = std::move(placement).error();
        error.place = m_design.place("platform.placement.jobs[0]");
        add("placement", std::move(error));
    }

    void checkRemoteMemory()
    {
        const RemoteMemory& memory = m_design.remoteMemory;
        using Kind = RemoteMemory::Kind;
        if (memory.kind == Kind::None)
            return;
        if (memory.bytesPerNs < 1)
            add("remote-memory", "platform.remote_memory.bandwidth", "the remote memory has no bandwidth", "a whole number of GB/s");
        if (memory.latencyNs < 0)
            add("remote-memory", "platform.remote_memory.latency", "a negative latency", "at least 0 ns");
        if (memory.kind != Kind::PerNode)
            return;
        if (memory.nodes < 1 || memory.npusPerNode < 1)
            add("remote-memory", "platform.remote_memory", "memory per node needs the number of nodes and of NPUs per node", "nodes and npus_per_node");
        else if (m_platform && std::int64_t{memory.nodes} * memory.npusPerNode < m_platform->npuCount())
            add("remote-memory", "platform.remote_memory.nodes",
                std::to_string(memory.nodes) + " nodes of " + std::to_string(memory.npusPerNode) + " NPUs are fewer than the platform's " + std::to_string(m_platform->npuCount()), "a node for every NPU");
    }

    void checkAlgorithms(const std::vector<AlgorithmChoice>& algorithms, const std::string& field)
    {
        for (const AlgorithmChoice& choice : algorithms) {
            if (choice.window < 0)
                add("algorithm-window", field, "a negative window", "at least 0");
        }
        if (!m_platform || algorithms.size() < 2 || algorithms.size() == m_platform->dimensions().size())
            return;
        const std::size_t dimensions = m_platform->dimensions().size();
        const std::string message = std::to_string(algorithms.size()) + " algorithms for " + std::to_string(dimensions) + " dimensions";
        // ASTRA-sim runs only the dimensions that have an entry; kept where its answers are asked for.
        if (isAstra(m_design.model.model) && algorithms.size() < dimensions)
            warn("algorithms-fewer-than-dimensions", field, message + ": ASTRA-sim uses only the first " + std::to_string(algorithms.size()));
        else
            add("algorithms-per-dimension", field, message, "one for all, or one per dimension");
    }

    void checkCollectives()
    {
        const CollectiveConfig& config = m_design.collectives;
        if (config.defaults.chunks < 1)
            add("collective-chunks", "collectives.default.chunks", std::to_string(config.defaults.chunks) + " chunks", "at least 1");
        if (config.defaults.window < 0)
            add("collective-window", "collectives.default.window", "a negative window", "at least 0");
        if (config.activeChunks < 1)
            add("active-chunks", "collectives.active_chunks", std::to_string(config.activeChunks) + " active chunks", "at least 1");
        if (config.queuesPerDimension < 1)
            add("queues", "collectives.queues", std::to_string(config.queuesPerDimension) + " queues per dimension", "at least 1");
        checkAlgorithms(config.defaults.algorithms, "collectives.default.algorithm");
        const auto* steps = m_design.workload ? std::get_if<StepsWorkload>(m_design.workload.get()) : nullptr;
        for (std::size_t i = 0; i < config.rules.size(); ++i) {
            const CollectiveRule& rule = config.rules[i];
            const std::string field = "collectives.rules[" + std::to_string(i) + "]";
            if (rule.minSize && rule.maxSize && toBytes(*rule.minSize) > toBytes(*rule.maxSize))
                add("rule-sizes", field + ".min_size", "no size is at least " + rule.minSize->text() + " and at most " + rule.maxSize->text());
            if (rule.chunks && *rule.chunks < 1)
                add("collective-chunks", field + ".chunks", std::to_string(*rule.chunks) + " chunks", "at least 1");
            if (rule.window && *rule.window < 0)
                add("collective-window", field + ".window", "a negative window", "at least 0");
            if (rule.algorithms)
                checkAlgorithms(*rule.algorithms, field + ".algorithm");
            if (!steps || rule.group == "*" || rule.group == "world")
                continue;
            const auto called = [&](const GroupSpec& group) { return group.name == rule.group; };
            if (std::none_of(steps->groups.begin(), steps->groups.end(), called))
                warn("rule-group", field + ".group", "no group is called \"" + rule.group + "\": the rule never applies");
        }
    }

    void checkModel()
    {
        const ModelConfig& model = m_design.model;
        if (!model.version.empty() && model.version != modelVersion(model.model))
            add("model-version", "model.version", "the design is for version \"" + model.version + "\" of the rules of " + std::string(modelName(model.model)),
                std::string(modelVersion(model.model)) + ", or no version for the current one", ErrorCode::Unsupported);
        if (model.endpointDelay.measure != Measure::Time || !(model.endpointDelay.value >= 0))
            add("endpoint-delay", "model.endpoint_delay", "not a time", "a time such as 500 ns");
        if (m_platform && m_platform->isExplicit() && isAstra(model.model))
            add("astra-needs-dimensions", "model.name", "ASTRA-sim's models know no platforms of nodes and links", "links or ideal, or a platform of dimensions", ErrorCode::Unsupported);
        if (m_platform && m_platform->hasRemovals() && isAstra(model.model))
            add("astra-removals", "model.name", "astra-* models have no removed links or NPUs", "links or ideal", ErrorCode::Unsupported);
    }

    bool needsRemoteMemory(const std::vector<Step>& steps, const Step*& which) const
    {
        return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
            which = &step;
            return step.kind == Step::Kind::Load || step.kind == Step::Kind::Store || (step.kind == Step::Kind::Repeat && needsRemoteMemory(step.steps, which));
        });
    }

    void checkWorkload()
    {
        if (!m_design.workload || std::holds_alternative<std::monostate>(*m_design.workload)) {
            add("workload-missing", "workload", "the design has no workload", "trace, steps or collective");
            return;
        }
        if (const auto* trace = std::get_if<TraceWorkload>(m_design.workload.get())) {
            if (trace->prefix.empty())
                add("trace-prefix", "workload.trace", "the prefix of the trace files is empty", "PREFIX of files PREFIX.RANK.et");
            if (trace->bytesPerElement < 1)
                add("bytes-per-element", "workload.bytes_per_element", std::to_string(trace->bytesPerElement) + " bytes per element", "at least 1");
        } else if (const auto* single = std::get_if<SingleCollective>(m_design.workload.get())) {
            if (!isDesignCollective(single->op))
                add("workload-collective", "workload.collective", std::string(collectiveKey(single->op)) + " is not possible here", "all_reduce, all_gather, reduce_scatter or all_to_all");
            if (single->size.measure != Measure::Size || !(single->size.value >= 0))
                add("workload-size", "workload.size", "not a size", "a size such as 64 MiB");
        } else {
            checkStepsWorkload(std::get<StepsWorkload>(*m_design.workload));
        }
    }

    void checkStepsWorkload(const StepsWorkload& steps)
    {
        const Step* which = nullptr;
        if (m_design.remoteMemory.kind == RemoteMemory::Kind::None && needsRemoteMemory(steps.steps, which)) {
            Error error = invalidInput("a load or store needs remote memory, and the platform has none", which->place, "platform.remote_memory");
            add("remote-memory-missing", std::move(error));
        }
        std::vector<GroupFamily> families;
        bool complete = m_platform.has_value() && m_placement.has_value();
        if (complete) {
            families.push_back(GroupFamily::world(m_placement->rankCount()));
            for (const GroupSpec& spec : steps.groups) {
                auto family = groupFamily(spec, *m_platform, *m_placement);
                if (family) {
                    families.push_back(std::move(family).value());
                } else {
                    add("workload-groups", std::move(family).error());
                    complete = false;
                }
            }
        }
        auto compiled = compileSteps(steps, complete ? &families : nullptr, complete ? m_placement->rankCount() : kMaxNpus);
        if (compiled)
            return;
        Error error = std::move(compiled).error();
        if (error.place.empty())
            error.place = m_design.place("workload.steps");
        add("workload-steps", std::move(error));
    }

    const Design& m_design;
    Diagnostics m_found;
    std::optional<Platform> m_platform;
    std::optional<Placement> m_placement;
};

} // namespace

Diagnostics validate(const Design& design)
{
    return Validator(design).run();
}

} // namespace fabricscope
