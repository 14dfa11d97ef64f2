#include "core/base/index.h"
#include "core/bounds/groupbox.h"

#include "core/bounds/maxflow.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int64_t kFastest = CutLinks::kMostRate;
/// More axes are cut only before and after each of them when members must be counted.
constexpr std::size_t kAllMasks = 6;

std::int64_t product(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(std::min<WideFlow>(WideFlow{a} * b, kFastest));
}

/// Of rates, or of what slower links take away from them.
std::int64_t sum(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(std::clamp<WideFlow>(WideFlow{a} + b, -kFastest, kFastest));
}

class BoxCuts {
public:
    BoxCuts(const Platform& platform, const GroupBox& box, std::span<const NodeId> members, CollectiveOp op, NodeId root, bool reduces,
            CutCollector& cuts)
        : m_platform(platform), m_box(box), m_members(members), m_op(op), m_root(root), m_reduces(reduces), m_cuts(cuts)
    {
        const NpuSpec& npu = platform.spec().npu;
        if (npu.injection)
            m_injection = toBandwidth(*npu.injection).bytesPerSecond;
        if (npu.ejection)
            m_ejection = toBandwidth(*npu.ejection).bytesPerSecond;
    }

    void consider();

private:
    /// Axes in `inside` are inside a block, the others lead out of it.
    struct Split {
        std::uint32_t inside = 0;
        std::int64_t size = 1;      ///< Positions of a block.
        std::int64_t npuRate = 0;   ///< Of the links of one NPU that lead out.
    };
    struct Block {
        std::int64_t members = 0;
        bool rootInside = false;
        std::vector<std::int64_t> moreOut; ///< By axis: bytes/s on top of links without overrides. Empty: none.
        std::vector<std::int64_t> moreIn;
        NodeId first = 0;                  ///< A member.
    };

    Split split(std::uint32_t inside) const;
    void considerAlike(const Split& split);
    void considerBlocks(const Split& split);
    void considerHalves();
    void farthestPair();
    std::int64_t latency(NodeId a, NodeId b) const;
    std::int64_t blockOf(NodeId npu, const Split& split) const;
    void addOverrides(const Split& split, std::unordered_map<std::int64_t, Block>& blocks) const;
    CutSet cutSet(const Split& split, const Block& block) const;
    std::string dimensionsText(const Split& split) const;

    const Platform& m_platform;
    const GroupBox& m_box;
    std::span<const NodeId> m_members;
    CollectiveOp m_op;
    NodeId m_root;
    bool m_reduces;
    CutCollector& m_cuts;
    std::int64_t m_injection = kFastest;
    std::int64_t m_ejection = kFastest;
};

BoxCuts::Split BoxCuts::split(std::uint32_t inside) const
{
    Split result;
    result.inside = inside;
    for (std::size_t i = 0; i < m_box.axes.size(); ++i) {
        const GroupBox::Axis& axis = m_box.axes[i];
        if ((inside >> i & 1) != 0) {
            result.size *= axis.extent;
        } else {
            result.npuRate = sum(result.npuRate, axis.npuRate);
        }
    }
    return result;
}

std::string BoxCuts::dimensionsText(const Split& split) const
{
    std::string text;
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_box.axes.size(); ++i) {
        if ((split.inside >> i & 1) == 0) {
            text += (count++ == 0 ? "" : ", ") + std::to_string(m_box.axes[i].dimension);
        }
    }
    return (count == 1 ? "dimension " : "dimensions ") + text;
}

CutSet BoxCuts::cutSet(const Split& split, const Block& block) const
{
    CutSet set;
    set.members = block.members;
    set.rootInside = block.rootInside;
    for (std::size_t i = 0; i < m_box.axes.size(); ++i) {
        const GroupBox::Axis& axis = m_box.axes[i];
        if ((split.inside >> i & 1) != 0)
            continue;
        const std::int64_t rate = product(axis.npuRate, split.size);
        set.out.add(sum(rate, block.moreOut.empty() ? 0 : block.moreOut[i]), axis.hopLatencyPs);
        set.in.add(sum(rate, block.moreIn.empty() ? 0 : block.moreIn[i]), axis.hopLatencyPs);
    }
    if (split.inside == 0) {
        set.out.limit(m_injection);
        set.in.limit(m_ejection);
    }
    return set;
}

/// All blocks are the same; two of them, with and without the root, stand for all.
void BoxCuts::considerAlike(const Split& split)
{
    Block block;
    block.members = split.size;
    const std::int64_t blocks = m_box.positions / split.size;
    const auto name = [&] {
        const bool budget = split.inside == 0 && std::min(m_injection, m_ejection) < split.npuRate;
        return budget ? std::string("budget of every NPU") : dimensionsText(split) + " of every NPU";
    };
    for (const bool rootInside : {false, true}) {
        block.rootInside = rootInside;
        m_cuts.consider(cutSet(split, block), name);
    }
    if (m_reduces || m_op != CollectiveOp::AllReduce)
        return;
    // All blocks together: what one of them can do, so many times.
    const CutSet set = cutSet(split, block);
    for (const CutLinks* links : {&set.out, &set.in})
        m_cuts.considerPartition(blocks, links->times(blocks), name);
}

std::int64_t BoxCuts::blockOf(NodeId npu, const Split& split) const
{
    std::int64_t number = 0;
    for (std::size_t i = 0; i < m_box.axes.size(); ++i) {
        if ((split.inside >> i & 1) == 0) {
            const std::size_t dimension = m_box.axes[i].dimension;
            number = number * m_platform.dimensions()[dimension].size + m_platform.coordinate(npu, dimension);
        }
    }
    return number;
}

void BoxCuts::addOverrides(const Split& split, std::unordered_map<std::int64_t, Block>& blocks) const
{
    for (const LinkOverride& change : m_platform.spec().linkOverrides) {
        const LinkInfo info = m_platform.linkInfo(change.link);
        const auto axis = std::find_if(m_box.axes.begin(), m_box.axes.end(),
                                       [&](const GroupBox::Axis& a) { return static_cast<std::int32_t>(a.dimension) == info.dimension; });
        if (axis == m_box.axes.end() || (split.inside >> (axis - m_box.axes.begin()) & 1) != 0)
            continue;
        const auto inBox = [&](NodeId npu) { return npu < 0 || m_box.hasNpu(m_platform, npu); };
        if (!inBox(info.from) || !inBox(info.to))
            continue;
        const std::int64_t now = change.removed ? 0 : m_platform.bandwidth(change.link).bytesPerSecond;
        const std::int64_t more = std::min(now, kFastest) - axis->linkRate;
        const auto add = [&](NodeId npu, std::vector<std::int64_t> Block::*side) {
            const auto found = npu < 0 ? blocks.end() : blocks.find(blockOf(npu, split));
            if (found == blocks.end())
                return;
            std::vector<std::int64_t>& byAxis = found->second.*side;
            byAxis.resize(m_box.axes.size(), 0);
            std::int64_t& total = byAxis[at(axis - m_box.axes.begin())];
            total = sum(total, more);
        };
        add(info.from, &Block::moreOut);
        add(info.to, &Block::moreIn);
    }
}

void BoxCuts::considerBlocks(const Split& split)
{
    std::unordered_map<std::int64_t, Block> byNumber;
    for (const NodeId npu : m_members) {
        Block& block = byNumber[blockOf(npu, split)];
        if (block.members++ == 0)
            block.first = npu;
        block.rootInside = block.rootInside || npu == m_root;
    }
    addOverrides(split, byNumber);
    std::vector<Block> blocks;
    for (const auto& entry : byNumber)
        blocks.push_back(entry.second);
    std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.first < b.first; });

    CutLinks out;
    CutLinks in;
    const bool together = !m_reduces && m_op == CollectiveOp::AllReduce && blocks.size() > 1;
    for (const Block& block : blocks) {
        const CutSet set = cutSet(split, block);
        if (together) {
            out.add(set.out);
            in.add(set.in);
        }
        m_cuts.consider(set, [&] {
            const std::string npu = "NPU " + std::to_string(block.first);
            return split.size == 1 ? npu + " | rest" : dimensionsText(split) + " around " + npu;
        });
    }
    for (const CutLinks* links : {&out, &in}) {
        if (together)
            m_cuts.considerPartition(static_cast<std::int64_t>(blocks.size()), *links, [&] { return dimensionsText(split) + " of every NPU"; });
    }
}

void BoxCuts::considerHalves()
{
    for (std::size_t i = 0; i < m_box.axes.size(); ++i) {
        const GroupBox::Axis& axis = m_box.axes[i];
        const std::int64_t lines = m_box.positions / axis.extent;
        const std::int64_t half = axis.extent / 2;
        std::int64_t links = half; // of the switch, with the switch in the larger half
        if (axis.shape == Shape::Ring)
            links = axis.extent == 2 ? 1 : 2;
        else if (axis.shape == Shape::FullyConnected)
            links = half * (axis.extent - half);
        CutSet set;
        set.members = half * lines;
        set.out.add(product(product(axis.linkRate, links), lines), axis.hopLatencyPs);
        set.in = set.out;
        m_cuts.consider(set, [&] { return "halves of dimension " + std::to_string(axis.dimension); });
    }
}

std::int64_t BoxCuts::latency(NodeId a, NodeId b) const
{
    std::int64_t sum = 0;
    for (const GroupBox::Axis& axis : m_box.axes) {
        const std::int32_t size = m_platform.dimensions()[axis.dimension].size;
        sum += axis.latencyPs(m_platform.coordinate(a, axis.dimension), m_platform.coordinate(b, axis.dimension), size);
    }
    return sum;
}

void BoxCuts::farthestPair()
{
    if (m_box.full) {
        std::int64_t sum = 0;
        for (const GroupBox::Axis& axis : m_box.axes)
            sum += axis.latencyPs(0, axis.shape == Shape::Ring ? axis.extent / 2 : 1, axis.extent);
        m_cuts.considerLatency(sum);
        return;
    }
    // Any pair is a bound; the farthest from the farthest is nearly always the longest.
    NodeId from = m_root >= 0 ? m_root : m_members.front();
    for (int sweep = 0; sweep < (m_root >= 0 ? 1 : 3); ++sweep) {
        std::int64_t most = 0;
        NodeId farthest = from;
        for (const NodeId npu : m_members) {
            if (const std::int64_t far = latency(from, npu); far > most) {
                most = far;
                farthest = npu;
            }
        }
        m_cuts.considerLatency(most);
        from = farthest;
    }
}

void BoxCuts::consider()
{
    const bool countless = m_box.full && m_box.alike;
    const std::uint32_t all = (1U << m_box.axes.size()) - 1;
    const bool every = countless || m_box.axes.size() <= kAllMasks;
    for (std::uint32_t inside = 0; inside < all; ++inside) {
        const std::uint32_t rest = all ^ inside;
        if (!every && (inside & (inside + 1)) != 0 && (rest & (rest + 1)) != 0)
            continue; // neither the first axes nor the last
        if (countless)
            considerAlike(split(inside));
        else
            considerBlocks(split(inside));
    }
    if (countless && m_op == CollectiveOp::AllToAll)
        considerHalves();
    farthestPair();
}

} // namespace

void considerBox(const Platform& platform, const GroupBox& box, std::span<const NodeId> members, CollectiveOp op, std::int32_t root, bool reduces,
                 CutCollector& cuts)
{
    const bool rooted = op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce || op == CollectiveOp::Gather || op == CollectiveOp::Scatter;
    BoxCuts(platform, box, members, op, rooted ? members[at(root)] : -1, reduces, cuts).consider();
}

} // namespace fabricscope
