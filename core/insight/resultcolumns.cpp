#include "core/insight/resultcolumns.h"

#include "core/base/index.h"
#include "core/draw/timelinefigure.h"
#include "core/record/memoryuse.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

using Kind = ResultColumnRow::Kind;

constexpr std::array<const char*, kActivityCount> kActivityKeys{"compute", "memory", "all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                                                "send_receive", "broadcast", "barrier", "waiting"};

std::string groupOf(const ResultPart& part, const Workload& workload)
{
    const bool named = part.family > 0 && static_cast<std::size_t>(part.family) < workload.families.size();
    return named ? workload.families[at(part.family)].name() : std::string();
}

std::string keyOf(const ResultPart& part, const std::string& group)
{
    switch (part.kind) {
    case ResultPart::Kind::Compute: return "part.compute";
    case ResultPart::Kind::Host: return "part.host";
    case ResultPart::Kind::Waiting: return "part.waiting";
    case ResultPart::Kind::Exposed: break;
    }
    return std::string("part.exposed.") + kActivityKeys[at(part.activity)] + (group.empty() ? "" : '.' + group);
}

/// Collects rows by key.
class Columns {
public:
    explicit Columns(std::size_t runs) : m_runs(runs) {}

    ResultColumnRow& row(Kind kind, ResultUnit unit, const std::string& key)
    {
        const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const ResultColumnRow& row) { return row.key == key; });
        if (found != m_rows.end())
            return *found;
        ResultColumnRow made;
        made.kind = kind;
        made.unit = unit;
        made.key = key;
        made.values.resize(m_runs);
        m_rows.push_back(std::move(made));
        return m_rows.back();
    }

    /// A run with parts has none of the others.
    void fillParts(std::size_t number)
    {
        for (ResultColumnRow& row : m_rows) {
            if (row.kind == Kind::Part && !row.values[number])
                row.values[number] = 0;
        }
    }

    std::vector<ResultColumnRow> take()
    {
        const auto place = [](const ResultColumnRow& row) { return std::pair(row.kind, row.kind == Kind::Part ? static_cast<int>(row.part.kind) : row.dimension); };
        std::stable_sort(m_rows.begin(), m_rows.end(), [&](const ResultColumnRow& a, const ResultColumnRow& b) { return place(a) < place(b); });
        return std::move(m_rows);
    }

private:
    std::size_t m_runs;
    std::vector<ResultColumnRow> m_rows;
};

void addParts(Columns& columns, std::size_t number, const RunRecord& record, const Workload& workload)
{
    for (const ResultPart& part : resultParts(record, workload, slowestClass(record)).parts) {
        const std::string group = groupOf(part, workload);
        ResultColumnRow& row = columns.row(Kind::Part, ResultUnit::Picoseconds, keyOf(part, group));
        row.part = {part.kind, part.activity, -1, 0};
        row.group = group;
        row.values[number] = row.values[number].value_or(0) + part.ps; // All ranks as a group of their own, and named so.
    }
}

/// Values of one dimension; its name where all that have it say the same.
void addDimension(Columns& columns, std::size_t number, const RunRecord& record, std::size_t d)
{
    const DimensionUse& use = record.dimensions[d];
    const auto add = [&](Kind kind, ResultUnit unit, const char* key, std::int64_t value) {
        ResultColumnRow& row = columns.row(kind, unit, key + std::to_string(d));
        const bool first = row.dimension < 0;
        row.dimension = static_cast<std::int32_t>(d);
        row.group = first || row.group == use.name ? use.name : std::string();
        row.values[number] = value;
    };
    constexpr double kMillion = 1e6;
    add(Kind::Busy, ResultUnit::Millionths, "busy.", static_cast<std::int64_t>(use.busyShare(record.finish) * kMillion + 0.5));
    add(Kind::Traffic, ResultUnit::Bytes, "traffic.", use.bytes);
}

bool hasParts(const ComparedRun& run)
{
    return run.summary->record->complete && run.scenario && run.scenario->structure->workload && slowestClass(*run.summary->record) >= 0;
}

void addRun(Columns& columns, std::size_t number, const ComparedRun& run)
{
    const RunRecord& record = *run.summary->record;
    if (hasParts(run))
        addParts(columns, number, record, *run.scenario->structure->workload);
    ResultColumnRow& step = columns.row(Kind::StepTime, ResultUnit::Picoseconds, "step");
    if (record.complete)
        step.values[number] = record.finish.ps;
    const std::int32_t slowest = slowestClass(record);
    if (record.complete && slowest >= 0)
        columns.row(Kind::Exposed, ResultUnit::Picoseconds, "exposed_comm").values[number] = record.classes[at(slowest)].times.exposedComm.ps;
    if (record.complete && record.lowerBound && record.finish.ps > 0) {
        columns.row(Kind::LowerBound, ResultUnit::Picoseconds, "lower_bound").values[number] = record.lowerBound->ps;
        constexpr std::int64_t kMillion = 1'000'000;
        __extension__ using Wide = __int128;
        columns.row(Kind::BoundShare, ResultUnit::Millionths, "bound_share").values[number] =
            static_cast<std::int64_t>((Wide{record.lowerBound->ps} * kMillion + record.finish.ps / 2) / record.finish.ps);
    }
    for (std::size_t d = 0; d < record.dimensions.size(); ++d)
        addDimension(columns, number, record, d);
    if (record.memory) {
        std::int64_t peak = 0;
        for (const MemoryUse::Class& row : record.memory->classes)
            peak = std::max(peak, row.peakBytes);
        columns.row(Kind::Memory, ResultUnit::Bytes, "memory").values[number] = peak;
    }
}

} // namespace

std::optional<std::int64_t> ResultColumnRow::difference(std::size_t a, std::size_t b) const
{
    if (!values[a] || !values[b])
        return std::nullopt;
    return *values[b] - *values[a];
}

std::vector<ResultColumnRow> resultColumns(const std::vector<ComparedRun>& runs)
{
    Columns columns(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        addRun(columns, i, runs[i]);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (hasParts(runs[i]))
            columns.fillParts(i);
    }
    return columns.take();
}

std::string rowName(const ResultColumnRow& row)
{
    const std::string dimension = row.group.empty() ? "dimension " + std::to_string(row.dimension) : row.group;
    switch (row.kind) {
    case Kind::Part: break;
    case Kind::StepTime: return "Step time";
    case Kind::LowerBound: return "Lower bound";
    case Kind::BoundShare: return "Lower bound, of the step";
    case Kind::Exposed: return "Exposed communication";
    case Kind::Busy: return "Busy, " + dimension;
    case Kind::Traffic: return "Traffic, " + dimension;
    case Kind::Memory: return "Memory of a rank, most";
    }
    switch (row.part.kind) {
    case ResultPart::Kind::Compute: return "Compute";
    case ResultPart::Kind::Host: return "Host";
    case ResultPart::Kind::Waiting: return "Waiting or idle";
    case ResultPart::Kind::Exposed: break;
    }
    return activityText(row.part.activity) + (row.group.empty() ? "" : " in " + row.group) + ", exposed";
}

} // namespace fabricscope
