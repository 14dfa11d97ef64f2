#include "app/desktop/goto.h"

#include "core/design/linknames.h"
#include "widgets/base/actions.h"
#include "widgets/base/fuzzy.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/start/designtemplates.h"
#include "widgets/start/recentfiles.h"
#include "widgets/timeline/tasksearch.h"
#include "widgets/timeline/timetext.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace fabricscope {

namespace {

constexpr std::size_t kOfAKind = 8;

struct GoToTexts {
    Q_DECLARE_TR_FUNCTIONS(fabricscope::GoTo)
};

/// Entries of one kind, of which the best are taken.
class Ranked {
public:
    explicit Ranked(const QString& typed) : m_typed(typed) {}
    /// `alias`: found by it too; empty: only by its title.
    void add(PaletteEntry entry, const QString& alias = {})
    {
        std::optional<int> score = fuzzyScore(m_typed, entry.title);
        if (const auto other = alias.isEmpty() ? std::nullopt : fuzzyScore(m_typed, alias); other && (!score || *other > *score))
            score = other;
        if (score)
            m_all.emplace_back(*score, std::move(entry));
    }
    void take(std::vector<PaletteEntry>& into)
    {
        std::stable_sort(m_all.begin(), m_all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        for (std::size_t i = 0; i < std::min(m_all.size(), kOfAKind); ++i)
            into.push_back(std::move(m_all[i].second));
    }

private:
    QString m_typed;
    std::vector<std::pair<int, PaletteEntry>> m_all;
};

void addElements(const GoToTargets& targets, const QString& typed, std::vector<PaletteEntry>& found)
{
    bool isNumber = false;
    QString digits = typed;
    const int number = digits.remove(QStringLiteral("NPU"), Qt::CaseInsensitive).trimmed().toInt(&isNumber);
    if (isNumber && number >= 0 && number < targets.platform->npuCount())
        found.push_back({GoToTexts::tr("NPU %1").arg(number), {}, QStringLiteral("npu"), [go = targets.npu, number] { go(number); }});
    if (const auto link = findLink(*targets.platform, typed.trimmed().toStdString()))
        found.push_back({texts::shown(typed.trimmed().toStdString()), GoToTexts::tr("link"), QStringLiteral("link"), [go = targets.link, id = *link] { go(id); }});
}

void addDimensions(const GoToTargets& targets, const QString& typed, std::vector<PaletteEntry>& found)
{
    Ranked ranked(typed);
    const auto& dimensions = targets.design->platform->dimensions;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const Shape shape = dimensions[i].shape;
        const QString shapeText = shape == Shape::FullyConnected ? GoToTexts::tr("Fully connected") : QString::fromStdString(std::string(shapeName(shape)));
        const QString title = GoToTexts::tr("D%1 %2, %3").arg(i).arg(shapeText, texts::npus(dimensions[i].size));
        ranked.add({title, GoToTexts::tr("dimension"), QStringLiteral("add-dimension"), [go = targets.dimension, i] { go(static_cast<int>(i)); }});
    }
    ranked.take(found);
}

void addTasks(const GoToTargets& targets, const QString& typed, std::vector<PaletteEntry>& found)
{
    for (const NamedTask& task : namedTasks(*targets.timeline, *targets.workload, typed.trimmed().toStdString(), kOfAKind)) {
        const TimelineEvent event = targets.timeline->event(task.first.track, task.first.index);
        const bool collective = event.kind == TimelineTrack::Kind::Collective;
        const QString detail = GoToTexts::tr("%1 at %2").arg(collective ? GoToTexts::tr("collective") : GoToTexts::tr("task"), texts::time(event.begin));
        found.push_back({texts::shown(task.name), detail, collective ? QStringLiteral("ring") : QStringLiteral("chunk"), [go = targets.task, at = task.first] { go(at); }});
    }
}

void addFiles(const GoToTargets& targets, const QString& typed, std::vector<PaletteEntry>& found)
{
    Ranked ranked(typed);
    for (int row = 0; row < targets.recent->rowCount(); ++row) {
        const QModelIndex index = targets.recent->index(row);
        if (!index.data(RecentFiles::ExistsRole).toBool())
            continue;
        const QString path = index.data(RecentFiles::PathRole).toString();
        ranked.add({texts::shown(QFileInfo(path).fileName()), texts::shown(QDir::toNativeSeparators(QFileInfo(path).path())), QStringLiteral("open"), [go = targets.file, path] { go(path); }});
    }
    ranked.take(found);
}

void addExamples(const GoToTargets& targets, const QString& typed, std::vector<PaletteEntry>& found)
{
    Ranked ranked(typed);
    for (const ShippedDesign& example : exampleDesigns()) {
        const QString name = example.id + QStringLiteral(".yaml");
        ranked.add({example.title, GoToTexts::tr("example, %1").arg(name), QStringLiteral("open"), [go = targets.example, id = example.id] { go(id); }}, name);
    }
    ranked.take(found);
}

void addSettings(const GoToTargets& targets, const QString& typed, std::vector<PaletteEntry>& found)
{
    Ranked ranked(typed);
    for (QAction* action : targets.registry->actions()) {
        const QString id = ActionRegistry::idOf(*action);
        const bool noSwitch = id == QLatin1String("view.larger") || id == QLatin1String("view.smaller") || id == QLatin1String("edit.settings");
        if (!action->isEnabled() || !(action->isCheckable() || noSwitch))
            continue;
        const QString state = noSwitch ? GoToTexts::tr("setting") : action->isChecked() ? GoToTexts::tr("setting, on") : GoToTexts::tr("setting, off");
        const auto named = std::ranges::find(targets.settings, id, &GoToSetting::command);
        ranked.add({ActionRegistry::plainText(*action), state, QStringLiteral("settings"), [action] { action->trigger(); }, action}, named == targets.settings.end() ? QString() : named->title);
    }
    for (const GoToSetting& setting : targets.settings) {
        if (setting.command.isEmpty() || !targets.registry->action(setting.command))
            ranked.add({setting.title, GoToTexts::tr("setting in %1").arg(setting.where), QStringLiteral("settings"), setting.open});
    }
    ranked.take(found);
}

/// Headings have all words that are typed: by letters alone, some of so many would answer anything.
void addTopics(const GoToTargets& targets, const QString& typed, std::vector<PaletteEntry>& found)
{
    const QStringList parts = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    Ranked ranked(typed);
    for (const ManualPlace& place : manualPlaces()) {
        if (std::ranges::all_of(parts, [&](const QString& part) { return place.title.contains(part, Qt::CaseInsensitive); }))
            ranked.add({place.title, GoToTexts::tr("manual, %1 %2").arg(place.topic, place.section).trimmed(), QStringLiteral("explain"), [go = targets.manual, place] { go(place); }, nullptr, true});
    }
    ranked.take(found);
}

} // namespace

std::vector<PaletteEntry> goToEntries(const GoToTargets& targets, const QString& typed)
{
    std::vector<PaletteEntry> found;
    if (typed.trimmed().isEmpty())
        return found;
    if (targets.platform)
        addElements(targets, typed, found);
    if (targets.design && targets.design->platform)
        addDimensions(targets, typed, found);
    if (targets.timeline && targets.workload)
        addTasks(targets, typed, found);
    if (targets.recent)
        addFiles(targets, typed, found);
    if (targets.example)
        addExamples(targets, typed, found);
    if (targets.registry)
        addSettings(targets, typed, found);
    if (targets.manual)
        addTopics(targets, typed, found);
    return found;
}

} // namespace fabricscope
