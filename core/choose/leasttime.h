#pragma once

#include "core/generate/generate.h"
#include "core/program/program.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Times no run of a program can beat, without running it: the bytes over the fullest link at its rate, and messages that follow each other,
/// each at least its latencies and its bytes at the slowest link of its way. They hold for the models links and flow on a
/// platform of dimensions whose `network` section is empty, where a pair of NPUs has one way (Platform::route); elsewhere they are 0.
class LeastTime {
public:
    LeastTime(Model model, const Platform& platform, const Params& params);

    /// Of what generatedTraffic() says of a program for these NPUs (by position), in ps; a bound above `enoughPs` is returned as soon as it is known.
    /// O(links of all ways).
    std::int64_t ofGenerator(const GenerateRequest& request, const std::vector<NodeId>& nodes, std::int64_t bytes, std::int64_t enoughPs);

    /// Of a template in this layout: the traffic of the lines through position 0. 0 for chunks in several orders and what has a root or works in switches.
    std::int64_t ofTemplate(const Program& program, const GroupLayout& layout, const Placement& placement, std::int64_t bytes, std::int64_t enoughPs);

private:
    void begin(std::int64_t enoughPs, double off);
    bool add(NodeId from, NodeId to, double bytes);
    double hopPs(NodeId from, NodeId to, double bytes);
    std::int64_t found(double chainPs) const;

    const Platform& m_platform;
    bool m_applies;
    std::vector<double> m_psPerByte; ///< By link.
    std::vector<double> m_load;      ///< By link, ps.
    std::vector<double> m_after;     ///< By link, ps: from its beginning to the end of any way over it, latencies only.
    std::vector<LinkId> m_way;
    double m_certain = 1;            ///< Part of the bytes that is certain.
    double m_most = 0;
    double m_enough = 0;
    bool m_cut = false;
};

} // namespace fabricscope
