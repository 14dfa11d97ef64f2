#include "widgets/start/designtemplates.h"

#include "core/design/design.h"
#include "core/platform/presets.h"
#include "widgets/base/showntexts.h"

#include <QDir>
#include <QFile>

#include <algorithm>

/// As for the icons: the linker would leave the texts out. Outside of any namespace, as Qt wants.
static void loadTemplates()
{
    Q_INIT_RESOURCE(templates);
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
