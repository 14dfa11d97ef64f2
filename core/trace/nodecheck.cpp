#include "core/trace/nodecheck.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <limits>
#include <unordered_map>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int64_t kLongestMicros = 1'000'000'000'000; // 11 days; sums of it stay in 63 bits of picoseconds

/// Reports about the nodes of one rank.
class NodeChecker {
public:
    NodeChecker(const TraceSet& traces, std::int64_t rank, std::int64_t rankCount, const GroupResolver& groups, Findings& findings)
        : m_traces(traces), m_trace(traces.rank(rank)), m_rank(rank), m_rankCount(rankCount), m_groups(groups), m_findings(findings)
    {
    }

    /// Throws StopRequested.
    void run(const std::stop_token& stop)
    {
        for (m_node = 0; m_node < m_trace.size(); ++m_node) {
            checkStop(stop);
            check();
        }
        for (const std::uint32_t node : m_trace.repairedNames()) {
            checkStop(stop);
            m_node = node;
            report(Severity::Warning, "name-not-utf8", [] { return std::string("the name is not UTF-8; ? stands for each byte that is none"); }, "name");
        }
    }

private:
    template <typename Message>
    void report(Severity severity, const char* rule, Message&& message, std::string field = {})
    {
        m_findings.add(severity, rule, std::forward<Message>(message), [&] {
            Place place = m_traces.place(m_rank, m_node);
            place.field = std::move(field);
            return place;
        });
    }

    void check();
    void checkCommon();
    void checkCollective();
    void checkPeer(bool send);
    void checkSize(EtField field, const char* missingRule, const char* what);
    void checkNumber(EtField field);
    /// How the property is there but unusable; empty when it is absent altogether.
    std::string oddText(EtField field) const;
    int group(std::string_view name);

    const TraceSet& m_traces;
    const RankTrace& m_trace;
    std::int64_t m_rank;
    std::int64_t m_rankCount;
    const GroupResolver& m_groups;
    Findings& m_findings;
    std::uint32_t m_node = 0;
    std::unordered_map<std::int64_t, int> m_resolved; // group name index -> group
};

std::string NodeChecker::oddText(EtField field) const
{
    std::string text;
    for (const RankTrace::Odd& odd : m_trace.oddities(m_node)) {
        if (odd.field != field)
            continue;
        const std::string name(etFieldName(field));
        switch (odd.what) {
        case EtOddity::Twice: break;
        case EtOddity::Text: text = name + " is a string, not a number"; break;
        case EtOddity::Real: text = name + " is a floating-point number; an integer is due (ASTRA-sim aborts on it too)"; break;
        case EtOddity::List: text = name + (field == EtField::InvolvedDim ? " is not a list of bools" : " is a list, not a number"); break;
        case EtOddity::Empty: text = name + " has no value"; break;
        case EtOddity::TooLarge: text = name + " is above 2^63 - 1"; break;
        }
    }
    return text;
}

void NodeChecker::check()
{
    const std::int32_t type = m_trace.type(m_node);
    if (type < 0 || type >= kEtNodeTypes) {
        report(Severity::Error, "unknown-node-type", [type] { return "node type " + std::to_string(type) + " is unknown"; }, "type");
        return;
    }
    checkCommon();
    if (isHostCommunication(m_trace, m_node)) {
        report(Severity::Warning, "host-communication", [] { return std::string("a communication node marked is_cpu_op is run as host work of its duration; its kernel is a node of its own"); });
        return;
    }
    switch (static_cast<EtNodeType>(type)) {
    case EtNodeType::Invalid:
        report(Severity::Warning, "invalid-node", [] { return std::string("a node of type INVALID_NODE takes no time"); });
        break;
    case EtNodeType::Collective: checkCollective(); break;
    case EtNodeType::Send: checkPeer(true); break;
    case EtNodeType::Receive: checkPeer(false); break;
    case EtNodeType::MemLoad:
    case EtNodeType::MemStore: checkSize(EtField::TensorSize, "missing-tensor-size", "a memory node"); break;
    case EtNodeType::Comp:
        checkNumber(EtField::NumOps);
        checkNumber(EtField::TensorSize);
        break;
    case EtNodeType::Metadata: break;
    }
}

void NodeChecker::checkCommon()
{
    const std::int64_t duration = m_trace.value(m_node, EtField::Duration);
    if (duration < 0 || duration > kLongestMicros)
        report(Severity::Error, "duration-too-long", [duration] { return "a duration of " + std::to_string(static_cast<std::uint64_t>(duration)) + " us is out of range (0 to 10^12 us)"; }, "duration_micros");
    if (!m_trace.hasOddities())
        return;
    for (const RankTrace::Odd& odd : m_trace.oddities(m_node)) {
        const std::string name(etFieldName(odd.field));
        if (odd.what == EtOddity::Twice)
            report(Severity::Warning, "attribute-twice", [&] { return name + " is given more than once; the last value holds"; }, name);
        else if (odd.field == EtField::IsCpuOp && !m_trace.has(m_node, EtField::IsCpuOp))
            report(Severity::Warning, "is-cpu-op-odd", [&] { return oddText(odd.field) + "; taken as false"; }, name);
    }
}

void NodeChecker::checkNumber(EtField field)
{
    const std::int64_t value = m_trace.value(m_node, field);
    if (value < 0)
        report(Severity::Error, "negative-number", [&] { return std::string(etFieldName(field)) + " is negative (" + std::to_string(value) + ')'; }, std::string(etFieldName(field)));
    else if (m_trace.hasOddities() && !oddText(field).empty())
        report(Severity::Error, "number-odd", [&] { return oddText(field); }, std::string(etFieldName(field)));
}

void NodeChecker::checkSize(EtField field, const char* missingRule, const char* what)
{
    const std::string name(etFieldName(field));
    const std::string odd = !m_trace.hasOddities() ? std::string() : oddText(field);
    if (!odd.empty()) {
        report(Severity::Error, field == EtField::CommSize ? "comm-size-odd" : "number-odd", [&] { return odd; }, name);
        return;
    }
    if (!m_trace.has(m_node, field)) {
        report(Severity::Error, missingRule, [&] { return std::string(what) + " has no " + name; }, name);
        return;
    }
    const std::int64_t value = m_trace.value(m_node, field);
    if (value < 0)
        report(Severity::Error, "negative-size", [&] { return name + " is negative (" + std::to_string(value) + ')'; }, name);
}

int NodeChecker::group(std::string_view name)
{
    if (!m_trace.has(m_node, EtField::PgName))
        return m_groups.resolve(m_trace, name);
    const auto [place, added] = m_resolved.try_emplace(m_trace.value(m_node, EtField::PgName), 0);
    if (added)
        place->second = m_groups.resolve(m_trace, name);
    return place->second;
}

void NodeChecker::checkCollective()
{
    const std::string odd = !m_trace.hasOddities() ? std::string() : oddText(EtField::CommType);
    const std::int64_t type = m_trace.value(m_node, EtField::CommType, -1);
    if (!odd.empty())
        report(Severity::Error, "comm-type-odd", [&] { return odd; }, "comm_type");
    else if (!m_trace.has(m_node, EtField::CommType))
        report(Severity::Error, "missing-comm-type", [] { return std::string("a collective has no comm_type"); }, "comm_type");
    else if (type < 0 || type >= kEtCommTypes)
        report(Severity::Error, "unknown-comm-type", [type] { return "comm_type " + std::to_string(type) + " is unknown"; }, "comm_type");

    if (type != static_cast<std::int64_t>(EtCommType::Barrier) || m_trace.has(m_node, EtField::CommSize))
        checkSize(EtField::CommSize, "missing-comm-size", "a collective");
    if (type != static_cast<std::int64_t>(EtCommType::Barrier) && m_trace.has(m_node, EtField::CommSize) && m_trace.value(m_node, EtField::CommSize) == 0)
        report(Severity::Warning, "zero-bytes", [] { return std::string("a collective of 0 bytes moves nothing"); }, "comm_size");
    if (m_trace.hasOddities()) {
        for (const EtField field : {EtField::PgName, EtField::InvolvedDim}) {
            if (std::string text = oddText(field); !text.empty())
                report(Severity::Error, field == EtField::PgName ? "pg-name-odd" : "involved-dim-odd", [&] { return text; }, std::string(etFieldName(field)));
        }
    }

    const std::string_view name = m_trace.groupName(m_node);
    const int group = this->group(name);
    if (group == GroupResolver::kUnknown) {
        report(Severity::Error, "unknown-group", [&] { return "communicator group \"" + std::string(name) + "\" is in no group file and no process-group table"; }, "pg_name");
        return;
    }
    if (!m_groups.isMember(group, m_rank)) {
        report(Severity::Error, "group-not-a-member", [&] { return "rank " + std::to_string(m_rank) + " is no member of group \"" + std::string(name) + '"'; }, "pg_name");
        return;
    }
    if (group != GroupResolver::kWorld) {
        for (const std::int64_t member : m_groups.groups()[at(group)].ranks) {
            if (member >= 0 && member < m_rankCount)
                continue;
            report(Severity::Error, "group-absent-rank", [&] { return "group \"" + std::string(name) + "\" has a member " + std::to_string(member) + ", but there are " + std::to_string(m_rankCount) + " ranks"; }, "pg_name");
            break;
        }
    }
}

void NodeChecker::checkPeer(bool send)
{
    checkSize(EtField::CommSize, "missing-comm-size", send ? "a send" : "a receive");
    const EtField peerField = send ? EtField::CommDst : EtField::CommSrc;
    const EtField ownField = send ? EtField::CommSrc : EtField::CommDst;
    const std::string name(etFieldName(peerField));

    const std::int64_t own = m_trace.value(m_node, ownField, m_rank);
    if (own != m_rank) {
        report(Severity::Error, send ? "send-not-own" : "receive-not-own", [&] {
            return std::string(etFieldName(ownField)) + " is " + std::to_string(own) + " in the trace of rank " + std::to_string(m_rank);
        }, std::string(etFieldName(ownField)));
    }

    const std::string odd = !m_trace.hasOddities() ? std::string() : oddText(peerField);
    const std::int64_t peer = m_trace.value(m_node, peerField);
    if (!odd.empty()) {
        report(Severity::Error, "peer-odd", [&] { return odd; }, name);
    } else if (!m_trace.has(m_node, peerField)) {
        report(Severity::Error, send ? "missing-comm-dst" : "missing-comm-src", [&] {
            return std::string(send ? "a send does not say to whom" : "a receive does not say from whom") + " (no " + name + "); traces converted from PyTorch lack it";
        }, name);
    } else if (peer < 0) {
        report(Severity::Error, send ? "send-to-absent-rank" : "receive-from-absent-rank", [&] { return name + " is " + std::to_string(peer) + ", which is no rank"; }, name);
    } else if (peer == m_rank) {
        report(Severity::Error, send ? "send-to-self" : "receive-from-self", [&] { return std::string(send ? "the rank sends to itself" : "the rank receives from itself"); }, name);
    } else if (peer >= m_rankCount) {
        report(Severity::Error, send ? "send-to-absent-rank" : "receive-from-absent-rank", [&] {
            return std::string(send ? "sends to rank " : "receives from rank ") + std::to_string(peer) + ", but there are " + std::to_string(m_rankCount) + " ranks (0 to " + std::to_string(m_rankCount - 1) + ')';
        }, name);
    }

    const std::int64_t tag = m_trace.value(m_node, EtField::CommTag);
    const std::string oddTag = !m_trace.hasOddities() ? std::string() : oddText(EtField::CommTag);
    if (!oddTag.empty())
        report(Severity::Error, "comm-tag-odd", [&] { return oddTag; }, "comm_tag");
    else if (!m_trace.has(m_node, EtField::CommTag))
        report(Severity::Error, "missing-comm-tag", [&] { return std::string(send ? "a send" : "a receive") + " has no comm_tag"; }, "comm_tag");
    else if (tag < 0 || tag > std::int64_t{std::numeric_limits<std::uint32_t>::max()})
        report(Severity::Error, "comm-tag-range", [&] { return "comm_tag " + std::to_string(tag) + " is out of range"; }, "comm_tag");
}

/// When a fault is only a warning.
enum class Mild : std::uint8_t { Never, Always, UnlessUsed };

struct FaultText {
    DependencyFault kind;
    const char* rule;
    Mild mild; ///< UnlessUsed: unless control dependencies are to be used as they are.
};

constexpr FaultText kFaults[] = {
    {DependencyFault::DuplicateId, "duplicate-id", Mild::Never},
    {DependencyFault::Cycle, "cycle", Mild::Never},
    {DependencyFault::DanglingData, "dangling-data-dep", Mild::Never},
    {DependencyFault::DanglingCtrl, "dangling-ctrl-dep", Mild::UnlessUsed},
    {DependencyFault::SelfCtrl, "self-ctrl-dep", Mild::UnlessUsed},
    {DependencyFault::CtrlCycle, "ctrl-dep-cycle", Mild::UnlessUsed},
    {DependencyFault::Repeated, "dependency-repeated", Mild::Always},
};

std::string faultMessage(DependencyFault kind, const ResolvedDependencies& resolved, const RankTrace& trace, const ResolvedDependencies::Fault& fault)
{
    const std::string other = std::to_string(fault.other);
    switch (kind) {
    case DependencyFault::DuplicateId: return "two nodes have the id " + other;
    case DependencyFault::DanglingData: return "the node waits for node " + other + " (data_deps), which does not exist";
    case DependencyFault::DanglingCtrl: return "the node waits for node " + other + " (ctrl_deps), which does not exist";
    case DependencyFault::SelfCtrl: return "the node has itself as ctrl_dep";
    case DependencyFault::CtrlCycle: return "the ctrl_dep on node " + other + " would close a ring of dependencies";
    case DependencyFault::Repeated: return "the node lists node " + other + " among its dependencies more than once; once counts";
    case DependencyFault::Cycle: break;
    }
    constexpr std::size_t kShown = 12;
    std::string text = "nodes wait for each other in a ring: ";
    for (std::size_t i = 0; i < resolved.cycle.size() && i < kShown; ++i)
        text += std::to_string(trace.id(resolved.node(resolved.cycle[i]))) + " waits for ";
    if (resolved.cycle.size() > kShown)
        text += "... (" + std::to_string(resolved.cycle.size()) + " nodes) for ";
    return text + std::to_string(trace.id(resolved.node(resolved.cycle.front())));
}

} // namespace

void checkDialect(const TraceSet& traces, std::int64_t rank, Findings& findings)
{
    const EtDialect dialect = traces.rank(rank).dialect();
    if (dialect == EtDialect::Current || dialect == EtDialect::Json)
        return;
    findings.add(Severity::Warning, "old-schema", [dialect] {
        return "the file has the old schema " + std::string(etDialectName(dialect)) + "; its node and collective types were translated, its times are taken as microseconds";
    }, [&] {
        Place place;
        place.file = traces.file(rank);
        place.rank = rank;
        return place;
    });
}

bool isHostCommunication(const RankTrace& trace, std::uint32_t node)
{
    const std::int32_t type = trace.type(node);
    return type >= static_cast<std::int32_t>(EtNodeType::Send) && type <= static_cast<std::int32_t>(EtNodeType::Collective) && trace.onHost(node);
}

std::int64_t peerOf(const RankTrace& trace, std::uint32_t node)
{
    return trace.value(node, trace.type(node) == static_cast<std::int32_t>(EtNodeType::Send) ? EtField::CommDst : EtField::CommSrc, -1);
}

void checkNodes(const TraceSet& traces, std::int64_t rank, std::int64_t rankCount, const GroupResolver& groups, Findings& findings, const std::stop_token& stop)
{
    NodeChecker(traces, rank, rankCount, groups, findings).run(stop);
}

void checkDependencies(const TraceSet& traces, std::int64_t rank, const ResolvedDependencies& resolved, CtrlDeps mode, Findings& findings,
                       const std::stop_token& stop)
{
    const RankTrace& trace = traces.rank(rank);
    for (const FaultText& entry : kFaults) {
        const auto& found = resolved.fault(entry.kind);
        const bool leftOut = entry.mild == Mild::UnlessUsed && mode != CtrlDeps::Use;
        const Severity severity = leftOut || entry.mild == Mild::Always ? Severity::Warning : Severity::Error;
        for (std::int64_t i = 0; i < found.count; ++i) {
            checkStop(stop);
            const auto& fault = found.first[at(std::min<std::int64_t>(i, static_cast<std::int64_t>(found.first.size()) - 1))];
            findings.add(severity, entry.rule, [&] {
                std::string text = faultMessage(entry.kind, resolved, trace, fault);
                return leftOut ? text + "; such ctrl_deps are left out" : text;
            }, [&] { return traces.place(rank, resolved.node(fault.node)); });
        }
    }
}

} // namespace fabricscope
