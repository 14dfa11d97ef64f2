#include "core/study/pointrun.h"

#include "core/base/files/contentdigest.h"
#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/cost/hardwarebill.h"
#include "core/design/file/costsection.h"
#include "core/design/referencedfiles.h"
#include "core/planner/placeddesign.h"
#include "core/report/planfigures.h"
#include "core/record/memoryuse.h"
#include "core/scenario/designplan.h"
#include "core/sim/simulate.h"
#include "core/study/leastruntime.h"

#include <algorithm>
#include <filesystem>

namespace fabricscope {

namespace {

double psOf(SimTime time)
{
    return static_cast<double>(time.ps);
}

void addTimes(const RunRecord& record, PointFigures& figures)
{
    figures[PointFigure::StepTime] = psOf(record.finish);
    SimTime exposed;
    SimTime compute;
    SimTime communication;
    for (const RankClass& row : record.classes) {
        exposed.ps = std::max(exposed.ps, row.times.exposedComm.ps);
        compute.ps = std::max(compute.ps, row.times.compute.ps);
        communication.ps = std::max(communication.ps, row.times.comm.ps);
    }
    figures[PointFigure::ExposedCommunication] = psOf(exposed);
    figures[PointFigure::ComputeTime] = psOf(compute);
    figures[PointFigure::CommunicationTime] = psOf(communication);
    if (!record.memory)
        return;
    std::int64_t peak = 0;
    for (const MemoryUse::Class& row : record.memory->classes)
        peak = std::max(peak, row.peakBytes);
    figures[PointFigure::MemoryPeak] = static_cast<double>(peak);
}

void addMemory(const std::vector<PlanMemory>& rows, PointFigures& figures)
{
    std::int64_t peak = -1;
    for (const PlanMemory& row : rows)
        peak = std::max(peak, row.peak());
    if (peak >= 0)
        figures[PointFigure::MemoryPeak] = static_cast<double>(peak);
}

PointRow failedRow(std::string message)
{
    return {PointRow::State::Failed, std::move(message), {}};
}

bool isPlanned(const Design& design)
{
    return design.workload && std::holds_alternative<PlannedWorkload>(*design.workload);
}

/// What decides nothing is not part of the hash.
std::string hashedText(const YamlNode& root)
{
    YamlNode rest = YamlNode::map();
    for (const YamlEntry& entry : root.entries) {
        if (entry.key != "name" && entry.key != "notes" && entry.key != "search")
            rest.entries.push_back(entry);
    }
    return renderYaml(rest, true);
}

} // namespace

PointRunner::PointRunner(const StudySpec& space, std::string version) : m_space(space), m_version(std::move(version)), m_wantsParts(space.usesParts())
{
    const auto isKnown = [](const std::string& name) {
        const auto figure = pointFigureNamed(name);
        return !figure || isKnownBefore(*figure);
    };
    m_prunes = std::any_of(space.constraints.begin(), space.constraints.end(), [&](const StudyConstraint& constraint) {
        return std::any_of(constraint.condition.names().begin(), constraint.condition.names().end(), isKnown);
    });
    m_bounds = std::any_of(space.objectives.begin(), space.objectives.end(), [](const StudyObjective& objective) {
        return objective.sense == StudyObjective::Sense::Minimise && objective.figure == PointFigure::StepTime;
    });
}

Result<Digest> PointRunner::digestOfFileOnce(const std::string& path, const std::stop_token& stop)
{
    {
        const std::lock_guard lock(m_lock);
        if (const auto found = m_files.find(path); found != m_files.end())
            return found->second;
    }
    const Result<FileDigest> digest = digestOfFile(path, stop);
    if (!digest && digest.error().code == ErrorCode::Cancelled)
        return digest.error();
    const Digest value = digest ? digest.value().digest : Digest{};
    const std::lock_guard lock(m_lock);
    return m_files.emplace(path, value).first->second;
}

Result<Digest> PointRunner::digestOfTracesOnce(const std::string& prefix, const std::stop_token& stop)
{
    const std::string all = prefix + ".*";
    {
        const std::lock_guard lock(m_lock);
        if (const auto found = m_files.find(all); found != m_files.end())
            return found->second;
    }
    std::string text;
    for (std::int64_t rank = 0, end = kMaxNpus; rank < end; ++rank) {
        end = rank; // The first gap ends them.
        for (const char* const suffix : {".et", ".json", ".et.gz"}) {
            const std::string path = prefix + '.' + std::to_string(rank) + suffix;
            std::error_code ignored;
            if (!std::filesystem::is_regular_file(path, ignored))
                continue;
            const Result<Digest> digest = digestOfFileOnce(path, stop);
            if (!digest)
                return digest;
            text += digest.value().hex() + suffix;
            end = kMaxNpus;
            break;
        }
    }
    const std::lock_guard lock(m_lock);
    return m_files.emplace(all, digestOf(text)).first->second;
}

Result<StudyPoint> PointRunner::read(std::int64_t number, const std::stop_token& stop, PointFidelity fidelity)
{
    StudyPoint point;
    point.choices = m_space.choicesOf(number);
    YamlDocument document = m_space.base;
    std::vector<PlacedField> fields = m_space.fieldsOf(point.choices);
    if (fidelity == PointFidelity::Ideal)
        fields.push_back({{"model.name", std::string(modelName(Model::Ideal))}, "the search"});
    Result<LoadedDesign> design = readDesignDocument(document, fields, stop);
    if (!design && design.error().code == ErrorCode::Cancelled)
        return std::move(design).error();
    std::string text = m_version + '\n' + (m_wantsParts ? "parts\n" : "\n") + hashedText(document.root());
    if (!design) {
        point.row = failedRow(design.error().text());
        point.hash = digestOf(text);
        return point;
    }
    for (const NamedFile& file : referencedFiles(design.value().design)) {
        if (file.path == m_space.base.file()) // Its fields stand in the text; comments decide nothing.
            continue;
        const Result<Digest> digest = file.isPrefix ? digestOfTracesOnce(file.path, stop) : digestOfFileOnce(file.path, stop);
        if (!digest)
            return digest.error();
        text += '\n' + digest.value().hex();
    }
    point.hash = digestOf(text);
    Result<std::optional<CostConfig>> costs = m_wantsParts ? readCosts(document) : Result<std::optional<CostConfig>>(std::optional<CostConfig>());
    if (costs)
        point.costs = std::move(costs).value();
    point.design = std::move(design).value();
    return point;
}

void PointRunner::addBill(const StudyPoint& point, PointFigures& figures) const
{
    const Result<HardwareBill> made = hardwareBill(*point.design->design.platform, point.costs ? &*point.costs : nullptr);
    if (!made)
        return;
    const HardwareBill& bill = made.value();
    std::int64_t switches = 0;
    std::int64_t cables = 0;
    for (const BillRow& row : bill.rows) {
        switches += row.kind == BillRow::Kind::Switch ? row.count : 0;
        cables += row.kind == BillRow::Kind::Cable ? row.count : 0;
    }
    figures[PointFigure::Switches] = static_cast<double>(switches);
    figures[PointFigure::Cables] = static_cast<double>(cables);
    figures[PointFigure::Cost] = bill.capital;
    figures[PointFigure::CostPerYear] = bill.perYear();
    figures[PointFigure::Power] = bill.siteWatts();
    figures[PointFigure::Mtbf] = bill.mtbfHours();
    if (const auto kept = checkpointing(bill, point.costs ? &*point.costs : nullptr))
        figures[PointFigure::Goodput] = kept->share;
}

Status PointRunner::addPlatformFigures(const StudyPoint& point, PointFigures& figures, const std::stop_token& stop) const
{
    const Design& design = point.design->design;
    const auto platform = Platform::create(*design.platform, stop);
    if (!platform)
        return platform.error();
    figures[PointFigure::Npus] = static_cast<double>(platform.value().remainingNpus());
    if (m_wantsParts)
        addBill(point, figures);
    if (isPlanned(design)) {
        const Result<DesignPlan> plan = analyseDesign(design, stop);
        if (plan)
            addMemory(plan.value().analysis.memory, figures);
        else if (plan.error().code == ErrorCode::Cancelled)
            return plan.error();
    }
    return {};
}

Result<PointOutlook> PointRunner::outlook(const StudyPoint& point, const std::stop_token& stop) const
{
    PointOutlook cannot;
    if (isRuledOutByNames(point.choices))
        cannot.feasible = false;
    if (!point.design)
        return cannot;
    const Design& design = point.design->design;
    return catchOutOfMemory([&] {
        return untilStopped([&]() -> Result<PointOutlook> {
            const Diagnostics found = validate(design, stop);
            if (std::any_of(found.begin(), found.end(), [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; }))
                return cannot;
            PointOutlook out;
            if (const Status status = addPlatformFigures(point, out.figures, stop); !status)
                return endsTheJob(status.error()) ? Result<PointOutlook>(status.error()) : cannot;
            out.runs = true;
            out.feasible = isFeasible(point.choices, out.figures);
            if (!m_bounds || out.feasible == false)
                return out;
            const Result<PreparedDesign> prepared = prepareToRun(design, 1, stop);
            if (!prepared)
                return endsTheJob(prepared.error()) ? Result<PointOutlook>(prepared.error()) : cannot;
            if (prepared.value().placement)
                out.figures[PointFigure::MemoryPeak].reset(); // Of the placed program, which its run tells.
            if (const std::optional<SimTime> least = leastRunTime(*prepared.value().scenario, stop))
                out.leastTime = psOf(*least);
            return out;
        });
    });
}

PointFigures PointRunner::knownBefore(const PointFigures& figures)
{
    PointFigures before;
    for (std::size_t i = 0; i < kPointFigures; ++i) {
        const auto figure = static_cast<PointFigure>(i);
        // The memory is known of a plan, else a run tells it; plans are what have tokens.
        if (isKnownBefore(figure) && (figure != PointFigure::MemoryPeak || figures[PointFigure::TokensPerSecond]))
            before[figure] = figures[figure];
    }
    return before;
}

std::optional<bool> PointRunner::isFeasible(const std::vector<ParameterChoice>& choices, const PointFigures& figures, std::string* unmet) const
{
    bool known = true;
    for (const StudyConstraint& constraint : m_space.constraints) {
        const std::optional<bool> holds = constraint.condition.holds([&](std::string_view name) { return m_space.valueOf(name, choices, figures); });
        if (holds == false) {
            if (unmet)
                *unmet = constraint.condition.text();
            return false;
        }
        known = known && holds;
    }
    return known ? std::optional(true) : std::nullopt;
}

bool PointRunner::isRuledOutByNames(const std::vector<ParameterChoice>& choices, std::string* unmet) const
{
    return isFeasible(choices, {}, unmet) == false;
}

Result<PointRow> PointRunner::run(const StudyPoint& point, const std::stop_token& stop) const
{
    Result<PointRow> row = point.design ? runDesign(point, stop) : Result<PointRow>(point.row);
    if (row && row.value().state == PointRow::State::Failed && isRuledOutByNames(point.choices))
        return PointRow{PointRow::State::Skipped, {}, {}};
    return row;
}

Result<PointRow> PointRunner::runDesign(const StudyPoint& point, const std::stop_token& stop) const
{
    const Design& design = point.design->design;
    return catchOutOfMemory([&] {
        return untilStopped([&]() -> Result<PointRow> {
            const auto failed = [](const Error& error) -> Result<PointRow> {
                if (error.code == ErrorCode::Cancelled || error.code == ErrorCode::MemoryLimit)
                    return error;
                return failedRow(error.text());
            };
            for (const Diagnostic& diagnostic : validate(design, stop)) {
                if (diagnostic.severity == Severity::Error)
                    return failedRow(toError(diagnostic).text());
            }
            PointRow row;
            if (m_prunes) {
                if (const Status status = addPlatformFigures(point, row.figures, stop); !status)
                    return failed(status.error());
                if (isFeasible(point.choices, row.figures) == false) {
                    row.state = PointRow::State::Skipped;
                    return row;
                }
            }
            const Result<PreparedDesign> prepared = prepareToRun(design, 1, stop);
            if (!prepared)
                return failed(prepared.error());
            const Scenario& scenario = *prepared.value().scenario;
            RunOptions options;
            options.taskTimes = false;
            options.busyOverTime = false;
            const Result<RunRecord> record = simulate(scenario, options, stop);
            if (!record)
                return failed(record.error());
            if (!record.value().complete)
                return failedRow("the simulation cannot finish: ranks wait for each other");
            addTimes(record.value(), row.figures);
            row.figures[PointFigure::Npus] = static_cast<double>(scenario.structure->platform.remainingNpus());
            if (isPlanned(design) && !prepared.value().placement) {
                if (const std::optional<PlanFigures> plan = planFigures(design, scenario, record.value(), stop)) {
                    row.figures[PointFigure::TokensPerSecond] = plan->tokensPerSecond;
                    row.figures[PointFigure::Mfu] = plan->mfu;
                    addMemory(plan->memory, row.figures);
                }
            }
            if (m_wantsParts)
                addBill(point, row.figures);
            const std::optional<double> year = row.figures[PointFigure::CostPerYear];
            const std::optional<double> tokens = row.figures[PointFigure::TokensPerSecond];
            const double useful = tokens.value_or(0) * row.figures[PointFigure::Goodput].value_or(1);
            if (year && useful > 0) // Where failures leave nothing, no token has a price.
                row.figures[PointFigure::CostPerToken] = costPerToken(*year, useful);
            return row;
        });
    });
}

} // namespace fabricscope
