#include "core/sharding/execute/devicegrid.h"

namespace fabricscope {

DeviceGrid::DeviceGrid(const Mesh& mesh)
{
    for (std::size_t a = mesh.axes.size(); a > 0; --a) {
        m_sizes.insert(m_sizes.begin(), mesh.axes[a - 1].size);
        m_weights.insert(m_weights.begin(), m_devices);
        m_devices *= mesh.axes[a - 1].size;
    }
}

bool DeviceGrid::isValid(const std::vector<const AxisList*>& lists) const
{
    std::vector<AxisPart> seen;
    for (const AxisList* list : lists) {
        for (const AxisPart& part : *list) {
            if (part.axis < 0 || static_cast<std::size_t>(part.axis) >= m_sizes.size() || part.pre < 1 || part.size < 1)
                return false;
            const std::int64_t size = m_sizes[static_cast<std::size_t>(part.axis)];
            if (part.pre > size || part.size > size || size % (part.pre * part.size) != 0)
                return false;
            for (const AxisPart& other : seen) {
                // Both must be digits of one mixed-radix number: one ends where, or before, the other begins, at a digit.
                const bool apart = other.axis != part.axis || part.pre % (other.pre * other.size) == 0 || other.pre % (part.pre * part.size) == 0;
                if (!apart && part.size > 1 && other.size > 1)
                    return false;
            }
            seen.push_back(part);
        }
    }
    return true;
}

DeviceGrid::Digit DeviceGrid::digitOf(const AxisPart& part) const
{
    const auto axis = static_cast<std::size_t>(part.axis);
    return {m_sizes[axis] / (part.pre * part.size) * m_weights[axis], part.size};
}

std::int64_t DeviceGrid::count(const AxisList& list) const
{
    std::int64_t product = 1;
    for (const AxisPart& part : list)
        product *= part.size;
    return product;
}

std::int64_t DeviceGrid::index(const AxisList& list, std::int64_t position) const
{
    std::int64_t index = 0;
    for (const AxisPart& part : list) {
        const Digit digit = digitOf(part);
        index = index * digit.size + position / digit.weight % digit.size;
    }
    return index;
}

std::int64_t DeviceGrid::first(const AxisList& list, std::int64_t position) const
{
    std::int64_t first = position;
    for (const AxisPart& part : list) {
        const Digit digit = digitOf(part);
        first -= position / digit.weight % digit.size * digit.weight;
    }
    return first;
}

std::vector<std::int64_t> DeviceGrid::steps(const AxisList& list) const
{
    std::vector<std::int64_t> steps = {0};
    for (const AxisPart& part : list) {
        const Digit digit = digitOf(part);
        std::vector<std::int64_t> longer;
        for (const std::int64_t step : steps) {
            for (std::int64_t i = 0; i < digit.size; ++i)
                longer.push_back(step + i * digit.weight);
        }
        steps = std::move(longer);
    }
    return steps;
}

} // namespace fabricscope
