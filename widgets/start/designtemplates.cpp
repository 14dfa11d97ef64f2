#include "widgets/start/designtemplates.h"

#include "core/cases/readcase.h"
#include "core/design/design.h"
#include "core/platform/presets.h"
#include "core/run/inputkind.h"
#include "core/yaml/tree.h"
#include "widgets/base/showntexts.h"

#include <QDir>
#include <QFile>

#include <algorithm>

/// As for the icons: the linker would leave the texts out. Outside of any namespace, as Qt wants.
static void loadTemplates()
{
    Q_INIT_RESOURCE(templates);
}

static void loadCases()
{
    Q_INIT_RESOURCE(cases);
}

namespace fabricscope {

namespace {

ShippedDesign fromResource(const QString& path)
{
    ShippedDesign design;
    design.id = QFileInfo(path).completeBaseName();
    QFile file(path);
    if (file.open(QIODevice::ReadOnly))
        design.text = file.readAll().toStdString();
    const LoadedDesign read = inspectDesignText(design.text, path.toStdString(), {}, false);
    design.title = texts::shown(read.design.name);
    design.detail = QString::fromStdString(read.design.notes);
    return design;
}

QList<ShippedDesign> makeTemplates()
{
    loadTemplates();
    QList<ShippedDesign> out;
    for (const char* id : {"single-server", "two-level-pod", "torus-3d", "rail-optimised-clos", "memory-pool"})
        out += fromResource(QStringLiteral(":/templates/%1.yaml").arg(QLatin1String(id)));
    return out;
}

QList<ShippedDesign> makeExamples()
{
    loadTemplates();
    QList<ShippedDesign> out;
    const QDir folder(QStringLiteral(":/examples"));
    for (const QString& name : folder.entryList(QDir::Files, QDir::Name))
        out += fromResource(folder.filePath(name));
    std::sort(out.begin(), out.end(), [](const ShippedDesign& a, const ShippedDesign& b) { return a.title.localeAwareCompare(b.title) < 0; });
    return out;
}

std::string contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// The design of a run with the fields that the run sets; empty: it has none.
std::string designTextOf(const CaseRun& run, const QDir& folder)
{
    const std::string text = run.files.empty() ? std::string() : contentOf(folder.filePath(QString::fromStdString(run.files.front())));
    if (text.empty() || inputKindOf(run.files.front(), text) != InputKind::Design)
        return {};
    Result<YamlDocument> document = YamlDocument::parse(text);
    for (std::size_t i = 0; document && i < run.sets.size(); ++i) {
        const Result<YamlDocument> value = YamlDocument::parse(run.sets[i].second);
        if (!value || !document.value().set(run.sets[i].first, value.value().root()))
            return {};
    }
    return document ? document.value().text() : std::string();
}

ShippedCase caseOf(const QDir& folder)
{
    ShippedCase shipped;
    shipped.id = folder.dirName();
    const Result<YamlDocument> document = YamlDocument::parse(contentOf(folder.filePath(QStringLiteral("case.yaml"))));
    const Result<StudiedCase> studied = document ? readCase(document.value()) : Result<StudiedCase>(document.error());
    if (!studied)
        return shipped;
    shipped.title = texts::shown(studied.value().title);
    shipped.question = QString::fromStdString(studied.value().question);
    shipped.answer = QString::fromStdString(studied.value().found);
    for (const CaseRun& run : studied.value().runs) {
        ShippedDesign design{shipped.id + QLatin1Char('-') + QString::fromStdString(run.name), QString::fromStdString(run.about), {}, designTextOf(run, folder)};
        const bool isKnown = std::any_of(shipped.designs.begin(), shipped.designs.end(), [&](const ShippedDesign& other) { return other.text == design.text; });
        if (!design.text.empty() && !isKnown)
            shipped.designs += design;
    }
    return shipped;
}

QList<ShippedCase> makeCases()
{
    loadCases();
    QList<ShippedCase> out;
    const QDir cases(QStringLiteral(":/cases"));
    for (const QString& name : cases.entryList(QDir::Dirs, QDir::Name))
        out += caseOf(QDir(cases.filePath(name)));
    return out;
}

QList<ShippedDesign> makePresets()
{
    QList<ShippedDesign> out;
    for (const PresetInfo& info : presets()) {
        const std::string name(info.name);
        const std::string title(info.title);
        ShippedDesign design{QString::fromStdString(name), QString::fromStdString(title), QString::fromUtf8(info.shape.data(), static_cast<qsizetype>(info.shape.size())), {}};
        design.text = "# " + title + "; where its figures are from: fabricscope-cli presets\nfabricscope: 1\nname: \"" + title + "\"\n\nplatform:\n  preset: " + name
            + "\n\nworkload:\n  steps:\n    - {collective: all_reduce, size: 64 MiB, name: sum}\n\nmodel: {name: links}\n";
        out += design;
    }
    return out;
}

} // namespace

const QList<ShippedDesign>& designTemplates()
{
    static const QList<ShippedDesign> designs = makeTemplates();
    return designs;
}

const QList<ShippedDesign>& exampleDesigns()
{
    static const QList<ShippedDesign> designs = makeExamples();
    return designs;
}

const QList<ShippedCase>& shippedCases()
{
    static const QList<ShippedCase> cases = makeCases();
    return cases;
}

QString exampleText(const QString& id)
{
    loadTemplates();
    QFile file(QStringLiteral(":/examples/%1.yaml").arg(id));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

const QList<ShippedDesign>& presetDesigns()
{
    static const QList<ShippedDesign> designs = makePresets();
    return designs;
}

} // namespace fabricscope
