#include "widgets/results/words.h"

#include "core/base/index.h"
#include "core/scenario/groupshape.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

#include <algorithm>

namespace fabricscope::texts {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope::texts", text);
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

QString rankNumbers(const RankSet& ranks)
{
    constexpr std::size_t kShown = 4;
    QStringList stretches;
    std::int64_t shown = 0;
    for (std::size_t i = 0; i < std::min(kShown, ranks.intervals().size()); ++i) {
        const auto& [first, last] = ranks.intervals()[i];
        stretches.append(first == last ? QString::number(first) : QString::number(first) + QChar(0x2013) + QString::number(last));
        shown += last - first + 1;
    }
    const QString text = stretches.join(QStringLiteral(", "));
    const std::int64_t rest = ranks.count() - shown;
    return rest > 0 ? tr("%1 and %2 more").arg(text, count(rest)) : text;
}

QString ranks(const RankSet& ranks)
{
    return ranks.count() == 1 ? tr("Rank %1").arg(rankNumbers(ranks)) : tr("Ranks %1").arg(rankNumbers(ranks));
}

QString link(const Platform& platform, LinkId link)
{
    const LinkInfo info = platform.linkInfo(link);
    const QString arrow = QStringLiteral(" ") + QChar(0x2192) + QStringLiteral(" ");
    if (info.dimension < 0)
        return texts::shown(platform.linkName(link)).replace(QStringLiteral(">"), arrow);
    const auto end = [&](NodeId node) { return node < 0 ? tr("D%1 switch").arg(info.dimension) : QString::number(node); };
    return end(info.from) + arrow + end(info.to);
}

QString algorithm(const Structure& structure, const CollectiveInstance& instance)
{
    if (!instance.program)
        return {};
    if (!instance.program->isTemplate() || structure.platform.isExplicit())
        return texts::shown(instance.program->name);
    const GroupShape shape = groupShape(structure.platform, structure.placement, structure.workload->families[at(instance.family)],
                                        instance.group, false);
    const TemplateBody& body = instance.program->asTemplate();
    if (shape.dimensionOfAxis.size() != body.axes.size())
        return texts::shown(instance.program->name);
    QStringList parts;
    for (std::size_t axis = 0; axis < body.axes.size(); ++axis) {
        const auto phase = std::find_if(body.phases.begin(), body.phases.end(), [&](const PhaseTemplate& one) { return static_cast<std::size_t>(one.axis) == axis; });
        if (phase == body.phases.end())
            continue;
        const QString name = fromView(algorithmKey(phase->algorithm)).replace(QLatin1Char('_'), QLatin1Char(' '));
        parts.append(shape.dimensionOfAxis[axis] < 0 ? name : tr("%1 on D%2").arg(name).arg(shape.dimensionOfAxis[axis]));
    }
    return parts.isEmpty() ? texts::shown(instance.program->name) : parts.join(QStringLiteral(", "));
}

QString operation(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce: return tr("All-reduce");
    case CollectiveOp::Reduce: return tr("Reduce");
    case CollectiveOp::AllGather: return tr("All-gather");
    case CollectiveOp::Gather: return tr("Gather");
    case CollectiveOp::Scatter: return tr("Scatter");
    case CollectiveOp::Broadcast: return tr("Broadcast");
    case CollectiveOp::AllToAll: return tr("All-to-all");
    case CollectiveOp::ReduceScatter: return tr("Reduce-scatter");
    case CollectiveOp::Barrier: return tr("Barrier");
    case CollectiveOp::Custom: return tr("Custom");
    }
    return {};
}

QString group(const Workload& workload, FamilyId family)
{
    if (family < 0 || static_cast<std::size_t>(family) >= workload.families.size() || workload.families[at(family)].isWorld())
        return tr("All ranks");
    return texts::shown(workload.families[at(family)].name());
}

QString earlierInputs()
{
    return tr("Earlier inputs");
}

QString earlierInputsExplained()
{
    return tr("The design has changed since this was run. The figures are those of the design as it was.");
}

QString notShown()
{
    return tr("Not shown: not enough memory or threads. <a href=\"again\">Try again</a>.");
}

QString inSentence(QString text)
{
    //: Not shown. Write NOUNS_CAPITAL where nouns begin with a capital inside of a sentence, too.
    const bool keepsCapitals = tr("NOUNS_SMALL") == QLatin1String("NOUNS_CAPITAL");
    const bool isAbbreviation = text.size() > 1 && text[1].isUpper();
    if (!text.isEmpty() && !keepsCapitals && !isAbbreviation)
        text[0] = text[0].toLower();
    return text;
}

QString atStart(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString part(const ResultPart& part, const Workload& workload)
{
    switch (part.kind) {
    case ResultPart::Kind::Compute: return tr("Compute");
    case ResultPart::Kind::Host: return tr("Host");
    case ResultPart::Kind::Waiting: return tr("Waiting or idle");
    case ResultPart::Kind::Exposed: break;
    }
    if (part.activity == Activity::Memory)
        return tr("Memory, exposed");
    const bool named = part.family > 0 && static_cast<std::size_t>(part.family) < workload.families.size()
        && !workload.families[at(part.family)].name().empty();
    if (named)
        return tr("%1 %2, exposed").arg(atStart(group(workload, part.family)), inSentence(activity(part.activity)));
    return tr("%1, exposed").arg(activity(part.activity));
}

QString whatWasRun(const RunResult& result)
{
    if (result.design && result.design->workload)
        if (const auto* single = std::get_if<SingleCollective>(result.design->workload.get()))
            return tr("one %1").arg(inSentence(operation(single->op)));
    return tr("one training step");
}

QString model(const RunRecord& record)
{
    const QString name = fromView(modelName(record.model));
    return record.version.empty() ? name : name + QLatin1Char(' ') + QString::fromStdString(record.version);
}

} // namespace fabricscope::texts
