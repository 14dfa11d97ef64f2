#include "core/verify/verifyfindings.h"

#include "core/base/index.h"

#include <algorithm>
#include <tuple>

namespace fabricscope {

namespace {

/// Number of "V15"; other rules come behind.
int ruleNumber(const std::string& rule)
{
    int number = 0;
    for (std::size_t i = 1; i < rule.size() && i < 4 && rule[i] >= '0' && rule[i] <= '9'; ++i)
        number = number * 10 + (rule[i] - '0');
    return number == 0 ? 1000 : number;
}

std::string_view bufferWord(BufferKind buffer)
{
    switch (buffer) {
    case BufferKind::Input:
        return "input";
    case BufferKind::Output:
        return "output";
    case BufferKind::Scratch:
        return "scratch";
    case BufferKind::Fused:
        return "what was just made";
    case BufferKind::None:
        break;
    }
    return "nothing";
}

std::string actionText(const ExplicitBody& body, std::uint32_t op)
{
    const auto places = [&](BufferKind buffer, std::int32_t offset) { return body.hasPlaces() ? rangeText(buffer, offset, body.count[op]) : std::string("a message"); };
    const auto source = [&] { return places(body.sourceBuffer[op], body.sourceOffset[op]); };
    const auto target = [&] { return places(body.targetBuffer[op], body.targetOffset[op]); };
    const std::string peer = "rank " + std::to_string(body.peer[op]);
    const std::string team = "team " + std::to_string(body.peer[op]);
    switch (body.kind[op]) {
    case OpKind::Send:
        return "sends " + source() + " to " + peer;
    case OpKind::Receive:
        return "receives " + target() + " from " + peer;
    case OpKind::ReceiveReduce:
        return "receives and reduces " + (body.targetBuffer[op] == BufferKind::None ? source() : target()) + " from " + peer;
    case OpKind::Copy:
        return "copies " + source() + " to " + target();
    case OpKind::Reduce:
        return "reduces " + source() + " into " + target();
    case OpKind::Compute:
        return "computes";
    case OpKind::Put:
        return "puts " + source() + " to " + target() + " of " + peer;
    case OpKind::Signal:
        return "signals " + peer;
    case OpKind::Wait:
        return "waits for " + peer;
    case OpKind::SwitchReduce:
        return "reduces " + source() + " of " + team + " in the switch into " + target();
    case OpKind::SwitchMulticast:
        return "copies " + source() + " through the switch to " + target() + " of " + team;
    }
    return {};
}

} // namespace

std::string rangeText(BufferKind buffer, std::int32_t offset, std::int32_t count)
{
    std::string text(bufferWord(buffer));
    if (buffer == BufferKind::None || buffer == BufferKind::Fused)
        return text;
    text += ' ' + std::to_string(offset);
    if (count != 1)
        text += count > 1 ? '-' + std::to_string(std::int64_t{offset} + count - 1) : " (no chunks)";
    return text;
}

std::int32_t rankOfOperation(const ExplicitBody& body, std::uint32_t op)
{
    return static_cast<std::int32_t>(std::upper_bound(body.rankBegin.begin(), body.rankBegin.end(), op) - body.rankBegin.begin()) - 1;
}

std::int32_t stepOfOperation(const ExplicitBody& body, std::uint32_t op)
{
    const std::int32_t lane = body.lane[op];
    if (lane < 0)
        return -1;
    std::int32_t step = -1;
    for (std::uint32_t before = body.rankBegin[at(rankOfOperation(body, op))]; before <= op; ++before)
        step += body.lane[before] == lane && !body.isFused(before) ? 1 : 0;
    return step;
}

std::string operationText(const ExplicitBody& body, std::uint32_t op)
{
    std::string text = "rank " + std::to_string(rankOfOperation(body, op));
    if (body.lane[op] >= 0)
        text += ", lane " + std::to_string(body.lane[op]) + ", step " + std::to_string(stepOfOperation(body, op));
    else
        text += ", operation " + std::to_string(op - body.rankBegin[at(rankOfOperation(body, op))]);
    return text + " (" + actionText(body, op) + ')';
}

bool VerifyFindings::wants(std::string_view rule, Severity severity)
{
    const auto kept = m_kept.find(rule);
    if (kept == m_kept.end() || kept->second < m_most)
        return true;
    ++m_suppressed;
    m_errors += severity == Severity::Error ? 1 : 0;
    return false;
}

void VerifyFindings::add(std::string_view rule, Severity severity, std::string message, std::vector<std::uint32_t> operations, std::int32_t rank, BufferKind buffer,
                   std::int32_t chunk)
{
    if (!wants(rule, severity))
        return;
    m_errors += severity == Severity::Error ? 1 : 0;
    if (!m_said.insert(message).second)
        return;
    ++m_kept[std::string(rule)];
    VerifyFinding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = std::move(message);
    finding.rank = rank;
    finding.buffer = buffer;
    finding.chunk = chunk;
    if (!operations.empty() && !m_program.isTemplate()) {
        const ExplicitBody& body = m_program.asExplicit();
        finding.rank = rank >= 0 ? rank : rankOfOperation(body, operations.front());
        finding.lane = body.lane[operations.front()];
        finding.step = stepOfOperation(body, operations.front());
    }
    finding.operations = std::move(operations);
    m_findings.push_back(std::move(finding));
}

void VerifyFindings::moveTo(Verification& result)
{
    const auto key = [](const VerifyFinding& finding) {
        return std::make_tuple(-static_cast<int>(finding.severity), ruleNumber(finding.rule), finding.rank, finding.lane, finding.step);
    };
    std::stable_sort(m_findings.begin(), m_findings.end(), [&](const VerifyFinding& a, const VerifyFinding& b) { return key(a) < key(b); });
    result.findings = std::move(m_findings);
    result.suppressed = m_suppressed;
    result.valid = m_errors == 0;
}

} // namespace fabricscope
