#include "tests/unit/support/cases/shrinkcase.h"

#include "core/base/index.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace fabricscope::test {

namespace {

constexpr std::int64_t kKiB = 1024;

/// Leaves out the tasks for which `drop` holds; what depended on them depends on what they depended on.
CaseSpec without(const CaseSpec& spec, const std::function<bool(std::int32_t rank, const CaseSpec::Task&, TaskIndex)>& drop)
{
    CaseSpec smaller = spec;
    for (std::size_t r = 0; r < spec.tasks.size(); ++r) {
        std::vector<CaseSpec::Task> kept;
        std::vector<std::vector<TaskIndex>> standsFor; // kept tasks that say the same as the old one
        for (std::size_t t = 0; t < spec.tasks[r].size(); ++t) {
            CaseSpec::Task task = spec.tasks[r][t];
            std::vector<TaskIndex> depends;
            for (const TaskIndex old : task.depends)
                depends.insert(depends.end(), standsFor[at(old)].begin(), standsFor[at(old)].end());
            std::sort(depends.begin(), depends.end());
            depends.erase(std::unique(depends.begin(), depends.end()), depends.end());
            if (drop(static_cast<std::int32_t>(r), task, static_cast<TaskIndex>(t))) {
                standsFor.push_back(depends);
                continue;
            }
            task.depends = depends;
            standsFor.push_back({static_cast<TaskIndex>(kept.size())});
            kept.push_back(std::move(task));
        }
        smaller.tasks[r] = std::move(kept);
    }
    return smaller;
}

/// Takes an operation, and its other end, out of an explicit program.
void leaveOut(std::vector<CaseSpec::Op>& ops, std::size_t victim)
{
    const std::int32_t transfer = ops[victim].transfer;
    std::vector<CaseSpec::Op> kept;
    std::vector<std::vector<std::size_t>> standsFor;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CaseSpec::Op op = ops[i];
        std::vector<std::size_t> depends;
        for (const std::size_t other : op.depends)
            depends.insert(depends.end(), standsFor[other].begin(), standsFor[other].end());
        std::sort(depends.begin(), depends.end());
        depends.erase(std::unique(depends.begin(), depends.end()), depends.end());
        if (i == victim || (transfer >= 0 && op.transfer == transfer)) {
            standsFor.push_back(std::move(depends));
            continue;
        }
        op.depends = std::move(depends);
        // One that was fused stays so only with the operation it was fused with.
        std::size_t before = i;
        while (before-- > 0 && ops[before].position != op.position) { }
        if (op.fused && (before >= ops.size() || standsFor[before].size() != 1 || ops[before].transfer == transfer || before == victim))
            op.fused = false;
        standsFor.push_back({kept.size()});
        kept.push_back(std::move(op));
    }
    ops = std::move(kept);
}

} // namespace

CaseSpec shrink(CaseSpec spec, const std::function<bool(const CaseSpec&)>& fails)
{
    bool progress = true;
    const auto attempt = [&](CaseSpec candidate) {
        if (!fails(candidate))
            return false;
        spec = std::move(candidate);
        progress = true;
        return true;
    };
    const auto change = [&](const auto& edit) {
        CaseSpec candidate = spec;
        if (edit(candidate))
            attempt(std::move(candidate));
    };
    while (progress) {
        progress = false;
        for (std::size_t f = 0; f < spec.families.size(); ++f) {
            for (std::size_t c = spec.families[f].calls.size(); c-- > 0;) {
                CaseSpec candidate = without(spec, [&](std::int32_t, const CaseSpec::Task& task, TaskIndex) {
                    return task.kind == TaskKind::Collective && task.family == static_cast<std::int32_t>(f) && task.call == static_cast<std::int32_t>(c);
                });
                auto& calls = candidate.families[f].calls;
                calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(c));
                for (auto& tasks : candidate.tasks)
                    for (CaseSpec::Task& task : tasks)
                        if (task.kind == TaskKind::Collective && task.family == static_cast<std::int32_t>(f) && task.call > static_cast<std::int32_t>(c))
                            --task.call;
                attempt(std::move(candidate));
            }
        }
        for (std::size_t r = 0; r < spec.tasks.size(); ++r) {
            for (std::size_t t = spec.tasks[r].size(); t-- > 0;) {
                if (t >= spec.tasks[r].size())
                    continue;
                const CaseSpec::Task task = spec.tasks[r][t];
                const auto rank = static_cast<std::int32_t>(r);
                if (task.kind == TaskKind::Send) { // all of this pair and tag
                    attempt(without(spec, [&](std::int32_t other, const CaseSpec::Task& each, TaskIndex) {
                        return each.tag == task.tag && ((each.kind == TaskKind::Send && other == rank && each.peer == task.peer)
                                   || (each.kind == TaskKind::Receive && other == task.peer && each.peer == rank));
                    }));
                } else if (task.kind != TaskKind::Collective && task.kind != TaskKind::Receive) {
                    attempt(without(spec, [&](std::int32_t other, const CaseSpec::Task&, TaskIndex index) { return other == rank && index == static_cast<TaskIndex>(t); }));
                }
            }
        }
        for (std::size_t r = 0; r < spec.tasks.size(); ++r) {
            for (std::size_t t = 0; t < spec.tasks[r].size(); ++t) {
                change([&](CaseSpec& each) {
                    auto& depends = each.tasks[r][t].depends;
                    if (depends.empty())
                        return false;
                    depends.pop_back();
                    return true;
                });
            }
        }
        const auto clear = [&](auto CaseSpec::*member, const auto& value) {
            change([&](CaseSpec& each) {
                if (each.*member == value)
                    return false;
                each.*member = value;
                return true;
            });
        };
        const std::optional<std::int64_t> none;
        clear(&CaseSpec::reducerRate, none);
        clear(&CaseSpec::injection, none);
        clear(&CaseSpec::ejection, none);
        clear(&CaseSpec::endpointDelayPs, std::int64_t{0});
        clear(&CaseSpec::speeds, std::vector<double>{});
        clear(&CaseSpec::roofline, false);
        clear(&CaseSpec::replayOnly, false);
        clear(&CaseSpec::pieceBytes, std::int64_t{256 * kKiB});
        change([](CaseSpec& each) { return !std::exchange(each.reducers, {}).empty(); });
        for (const auto& [node, rate] : std::map(spec.crossbars))
            change([&, number = node](CaseSpec& each) { return each.crossbars.erase(number) > 0; });
        change([](CaseSpec& each) { return !std::exchange(each.overrides, {}).empty(); });
        for (std::size_t f = spec.families.size(); f-- > 1;) {
            change([&](CaseSpec& each) {
                if (!each.families[f].calls.empty() || f + 1 != each.families.size())
                    return false;
                each.families.pop_back();
                return true;
            });
        }
        for (std::size_t f = 0; f < spec.families.size(); ++f) {
            for (std::size_t c = 0; c < spec.families[f].calls.size(); ++c) {
                const auto edit = [&](const auto& what) { change([&](CaseSpec& each) { return what(each.families[f].calls[c]); }); };
                edit([](CaseSpec::Call& call) { return std::exchange(call.window, 0) != 0; });
                const auto programs = spec.families[f].calls[c].ops;
                for (const auto& [size, ops] : programs) {
                    const std::int32_t n = size;
                    for (std::size_t op = ops.size(); op-- > 0;) {
                        edit([&](CaseSpec::Call& call) { return op < call.ops[n].size() && (leaveOut(call.ops[n], op), true); });
                    }
                }
                edit([](CaseSpec::Call& call) { return std::exchange(call.priority, 0) != 0; });
                edit([](CaseSpec::Call& call) { return std::exchange(call.chunks, std::max(1, call.chunks - 1)) > 1; });
                edit([](CaseSpec::Call& call) { return std::exchange(call.bytes, call.bytes / 2) > 0; });
                edit([](CaseSpec::Call& call) {
                    bool any = false;
                    for (auto& [size, body] : call.body)
                        for (PhaseTemplate& phase : body.phases)
                            any |= std::exchange(phase.window, 0) != 0 || std::exchange(phase.minus, false);
                    return any;
                });
            }
        }
    }
    return spec;
}

} // namespace fabricscope::test
