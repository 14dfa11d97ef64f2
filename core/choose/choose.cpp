#include "core/choose/choose.h"

#include "core/base/index.h"
#include "core/base/outofmemory.h"
#include "core/base/quantity.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/choose/lonegroup.h"
#include "core/choose/leasttime.h"
#include "core/choose/tuner.h"
#include "core/generate/generate.h"
#include "core/program/innetwork.h"
#include "core/scenario/networkparams.h"
#include "core/scenario/offloadrates.h"
#include "core/sim/engines.h"
#include "core/sim/simulate.h"
#include "core/sim/events/expectedmessages.h"
#include "core/sim/symmetry/foldprogram.h"
#include "core/sim/symmetry/symmetricrun.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace fabricscope {

namespace {

/// Does one NPU stand for all of this run, of a template? Others keep to the limits they had when every NPU was followed, so that the answer stays.
bool isFolded(const Scenario& scenario, const std::stop_token& stop)
{
    if (!scenario.structure->instances.front().program->isTemplate())
        return false;
    for (const RunEngine& engine : engines()) {
        if (engine.choice == EngineChoice::Symmetry)
            return engine.applies(scenario) && foldScenario(scenario, stop);
    }
    return false;
}

/// All candidates of one question. Those in which all NPUs do the same, small ones and those of the design run first; of the others only what
/// may be faster than the best before it.
class Comparison {
public:
    Comparison(const ChooseQuestion& question, const LoneGroup& alone, const ChooseLimits& limits, int threads, const std::stop_token& stop, FoldedPrograms* folded)
        : m_question(question)
        , m_alone(alone)
        , m_limits(limits)
        , m_threads(threads)
        , m_stop(stop)
        , m_folded(folded)
        , m_candidates(candidatesOf(question, limits))
        , m_ranks(static_cast<std::int32_t>(group().groupSize(0)))
        , m_grid(groupShape(structure().platform, structure().placement, group(), 0, false))
        , m_least(question.model, structure().platform, *alone.params)
        , m_left(limits.piecesPerQuestion)
    {
    }

    Status run();
    /// The fastest first, then what was left out.
    std::vector<CandidateTime> takeTimes();
    /// \pre run(), and takeTimes().
    const Candidate& best() const { return m_candidates[m_timed.empty() ? 0 : m_timed.front().candidate]; }

private:
    /// A candidate to be simulated, and what came of it; nothing: it was stopped before.
    struct Trial {
        std::size_t candidate;
        Scenario scenario;
        std::int64_t leastPs = 0;
        std::int64_t pieces = 0;
        std::string about = {}; ///< What its time is of, where it is not the question itself.
        std::optional<Result<RunRecord>> record = {};
        /// Of half the size, where `scenario` is of less than is asked for: the time is (of `record`) + `steps` times what is between the two.
        std::optional<Scenario> half = {};
        std::int64_t steps = 0;
        std::optional<Result<RunRecord>> halfRecord = {};
    };
    struct Timed {
        std::int64_t timePs;
        std::size_t candidate;
        std::string about;
    };

    const Structure& structure() const { return *m_alone.structure; }
    const GroupFamily& group() const { return structure().workload->families[0]; }
    /// Beside the name of the candidate a reason need not begin with it.
    void leaveOut(std::size_t number, std::string reason)
    {
        const std::string& name = m_candidates[number].name;
        if (reason.starts_with(name + ": "))
            reason.erase(0, name.size() + 2);
        m_leftOut.push_back({number, {name, -1, std::move(reason)}});
    }
    Status consider(std::size_t number);
    Status considerWritten(std::size_t number);
    Status simulateBounded();
    bool leftOutAsSlow(std::size_t number, std::int64_t leastPs);
    bool takesPieces(Trial& trial);
    bool fits(std::int64_t pieces) const { return pieces <= m_limits.piecesPerCandidate && pieces <= m_left; }
    bool shrink(Trial& trial);
    Status settle();
    void note(Trial& trial);
    Result<RunRecord> simulated(const Scenario& scenario) const;
    std::optional<Trial> inEqualBlocks(std::size_t number, const PlannedCollective& planned, std::int64_t pieces) const;
    Status simulateAll(std::vector<Trial>& trials, int threads);
    std::optional<Result<RunRecord>> simulateKnown(const Scenario& scenario, const RunOptions& options) const;
    std::int64_t toBeat(std::size_t number) const;
    std::int64_t leastOf(std::size_t number, const PlannedCollective& planned);
    std::vector<NodeId> nodesOf(const ProgramLibrary::Request& asked) const;
    Result<ProgramLibrary::Request> requestOf(std::size_t number) const;

    const ChooseQuestion& m_question;
    const LoneGroup& m_alone;
    const ChooseLimits& m_limits;
    int m_threads;
    const std::stop_token& m_stop;
    FoldedPrograms* m_folded; ///< Null: nobody keeps them.
    std::vector<Candidate> m_candidates;
    std::int32_t m_ranks;
    GroupShape m_grid;
    LeastTime m_least;
    std::int64_t m_left;
    std::set<std::pair<std::uint64_t, std::uint64_t>> m_seen; // programs, by digest
    std::vector<std::size_t> m_written; ///< Candidates whose large programs a generator would write.
    std::vector<Trial> m_first;
    std::vector<Trial> m_bounded; ///< Large, and every NPU by itself.
    std::vector<Timed> m_timed;
    std::map<std::size_t, Trial> m_estimated; ///< By candidate: as asked for what was timed of less.
    std::vector<std::pair<std::size_t, CandidateTime>> m_leftOut;
};

Error stopped()
{
    return Error{ErrorCode::Cancelled, "choosing the algorithm was stopped", {}, {}};
}

Result<ProgramLibrary::Request> Comparison::requestOf(std::size_t number) const
{
    const CollectiveSetting& setting = m_candidates[number].setting;
    return m_question.library.requestOf(setting.program.program.front(), {m_question.op, m_question.bytes, setting.chunks, setting.program.receiveSlots}, m_grid);
}

/// The best so far. NCCL has names for some algorithms only, and a table for it the fastest of those: they are compared with each other.
std::int64_t Comparison::toBeat(std::size_t number) const
{
    const bool ofNccl = tunerAlgorithmOfCandidate(m_candidates[number].name).has_value();
    std::vector<std::int64_t> times;
    std::int64_t bestOfNccl = INT64_MAX;
    for (const Timed& each : m_timed) {
        times.push_back(each.timePs);
        if (ofNccl && tunerAlgorithmOfCandidate(m_candidates[each.candidate].name))
            bestOfNccl = std::min(bestOfNccl, each.timePs);
    }
    std::sort(times.begin(), times.end());
    const std::int64_t place = times.size() < m_limits.places ? INT64_MAX : times[m_limits.places - 1];
    return ofNccl ? std::max(place, bestOfNccl) : place;
}

std::vector<NodeId> Comparison::nodesOf(const ProgramLibrary::Request& asked) const
{
    std::vector<NodeId> nodes;
    const GroupLayout layout = asked.flat ? groupShape(structure().platform, structure().placement, group(), 0, true).layout : m_grid.layout;
    for (std::int32_t position = 0; position < m_ranks; ++position)
        nodes.push_back(structure().placement.nodeOf(layout.rankAt(position)));
    return nodes;
}

bool Comparison::leftOutAsSlow(std::size_t number, std::int64_t leastPs)
{
    if (leastPs <= toBeat(number))
        return false;
    leaveOut(number, "slower than others: its messages take at least " + showTime({leastPs}));
    return true;
}

/// Tries a part of the size and half of that, of which the time of all follows where it grows along a line, as that of large messages does. False: the part is not small enough either.
bool Comparison::shrink(Trial& trial)
{
    constexpr std::int64_t kLeastShare = 4096;
    const Program& program = *trial.scenario.structure->instances.front().program;
    const std::int64_t parts = std::int64_t{m_ranks} * std::max<std::int64_t>(m_candidates[trial.candidate].setting.chunks, 1);
    for (std::int64_t share = 2; share <= kLeastShare; share *= 2) {
        const std::int64_t half = m_question.bytes / (2 * share) / parts * parts; // Equal blocks.
        if (half == 0)
            return false;
        const std::int64_t pieces = events::expectedPieces(program, 2 * half, m_question.model != Model::Links ? INT64_MAX : m_question.params.pieceBytes, m_stop);
        if (2 * pieces > m_limits.piecesExactly || !fits(2 * pieces))
            continue;
        m_estimated.insert_or_assign(trial.candidate, Trial{trial.candidate, trial.scenario, 0, trial.pieces});
        trial.half = withBytes(trial.scenario, half);
        trial.scenario = withBytes(trial.scenario, 2 * half);
        trial.pieces = 2 * pieces;
        trial.steps = m_question.bytes / half - 2;
        trial.about = "from " + showBytes({2 * half}) + " and " + showBytes({half}) + ", along a line";
        return true;
    }
    return false;
}

bool Comparison::takesPieces(Trial& trial)
{
    const std::int64_t pieces = trial.pieces;
    if (fits(pieces) || shrink(trial)) {
        m_left -= trial.pieces;
        return true;
    }
    const bool whole = m_question.model != Model::Links;
    leaveOut(trial.candidate, "too large to try: " + std::to_string(pieces) + (whole ? " messages" : " pieces of messages") + (pieces > m_limits.piecesPerCandidate ? "" : ", after those before it"));
    return false;
}

std::int64_t Comparison::leastOf(std::size_t number, const PlannedCollective& planned)
{
    if (!planned.program->isTemplate()) {
        if (m_candidates[number].setting.program.program.empty())
            return 0; // by levels that differ in size
        const auto asked = requestOf(number);
        return asked ? m_least.ofGenerator(asked.value().request, nodesOf(asked.value()), m_question.bytes, INT64_MAX) : 0;
    }
    return m_least.ofTemplate(*planned.program, planned.layout, structure().placement, m_question.bytes, INT64_MAX);
}

/// A template whose blocks differ by a byte because its size is no multiple of the ranks: at the next size that is one, one NPU stands for all. Nothing: that
/// is too far off, or they are not alike for another reason.
std::optional<Comparison::Trial> Comparison::inEqualBlocks(std::size_t number, const PlannedCollective& planned, std::int64_t pieces) const
{
    constexpr std::int64_t kShareOff = 1000; // A thousandth of the size.
    if (!planned.program->isTemplate())
        return std::nullopt;
    const std::int64_t parts = std::int64_t{m_ranks} * std::max<std::int64_t>(m_candidates[number].setting.chunks, 1);
    const std::int64_t more = (parts - m_question.bytes % parts) % parts;
    if (more == 0 || more > m_question.bytes / kShareOff)
        return std::nullopt;
    Trial trial{number, scenarioOf(m_question, m_alone, planned, m_question.bytes + more), 0, pieces / m_ranks};
    if (!isFolded(trial.scenario, m_stop))
        return std::nullopt;
    trial.about = "of " + std::to_string(more) + " B more, which cut into equal blocks";
    return trial;
}

/// Plans a candidate and adds it to those that are simulated.
Status Comparison::consider(std::size_t number)
{
    const Candidate& candidate = m_candidates[number];
    auto planned = planWithPrograms(structure().platform, structure().placement, group(), 0, m_question.op, m_question.bytes, candidate.setting, false, m_question.scheduler,
                                    m_question.library);
    if (!planned) {
        if (candidate.own || endsTheJob(planned.error()))
            return std::move(planned).error();
        leaveOut(number, planned.error().message);
        return {};
    }
    if (!planned.value().program)
        return {};
    const Program& program = *planned.value().program;
    const Digest digest = m_question.library.programs().digest(planned.value().program);
    if (!m_seen.emplace(digest.low, digest.high).second && !candidate.own)
        return {}; // A generator of an algorithm that is there as a template.
    const ModelTraits& model = traitsOf(m_question.model);
    if ((usesSwitches(program) && !model.switchesReduce) || (isBroadcast(program) && !model.broadcasts)) {
        leaveOut(number, "the " + std::string(model.name) + " model does not run it");
        return {};
    }
    const std::int64_t pieces = events::expectedPieces(program, m_question.bytes, m_question.model != Model::Links ? INT64_MAX : m_question.params.pieceBytes, m_stop);
    Trial trial{number, scenarioOf(m_question, m_alone, planned.value(), m_question.bytes), 0, pieces};
    if (pieces > std::min(m_limits.piecesWithoutBound, m_limits.piecesExactly) && !candidate.own) {
        std::optional<Trial> equal;
        if (isFolded(trial.scenario, m_stop)) {
            trial.pieces = pieces / m_ranks;
        } else if (pieces > m_limits.piecesExactly && (equal = inEqualBlocks(number, planned.value(), pieces))) {
            trial = std::move(*equal);
        } else if (pieces > m_limits.piecesWithoutBound && (trial.leastPs = leastOf(number, planned.value())) > 0) {
            m_bounded.push_back(std::move(trial));
            return {};
        }
    }
    if (takesPieces(trial))
        m_first.push_back(std::move(trial));
    return {};
}

/// The same for a program that a generator would write, and only where it may be faster than what is known.
Status Comparison::considerWritten(std::size_t number)
{
    const auto asked = requestOf(number);
    if (!asked) {
        leaveOut(number, asked.error().message);
        return {};
    }
    if (leftOutAsSlow(number, m_least.ofGenerator(asked.value().request, nodesOf(asked.value()), m_question.bytes, toBeat(number))))
        return {};
    // Writing a program down takes as long as running it.
    if (const std::int64_t transfers = generatedTransfers(asked.value().request); transfers > m_limits.transfersPerCandidate) {
        leaveOut(number, "too large to try: " + std::to_string(transfers) + " transfers, written out");
        return {};
    }
    if (Status status = consider(number); !status)
        return status;
    if (Status status = simulateAll(m_first, m_threads); !status)
        return status;
    return simulateBounded();
}

/// simulate() of an explicit program that one NPU stands for, which is folded once for all sizes; nothing: simulate() has to do it.
std::optional<Result<RunRecord>> Comparison::simulateKnown(const Scenario& scenario, const RunOptions& options) const
{
    if (!m_folded || scenario.structure->instances.front().program->isTemplate() || scenario.structure->platform.isExplicit())
        return std::nullopt;
    const auto symmetry = std::find_if(engines().begin(), engines().end(), [](const RunEngine& engine) { return engine.choice == EngineChoice::Symmetry; });
    if (!symmetry->applies(scenario))
        return std::nullopt;
    Result<RunRecord> record = catchOutOfMemory([&] {
        return untilStopped([&]() -> Result<RunRecord> {
            const Result<FoldedScenario> folded = foldScenario(scenario, m_stop, m_folded);
            return folded ? simulateFolded(folded.value(), options, m_stop) : Result<RunRecord>(folded.error());
        });
    });
    if (!record && record.error().code == ErrorCode::Unsupported)
        return std::nullopt;
    return record;
}

/// Every run is a pure function of its scenario, so threads change nothing but the wall time. Empties the list.
Status Comparison::simulateAll(std::vector<Trial>& trials, int threads)
{
    forEachItem(trials.size(), threads, [&](std::size_t i) {
        if (m_stop.stop_requested())
            return false;
        trials[i].record = simulated(trials[i].scenario);
        if (trials[i].half)
            trials[i].halfRecord = simulated(*trials[i].half);
        return true;
    });
    for (Trial& trial : trials) {
        for (const auto* const record : {&trial.record, &trial.halfRecord}) {
            if (record == &trial.halfRecord && !trial.half)
                continue;
            if (!*record || (!**record && (*record)->error().code == ErrorCode::Cancelled))
                return stopped();
            if (!**record && endsTheJob((*record)->error())) // Else another choice would follow from less memory.
                return (*record)->error();
        }
        note(trial);
    }
    trials.clear();
    return {};
}

/// Keeps what came of a trial. \pre it ran
void Comparison::note(Trial& trial)
{
    const Result<RunRecord>& record = *trial.record;
    if (!record)
        return leaveOut(trial.candidate, record.error().message);
    if (!record.value().complete)
        return leaveOut(trial.candidate, "it never finishes");
    std::int64_t ps = record.value().finish.ps;
    if (trial.half) {
        const std::int64_t half = *trial.halfRecord ? trial.halfRecord->value().finish.ps : INT64_MAX;
        if (half > ps || ps - half > (INT64_MAX - ps) / trial.steps)
            return leaveOut(trial.candidate, "too large to try, and smaller sizes do not tell");
        ps += (ps - half) * trial.steps;
    }
    m_timed.push_back({ps, trial.candidate, std::move(trial.about)});
}

Result<RunRecord> Comparison::simulated(const Scenario& scenario) const
{
    RunOptions options;
    options.taskTimes = false;
    options.busyOverTime = false;
    std::optional<Result<RunRecord>> record = simulateKnown(scenario, options);
    return record ? *std::move(record) : simulate(scenario, options, m_stop);
}

Status Comparison::run()
{
    for (std::size_t number = 0; number < m_candidates.size(); ++number) {
        if (m_stop.stop_requested())
            return stopped();
        const Candidate& candidate = m_candidates[number];
        if (!candidate.own && !candidate.setting.program.program.empty()) {
            const auto asked = requestOf(number);
            if (asked && generatedTransfers(asked.value().request) > m_limits.transfersWithoutBound) {
                m_written.push_back(number);
                continue;
            }
        }
        if (Status status = consider(number); !status)
            return status;
    }
    if (Status status = simulateAll(m_first, m_threads); !status)
        return status;
    if (Status status = simulateBounded(); !status)
        return status;
    for (const std::size_t number : m_written) {
        if (m_stop.stop_requested())
            return stopped();
        if (Status status = considerWritten(number); !status)
            return status;
    }
    return settle();
}

/// What is fastest by an estimate is simulated as asked, until the fastest is not one any more.
Status Comparison::settle()
{
    for (std::int64_t left = m_limits.piecesToSettle; !m_timed.empty();) {
        const auto best = std::min_element(m_timed.begin(), m_timed.end(), [](const Timed& a, const Timed& b) { return std::pair(a.timePs, a.candidate) < std::pair(b.timePs, b.candidate); });
        const auto estimated = m_estimated.find(best->candidate);
        if (estimated == m_estimated.end() || estimated->second.pieces > left)
            return {};
        left -= estimated->second.pieces;
        m_timed.erase(best);
        m_first.push_back(std::move(estimated->second));
        m_estimated.erase(estimated);
        if (Status status = simulateAll(m_first, 1); !status)
            return status;
    }
    return {};
}

/// One after another, what may be fastest first: every time may leave out others. Empties the list.
Status Comparison::simulateBounded()
{
    std::stable_sort(m_bounded.begin(), m_bounded.end(), [](const Trial& a, const Trial& b) { return a.leastPs < b.leastPs; });
    for (Trial& trial : std::exchange(m_bounded, {})) {
        if (leftOutAsSlow(trial.candidate, trial.leastPs) || !takesPieces(trial))
            continue;
        m_first.push_back(std::move(trial));
        if (Status status = simulateAll(m_first, 1); !status)
            return status;
    }
    return {};
}

std::vector<CandidateTime> Comparison::takeTimes()
{
    std::sort(m_timed.begin(), m_timed.end(), [](const Timed& a, const Timed& b) { return std::pair(a.timePs, a.candidate) < std::pair(b.timePs, b.candidate); });
    std::stable_sort(m_leftOut.begin(), m_leftOut.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<CandidateTime> times;
    for (const Timed& each : m_timed)
        times.push_back({m_candidates[each.candidate].name, each.timePs, each.about});
    for (auto& [number, entry] : m_leftOut)
        times.push_back(std::move(entry));
    return times;
}

} // namespace

SimulatingChooser::SimulatingChooser(int threads, std::stop_token stop, ChooseLimits limits, GeneratedProgramsPtr generated, FoldedProgramsPtr folded)
    : m_threads(threads)
    , m_stop(std::move(stop))
    , m_limits(limits)
    , m_generated(std::move(generated))
    , m_folded(std::move(folded))
{
}

SimulatingChooser::~SimulatingChooser() = default;

/// Groups with the same key run alike: the same NPUs, or, where all NPUs of a platform of dimensions are alike, the same way apart.
std::string SimulatingChooser::keyOf(const ChooseQuestion& question) const
{
    const Structure& structure = question.structure;
    const Platform& platform = structure.platform;
    const GroupFamily& family = structure.workload->families[at(question.family)];
    std::string key = std::string(collectiveKey(question.op)) + ' ' + std::to_string(question.bytes) + ' ' + std::to_string(question.setting.chunks) + ' '
        + std::to_string(question.setting.window) + ' ' + std::to_string(question.setting.program.receiveSlots) + ' '
        + std::to_string(question.rule);
    for (const ProgramSource& source : question.setting.program.candidates)
        key += '\n' + source.text + ' ' + programSourceText(source);
    key += "\nat";
    const bool alike = !platform.isExplicit() && platform.spec().linkOverrides.empty() && platform.spec().npuOverrides.empty() && !question.params.network;
    const auto nodeAt = [&](std::int64_t position) { return structure.placement.nodeOf(static_cast<std::int32_t>(family.member(question.group, position))); };
    const NodeId first = nodeAt(0);
    for (std::int64_t position = 0; position < family.groupSize(question.group); ++position) {
        const NodeId node = nodeAt(position);
        if (!alike) {
            key += ' ' + std::to_string(node);
            continue;
        }
        key += ' ';
        for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
            const std::int32_t size = platform.dimensions()[d].size;
            key += std::to_string((platform.coordinate(node, d) - platform.coordinate(first, d) + size) % size) + '.';
        }
    }
    return key;
}

Result<SimulatingChooser::Answer> SimulatingChooser::compute(const ChooseQuestion& question) const
{
    auto alone = aloneOnPlatform(question);
    if (!alone)
        return std::move(alone).error();
    Comparison comparison(question, alone.value(), m_limits, m_threads, m_stop, m_folded.get());
    if (Status status = comparison.run(); !status)
        return std::move(status).error();
    Answer answer;
    answer.choice.op = question.op;
    const GroupFamily& family = question.structure.workload->families[at(question.family)];
    answer.choice.group = family.isWorld() ? std::string() : family.name();
    answer.choice.ranks = static_cast<std::int32_t>(family.groupSize(question.group));
    answer.choice.bytes = question.bytes;
    answer.choice.candidates = comparison.takeTimes();
    const Candidate& best = comparison.best();
    answer.setting = best.setting;
    answer.choice.chosen = best.name;
    return answer;
}

Result<CollectiveSetting> SimulatingChooser::choose(const ChooseQuestion& question)
{
    const GroupFamily& family = question.structure.workload->families[at(question.family)];
    if (family.groupSize(question.group) < 2 || question.bytes == 0) {
        CollectiveSetting nothing = question.setting;
        nothing.program = {};
        return nothing;
    }
    const std::string key = keyOf(question);
    auto known = m_answers.find(key);
    if (known == m_answers.end()) {
        auto answer = compute(question);
        if (!answer)
            return std::move(answer).error();
        known = m_answers.emplace(key, std::move(answer).value()).first;
    }
    if (!known->second.said) {
        known->second.said = true;
        m_order.push_back(known->second.choice);
    }
    return known->second.setting;
}

std::vector<CollectiveChoice> SimulatingChooser::takeChoices()
{
    for (auto& [key, answer] : m_answers)
        answer.said = false;
    return std::exchange(m_order, {});
}

Result<ScenarioPtr> prepareChosen(const Design& design, int threads, const std::stop_token& stop, GeneratedProgramsPtr generated, ChooseLimits limits, FoldedProgramsPtr folded)
{
    SimulatingChooser chooser(threads, stop, limits, std::move(generated), std::move(folded));
    return prepare(design, threads, stop, &chooser);
}

} // namespace fabricscope
