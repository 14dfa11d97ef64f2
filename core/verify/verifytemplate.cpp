#include "core/verify/verifytemplate.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/verify/phasecheck.h"
#include "core/verify/windowcheck.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 22; // Four times what a platform may have.

class TemplateCheck {
public:
    TemplateCheck(const Program& program, const VerifyOptions& options)
        : m_program(program)
        , m_body(program.asTemplate())
        , m_options(options)
        , m_findings(program, options.mostFindings)
    {
    }

    Verification run()
    {
        try {
            follow();
        } catch (const StopRequested&) {
            m_result.cancelled = true;
            fail("V16", "The check was stopped before its end");
        }
        m_result.postcondition = m_findings.errors() == 0 ? Postcondition::Holds : Postcondition::Fails;
        // Blocks, not memory: it works wherever it claims to, and anywhere where it claims nothing.
        const bool valid = m_findings.errors() == 0;
        m_result.worksInPlace = valid && (m_program.inPlace || !m_program.outOfPlace);
        m_result.worksOutOfPlace = valid && (m_program.outOfPlace || !m_program.inPlace);
        for (const std::int32_t count : m_options.slotCounts) // Receivers take messages as they come; nobody holds up a sender for ever.
            m_result.slotResults.push_back({count, m_findings.errors() == 0});
        m_findings.moveTo(m_result);
        return std::move(m_result);
    }

private:
    void follow()
    {
        if (!checkShape())
            return;
        for (std::size_t order = 0; order <= m_body.orders.size(); ++order) {
            checkStop(m_options.stop);
            checkSequence(order == 0 ? m_body.phases : m_body.orders[order - 1], order);
        }
        if (m_findings.errors() > 0)
            return;
        checkWindow(m_program, m_findings);
        checkPlacement(m_program, m_findings);
        checkPhases();
    }

    bool fail(std::string_view rule, std::string message)
    {
        m_findings.add(rule, Severity::Error, std::move(message));
        return false;
    }

    bool checkShape()
    {
        std::int64_t positions = 1;
        for (const std::int32_t extent : m_body.axes) {
            if (extent < 2 || positions > kMostPositions / extent)
                return fail("V1", "The axes of a template have at least two positions each, and together at most 2^22");
            positions *= extent;
        }
        if (positions != m_program.ranks || m_body.axes.empty())
            return fail("V1", "The axes make " + std::to_string(positions) + " positions, the program has " + std::to_string(m_program.ranks) + " ranks");
        if (m_program.chunks < 1 || m_program.window < 0)
            return fail("V1", "A program has at least one chunk, and no negative window");
        const auto chunks = static_cast<std::size_t>(m_program.chunks);
        if (!m_body.orderOfChunk.empty() && m_body.orderOfChunk.size() != chunks)
            return fail("V1", std::to_string(m_body.orderOfChunk.size()) + " chunks have an order of phases, the program has " + std::to_string(chunks));
        for (const std::uint16_t order : m_body.orderOfChunk) {
            checkStop(m_options.stop);
            if (order > m_body.orders.size())
                return fail("V1", "A chunk has order " + std::to_string(order) + " of phases, the last is " + std::to_string(m_body.orders.size()));
        }
        std::int64_t sum = 0;
        for (const std::int64_t weight : m_body.chunkWeights) {
            checkStop(m_options.stop);
            if (weight < 0 || weight >= std::int64_t{1} << 40)
                return fail("V1", "The weight of a chunk is negative or not below 2^40");
            sum |= weight;
        }
        if (!m_body.chunkWeights.empty() && (m_body.chunkWeights.size() != chunks || sum == 0))
            return fail("V1", "The weights of the chunks are all 0 or not as many as the chunks");
        for (std::size_t order = 0; order <= m_body.orders.size(); ++order) {
            const auto& phases = order == 0 ? m_body.phases : m_body.orders[order - 1];
            if (phases.size() != m_body.phases.size())
                return fail("V1", "Order " + std::to_string(order) + " has " + std::to_string(phases.size()) + " phases, the others "
                                + std::to_string(m_body.phases.size()));
            for (const PhaseTemplate& phase : phases) {
                if (!isPhase(phase))
                    return false;
            }
        }
        return true;
    }

    /// An axis and an algorithm that exist for the kind (the precondition of PhaseRules).
    bool isPhase(const PhaseTemplate& phase)
    {
        if (phase.axis < 0 || static_cast<std::size_t>(phase.axis) >= m_body.axes.size())
            return fail("V1", "A phase is on axis " + std::to_string(phase.axis) + ", the last is " + std::to_string(m_body.axes.size() - 1));
        if (phase.window < 0)
            return fail("V1", "A phase has a window of " + std::to_string(phase.window) + " messages");
        return existsPhase(phase) || fail("V1", "There is no " + std::string(algorithmKey(phase.algorithm)) + ' ' + std::string(phaseKey(phase.kind)));
    }

    void checkSequence(const std::vector<PhaseTemplate>& phases, std::size_t order)
    {
        const std::string who = m_body.orders.empty() ? std::string() : " (order " + std::to_string(order) + " of the phases)";
        const auto wrong = [&](std::size_t phase, const std::string& what) {
            fail("V16", "Phase " + std::to_string(phase) + ", " + std::string(phaseKey(phases[phase].kind)) + " on axis " + std::to_string(phases[phase].axis) + ", " + what + who);
        };
        const CollectiveOp op = m_program.op;
        const bool reducing = op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter;
        std::vector<bool> done(m_body.axes.size(), false); // Reduced, gathered, exchanged or filled along the axis.
        std::vector<std::int32_t> open;                    // Axes that cut what is held, the last cut the innermost.
        for (std::size_t i = 0; i < phases.size(); ++i) {
            const PhaseTemplate& phase = phases[i];
            const auto axis = static_cast<std::size_t>(phase.axis);
            const bool closes = phase.kind == PhaseKind::AllGather && reducing;
            const bool belongs = phase.kind == PhaseKind::AllToAll ? op == CollectiveOp::AllToAll
                : phase.kind == PhaseKind::Broadcast                ? op == CollectiveOp::Broadcast
                : phase.kind == PhaseKind::AllGather                ? op == CollectiveOp::AllGather || op == CollectiveOp::AllReduce
                : phase.kind == PhaseKind::AllReduce                ? op == CollectiveOp::AllReduce
                                                                    : reducing;
            if (!belongs)
                return wrong(i, "is no part of " + std::string(collectiveKey(op)));
            if (closes) {
                if (open.empty())
                    return wrong(i, "gathers what nobody has scattered");
                if (open.back() != phase.axis)
                    return wrong(i, "comes while the blocks are those of axis " + std::to_string(open.back()));
                open.pop_back();
                continue;
            }
            if (done[axis])
                return wrong(i, reducing ? "adds every contribution again" : "comes a second time");
            done[axis] = true;
            if (phase.kind == PhaseKind::ReduceScatter)
                open.push_back(phase.axis);
            // Only the lines that have the data take part: positions 0 on all lower axes.
            if (phase.kind == PhaseKind::Broadcast) {
                for (std::size_t higher = axis + 1; higher < done.size(); ++higher) {
                    if (!done[higher])
                        return wrong(i, "comes before that on axis " + std::to_string(higher) + ", so most of its lines have no data");
                }
            }
        }
        for (std::size_t axis = 0; axis < done.size(); ++axis) {
            if (!done[axis])
                fail("V16", std::string(collectiveKey(op)) + " has no phase that brings together what is along axis " + std::to_string(axis) + who);
        }
        if (op == CollectiveOp::AllReduce && !open.empty())
            fail("V16", "all_reduce ends with the result scattered along axis " + std::to_string(open.back()) + who);
    }

    void checkPhases()
    {
        std::map<std::tuple<PhaseKind, Algorithm, std::int32_t, bool>, MessageCounts> known; // Equal rules are checked and counted once.
        const std::size_t orders = m_body.orders.size() + 1;
        const ProgressShare whole(m_options.progress);
        const auto phases = static_cast<double>(orders * m_body.phases.size());
        double before = 0; // Phases that have been looked at.
        std::vector<std::int64_t> chunksOf(orders, 0);
        for (std::int32_t chunk = 0; chunk < m_program.chunks && !m_body.orderOfChunk.empty(); ++chunk)
            ++chunksOf[m_body.orderOfChunk[at(chunk)]];
        if (m_body.orderOfChunk.empty())
            chunksOf[0] = m_program.chunks;
        for (std::size_t order = 0; order < orders; ++order) {
            for (const PhaseTemplate& phase : order == 0 ? m_body.phases : m_body.orders[order - 1]) {
                const std::int32_t extent = m_body.axes[at(phase.axis)];
                const PhaseTable table(phase, extent);
                const auto [rule, isNew] = known.try_emplace({phase.kind, phase.algorithm, extent, phase.minus});
                checkStop(m_options.stop);
                if (isNew) {
                    checkPhase(table, m_findings, m_options.stop, whole.part(before / phases, (before + 1) / phases));
                    rule->second = messagesOfLine(table);
                }
                addMessages(phase, extent, rule->second, chunksOf[order]);
                ++before;
            }
        }
    }

    struct MessageCounts {
        std::int64_t sends = 0;
        std::int64_t receives = 0;
    };

    MessageCounts messagesOfLine(const PhaseTable& table) const
    {
        MessageCounts counts;
        for (std::int32_t r = 0; r < table.extent(); ++r) {
            checkStop(m_options.stop);
            counts.sends += table.sendCount(r);
            counts.receives += table.receiveCount(r);
        }
        return counts;
    }

    void addMessages(const PhaseTemplate& phase, std::int32_t extent, const MessageCounts& line, std::int64_t chunks)
    {
        std::int64_t lines = m_program.ranks / extent;
        if (phase.kind == PhaseKind::Broadcast) { // Positions 0 on all lower axes.
            for (std::int32_t axis = 0; axis < phase.axis; ++axis)
                lines /= m_body.axes[at(axis)];
        }
        // Below 2^45 and 2^31 each; the sum over phases sticks rather than wraps.
        const auto add = [&](std::int64_t& total, std::int64_t messages) {
            __extension__ using Wide = __int128;
            total = static_cast<std::int64_t>(std::min<Wide>(Wide{total} + Wide{messages} * lines * chunks, INT64_MAX));
        };
        add(m_result.transfers, line.sends);
        add(m_result.operations, line.sends + line.receives);
    }

    const Program& m_program;
    const TemplateBody& m_body;
    const VerifyOptions& m_options;
    VerifyFindings m_findings;
    Verification m_result;
};

} // namespace

Verification verifyTemplate(const Program& program, const VerifyOptions& options)
{
    return TemplateCheck(program, options).run();
}

} // namespace fabricscope
