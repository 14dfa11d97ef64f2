#include "core/design/validate.h"

#include "core/base/files/openfile.h"
#include "core/base/stop.h"
#include "core/design/file/remotesection.h"
#include "core/design/file/sectionfields.h"
#include "core/design/modelversions.h"
#include "core/design/sectionchecks.h"
#include "core/design/steps/compilesteps.h"
#include "core/design/steps/steps.h"
#include "core/plan/layout.h"
#include "core/plan/lower/planworkload.h"
#include "core/plan/plangraph.h"
#include "core/platform/platformcheck.h"
#include "core/platform/unequalgroups.h"
#include "core/platform/valueranges.h"
#include "core/program/nativerule.h"

#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>

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
    /// `known`: a platform that may be that of the design.
    Validator(const Design& design, std::optional<Platform> known, const std::stop_token& stop) : m_stop(stop), m_design(design), m_known(std::move(known)) {}

    Diagnostics run()
    {
        checkPlatformSection();
        checkPlacement();
        checkRemoteMemory();
        checkCollectives();
        checkModel();
        checkUnused();
        checkWorkload();
        for (const auto check : {validateNetwork, validateCompute, validateScheduling, validateAccuracy, validateValues}) {
            for (Diagnostic& problem : check(m_design, m_stop))
                m_found.push_back(std::move(problem));
        }
        return std::move(m_found);
    }
    /// After run().
    std::optional<Platform> takePlatform() { return std::move(m_platform); }

private:
    const ModelTraits& model() const { return traitsOf(m_design.model.model); }

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
        if (Status values = checkValues(spec, m_stop); !values) {
            Error error = std::move(values).error();
            if (!model().checksValues) { // The reference computes with anything.
                m_found.push_back(warning("value-range", error.message + ", if the answer is to mean something: " + error.expected, m_design.place(inDesign(error.place.field))));
            } else {
                add("value-range", std::move(error));
                return;
            }
        }
        auto platform = m_known && m_known->spec() == spec ? Result<Platform>(*std::move(m_known)) : Platform::create(spec, m_stop);
        checkStop(m_stop);
        if (platform)
            m_platform = std::move(platform).value();
        else
            add("platform", std::move(platform).error());
    }

    void checkPlacement()
    {
        const auto* several = m_design.workload ? std::get_if<JobsWorkload>(m_design.workload.get()) : nullptr;
        if (m_design.jobs.size() > 1 && !several) {
            add("several-jobs", "platform.placement.jobs[1]", "one workload cannot run as several jobs", "workload.jobs, which says what each job runs", ErrorCode::Unsupported);
            return;
        }
        if (several && !model().severalJobs) {
            add("several-jobs", "workload.jobs", "the astra-* models know one job", modelsWith(&ModelTraits::severalJobs), ErrorCode::Unsupported);
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
        const std::string prefix = several ? "workload." : "platform.placement.";
        error.place = m_design.place(error.place.field.starts_with("jobs[") ? prefix + error.place.field.substr(0, error.place.field.find(']') + 1) : prefix + "jobs[0]");
        add("placement", std::move(error));
    }

    void checkRemoteMemory()
    {
        const RemoteMemory& memory = m_design.remoteMemory;
        using Kind = RemoteMemory::Kind;
        if (memory.kind == Kind::None)
            return;
        if (memory.kind == Kind::Hierarchical) {
            if (Status status = checkMemoryPool(memory); !status)
                add("remote-memory", std::move(status).error());
            else if (!model().memoryPools)
                add("remote-memory-hierarchical", "platform.remote_memory.kind", "astra-* models have no hierarchical pools",
                    modelsWith(&ModelTraits::memoryPools) + ", or one of per_npu, per_node, pool", ErrorCode::Unsupported);
            return;
        }
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
            if (choice.automatic || model().ownCollectives || nativeRule(choice.algorithm).inReference)
                continue;
            if (choice.algorithm == Algorithm::InNetwork)
                add("astra-in-network", field, "astra-* models know no switches that reduce or copy", "another algorithm, or " + modelsWith(&ModelTraits::switchesReduce), ErrorCode::Unsupported);
            else
                add("astra-algorithm", field, "ASTRA-sim has no " + std::string(algorithmKey(choice.algorithm)), "another algorithm, or " + modelsWith(&ModelTraits::ownCollectives), ErrorCode::Unsupported);
        }
        if (!m_platform || algorithms.size() < 2 || algorithms.size() == m_platform->dimensions().size())
            return;
        if (m_platform->isExplicit() && model().ownCollectives && rulesNumber(versionUsed(m_design.model.model, m_design.model.version)) > 1 && !isUnequalGroups(m_platform->spec()))
            return; // One for each level of a group, which is known when it is planned.
        const std::size_t dimensions = m_platform->dimensions().size();
        const std::string message = std::to_string(algorithms.size()) + " algorithms for " + std::to_string(dimensions) + " dimensions";
        // ASTRA-sim runs only the dimensions that have an entry; kept where its answers are asked for.
        if (!model().ownCollectives && algorithms.size() < dimensions)
            warn("algorithms-fewer-than-dimensions", field, message + ": ASTRA-sim uses only the first " + std::to_string(algorithms.size()));
        else
            add("algorithms-per-dimension", field, message, "one for all, or one per dimension");
    }

    /// Files are read, and programs looked at, when the design is made ready to run.
    void checkProgram(const ProgramSource& source, const std::string& field)
    {
        if (!source.hasFile())
            return;
        const std::string path = m_design.resolve(source.text);
        std::error_code ignored;
        const auto exists = [&](const std::string& file) { return std::filesystem::is_regular_file(file, ignored); };
        const bool traces = source.kind == ProgramSource::Kind::File && (exists(path + ".0.et") || exists(path + ".0.et.gz") || exists(path + ".0.json"));
        if (traces)
            return;
        if (std::filesystem::exists(path, ignored)) {
            if (const auto file = OpenFile::open(path); !file)
                add("program-file", field + (source.kind == ProgramSource::Kind::File ? ".program" : ".script"), path + ' ' + file.error().message, file.error().expected, ErrorCode::NotReadable);
        } else {
            add("program-file", field + (source.kind == ProgramSource::Kind::File ? ".program" : ".script"), "there is no file " + path, "a file, relative to the folder of the design", ErrorCode::NotReadable);
        }
    }

    void checkPrograms(const ProgramChoice& choice, const std::string& field)
    {
        for (const ProgramSource& source : choice.program)
            checkProgram(source, field);
        for (std::size_t i = 0; i < choice.candidates.size(); ++i)
            checkProgram(choice.candidates[i], field + ".candidates[" + std::to_string(i) + "]");
        if (!choice.program.empty() && !model().ownCollectives)
            add("astra-program", field, "the models astra-* run programs only as custom collectives of an ASTRA-sim system file",
                modelsWith(&ModelTraits::ownCollectives) + ", or collectives.system", ErrorCode::Unsupported);
    }

    /// Of a rule: what older rules do not know, and what is set for nothing.
    void checkTerms(const CollectiveRule& rule, const std::string& field)
    {
        if (rule.minRanks && rule.maxRanks && *rule.minRanks > *rule.maxRanks)
            add("rule-ranks", field + ".min_ranks", "no group has at least " + std::to_string(*rule.minRanks) + " and at most " + std::to_string(*rule.maxRanks) + " ranks");
        const CollectiveTerms& terms = rule.terms;
        if (terms.rampSize && !terms.ramp)
            add("rule-terms", field + ".ramp_size", "a size without a ramp", "ramp");
        if (terms.protocol)
            checkProtocol(m_design, *terms.protocol, field + ".protocol", m_platform, m_found);
        const bool ranks = rule.minRanks || rule.maxRanks;
        const std::string version = versionUsed(model().model, m_design.model.version);
        if (model().ownCollectives && (ranks || terms != CollectiveTerms{}) && rulesNumber(version) < kLibraryRules)
            add("rule-terms", field, "the rules of " + version + " know no ranks, launch, ramp or protocol of a rule", versionList(model().model, kLibraryRules) + ", or no version", ErrorCode::Unsupported);
    }

    void checkCollectives()
    {
        const CollectiveConfig& config = m_design.collectives;
        constexpr std::ptrdiff_t kMostProtocols = 100; // As of network.protocols.
        const auto protocols = std::count_if(config.rules.begin(), config.rules.end(), [](const CollectiveRule& rule) { return rule.terms.protocol.has_value(); });
        if (protocols > kMostProtocols)
            add("rule-terms", "collectives.rules", std::to_string(protocols) + " rules with a protocol", "at most " + std::to_string(kMostProtocols));
        if (config.defaults.chunks < 1)
            add("collective-chunks", "collectives.default.chunks", std::to_string(config.defaults.chunks) + " chunks", "at least 1");
        if (config.defaults.window < 0)
            add("collective-window", "collectives.default.window", "a negative window", "at least 0");
        if (config.activeChunks < 1)
            add("active-chunks", "collectives.active_chunks", std::to_string(config.activeChunks) + " active chunks", "at least 1");
        if (config.queuesPerDimension < 1)
            add("queues", "collectives.queues", std::to_string(config.queuesPerDimension) + " queues per dimension", "at least 1");
        checkAlgorithms(config.defaults.algorithms, "collectives.default.algorithm");
        checkPrograms(config.defaults.program, "collectives.default");
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
            checkTerms(rule, field);
            if (rule.algorithms)
                checkAlgorithms(*rule.algorithms, field + ".algorithm");
            checkPrograms(rule.program, field);
            if (!steps || rule.group == "*" || rule.group == "world")
                continue;
            const auto called = [&](const GroupSpec& group) { return group.name == rule.group; };
            if (std::none_of(steps->groups.begin(), steps->groups.end(), called))
                warn("rule-group", field + ".group", "no group is called \"" + rule.group + "\": the rule never applies");
        }
    }

    void checkModel()
    {
        const ModelConfig& config = m_design.model;
        if (!config.version.empty() && !knowsVersion(model().model, config.version))
            add("model-version", "model.version", "the design is for version \"" + config.version + "\" of the rules of " + std::string(model().name),
                versionList(model().model) + ", or no version for the current one", ErrorCode::Unsupported);
        if (config.endpointDelay.measure != Measure::Time || !(config.endpointDelay.value >= 0))
            add("endpoint-delay", "model.endpoint_delay", "not a time", "a time such as 500 ns");
        if (m_platform && m_platform->isExplicit() && !model().graphs)
            add("astra-needs-dimensions", "model.name", "ASTRA-sim's models know no platforms of nodes and links", modelsWith(&ModelTraits::graphs) + ", or a platform of dimensions",
                ErrorCode::Unsupported);
        if (m_platform && m_platform->hasRemovals() && !model().graphs)
            add("astra-removals", "model.name", "astra-* models have no removed links or NPUs", modelsWith(&ModelTraits::graphs), ErrorCode::Unsupported);
    }

    /// What is set and the model does not look at.
    void checkUnused()
    {
        const CollectiveConfig& config = m_design.collectives;
        const auto onlyAstra = [&](bool set, const char* field, const char* instead) {
            if (set && !model().chunkQueues)
                warn("unused-setting", field, std::string(field) + " is not used: only the astra-* models know it" + instead);
        };
        onlyAstra(config.activeChunks > 1, "collectives.active_chunks", "; collectives.default.window limits the chunks in a phase");
        onlyAstra(config.queuesPerDimension > 1, "collectives.queues", "");
        onlyAstra(config.localBandwidthAware, "collectives.optimization", "; scheduling.dimensions: local_bw sorts dimensions by their rate");
        const auto notUsed = [&](bool set, const std::string& field, std::string_view why) {
            if (set)
                warn("unused-setting", field, field + " is not used: " + std::string(why));
        };
        const NpuSpec* npu = m_design.platform ? &m_design.platform->npu : nullptr;
        if (!model().noBudgets.empty())
            notUsed(npu && (npu->injection || npu->ejection), "platform.budgets", model().noBudgets);
        if (!model().noBudgets.empty() && m_design.platform && !m_design.platform->nodes.crossbars().empty())
            notUsed(true, "platform.nodes[" + std::to_string(m_design.platform->nodes.crossbars().begin()->first) + "].crossbar", model().noBudgets);
        for (std::size_t d = 0; !model().noBudgets.empty() && m_design.platform && d < m_design.platform->dimensions.size(); ++d)
            notUsed(m_design.platform->dimensions[d].crossbar.has_value(), "platform.dimensions[" + std::to_string(d) + "].crossbar", model().noBudgets);
        const std::vector<NpuOverride> none;
        const std::vector<NpuOverride>& npus = m_design.platform ? m_design.platform->npuOverrides : none;
        const auto computes = [](const NpuOverride& entry) { return entry.speed || entry.peak || entry.memoryBandwidth; };
        notUsed(!model().npuDetails && std::any_of(npus.begin(), npus.end(), computes), "platform.overrides.npus", "in the astra-* models all NPUs compute alike");
        if (model().ownCollectives)
            return;
        constexpr const char* kNoWindow = "the astra-* models limit chunks by collectives.active_chunks";
        notUsed(config.defaults.window > 0, "collectives.default.window", kNoWindow);
        for (std::size_t i = 0; i < config.rules.size(); ++i)
            notUsed(config.rules[i].window.value_or(0) > 0, "collectives.rules[" + std::to_string(i) + "].window", kNoWindow);
    }

    bool needsRemoteMemory(const std::vector<Step>& steps, const Step*& which) const
    {
        return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
            which = &step;
            return step.kind == Step::Kind::Load || step.kind == Step::Kind::Store || (step.kind == Step::Kind::Repeat && needsRemoteMemory(step.steps, which));
        });
    }

    void addAstraBroadcast(Place place)
    {
        add("astra-broadcast", Error{ErrorCode::Unsupported, "astra-* models run no broadcasts", std::move(place), "another collective, or " + modelsWith(&ModelTraits::broadcasts)});
    }

    const Step* broadcastStep(const std::vector<Step>& steps) const
    {
        for (const Step& step : steps) {
            if (step.kind == Step::Kind::Collective && step.op == CollectiveOp::Broadcast)
                return &step;
            if (const Step* inner = step.kind == Step::Kind::Repeat ? broadcastStep(step.steps) : nullptr)
                return inner;
        }
        return nullptr;
    }

    /// The first step that gathers, or null.
    const Step* gatheringStep(const std::vector<Step>& steps) const
    {
        for (const Step& step : steps) {
            if (step.kind == Step::Kind::Load && !step.group.empty())
                return &step;
            if (const Step* inner = step.kind == Step::Kind::Repeat ? gatheringStep(step.steps) : nullptr)
                return inner;
        }
        return nullptr;
    }

    void checkWorkload()
    {
        if (!m_design.workload || std::holds_alternative<std::monostate>(*m_design.workload)) {
            add("workload-missing", "workload", "the design has no workload", "trace, steps, collective or plan");
            return;
        }
        const auto* several = std::get_if<JobsWorkload>(m_design.workload.get());
        if (!several)
            return checkOneWorkload(*m_design.workload, "workload");
        if (several->jobs.size() != m_design.jobs.size() || several->jobs.empty())
            return add("jobs", "workload.jobs", std::to_string(several->jobs.size()) + " jobs and " + std::to_string(m_design.jobs.size()) + " places for jobs", "a place for every job");
        const std::optional<Placement> all = m_placement;
        for (std::size_t j = 0; j < several->jobs.size(); ++j) {
            m_placement.reset();
            if (m_platform && all) {
                auto own = Placement::create({m_design.jobs[j]}, *m_platform);
                if (own)
                    m_placement = std::move(own).value();
            }
            checkOneWorkload(several->jobs[j].runs, "workload.jobs[" + std::to_string(j) + "]");
        }
        m_placement = all;
    }

    template <typename Spec>
    void checkOneWorkload(const Spec& spec, const std::string& field)
    {
        if (const auto* trace = std::get_if<TraceWorkload>(&spec)) {
            if (trace->prefix.empty())
                add("trace-prefix", field + ".trace", "the prefix of the trace files is empty", "PREFIX of files PREFIX.RANK.et");
            if (trace->bytesPerElement < 1)
                add("bytes-per-element", field + ".bytes_per_element", std::to_string(trace->bytesPerElement) + " bytes per element", "at least 1");
        } else if (const auto* single = std::get_if<SingleCollective>(&spec)) {
            if (!isDesignCollective(single->op))
                add("workload-collective", field + ".collective", std::string(collectiveKey(single->op)) + " is not possible here", "all_reduce, all_gather, reduce_scatter, all_to_all or broadcast");
            else if (single->op == CollectiveOp::Broadcast && !model().ownCollectives)
                addAstraBroadcast(m_design.place(field + ".collective"));
            if (single->size.measure != Measure::Size || !(single->size.value >= 0))
                add("workload-size", field + ".size", "not a size", "a size such as 64 MiB");
        } else if (const auto* steps = std::get_if<StepsWorkload>(&spec)) {
            checkStepsWorkload(*steps);
        } else if constexpr (std::is_same_v<Spec, WorkloadSpec>) {
            if (const auto* planned = std::get_if<PlannedWorkload>(&spec))
                checkPlannedWorkload(*planned);
        }
    }

    void checkPlannedWorkload(const PlannedWorkload& planned)
    {
        if (planned.plan->graph) {
            if (Status fits = m_placement ? checkGraphRanks(planned.plan->graph->problem, m_placement->rankCount()) : Status(); !fits)
                add("plan", std::move(fits).error());
            return;
        }
        const std::size_t before = m_found.size();
        checkFields<PlanSpec>(planFields(), *planned.plan, [this](const std::string& key, std::string message, std::string expected) {
            add("plan", "workload.plan." + key, std::move(message), std::move(expected));
        });
        if (m_found.size() > before || !m_placement)
            return;
        if (planned.plan->placement == PlanPlacement::Hap) { // The rest is for the search to say (core/planner).
            if (!planned.model)
                add("plan", invalidInput("placement: hap needs a model", {}, "workload.model"));
            return;
        }
        if (auto layout = layoutOf(planned.model.get(), *planned.plan, m_placement->rankCount()); !layout)
            add("plan", std::move(layout).error());
    }

    void checkStepsWorkload(const StepsWorkload& steps)
    {
        const Step* which = nullptr;
        if (const Step* broadcast = model().ownCollectives ? nullptr : broadcastStep(steps.steps))
            addAstraBroadcast(broadcast->place);
        if (m_design.remoteMemory.kind == RemoteMemory::Kind::None && needsRemoteMemory(steps.steps, which)) {
            Error error = invalidInput("a load or store needs remote memory, and the platform has none", which->place, "platform.remote_memory");
            add("remote-memory-missing", std::move(error));
        } else if (const Step* gathering = gatheringStep(steps.steps); gathering && m_design.remoteMemory.kind != RemoteMemory::Kind::Hierarchical) {
            add("gather-needs-pool", Error{ErrorCode::Unsupported, "only the switches of a hierarchical pool gather", gathering->place, "platform.remote_memory.kind: hierarchical, or a load without gather"});
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
        auto compiled = compileSteps(steps, complete ? &families : nullptr, complete ? m_placement->rankCount() : kMaxNpus, m_stop);
        checkStop(m_stop);
        if (compiled)
            return;
        Error error = std::move(compiled).error();
        if (error.place.empty())
            error.place = m_design.place("workload.steps");
        add("workload-steps", std::move(error));
    }

    const std::stop_token& m_stop;
    const Design& m_design;
    Diagnostics m_found;
    std::optional<Platform> m_known;
    std::optional<Platform> m_platform;
    std::optional<Placement> m_placement;
};

} // namespace

Diagnostics validate(const Design& design, const std::stop_token& stop)
{
    return Validator(design, std::nullopt, stop).run();
}

Diagnostics validate(const Design& design, const std::stop_token& stop, std::optional<Platform>& made)
{
    Validator validator(design, std::exchange(made, std::nullopt), stop);
    Diagnostics found = validator.run();
    made = validator.takePlatform();
    return found;
}

} // namespace fabricscope
