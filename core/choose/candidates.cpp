#include "core/base/index.h"
#include "core/choose/choose.h"

#include "core/generate/generate.h"
#include "core/platform/offload.h"
#include "core/program/nativerule.h"
#include "core/scenario/groupshape.h"
#include "core/scenario/standardrules.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Algorithms of the templates a dimension could run, the standard one first. Planning refuses what does not go together.
std::vector<AlgorithmChoice> alongAxis(const ChooseQuestion& question, const GroupShape& shape, std::size_t axis)
{
    const Platform& platform = question.structure.platform;
    const CollectiveOp op = question.op;
    const bool last = axis + 1 == shape.dimensionOfAxis.size();
    const StandardRules& standard = question.library.standard();
    const Algorithm usual = standard.along(platform, question.structure.placement, shape, axis, op, question.setting.chunks);
    std::vector<AlgorithmChoice> choices{{false, usual, 0}};
    if (question.setting.window == 0 && standard.goesBothWays(platform, question.structure.placement, shape, op))
        choices.insert(choices.begin(), AlgorithmChoice{true, usual, 0});
    for (const NativeRule* const rule : nativeRules()) {
        const Algorithm algorithm = rule->algorithm;
        const bool inSwitch = algorithm == Algorithm::InNetwork && !hasOffload(platform.spec());
        if (rule->tried && rule->does(op, last) && algorithm != usual && !inSwitch)
            choices.push_back({false, algorithm, 0});
    }
    return choices;
}

/// The setting without a choice in it.
CollectiveSetting plain(const CollectiveSetting& given)
{
    CollectiveSetting setting = given;
    setting.program = {false, {}, {}, given.program.receiveSlots};
    setting.algorithms.clear();
    return setting;
}

void addTemplates(const ChooseQuestion& question, const GroupShape& shape, std::int32_t most, std::vector<Candidate>& candidates)
{
    const Platform& platform = question.structure.platform;
    const std::size_t axes = shape.dimensionOfAxis.size();
    std::vector<std::vector<AlgorithmChoice>> perAxis;
    for (std::size_t axis = 0; axis < axes; ++axis)
        perAxis.push_back(alongAxis(question, shape, axis));
    std::vector<std::size_t> pick(axes, 0);
    for (std::int32_t made = 0; made < most; ++made) {
        Candidate candidate;
        candidate.setting = plain(question.setting);
        // The list of a setting goes by dimension of the platform; one entry is for all.
        std::vector<AlgorithmChoice>& list = candidate.setting.algorithms;
        if (axes == 1) {
            list = {perAxis[0][pick[0]]};
        } else {
            list.assign(shape.levels ? axes : platform.dimensions().size(), AlgorithmChoice{});
            for (std::size_t axis = 0; axis < axes; ++axis)
                list[shape.levels ? axis : static_cast<std::size_t>(shape.dimensionOfAxis[axis])] = perAxis[axis][pick[axis]];
        }
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const AlgorithmChoice& choice = perAxis[axis][pick[axis]];
            candidate.name += (axis > 0 ? " x " : "") + std::string(algorithmKey(choice.algorithm)) + (choice.automatic ? ", both ways" : "");
        }
        candidates.push_back(std::move(candidate));
        std::size_t axis = 0;
        while (axis < axes && ++pick[axis] == perAxis[axis].size())
            pick[axis++] = 0;
        if (axis == axes)
            return;
    }
}

} // namespace

std::vector<Candidate> candidatesOf(const ChooseQuestion& question, const ChooseLimits& limits)
{
    const GroupShape shape = groupShape(question.structure.platform, question.structure.placement,
                                        question.structure.workload->families[at(question.family)], question.group, false,
                                        finderFor(question.library.levels(question.structure.platform), question.op, 0));
    std::vector<Candidate> candidates;
    if (!shape.dimensionOfAxis.empty())
        addTemplates(question, shape, limits.templates, candidates);
    for (const GeneratorInfo& info : generators()) {
        if (std::find(info.ops.begin(), info.ops.end(), question.op) == info.ops.end())
            continue;
        Candidate candidate{std::string(info.key), plain(question.setting), false};
        candidate.setting.program.program.push_back({ProgramSource::Kind::Generator, std::string(info.key), {}, 2, 1, 8, 1});
        candidates.push_back(std::move(candidate));
    }
    for (const ProgramSource& source : question.setting.program.candidates) {
        if (!question.library.covers(source, question.bytes))
            continue;
        Candidate candidate{programSourceText(source), plain(question.setting), true};
        candidate.setting.program.program.push_back(source);
        if (source.kind != ProgramSource::Kind::Generator)
            candidate.setting.chunks = 1;
        candidates.push_back(std::move(candidate));
    }
    return candidates;
}

} // namespace fabricscope
