#include "core/scenario/programlibrary.h"

#include "core/base/axes.h"
#include "core/base/placeof.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/design/modelversions.h"
#include "core/formats/programload.h"
#include "core/generate/generate.h"
#include "core/generate/unevenblocks.h"
#include "core/hierarchy/unevenlevels.h"
#include "core/program/onesided.h"
#include "core/platform/unequalgroups.h"
#include "core/scenario/broadcastlayout.h"
#include "core/scenario/programruns.h"
#include "core/scenario/unevenplan.h"
#include "core/synthesis/methods.h"
#include "core/verify/verify.h"

namespace fabricscope {

namespace {

std::string listed(const std::vector<std::int32_t>& numbers)
{
    std::string text;
    for (const std::int32_t number : numbers) {
        if (!text.empty())
            text += ',';
        text += std::to_string(number);
    }
    return text;
}

} // namespace

/// For messages: the file as it is opened, or what the design calls a script of its own.
std::string ProgramLibrary::nameOf(const ProgramSource& source) const
{
    return source.isInline() ? programSourceText({source.kind, source.text, {}}) : m_design.resolve(source.text);
}

const LevelFinder* ProgramLibrary::levels(const Platform& platform)
{
    const bool known = rulesNumber(versionUsed(m_design.model.model, m_design.model.version)) > 1;
    if (!m_levels && known && platform.isExplicit() && !isUnequalGroups(platform.spec()))
        m_levels = std::make_unique<LevelFinder>(platform, m_stop);
    return m_levels.get();
}

/// Reads a file or runs a script; nothing is known of the group yet.
Result<ProgramPtr> ProgramLibrary::load(const ProgramSource& source)
{
    const ProgramReadOptions options{source.parameters, m_stop};
    const std::string path = m_design.resolve(source.text);
    const auto read = [&](Diagnostics& findings) -> Result<LoadedProgram> {
        if (source.kind == ProgramSource::Kind::File)
            return loadProgram(path, findings, options);
        auto text = source.isInline() ? Result<std::string>(source.text) : readTextFile(path);
        if (!text)
            return std::move(text).error();
        return parseProgram(ProgramForm::Script, std::move(text).value(), nameOf(source), findings, options);
    };
    Diagnostics findings;
    auto loaded = read(findings);
    if (!loaded)
        return std::move(loaded).error();
    if (Status status = firstError(findings); !status)
        return std::move(status).error();
    for (Diagnostic& found : findings)
        m_diagnostics.push_back(std::move(found));
    for (const ScriptParameter& parameter : loaded.value().parameters) {
        if (parameter.name == "ranks" && !source.parameters.contains("ranks"))
            m_sizedScripts.insert(programSourceText(source));
    }
    return loaded.value().program;
}

Status ProgramLibrary::check(const ProgramPtr& program, const std::string& path)
{
    VerifyOptions options;
    options.stop = m_stop;
    options.hints = false;
    if (const std::int32_t known = slotsOf(program->protocol); known > 0)
        options.slotCounts = {known};
    const Verification verified = verify(*program, options);
    if (verified.cancelled)
        return Error{ErrorCode::Cancelled, "verifying the program was stopped", placeOfFile(path), {}};
    for (const VerifyFinding& found : verified.findings) {
        Place place = placeOfFile(path);
        place.rank = found.rank;
        if (found.severity == Severity::Error)
            return Error{ErrorCode::InvalidInput, found.rule + ": " + found.message, place, "a valid program; fabricscope-cli verify lists everything"};
        if (found.severity == Severity::Warning)
            m_diagnostics.push_back(warning(found.rule, found.message, place));
    }
    return {};
}

Result<ProgramPtr> ProgramLibrary::fromFile(const ProgramSource& source)
{
    const std::string key = (source.kind == ProgramSource::Kind::Script ? "script " : "file ") + source.text + '\n' + programSourceText(source);
    if (const auto known = m_files.find(key); known != m_files.end())
        return known->second;
    auto program = load(source);
    if (program) {
        if (Status status = check(program.value(), nameOf(source)); !status)
            program = std::move(status).error();
        else
            program = toTwoSided(program.value(), BareSignals::Keep, m_stop);
    }
    return m_files.emplace(key, std::move(program)).first->second;
}

bool ProgramLibrary::covers(const ProgramSource& source, std::int64_t bytes)
{
    if (source.kind != ProgramSource::Kind::File && source.kind != ProgramSource::Kind::Script)
        return true;
    const auto program = fromFile(source);
    return !program || (bytes >= program.value()->minBytes && (program.value()->maxBytes == 0 || bytes <= program.value()->maxBytes));
}

Result<ProgramPtr> ProgramLibrary::finished(ProgramPtr program, std::int32_t slices, std::int32_t receiveSlots)
{
    const std::int32_t count = receiveSlots == kProtocolSlots ? slotsOf(program->protocol) : receiveSlots;
    ProgramPtr& known = m_finished[{program.get(), slices, count}];
    if (!known) {
        auto sliced = program->isTemplate() ? Result<ProgramPtr>(program) : slicedProgram(program, slices);
        if (!sliced)
            return sliced;
        known = withSlots(sliced.value(), count);
        m_kept.push_back(std::move(program));
    }
    return known;
}

Result<const ProgramLibrary::ByUnevenLevels*> ProgramLibrary::byUnevenLevels(const std::shared_ptr<const UnevenLevels>& levels, CollectiveOp op,
                                                                             const std::vector<Algorithm>& algorithms, std::int32_t chunks, const Platform& platform,
                                                                             const std::vector<NodeId>& nodes, const std::vector<NodeId>& listed)
{
    using Found = Result<const ByUnevenLevels*>;
    const auto key = std::make_tuple(levels, op, algorithms, chunks);
    if (const auto known = m_uneven.find(key); known != m_uneven.end())
        return Found(&known->second);
    UnevenRequest request{op, {}, levels->places, algorithms, chunks, {}, m_stop};
    for (std::size_t level = 0; level < algorithms.size(); ++level) {
        request.extents.push_back(levels->used[level].extent);
        if (level > 0)
            request.name += " x ";
        request.name += algorithmKey(algorithms[level]);
    }
    return untilStopped([&]() -> Found {
        ByUnevenLevels made;
        auto program = unevenProgram(request);
        if (!program && program.error().code == ErrorCode::Cancelled)
            return std::move(program).error();
        if (program) {
            if (!m_ways)
                m_ways = std::make_unique<const BalancedWays>(platform);
            made.costs = costsOf(*program.value(), nodes, platform, *m_ways, m_stop);
            made.ring = costsOfRing(op, listed, platform, *m_ways);
            made.program = std::move(program).value();
        }
        return Found(&m_uneven.emplace(key, std::move(made)).first->second);
    });
}

/// Over the axes of the group where the generator takes them, else over one axis.
Result<ProgramLibrary::Request> ProgramLibrary::requestOf(const ProgramSource& source, const Wanted& wanted, const GroupShape& grid) const
{
    Request made;
    GenerateRequest& request = made.request;
    request.algorithm = source.text;
    request.op = wanted.op;
    request.axes = grid.layout.extents;
    request.chunks = wanted.chunks;
    request.radix = source.radix;
    request.stop = m_stop;
    made.flat = request.axes.size() == 1;
    Status status = checkGenerate(request);
    if (!status && request.axes.size() > 1) {
        request.axes = {grid.layout.size()};
        made.flat = true;
        if (checkGenerate(request))
            status = {};
    }
    if (!status)
        return std::move(status).error();
    return made;
}

Result<ProgramLibrary::Made> ProgramLibrary::generated(const ProgramSource& source, const Wanted& wanted, const GroupShape& grid)
{
    const std::string key = source.text + ' ' + std::string(collectiveKey(wanted.op)) + ' ' + listed(grid.layout.extents) + ' ' + std::to_string(wanted.chunks) + ' '
        + std::to_string(source.radix);
    if (const auto known = m_generated.find(key); known != m_generated.end())
        return known->second;
    const auto asked = requestOf(source, wanted, grid);
    if (!asked)
        return m_generated.emplace(key, asked.error()).first->second;
    auto program = m_programs->program(asked.value().request);
    if (!program)
        return m_generated.emplace(key, std::move(program).error()).first->second;
    return m_generated.emplace(key, Made{std::move(program).value(), asked.value().flat}).first->second;
}

Result<ProgramPtr> ProgramLibrary::synthesised(const ProgramSource& source, const Wanted& wanted, const Platform& platform, const std::vector<NodeId>& members)
{
    const std::string key = programSourceText(source) + ' ' + std::string(collectiveKey(wanted.op)) + ' ' + std::to_string(wanted.bytes) + ' ' + std::to_string(wanted.chunks) + " on " + listed(members);
    if (const auto known = m_files.find(key); known != m_files.end())
        return known->second;
    const auto graph = synthesisGraph(platform, members);
    if (!graph)
        return m_files.emplace(key, graph.error()).first->second;
    SynthesisSearch search;
    search.method = source.text;
    search.chunks = {source.pieces};
    search.options.op = wanted.op;
    search.options.bytes = std::max<std::int64_t>(1, wanted.bytes / wanted.chunks);
    search.options.seed = source.seed;
    search.options.tries = source.tries;
    search.options.threads = m_threads;
    search.options.stop = m_stop;
    auto found = searchProgram(graph.value(), search);
    if (found && found.value().synthesis.cutShort)
        return Error{ErrorCode::Cancelled, "the synthesis was stopped", {}, {}};
    return m_files.emplace(key, found ? Result<ProgramPtr>(found.value().synthesis.program) : Result<ProgramPtr>(std::move(found).error())).first->second;
}

Result<ProgramLibrary::Made> ProgramLibrary::programFor(const ProgramSource& source, const Wanted& wanted, const Platform& platform, const GroupShape& grid,
                                                        const std::vector<NodeId>& members)
{
    Made made;
    std::int32_t slices = wanted.chunks;
    switch (source.kind) {
    case ProgramSource::Kind::File:
    case ProgramSource::Kind::Script: {
        auto program = fromFile(source);
        if (program && program.value()->ranks != static_cast<std::int32_t>(members.size()) && m_sizedScripts.contains(programSourceText(source))) {
            ProgramSource sized = source; // A script that asks for the number of ranks gets that of the group.
            sized.parameters["ranks"] = static_cast<double>(members.size());
            program = fromFile(sized);
        }
        if (!program)
            return std::move(program).error();
        made.program = std::move(program).value();
        break;
    }
    case ProgramSource::Kind::Generator: {
        auto program = generated(source, wanted, grid);
        if (!program) {
            Error error = std::move(program).error();
            // What a generator does not do it says with its name; the rest is about the group alone.
            if (error.code == ErrorCode::InvalidInput && error.place.field != "op")
                error.message = programSourceText(source) + ": " + error.message;
            return error;
        }
        made = std::move(program).value();
        slices = 1;
        break;
    }
    case ProgramSource::Kind::Synthesis: {
        auto program = synthesised(source, wanted, platform, members);
        if (!program)
            return std::move(program).error();
        made.program = std::move(program).value();
        break;
    }
    }
    const std::string name = programSourceText(source);
    if (made.program->ranks != static_cast<std::int32_t>(members.size())) {
        return invalidInput("the program " + name + " is for " + std::to_string(made.program->ranks) + " ranks, the group has " + std::to_string(members.size()), {},
                            "a program for " + std::to_string(members.size()) + " ranks");
    }
    if (made.program->op != wanted.op && made.program->op != CollectiveOp::Custom) {
        return invalidInput("the program " + name + " is for " + std::string(collectiveKey(made.program->op)) + ", the collective is " + std::string(collectiveKey(wanted.op)), {},
                            "a rule with op: " + std::string(collectiveKey(made.program->op)));
    }
    if (made.program->isTemplate()) {
        if (slices > 1) {
            m_diagnostics.push_back(warning("chunks-unused", name + " is a template and runs in its own " + std::to_string(made.program->chunks) + " chunks, not in "
                                                                 + std::to_string(slices)));
        }
        if (Status status = checkRunnable(*made.program, platform, members); !status)
            return std::move(status).error();
        return made;
    }
    auto ready = finished(made.program, slices, wanted.receiveSlots);
    if (!ready)
        return std::move(ready).error();
    made.program = std::move(ready).value();
    if (Status status = checkRunnable(*made.program, platform, members); !status)
        return std::move(status).error();
    return made;
}

namespace {

/// The same positions counted along the axes of a template, which may divide a group finer than the platform does.
void cutInto(GroupLayout& layout, const std::vector<std::int32_t>& axes)
{
    if (layout.extents == axes)
        return;
    if (layout.list.empty() && layout.extents.size() == 1) {
        layout.strides = stridesOf(axes, layout.strides.front());
    } else if (layout.list.empty()) {
        std::vector<std::int32_t> list;
        for (std::int32_t position = 0; position < layout.size(); ++position)
            list.push_back(layout.rankAt(position));
        layout.list = std::move(list);
        layout.strides.clear();
    }
    layout.extents = axes;
}

} // namespace

Result<PlannedCollective> planWithPrograms(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group,
                                           CollectiveOp op, std::int64_t bytes, const CollectiveSetting& setting, bool flat,
                                           DimensionScheduler scheduler, ProgramLibrary& library)
{
    if (setting.program.program.empty()) {
        auto uneven = flat ? Result<UnevenPlan>(UnevenPlan{}) : planUneven(platform, placement, family, group, op, bytes, setting, library);
        if (!uneven)
            return std::move(uneven).error();
        if (uneven.value().planned)
            return *std::move(uneven.value().planned);
        auto planned = planCollective(platform, placement, family, group, op, bytes, setting, flat, scheduler, library.levels(platform), &library.standard());
        if (planned) {
            planned.value().whyFlat = std::move(uneven.value().whyFlat);
        } else if (!uneven.value().whyFlat.empty()) {
            Error error = std::move(planned).error();
            error.message += " (its levels of different size are not used: " + uneven.value().whyFlat + ')';
            return error;
        }
        return planned;
    }
    GroupShape listedShape = groupShape(platform, placement, family, group, true);
    PlannedCollective planned{nullptr, std::move(listedShape.layout), nullptr};
    if (planned.layout.size() <= 1 || bytes == 0)
        return planned;
    GroupShape grid = groupShape(platform, placement, family, group, flat, library.levels(platform));
    std::vector<NodeId> members;
    for (std::int32_t position = 0; position < planned.layout.size(); ++position)
        members.push_back(placement.nodeOf(planned.layout.rankAt(position)));
    auto made = library.programFor(setting.program.program.front(), {op, bytes, setting.chunks, setting.program.receiveSlots}, platform, grid, members);
    if (!made)
        return std::move(made).error();
    planned.program = made.value().program;
    if (!made.value().flat) {
        planned.levels = grid.levels;
        planned.layout = op == CollectiveOp::Broadcast ? startingAt(std::move(grid.layout), static_cast<std::int32_t>(family.member(group, 0))) : std::move(grid.layout);
    }
    if (planned.program && planned.program->isTemplate())
        cutInto(planned.layout, planned.program->asTemplate().axes);
    return planned;
}

} // namespace fabricscope
