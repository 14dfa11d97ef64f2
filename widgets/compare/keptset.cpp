#include "widgets/compare/keptset.h"

#include "core/insight/designset.h"
#include "core/run/rundesign.h"

#include <QJsonArray>

#include <filesystem>

namespace fabricscope {

namespace {

QJsonObject sourceToJson(const DesignSource& source)
{
    QJsonObject json{{QStringLiteral("name"), source.name}, {QStringLiteral("file"), source.file}};
    if (!source.text.empty())
        json.insert(QStringLiteral("text"), QString::fromStdString(source.text));
    if (source.seed != 0)
        json.insert(QStringLiteral("seed"), QString::number(source.seed)); // A number of JSON is a double, which does not hold all of them.
    if (source.baseline)
        json.insert(QStringLiteral("baseline"), true);
    return json;
}

DesignSource sourceFromJson(const QJsonObject& json)
{
    DesignSource source;
    source.name = json.value(QStringLiteral("name")).toString();
    source.file = json.value(QStringLiteral("file")).toString();
    source.text = json.value(QStringLiteral("text")).toString().toStdString();
    source.seed = json.value(QStringLiteral("seed")).toString().toULongLong();
    source.baseline = json.value(QStringLiteral("baseline")).toBool();
    source.again = true;
    return source;
}

} // namespace

DesignSource sourceOf(const QString& name, const RunResult& run)
{
    const Design& design = *run.design;
    const std::string file = !design.file.empty() ? design.file : design.folder.empty() ? std::string() : (std::filesystem::path(design.folder) / "design.yaml").string();
    DesignSource source{name, QString::fromStdString(file), writeDesign(design), run.summary.seed};
    if (source.text.size() > kMostKeptBytes)
        source.text.clear();
    return source;
}

QJsonObject KeptComparison::toJson() const
{
    QJsonObject json;
    QJsonArray list;
    for (const DesignSource& source : designs)
        list.append(sourceToJson(source));
    if (!list.isEmpty())
        json.insert(QStringLiteral("designs"), list);
    QJsonArray fields;
    for (const std::string& field : choice.order)
        fields.append(QString::fromStdString(field));
    if (!fields.isEmpty())
        json.insert(QStringLiteral("order"), fields);
    if (choice.mean)
        json.insert(QStringLiteral("mean"), true);
    return json;
}

KeptComparison KeptComparison::fromJson(const QJsonObject& json)
{
    KeptComparison kept;
    for (const QJsonValue& value : json.value(QStringLiteral("designs")).toArray()) {
        DesignSource source = sourceFromJson(value.toObject());
        const bool canBeRun = !source.name.isEmpty() && (!source.file.isEmpty() || !source.text.empty());
        if (canBeRun && kept.designs.size() < DesignSet::kMost)
            kept.designs.push_back(std::move(source));
    }
    for (const QJsonValue& value : json.value(QStringLiteral("order")).toArray()) {
        if (value.isString())
            kept.choice.order.push_back(value.toString().toStdString());
    }
    kept.choice.mean = json.value(QStringLiteral("mean")).toBool();
    return kept;
}

} // namespace fabricscope
