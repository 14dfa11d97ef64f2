#include "app/desktop/changetext.h"

#include "core/design/file/sectiontree.h"
#include "core/insight/difference.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace fabricscope::changetext {

namespace {

constexpr std::size_t kMostFields = 3;
constexpr std::size_t kLargestGraph = 20'000; ///< Nodes and links; above it two designs are not compared field by field on the GUI thread.

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope::changetext", text);
}

bool isLarge(const Design& design)
{
    return design.platform && design.platform->nodes.size() + design.platform->links.size() > kLargestGraph;
}

/// The few fields with a value in both designs; empty where that does not describe the change.
std::vector<FieldDifference> fewDifferences(const RunResult& before, const RunResult& now)
{
    if (!before.design || !now.design || isLarge(*before.design) || isLarge(*now.design))
        return {};
    std::vector<FieldDifference> fields = differingFields(*before.design, *now.design);
    if (fields.size() > kMostFields)
        return {};
    for (const FieldDifference& field : fields)
        if (field.a.empty() || field.b.empty())
            return {};
    return fields;
}

/// "50 GB/s" with the narrow space of quantities, words without quotes.
QString valueText(const std::string& yaml)
{
    static const QRegularExpression quantity(QStringLiteral("^(-?[0-9.]+(?:e[-+]?[0-9]+)?) ([A-Za-z/%]+)$"));
    QString text = QString::fromStdString(yaml);
    if (text.size() >= 2 && (text.front() == QLatin1Char('"') || text.front() == QLatin1Char('\'')) && text.back() == text.front())
        text = text.mid(1, text.size() - 2);
    if (const auto match = quantity.match(text); match.hasMatch()) {
        const QString unit = match.captured(2) == QStringLiteral("us") ? QString(QChar(0x00B5)) + QLatin1Char('s') : match.captured(2);
        return match.captured(1) + QChar(0x202F) + unit;
    }
    return text.replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// Name of an overridden link or NPU.
QString overridden(const Design& design, const QString& list, std::size_t item)
{
    const YamlNode tree = designTree(design, DesignForm::Canonical);
    const YamlNode* node = &tree;
    for (const char* key : {"platform", "overrides"}) {
        const YamlEntry* entry = node->find(key);
        if (!entry)
            return {};
        node = &entry->value;
    }
    const YamlEntry* items = node->find(list.toStdString());
    if (!items || item >= items->value.items.size())
        return {};
    const YamlEntry* name = items->value.items[item].find(list == QStringLiteral("links") ? "link" : "npu");
    return name ? QString::fromStdString(name->value.text) : QString();
}

} // namespace

bool isOther(const Design& before, const Design& now)
{
    if (&before == &now)
        return false;
    return isLarge(before) || isLarge(now) || !differingFields(before, now).empty();
}

QString fieldTitle(const QString& field, const Design& design)
{
    static const QRegularExpression dimension(QStringLiteral("^platform\\.dimensions\\[(\\d+)\\]\\.(\\w+)$"));
    static const QRegularExpression override(QStringLiteral("^platform\\.overrides\\.(links|npus)\\[(\\d+)\\]\\.(\\w+)$"));
    const auto words = [](QString key) { return key.replace(QLatin1Char('_'), QLatin1Char(' ')).replace(QLatin1Char('.'), QLatin1Char(' ')); };
    if (const auto match = dimension.match(field); match.hasMatch()) {
        const QString what = match.captured(2);
        return what == QStringLiteral("npu_bandwidth") ? tr("D%1 bandwidth per NPU").arg(match.captured(1)) : QStringLiteral("D%1 %2").arg(match.captured(1), words(what));
    }
    if (const auto match = override.match(field); match.hasMatch()) {
        const QString name = overridden(design, match.captured(1), match.captured(2).toULongLong());
        if (!name.isEmpty())
            return (match.captured(1) == QStringLiteral("links") ? tr("link %1 %2") : tr("NPU %1 %2")).arg(name, words(match.captured(3)));
    }
    if (field == QStringLiteral("model.name"))
        return tr("model");
    QString rest = field;
    for (const char* head : {"platform.npu.", "collectives.default.", "workload."})
        if (rest.startsWith(QLatin1String(head)))
            return (qstrcmp(head, "platform.npu.") == 0 ? tr("NPU %1") : QStringLiteral("%1")).arg(words(rest.mid(static_cast<int>(qstrlen(head)))));
    return words(rest);
}

QString since(const RunResult& before, const RunResult& now)
{
    QStringList parts;
    for (const FieldDifference& field : fewDifferences(before, now))
        parts.append(tr("%1 was %2").arg(fieldTitle(QString::fromStdString(field.field), *before.design), valueText(field.a)));
    return parts.isEmpty() ? QString() : tr("since %1").arg(parts.join(QStringLiteral(", ")));
}

QString oldValue(const RunResult& before, const RunResult& now)
{
    const std::vector<FieldDifference> fields = fewDifferences(before, now);
    return fields.size() == 1 ? fieldTitle(QString::fromStdString(fields.front().field), *before.design) + QLatin1Char(' ') + valueText(fields.front().a) : QString();
}

} // namespace fabricscope::changetext
