#include "core/base/stop.h"
#include "core/design/accuracyconfig.h"
#include "core/design/computeconfig.h"
#include "core/design/networkconfig.h"
#include "core/design/sectionchecks.h"
#include "core/platform/valueranges.h"

namespace fabricscope {

namespace {

/// Goes through the figures of a design that are not its platform's.
class Figures {
public:
    Figures(const Design& design, const std::stop_token& stop) : m_stop(stop), m_design(design) {}

    Diagnostics run()
    {
        take(checkValues(m_design.remoteMemory));
        if (m_design.remoteMemory.pool)
            add(m_design.remoteMemory.pool->piece, Meaning::Data, "platform.remote_memory.piece");
        add(m_design.model.endpointDelay, Meaning::Latency, "model.endpoint_delay");
        for (std::size_t i = 0; i < m_design.collectives.rules.size(); ++i) {
            const std::string field = "collectives.rules[" + std::to_string(i) + "]";
            add(m_design.collectives.rules[i].minSize, Meaning::Data, field + ".min_size");
            add(m_design.collectives.rules[i].maxSize, Meaning::Data, field + ".max_size");
            addTerms(m_design.collectives.rules[i].terms, field);
        }
        if (m_design.accuracy) {
            add(m_design.accuracy->minSize, Meaning::Data, "accuracy.min_size");
            add(m_design.accuracy->maxSize, Meaning::Data, "accuracy.max_size");
        }
        if (m_design.network)
            addNetwork(*m_design.network);
        if (m_design.compute)
            addCompute(*m_design.compute);
        if (m_design.workload)
            addWorkload(*m_design.workload);
        return std::move(m_found);
    }

private:
    void take(const Status& status)
    {
        if (!status)
            report(status.error(), m_design.place(status.error().place.field));
    }
    void add(const std::optional<Quantity>& value, Meaning meaning, const std::string& field)
    {
        // A unit of another kind has been reported.
        if (value && value->measure == valueRange(meaning).measure)
            take(checkValue(*value, meaning, field));
    }
    void report(const Error& error, const Place& place)
    {
        // The reference computes with anything.
        if (!traitsOf(m_design.model.model).checksValues)
            m_found.push_back(warning("value-range", error.message + ", if the answer is to mean something: " + error.expected, place));
        else
            m_found.push_back(finding("value-range", Error{error.code, error.message, place, error.expected}));
    }

    void addTerms(const CollectiveTerms& terms, const std::string& field)
    {
        add(terms.launch, Meaning::Latency, field + ".launch");
        add(terms.ramp, Meaning::Latency, field + ".ramp");
        add(terms.rampSize, Meaning::Data, field + ".ramp_size");
        if (terms.protocol) {
            add(terms.protocol->latency, Meaning::Latency, field + ".protocol.latency");
            add(terms.protocol->slotSize, Meaning::Data, field + ".protocol.slot_size");
        }
    }

    void addNetwork(const NetworkConfig& network)
    {
        add(network.launch, Meaning::Latency, "network.launch");
        for (std::size_t i = 0; i < network.protocols.size(); ++i) {
            const ProtocolConfig& protocol = network.protocols[i];
            const std::string field = "network.protocols[" + std::to_string(i) + "]";
            add(protocol.minSize, Meaning::Data, field + ".min_size");
            add(protocol.maxSize, Meaning::Data, field + ".max_size");
            add(protocol.latency, Meaning::Latency, field + ".latency");
            add(protocol.slotSize, Meaning::Data, field + ".slot_size");
        }
        for (std::size_t i = 0; i < network.faults.size(); ++i) {
            const FaultConfig& fault = network.faults[i];
            const std::string field = "network.faults[" + std::to_string(i) + "]";
            add(fault.at, Meaning::Duration, field + ".at");
            add(fault.until, Meaning::Duration, field + ".until");
            add(fault.bandwidth, Meaning::Rate, field + ".bandwidth");
        }
        take(checkShare(network.compute.deviation, "network.jitter.compute.deviation"));
        take(checkShare(network.latency.deviation, "network.jitter.latency.deviation"));
        take(checkShare(network.occupancy.deviation, "network.jitter.occupancy.deviation"));
    }

    void addPoints(const std::vector<EfficiencyPoint>& points, Meaning meaning, const std::string& field)
    {
        for (std::size_t i = 0; i < points.size(); ++i)
            add(points[i].upTo, meaning, field + "[" + std::to_string(i) + "].up_to");
    }

    void addCompute(const ComputeConfig& compute)
    {
        const auto addTable = [&](const EfficiencyTable& table, const std::string& field) {
            addPoints(table.operations, Meaning::Operations, field + ".operations");
            addPoints(table.bytes, Meaning::Data, field + ".bytes");
        };
        addTable(compute.efficiency, "compute.efficiency");
        for (std::size_t i = 0; i < compute.kinds.size(); ++i)
            addTable(compute.kinds[i].table, "compute.efficiency.kinds[" + std::to_string(i) + "]");
        for (std::size_t i = 0; compute.memory && i < compute.memory->resident.size(); ++i)
            add(compute.memory->resident[i].bytes, Meaning::Data, "compute.memory.resident[" + std::to_string(i) + "].bytes");
        if (compute.kernels) {
            add(compute.kernels->start, Meaning::Latency, "compute.kernels.start");
            add(compute.kernels->layer, Meaning::Latency, "compute.kernels.layer");
            add(compute.kernels->fp8Peak, Meaning::ComputeRate, "compute.kernels.fp8_peak");
            add(compute.kernels->fp32Peak, Meaning::ComputeRate, "compute.kernels.fp32_peak");
        }
        if (!compute.slowdown)
            return;
        take(checkShare(compute.slowdown->smShare, "compute.slowdown.sm_share"));
        take(checkShare(compute.slowdown->bandwidthShare, "compute.slowdown.bandwidth_share"));
        take(checkShare(compute.slowdown->mostShare, "compute.slowdown.most_share"));
        take(checkShare(compute.slowdown->reducerLoss, "compute.slowdown.reducer_loss"));
    }

    void addWorkload(const WorkloadSpec& spec)
    {
        if (const auto* several = std::get_if<JobsWorkload>(&spec)) {
            for (std::size_t j = 0; j < several->jobs.size(); ++j)
                addOneWorkload(several->jobs[j].runs, "workload.jobs[" + std::to_string(j) + "]");
        } else {
            addOneWorkload(spec, "workload");
        }
    }

    template <typename Spec>
    void addOneWorkload(const Spec& spec, const std::string& field)
    {
        if (const auto* steps = std::get_if<StepsWorkload>(&spec)) {
            m_empty = 0;
            addSteps(steps->steps);
            if (m_empty > 1)
                m_found[m_firstEmpty].message += " (and " + std::to_string(m_empty - 1) + " more steps like it)";
        } else if (const auto* single = std::get_if<SingleCollective>(&spec)) {
            add(single->size, Meaning::Data, field + ".size");
            m_empty = 0;
            if (single->size.value == 0)
                nothing("a collective of 0 bytes moves nothing", m_design.place(field + ".size"));
        }
    }

    void nothing(const char* message, const Place& place)
    {
        if (m_empty++ > 0)
            return; // There may be as many as steps.
        m_firstEmpty = m_found.size();
        m_found.push_back(warning("zero-bytes", message, place));
    }

    /// Steps know only the place of the whole step.
    void addStep(const Step& step, const std::optional<Quantity>& value, Meaning meaning, const char* key)
    {
        if (!value || value->measure != valueRange(meaning).measure)
            return;
        if (const Status status = checkValue(*value, meaning, {}); !status) {
            Place place = step.place;
            place.field += std::string(".") + key;
            report(status.error(), place);
        }
    }

    void addSteps(const std::vector<Step>& steps)
    {
        for (const Step& step : steps) {
            checkStop(m_stop);
            using Kind = Step::Kind;
            addStep(step, step.duration, Meaning::Duration, "compute");
            addStep(step, step.operations, Meaning::Operations, step.duration ? "operations" : "compute");
            addStep(step, step.output, Meaning::Data, "output");
            addStep(step, step.scratch, Meaning::Data, "scratch");
            const char* moves = nullptr;
            const char* key = "bytes";
            switch (step.kind) {
            case Kind::Compute: break;
            case Kind::Repeat: addSteps(step.steps); break;
            case Kind::Collective: moves = "a collective of 0 bytes moves nothing"; key = "size"; break;
            case Kind::Send: moves = "a message of 0 bytes moves nothing"; key = "send"; break;
            case Kind::Receive: key = "receive"; break; // Its sender is told.
            case Kind::Load: moves = "a load of 0 bytes moves nothing"; key = "load"; break;
            case Kind::Store: moves = "a store of 0 bytes moves nothing"; key = "store"; break;
            }
            addStep(step, step.bytes, Meaning::Data, key);
            if (moves && step.bytes && step.bytes->value == 0)
                nothing(moves, step.place);
        }
    }

    const std::stop_token& m_stop;
    const Design& m_design;
    Diagnostics m_found;
    std::size_t m_empty = 0;      ///< Steps of the workload at hand that move nothing ...
    std::size_t m_firstEmpty = 0; ///< ... and where the first is in m_found.
};

} // namespace

Diagnostics validateValues(const Design& design, const std::stop_token& stop)
{
    return Figures(design, stop).run();
}

} // namespace fabricscope
