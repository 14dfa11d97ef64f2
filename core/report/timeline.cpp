#include "core/report/timeline.h"

#include "core/base/csvtext.h"
#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/record/memoryuse.h"
#include "core/report/flowpairs.h"
#include "core/report/outputfile.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>

namespace fabricscope {

namespace {

enum Slot : std::size_t { ComputeSlot, CommSlot, MemorySlot, HostSlot, SlotCount };
constexpr std::array<std::string_view, SlotCount> kSlotNames{"compute", "communication", "memory", "host"};
/// Threads of one slot are numbered from slot * kLanes.
constexpr std::size_t kLanes = 1000;

Slot slotOf(const RankGraph& graph, TaskIndex task)
{
    switch (graph.kind[at(task)]) {
    case TaskKind::Send:
    case TaskKind::Receive:
    case TaskKind::Collective:
        return CommSlot;
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore:
        return MemorySlot;
    case TaskKind::Compute:
    case TaskKind::Metadata:
    case TaskKind::Invalid:
        break;
    }
    return graph.has(task, TaskFlag::kHost) ? HostSlot : ComputeSlot;
}

std::string_view kindName(const RankGraph& graph, TaskIndex task)
{
    switch (graph.kind[at(task)]) {
    case TaskKind::Compute:
        return "compute";
    case TaskKind::MemoryLoad:
        return "memory_load";
    case TaskKind::MemoryStore:
        return "memory_store";
    case TaskKind::Send:
        return "send";
    case TaskKind::Receive:
        return "receive";
    case TaskKind::Collective:
        return collectiveKey(graph.op[at(task)]);
    case TaskKind::Metadata:
        return "metadata";
    case TaskKind::Invalid:
        break;
    }
    return "invalid";
}

/// Microseconds with as many decimals as the picoseconds need.
std::string microsecondsText(std::int64_t ps)
{
    static_assert(kPsPerUs == 1'000'000);
    return shortDecimal(ps, 6);
}

/// A row of the timeline: a class, or one of its ranks.
struct Row {
    std::int64_t pid = 0;
    std::string name;
    const RankClass* ranks = nullptr;
};

std::vector<Row> rowsOf(const RunRecord& record, RankRows rows, const std::stop_token& stop)
{
    std::vector<Row> out;
    for (const RankClass& ranks : record.classes) {
        if (ranks.ranks.empty() || !ranks.tasks)
            continue;
        if (rows != RankRows::All) {
            out.push_back({ranks.ranks.intervals().front().first, ranksText(ranks.ranks), &ranks});
            continue;
        }
        for (const RankSet::Interval& interval : ranks.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank) {
                checkStop(stop);
                out.push_back({rank, "rank " + std::to_string(rank), &ranks});
            }
        }
    }
    std::sort(out.begin(), out.end(), [](const Row& a, const Row& b) { return a.pid < b.pid; });
    return out;
}

struct Slice {
    TaskIndex task = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool finished = true;
};

/// Issued tasks in the order of their begin; a task that never ended lasts until the rank's last event.
std::vector<Slice> slicesOf(const RankClass& ranks, const RankGraph& graph, const std::stop_token& stop)
{
    std::vector<Slice> slices;
    const TaskTimes& times = *ranks.tasks;
    const std::size_t count = std::min(times.issuePs.size(), static_cast<std::size_t>(graph.size()));
    for (std::size_t i = 0; i < count; ++i) {
        checkStop(stop);
        if (times.issuePs[i] < 0)
            continue;
        const bool finished = times.endPs[i] >= 0;
        slices.push_back({static_cast<TaskIndex>(i), times.issuePs[i], finished ? times.endPs[i] : std::max(times.issuePs[i], ranks.times.finish.ps), finished});
    }
    sortUntilStopped(slices, [](const Slice& a, const Slice& b) { return a.begin < b.begin; }, stop);
    return slices;
}

/// First lane that is free at the begin of each slice, so that no two overlap on one thread.
class Lanes {
public:
    std::size_t place(Slot slot, const Slice& slice)
    {
        std::vector<std::int64_t>& ends = m_ends[slot];
        const auto free = std::find_if(ends.begin(), ends.end(), [&](std::int64_t end) { return end <= slice.begin; });
        const auto lane = static_cast<std::size_t>(free - ends.begin());
        if (free == ends.end())
            ends.push_back(slice.end);
        else
            *free = slice.end;
        return std::min(lane, kLanes - 1);
    }
    std::size_t count(std::size_t slot) const { return std::min(m_ends[slot].size(), kLanes); }

private:
    std::array<std::vector<std::int64_t>, SlotCount> m_ends;
};

std::string metadata(std::string_view what, std::int64_t pid, std::size_t tid, std::string_view name)
{
    return "{\"ph\": \"M\", \"name\": \"" + std::string(what) + "\", \"pid\": " + std::to_string(pid) + ", \"tid\": " + std::to_string(tid)
        + ", \"args\": {\"name\": " + jsonString(name) + "}}";
}

using AddEvent = std::function<void(const std::string&)>;

/// The thread that shows each task of a row; -1: none does.
using ThreadOfTask = std::vector<std::int64_t>;

std::string flowEvent(std::string_view phase, std::int64_t id, std::int64_t pid, std::int64_t tid, std::int64_t ps)
{
    return "{\"ph\": \"" + std::string(phase) + "\", \"name\": \"message\", \"cat\": \"message\", \"id\": " + std::to_string(id) + ", \"pid\": " + std::to_string(pid)
        + ", \"tid\": " + std::to_string(tid) + ", \"ts\": " + microsecondsText(ps) + (phase == "f" ? ", \"bp\": \"e\"}" : "}");
}

/// From the begin of each send to its receive, no earlier than either has begun.
void addFlows(const RunRecord& record, const Workload& workload, const std::vector<Row>& rows, const std::vector<ThreadOfTask>& threads, const AddEvent& add, const std::stop_token& stop)
{
    std::map<const RankClass*, std::size_t> rowOfClass;
    std::map<std::int64_t, std::size_t> rowOfRank;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rowOfClass.emplace(rows[i].ranks, i);
        rowOfRank.emplace(rows[i].pid, i);
    }
    const auto rowOf = [&](std::int32_t rank) -> std::optional<std::size_t> {
        if (const auto own = rowOfRank.find(rank); own != rowOfRank.end())
            return own->second;
        const auto of = std::find_if(rowOfClass.begin(), rowOfClass.end(), [rank](const auto& entry) { return entry.first->ranks.contains(rank); });
        return of == rowOfClass.end() ? std::nullopt : std::optional(of->second);
    };
    MessagePairs messages(record, workload);
    std::int64_t id = 0;
    for (std::size_t from = 0; from < rows.size(); ++from) {
        for (const MessagePair& pair : messages.ofRank(static_cast<std::int32_t>(rows[from].pid), stop)) {
            checkStop(stop);
            const std::optional<std::size_t> to = rowOf(pair.to);
            if (!to)
                continue;
            const std::int64_t sent = rows[from].ranks->tasks->issuePs[at(pair.send)];
            const std::int64_t received = rows[*to].ranks->tasks->issuePs[at(pair.receive)];
            add(flowEvent("s", id, rows[from].pid, threads[from][at(pair.send)], sent));
            add(flowEvent("f", id, rows[*to].pid, threads[*to][at(pair.receive)], std::max(sent, received)));
            ++id;
        }
    }
}

std::string counterEvent(std::string_view name, std::int64_t pid, std::int64_t ps, std::string_view what, const std::string& value)
{
    return "{\"ph\": \"C\", \"name\": " + jsonString(name) + ", \"pid\": " + std::to_string(pid) + ", \"ts\": " + microsecondsText(ps) + ", \"args\": {\"" + std::string(what) + "\": " + value
        + "}}";
}

/// How busy each dimension is, and what memories hold, each value from its time on.
void addCounters(const RunRecord& record, const AddEvent& add, const std::stop_token& stop)
{
    const std::int64_t pid = record.rankCount; // No rank has this number.
    bool named = false;
    const auto count = [&](std::string_view name, std::int64_t ps, std::string_view what, const std::string& value) {
        if (!named)
            add(metadata("process_name", pid, 0, "links and memories"));
        named = true;
        add(counterEvent(name, pid, ps, what, value));
    };
    constexpr std::int64_t kTenThousandths = 10'000;
    for (const DimensionUse& use : record.dimensions) {
        const std::int64_t width = use.busy.bucketPs();
        std::int64_t last = -1;
        for (std::size_t i = 0; i < use.busy.busyPs().size() && use.links > 0; ++i) {
            checkStop(stop);
            const std::int64_t begin = static_cast<std::int64_t>(i) * width;
            const std::int64_t length = std::min(width, record.finish.ps - begin);
            if (length <= 0)
                break;
            const double share = static_cast<double>(use.busy.busyPs()[i]) / static_cast<double>(use.links) / static_cast<double>(length);
            const auto rounded = static_cast<std::int64_t>(share * kTenThousandths + 0.5);
            if (rounded != last)
                count("busy: " + use.name, begin, "percent", shortDecimal(rounded, 2));
            last = rounded;
        }
        if (last > 0) // Behind the last bucket nothing is busy.
            count("busy: " + use.name, std::min(static_cast<std::int64_t>(use.busy.busyPs().size()) * width, record.finish.ps), "percent", "0");
    }
    if (!record.memory)
        return;
    for (const MemoryUse::Class& memory : record.memory->classes) {
        for (const MemoryUse::Point& point : memory.timeline)
            count("live bytes: ranks " + memory.ranks.text(), point.ps, "bytes", std::to_string(point.bytes));
    }
}

std::string shownName(const RankGraph& graph, TaskIndex task)
{
    const std::string_view name = graph.name(task);
    return std::string(name.empty() ? kindName(graph, task) : name);
}

} // namespace

std::string timelineTrace(const RunRecord& record, const Workload& workload, RankRows rows, const std::stop_token& stop)
{
    std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
    bool first = true;
    const auto add = [&](const std::string& event) {
        out += first ? "\n" : ",\n";
        first = false;
        out += event;
    };
    const std::vector<Row> all = rowsOf(record, rows, stop);
    std::vector<ThreadOfTask> threads;
    for (const Row& row : all) {
        const RankGraph& graph = workload.graph(static_cast<std::int32_t>(row.pid));
        threads.emplace_back(at(graph.size()), -1);
        add(metadata("process_name", row.pid, 0, row.name));
        Lanes lanes;
        for (const Slice& slice : slicesOf(*row.ranks, graph, stop)) {
            checkStop(stop);
            const Slot slot = slotOf(graph, slice.task);
            const std::size_t tid = slot * kLanes + lanes.place(slot, slice);
            const auto index = static_cast<std::size_t>(slice.task);
            threads.back()[index] = static_cast<std::int64_t>(tid);
            add("{\"ph\": \"X\", \"name\": " + jsonString(shownName(graph, slice.task)) + ", \"cat\": \"" + std::string(kindName(graph, slice.task))
                + "\", \"pid\": " + std::to_string(row.pid) + ", \"tid\": " + std::to_string(tid) + ", \"ts\": " + microsecondsText(slice.begin)
                + ", \"dur\": " + microsecondsText(slice.end - slice.begin) + ", \"args\": {\"node\": " + std::to_string(graph.sourceId[index])
                + ", \"bytes\": " + std::to_string(graph.bytes[index]) + (slice.finished ? "" : ", \"finished\": false") + "}}");
        }
        for (std::size_t slot = 0; slot < SlotCount; ++slot) {
            for (std::size_t lane = 0; lane < lanes.count(slot); ++lane)
                add(metadata("thread_name", row.pid, slot * kLanes + lane, std::string(kSlotNames[slot]) + (lane == 0 ? "" : ' ' + std::to_string(lane + 1))));
        }
    }
    addFlows(record, workload, all, threads, add, stop);
    addCounters(record, add, stop);
    return out += "\n]}\n";
}

std::string timelineCsv(const RunRecord& record, const Workload& workload, RankRows rows, const std::stop_token& stop)
{
    std::string out = "ranks,kind,node,name,issue_ns,end_ns,bytes\n";
    for (const Row& row : rowsOf(record, rows, stop)) {
        const RankGraph& graph = workload.graph(static_cast<std::int32_t>(row.pid));
        const std::string ranks = csvCell(rows == RankRows::All ? std::to_string(row.pid) : row.ranks->ranks.text());
        for (const Slice& slice : slicesOf(*row.ranks, graph, stop)) {
            checkStop(stop);
            const auto index = static_cast<std::size_t>(slice.task);
            out += ranks + ',' + std::string(kindName(graph, slice.task)) + ',' + std::to_string(graph.sourceId[index]) + ','
                + csvCell(graph.name(slice.task)) + ',' + nsText({slice.begin}) + ',' + (slice.finished ? nsText({slice.end}) : "") + ','
                + std::to_string(graph.bytes[index]) + '\n';
        }
    }
    return out;
}

Status checkTimelineName(const std::string& path)
{
    const auto endsWith = [&](std::string_view ending) { return path.ends_with(ending); };
    if (endsWith(".csv") || endsWith(".json"))
        return {};
    Error error{ErrorCode::Usage, "the ending of " + path + " names no kind of timeline", {}, ".json (Perfetto, chrome://tracing) or .csv"};
    error.place.field = "--timeline";
    return error;
}

Status writeTimeline(const std::string& path, const RunRecord& record, const Workload& workload, RankRows rows, OutputFiles* files,
                     const std::stop_token& stop)
{
    if (Status name = checkTimelineName(path); !name)
        return name;
    return untilStopped([&] {
        return writeOutputFile(path, path.ends_with(".csv") ? timelineCsv(record, workload, rows, stop) : timelineTrace(record, workload, rows, stop), files);
    });
}

} // namespace fabricscope
