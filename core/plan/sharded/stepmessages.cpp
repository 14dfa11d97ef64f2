#include "core/plan/sharded/stepmessages.h"

#include "core/base/integers.h"
#include "core/base/stop.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

std::vector<std::int64_t> partsAt(const Mesh& mesh, const Layout& layout, std::int64_t position)
{
    std::vector<std::int64_t> parts;
    for (const AxisList& axes : layout.dims)
        parts.push_back(shardIndex(mesh, axes, position));
    parts.push_back(shardIndex(mesh, layout.unreduced, position));
    return parts;
}

void addMessage(const Mesh& mesh, std::int64_t from, std::int64_t to, std::int64_t bytes, std::vector<DeviceMessages>& all)
{
    const std::int32_t source = mesh.deviceAt(from);
    const std::int32_t target = mesh.deviceAt(to);
    all[static_cast<std::size_t>(source)].sends.push_back({target, bytes});
    all[static_cast<std::size_t>(target)].receives.push_back({source, bytes});
}

void sortMessages(std::vector<DeviceMessages>& all)
{
    for (DeviceMessages& device : all) {
        std::ranges::sort(device.sends, {}, &DeviceMessages::Message::peer);
        std::ranges::sort(device.receives, {}, &DeviceMessages::Message::peer);
    }
}

std::vector<DeviceMessages> permuted(const PartitionedProgram& program, const ProgramStep& step, const std::stop_token& stop)
{
    const Mesh& mesh = program.mesh;
    const Layout& from = program.value(step.in[0]).layout;
    const Layout& to = program.value(step.out).layout;
    std::map<std::vector<std::int64_t>, std::int64_t> lowest;
    for (std::int64_t position = 0; position < mesh.devices(); ++position)
        lowest.emplace(partsAt(mesh, from, position), position);
    std::vector<DeviceMessages> all(static_cast<std::size_t>(mesh.devices()));
    for (std::int64_t position = 0; position < mesh.devices(); ++position) {
        checkStop(stop);
        const auto wanted = partsAt(mesh, to, position);
        const auto holder = lowest.find(wanted);
        if (holder != lowest.end() && partsAt(mesh, from, position) != wanted)
            addMessage(mesh, holder->second, position, step.bytes, all);
    }
    return all;
}

/// Positions of the group of `position` along the axes, by index.
std::vector<std::int64_t> groupOf(const Mesh& mesh, const AxisList& axes, std::int64_t position)
{
    std::vector<std::int64_t> strides(mesh.axes.size(), 1);
    for (std::size_t a = mesh.axes.size(); a-- > 1;)
        strides[a - 1] = strides[a] * mesh.axes[a].size;
    std::vector<std::int64_t> group = {position};
    for (const AxisPart& part : axes) {
        const auto axis = static_cast<std::size_t>(part.axis);
        const std::int64_t weight = mesh.axes[axis].size / (part.pre * part.size) * strides[axis];
        const std::int64_t own = position / weight % part.size;
        std::vector<std::int64_t> longer;
        for (const std::int64_t base : group) {
            for (std::int64_t i = 0; i < part.size; ++i)
                longer.push_back(base + (i - own) * weight);
        }
        group = std::move(longer);
    }
    return group;
}

std::vector<DeviceMessages> haloed(const PartitionedProgram& program, const ProgramStep& step, const std::stop_token& stop)
{
    const Mesh& mesh = program.mesh;
    const ProgramValue& from = program.value(step.in[0]);
    const auto dim = static_cast<std::size_t>(step.dim);
    const std::int64_t part = from.local[dim];
    std::int64_t row = bytesOf(from.type);
    for (std::size_t d = 0; d < from.local.size(); ++d)
        row *= d == dim ? 1 : from.local[d];
    std::vector<DeviceMessages> all(static_cast<std::size_t>(mesh.devices()));
    for (std::int64_t position = 0; position < mesh.devices(); ++position) {
        checkStop(stop);
        const std::vector<std::int64_t> group = groupOf(mesh, step.axes, position);
        const std::int64_t index = shardIndex(mesh, step.axes, position);
        const Halo& halo = step.halo[static_cast<std::size_t>(index)]; // Of results that exist: the last windows may reach further.
        const std::int64_t end = std::min((index + 1) * part + halo.right, from.shape[dim]);
        for (std::int64_t at = std::max<std::int64_t>(index * part - halo.left, 0); at < end;) {
            const std::int64_t holder = at / part;
            const std::int64_t until = std::min(end, (holder + 1) * part);
            if (const std::int64_t source = group[static_cast<std::size_t>(holder)]; source != position)
                addMessage(mesh, source, position, (until - at) * row, all);
            at = until;
        }
    }
    return all;
}

} // namespace

std::vector<DeviceMessages> messagesOf(const PartitionedProgram& program, const ProgramStep& step, const std::stop_token& stop)
{
    std::vector<DeviceMessages> all = step.kind == StepKind::Permute ? permuted(program, step, stop) : haloed(program, step, stop);
    sortMessages(all);
    return all;
}

std::vector<DeviceMessages> ringMessages(const Mesh& mesh, const AxisList& axes, std::int64_t bytes)
{
    std::vector<DeviceMessages> all(static_cast<std::size_t>(mesh.devices()));
    const std::int64_t members = shardsOf(axes);
    for (std::int64_t position = 0; position < mesh.devices(); ++position) {
        const std::int64_t before = modulo(shardIndex(mesh, axes, position) - 1, members);
        addMessage(mesh, position, groupOf(mesh, axes, position)[static_cast<std::size_t>(before)], bytes, all);
    }
    return all;
}

} // namespace fabricscope
