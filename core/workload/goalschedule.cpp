#include "core/workload/goalschedule.h"

#include "core/base/placeof.h"
#include "core/base/stop.h"
#include "core/workload/membercheck.h"
#include "core/workload/rankclasses.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int64_t kPsPerNs = 1000;

std::string writtenLabel(std::size_t op)
{
    return 'l' + std::to_string(op + 1);
}

std::string labelOf(const GoalRank& rank, std::size_t op)
{
    return rank.labels.empty() || rank.labels[op].empty() ? writtenLabel(op) : rank.labels[op];
}

void writeOp(const GoalOp& op, const std::string& label, std::string& text)
{
    text += label;
    switch (op.kind) {
    case GoalOp::Kind::Calc:
        text += ": calc " + std::to_string(op.size);
        break;
    case GoalOp::Kind::Send:
        text += ": send " + std::to_string(op.size) + "b to " + std::to_string(op.peer) + " tag " + std::to_string(op.tag);
        break;
    case GoalOp::Kind::Receive:
        text += ": recv " + std::to_string(op.size) + "b from " + std::to_string(op.peer) + " tag " + std::to_string(op.tag);
        break;
    }
    text += op.cpu == 0 ? "\n" : " cpu " + std::to_string(op.cpu) + "\n";
}

/// Operations in an order in which each stands behind what it waits for, else as they are written; those that wait for each other are left out.
std::vector<std::uint32_t> orderOf(const GoalRank& rank, const std::vector<std::vector<const GoalNeed*>>& needsOf)
{
    std::vector<std::vector<std::uint32_t>> users(rank.ops.size());
    std::vector<std::size_t> open(rank.ops.size(), 0);
    for (std::size_t op = 0; op < rank.ops.size(); ++op) {
        open[op] = needsOf[op].size();
        for (const GoalNeed* need : needsOf[op])
            users[need->needed].push_back(static_cast<std::uint32_t>(op));
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
    for (std::size_t op = 0; op < rank.ops.size(); ++op) {
        if (open[op] == 0)
            free.push(static_cast<std::uint32_t>(op));
    }
    std::vector<std::uint32_t> order;
    order.reserve(rank.ops.size());
    while (!free.empty()) {
        const std::uint32_t done = free.top();
        free.pop();
        order.push_back(done);
        for (const std::uint32_t user : users[done]) {
            if (--open[user] == 0)
                free.push(user);
        }
    }
    return order;
}

/// Builds the graph of one rank.
class GoalTasks {
public:
    GoalTasks(const GoalRank& rank, const std::string& file) : m_rank(rank), m_file(file), m_needs(rank.ops.size())
    {
        for (const GoalNeed& need : rank.needs)
            m_needs[need.op].push_back(&need);
    }

    Result<RankGraph> build()
    {
        const std::vector<std::uint32_t> order = orderOf(m_rank, m_needs);
        if (order.size() < m_rank.ops.size())
            return inCircle(order);
        std::vector<TaskIndex> taskOf(m_rank.ops.size());
        // Who waits for a begin waits for what that waits for.
        std::vector<std::vector<TaskIndex>> depends(m_rank.ops.size());
        RankGraph graph;
        graph.dependBegin.push_back(0);
        for (const std::uint32_t op : order) {
            std::vector<TaskIndex>& all = depends[op];
            for (const GoalNeed* need : m_needs[op]) {
                if (need->start)
                    all.insert(all.end(), depends[need->needed].begin(), depends[need->needed].end());
                else
                    all.push_back(taskOf[need->needed]);
            }
            std::sort(all.begin(), all.end());
            all.erase(std::unique(all.begin(), all.end()), all.end());
            taskOf[op] = graph.size();
            add(op, graph);
            graph.depends.insert(graph.depends.end(), all.begin(), all.end());
            graph.dependBegin.push_back(static_cast<std::uint32_t>(graph.depends.size()));
        }
        return graph;
    }

private:
    void add(std::size_t number, RankGraph& graph) const
    {
        const GoalOp& op = m_rank.ops[number];
        const bool calc = op.kind == GoalOp::Kind::Calc;
        graph.kind.push_back(calc ? TaskKind::Compute : op.kind == GoalOp::Kind::Send ? TaskKind::Send : TaskKind::Receive);
        graph.flags.push_back(calc ? (op.cpu == 0 ? 0 : TaskFlag::kHost) : TaskFlag::kHasBytes);
        graph.sourceId.push_back(number);
        graph.names += labelOf(m_rank, number);
        graph.nameEnd.push_back(static_cast<std::uint32_t>(graph.names.size()));
        graph.durationUs.push_back(0);
        graph.durationPs.push_back(calc ? op.size * kPsPerNs : -1);
        graph.operations.push_back(0);
        graph.bytes.push_back(calc ? 0 : op.size);
        graph.op.push_back(CollectiveOp::AllReduce);
        graph.family.push_back(0);
        graph.peer.push_back(calc ? 0 : op.peer);
        graph.tag.push_back(calc ? 0 : op.tag);
        graph.involved.push_back(0);
    }

    /// Names one of those that are left, whose turn never comes.
    Error inCircle(const std::vector<std::uint32_t>& order) const
    {
        std::vector<bool> comes(m_rank.ops.size(), false);
        for (const std::uint32_t op : order)
            comes[op] = true;
        std::size_t op = static_cast<std::size_t>(std::find(comes.begin(), comes.end(), false) - comes.begin());
        for (std::size_t step = 0; step < m_rank.ops.size(); ++step) // As many steps against the arrows end in the circle.
            op = (*std::find_if(m_needs[op].begin(), m_needs[op].end(), [&](const GoalNeed* need) { return !comes[need->needed]; }))->needed;
        return invalidInput("\"" + labelOf(m_rank, op) + "\" waits for itself", placeOfLine(m_file, m_rank.ops[op].line), "operations that wait for others before them");
    }

    const GoalRank& m_rank;
    const std::string& m_file;
    std::vector<std::vector<const GoalNeed*>> m_needs;
};

/// What has no counterpart here.
void noteLosses(const GoalSchedule& schedule, const std::string& file, Diagnostics& diagnostics)
{
    std::set<std::int32_t> hosts;
    bool begins = false;
    for (const GoalRank& rank : schedule.ranks) {
        for (const GoalOp& op : rank.ops) {
            if (op.kind == GoalOp::Kind::Calc && op.cpu != 0)
                hosts.insert(op.cpu);
        }
        begins |= std::any_of(rank.needs.begin(), rank.needs.end(), [](const GoalNeed& need) { return need.start; });
    }
    if (hosts.size() > 1)
        diagnostics.push_back(warning("goal-cpus", "computations of " + std::to_string(hosts.size()) + " cpus beside cpu 0 take turns on the one host of their rank", placeOfFile(file)));
    if (begins)
        diagnostics.push_back(note("goal-irequires", "what waits for a begin waits for all that comes before that begin", placeOfFile(file)));
}

} // namespace

bool isGoalSchedule(std::string_view head)
{
    constexpr std::string_view kBlank = " \t\r\n";
    for (;;) {
        head.remove_prefix(std::min(head.find_first_not_of(kBlank), head.size()));
        const bool line = head.starts_with("//");
        if (!line && !head.starts_with("/*"))
            break;
        const std::size_t end = line ? head.find('\n') : head.find("*/", 2);
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + (line ? 1 : 2));
    }
    constexpr std::string_view kFirst = "num_ranks";
    if (!head.starts_with(kFirst))
        return false;
    const std::size_t number = head.find_first_not_of(" \t", kFirst.size());
    return number != std::string_view::npos && number > kFirst.size() && head[number] >= '0' && head[number] <= '9';
}

std::string goalText(const GoalSchedule& schedule, const std::stop_token& stop)
{
    std::string text = "num_ranks " + std::to_string(schedule.ranks.size()) + "\n";
    for (std::size_t r = 0; r < schedule.ranks.size(); ++r) {
        checkStop(stop);
        const GoalRank& rank = schedule.ranks[r];
        text += "\nrank " + std::to_string(r) + " {\n";
        for (std::size_t op = 0; op < rank.ops.size(); ++op)
            writeOp(rank.ops[op], writtenLabel(op), text);
        for (const GoalNeed& need : rank.needs)
            text += writtenLabel(need.op) + (need.start ? " irequires " : " requires ") + writtenLabel(need.needed) + '\n';
        text += "}\n";
    }
    return text;
}

Result<WorkloadPtr> workloadOfGoal(const GoalSchedule& schedule, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<WorkloadPtr> {
        const auto ranks = static_cast<std::int64_t>(schedule.ranks.size());
        RankClasses classes(ranks);
        MemberCheck members;
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
            checkStop(stop);
            Result<RankGraph> graph = GoalTasks(schedule.ranks[at(rank)], file).build();
            if (!graph) {
                Error error = std::move(graph).error();
                error.place.rank = rank;
                return error;
            }
            members.add(static_cast<std::int32_t>(rank), graph.value());
            classes.add(rank, std::move(graph).value());
        }
        if (!members.messagesFit())
            diagnostics.push_back(warning("unpaired-send", "sends and receives do not pair up by ranks, tag and size", placeOfFile(file)));
        noteLosses(schedule, file, diagnostics);
        auto workload = std::make_shared<Workload>();
        workload->rankCount = static_cast<std::int32_t>(ranks);
        classes.finish(*workload);
        workload->families.push_back(GroupFamily::world(ranks));
        workload->source = "schedule " + file + " (" + std::to_string(ranks) + (ranks == 1 ? " rank)" : " ranks)");
        return WorkloadPtr(std::move(workload));
    });
}

} // namespace fabricscope
