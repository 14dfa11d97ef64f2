#include "core/design/steps/compilesteps.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <charconv>

namespace fabricscope {

namespace {

constexpr double kMaxBytes = 72057594037927936.0; // 2^56
constexpr double kMaxSeconds = 9e6;               // the range of SimTime
constexpr double kMaxOperations = 9e18;

struct Label {
    std::int32_t number = 0;
    std::vector<const Step*> repeats; ///< Around it, outermost first.
};

class Compiler {
public:
    Compiler(const StepsWorkload& steps, const std::vector<GroupFamily>* families, std::int64_t ranks, const std::stop_token& stop) : m_stop(stop), m_source(steps), m_families(families), m_ranks(ranks) {}

    Result<CompiledSteps> run()
    {
        if (m_source.steps.empty())
            return invalidInput("there are no steps");
        for (std::size_t g = 0; g < m_source.groups.size(); ++g) {
            const GroupSpec& group = m_source.groups[g];
            if (group.name.empty() || group.name == "*" || group.name == "world")
                return invalidInput("a group cannot be called \"" + group.name + "\"", group.place);
            if (!m_groups.emplace(group.name, static_cast<FamilyId>(g + 1)).second)
                return invalidInput("a second group is called \"" + group.name + "\"", group.place);
        }
        m_result.rankSets.push_back(RankSet::range(0, m_ranks));
        std::vector<const Step*> repeats;
        if (Status status = collectLabels(m_source.steps, repeats); !status)
            return std::move(status).error();
        repeats.clear();
        m_used.assign(m_labels.size(), false);
        auto steps = compile(m_source.steps, repeats);
        if (!steps)
            return std::move(steps).error();
        m_result.steps = std::move(steps).value();
        m_result.labels = m_labels.size();
        m_result.usedLabel = std::move(m_used);
        return std::move(m_result);
    }

private:
    Status collectLabels(const std::vector<Step>& steps, std::vector<const Step*>& repeats)
    {
        for (const Step& step : steps) {
            checkStop(m_stop);
            if (!step.name.empty()) {
                Label label{static_cast<std::int32_t>(m_labels.size()), repeats};
                if (!m_labels.emplace(step.name, std::move(label)).second)
                    return invalidInput("a second step is called \"" + step.name + "\"", step.place, "a name of its own");
            }
            if (step.kind != Step::Kind::Repeat)
                continue;
            if (!step.name.empty() || step.afterGiven || !step.ranks.empty())
                return invalidInput("a repeat has no name, after or ranks", step.place, "these at the steps inside");
            if (repeats.size() >= 32)
                return invalidInput("repeats are nested too deeply", step.place, "at most 32");
            repeats.push_back(&step);
            Status inner = collectLabels(step.steps, repeats);
            repeats.pop_back();
            if (!inner)
                return inner;
        }
        return {};
    }

    Result<std::vector<CompiledStep>> compile(const std::vector<Step>& steps, std::vector<const Step*>& repeats)
    {
        std::vector<CompiledStep> compiled;
        for (const Step& step : steps) {
            checkStop(m_stop);
            auto one = compileOne(step, repeats);
            if (!one)
                return std::move(one).error();
            if (!step.name.empty())
                m_seen[step.name] = true;
            compiled.push_back(std::move(one).value());
        }
        return compiled;
    }

    Result<CompiledStep> compileOne(const Step& step, std::vector<const Step*>& repeats)
    {
        CompiledStep out;
        out.kind = step.kind;
        out.name = step.name.substr(0, 200);
        out.afterGiven = step.afterGiven;
        out.tag = step.tag;
        out.priority = step.priority;
        out.op = step.op;
        if (!step.name.empty())
            out.label = m_labels.at(step.name).number;
        Status status = resolveAfter(step, repeats, out);
        if (status && step.kind != Step::Kind::Repeat)
            status = resolveQuantities(step, out);
        if (status)
            status = resolveKind(step, repeats, out);
        if (status && step.kind != Step::Kind::Repeat)
            status = resolveRanks(step, out);
        if (status && (step.kind == Step::Kind::Send || step.kind == Step::Kind::Receive))
            status = resolvePeer(step, out);
        if (!status)
            return std::move(status).error();
        return out;
    }

    Status resolveAfter(const Step& step, const std::vector<const Step*>& repeats, CompiledStep& out)
    {
        for (const std::string& name : step.after) {
            const auto found = m_labels.find(name);
            if (found == m_labels.end())
                return invalidInput("no step is called \"" + name + "\"", step.place, "the name of a step");
            // A step further down can have run before only in an earlier round of a repeat around both.
            const Label& label = found->second;
            const bool sameRepeat = !repeats.empty() && !label.repeats.empty() && repeats.front() == label.repeats.front();
            if (!m_seen[name] && !sameRepeat)
                return invalidInput("the step \"" + name + "\" comes later and cannot be waited for", step.place, "a step above, or one of the same repeat");
            out.after.push_back(label.number);
        }
        for (const std::string& name : step.uses) {
            const auto found = m_labels.find(name);
            if (found == m_labels.end())
                return invalidInput("no step is called \"" + name + "\"", step.place, "the name of a step whose output is used");
            const Label& label = found->second;
            const bool sameRepeat = !repeats.empty() && !label.repeats.empty() && repeats.front() == label.repeats.front();
            if (name == step.name || (!m_seen[name] && !sameRepeat))
                return invalidInput("the step \"" + name + "\" comes later and cannot be used", step.place, "a step above, or one of the same repeat");
            if (std::find(out.uses.begin(), out.uses.end(), label.number) == out.uses.end())
                out.uses.push_back(label.number);
            m_used[at(label.number)] = true;
        }
        return {};
    }

    static Status resolveQuantities(const Step& step, CompiledStep& out)
    {
        const auto within = [&](const Quantity& quantity, Measure measure, double most, const char* expected) -> Status {
            if (quantity.measure == measure && quantity.value >= 0 && quantity.base() <= most)
                return {};
            return invalidInput("\"" + quantity.text() + "\" is not possible here", step.place, expected);
        };
        if (step.bytes) {
            if (Status status = within(*step.bytes, Measure::Size, kMaxBytes, "a size of at most 64 PiB"); !status)
                return status;
            out.bytes = toBytes(*step.bytes).value;
            out.flags |= TaskFlag::kHasBytes;
        }
        for (const auto& [given, bytes] : {std::pair(&step.output, &out.outputBytes), {&step.scratch, &out.scratchBytes}}) {
            if (!*given)
                continue;
            if (Status status = within(**given, Measure::Size, kMaxBytes, "a size of at most 64 PiB"); !status)
                return status;
            *bytes = toBytes(**given).value;
        }
        if (step.duration) {
            if (Status status = within(*step.duration, Measure::Time, kMaxSeconds, "a time of at most 100 days"); !status)
                return status;
            out.durationPs = toSimTime(*step.duration).ps;
        }
        if (step.operations) {
            if (Status status = within(*step.operations, Measure::Operations, kMaxOperations, "at most 9 EFLOP"); !status)
                return status;
            out.operations = toOperations(*step.operations);
            out.flags |= TaskFlag::kHasOperations;
        }
        return {};
    }

    Status resolveKind(const Step& step, std::vector<const Step*>& repeats, CompiledStep& out)
    {
        const char* name = "compute";
        switch (step.kind) {
        case Step::Kind::Compute:
            if (!step.duration && !step.operations)
                return invalidInput("a compute step needs a time or operations", step.place);
            break;
        case Step::Kind::Collective:
            out.task = TaskKind::Collective;
            if (!isDesignCollective(step.op))
                return invalidInput(std::string(collectiveKey(step.op)) + " is not possible here", step.place, "all_reduce, all_gather, reduce_scatter, all_to_all or broadcast");
            if (!step.bytes)
                return invalidInput("a collective needs a size", step.place);
            if (Status status = resolveGroup(step, out); !status)
                return status;
            break;
        case Step::Kind::Send:
        case Step::Kind::Receive:
            out.task = step.kind == Step::Kind::Send ? TaskKind::Send : TaskKind::Receive;
            name = step.kind == Step::Kind::Send ? "send" : "receive";
            if (!step.bytes)
                return invalidInput("a message needs a size", step.place);
            break;
        case Step::Kind::Load:
        case Step::Kind::Store:
            out.task = step.kind == Step::Kind::Load ? TaskKind::MemoryLoad : TaskKind::MemoryStore;
            name = step.kind == Step::Kind::Load ? "load" : "store";
            if (!step.bytes)
                return invalidInput("a load or store needs a size", step.place);
            if (!step.group.empty()) {
                out.flags |= TaskFlag::kGather;
                if (Status status = resolveGroup(step, out); !status)
                    return status;
            }
            break;
        case Step::Kind::Repeat: {
            out.times = step.times;
            if (step.times < 1)
                return invalidInput("a repeat of " + std::to_string(step.times), step.place, "at least 1");
            repeats.push_back(&step);
            auto inner = compile(step.steps, repeats);
            repeats.pop_back();
            if (!inner)
                return std::move(inner).error();
            out.steps = std::move(inner).value();
            return {};
        }
        }
        if (out.name.empty())
            out.name = step.kind == Step::Kind::Collective ? std::string(collectiveKey(step.op)) : name;
        return {};
    }

    Status resolveGroup(const Step& step, CompiledStep& out) const
    {
        if (step.group.empty() || step.group == "world")
            return {};
        const auto found = m_groups.find(step.group);
        if (found == m_groups.end())
            return invalidInput("there is no group \"" + step.group + "\"", step.place, "the name of an entry of workload.groups");
        out.family = found->second;
        return {};
    }

    Status resolveRanks(const Step& step, CompiledStep& out)
    {
        const GroupFamily* family = m_families && out.family > 0 ? &(*m_families)[at(out.family)] : nullptr;
        RankSet ranks = step.ranks;
        if (!ranks.empty() && ranks.intervals().back().last >= m_ranks)
            return invalidInput("there is no rank " + std::to_string(ranks.intervals().back().last), step.place, "0 to " + std::to_string(m_ranks - 1));
        if (family && !family->isStrided()) {
            RankSet members;
            std::vector<std::int64_t> listed;
            for (const auto& list : family->lists())
                listed.insert(listed.end(), list.begin(), list.end());
            std::sort(listed.begin(), listed.end());
            for (const std::int64_t rank : listed)
                members.add(rank);
            for (const RankSet::Interval& interval : ranks.intervals()) {
                for (std::int64_t rank = interval.first; rank <= interval.last; ++rank) {
                    if (!members.contains(rank))
                        return invalidInput("rank " + std::to_string(rank) + " is in no group of \"" + step.group + "\"", step.place, "ranks " + members.text());
                }
            }
            if (ranks.empty())
                ranks = std::move(members);
        }
        if (ranks.empty())
            return {};
        const auto known = std::find(m_result.rankSets.begin(), m_result.rankSets.end(), ranks);
        out.rankSet = static_cast<std::int32_t>(known - m_result.rankSets.begin());
        if (known == m_result.rankSets.end())
            m_result.rankSets.push_back(std::move(ranks));
        return {};
    }

    Status resolvePeer(const Step& step, CompiledStep& out)
    {
        const std::string& text = step.peer;
        out.isRelative = !text.empty() && (text[0] == '+' || text[0] == '-');
        const char* first = text.data() + (out.isRelative && text[0] == '+' ? 1 : 0);
        const auto [end, error] = std::from_chars(first, text.data() + text.size(), out.peer);
        if (error != std::errc{} || end != text.data() + text.size() || std::abs(std::int64_t{out.peer}) > kMaxNpus)
            return invalidInput("\"" + text + "\" is not possible here", step.place, "a rank such as 3, or a difference such as +8 or -8");
        const RankSet& ranks = m_result.rankSets[at(out.rankSet)];
        if (out.isRelative ? out.peer == 0 : ranks.contains(out.peer))
            return invalidInput("rank " + std::to_string(out.isRelative ? ranks.intervals().front().first : out.peer) + " would send to itself", step.place,
                                "another rank; \"ranks\" says who runs the step");
        if (!m_families)
            return {};
        const std::int64_t lowest = ranks.intervals().front().first;
        const std::int64_t highest = ranks.intervals().back().last;
        const std::int64_t offset = out.isRelative ? out.peer : 0;
        const std::int64_t bad = out.isRelative ? (lowest + offset < 0 ? lowest : highest + offset >= m_ranks ? highest : -1) : (out.peer >= m_ranks ? lowest : -1);
        if (bad >= 0)
            return invalidInput("rank " + std::to_string(bad) + " has no rank \"" + text + "\"", step.place,
                                "a rank from 0 to " + std::to_string(m_ranks - 1) + "; \"ranks\" says who runs the step");
        return {};
    }

    const std::stop_token& m_stop;
    const StepsWorkload& m_source;
    const std::vector<GroupFamily>* m_families;
    std::int64_t m_ranks;
    CompiledSteps m_result;
    std::map<std::string, FamilyId> m_groups;
    std::map<std::string, Label> m_labels;
    std::map<std::string, bool> m_seen;
    std::vector<bool> m_used; ///< By label.
};

} // namespace

Result<CompiledSteps> compileSteps(const StepsWorkload& steps, const std::vector<GroupFamily>* families, std::int64_t ranks, const std::stop_token& stop)
{
    return untilStopped([&] { return Compiler(steps, families, ranks, stop).run(); });
}

} // namespace fabricscope
