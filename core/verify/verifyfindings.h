#pragma once

#include "core/verify/verify.h"

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What the verifier has found so far. Keeps `most` findings of each rule and counts the others.
class VerifyFindings {
public:
    VerifyFindings(const Program& program, std::size_t most) : m_program(program), m_most(most) {}

    /// True where a finding of this rule would be kept; else it is counted. Ask before making an expensive message.
    bool wants(std::string_view rule, Severity severity);
    /// Adds a finding about operations (the first one gives rank, lane and step). The same words are said once.
    void add(std::string_view rule, Severity severity, std::string message, std::vector<std::uint32_t> operations = {}, std::int32_t rank = -1,
             BufferKind buffer = BufferKind::None, std::int32_t chunk = -1);

    std::int64_t errors() const { return m_errors; }
    /// Moves everything into `result`, in its order.
    void moveTo(Verification& result);

private:
    const Program& m_program;
    std::size_t m_most;
    std::map<std::string, std::size_t, std::less<>> m_kept; ///< By rule.
    std::set<std::string> m_said;
    std::vector<VerifyFinding> m_findings;
    std::int64_t m_errors = 0;
    std::int64_t m_suppressed = 0;
};

/// "rank 3, lane 0, step 5 (sends input 2 to rank 4)". O(operations of the rank).
std::string operationText(const ExplicitBody& body, std::uint32_t op);
/// "input 5", "output 2-4", "scratch 0".
std::string rangeText(BufferKind buffer, std::int32_t offset, std::int32_t count = 1);
std::int32_t rankOfOperation(const ExplicitBody& body, std::uint32_t op);
/// Place of the operation's group in its lane; -1 outside lanes. O(operations of the rank).
std::int32_t stepOfOperation(const ExplicitBody& body, std::uint32_t op);

} // namespace fabricscope
