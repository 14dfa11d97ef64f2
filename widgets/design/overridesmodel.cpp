#include "widgets/design/overridesmodel.h"

#include "core/design/linknames.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/editactions.h"
#include "widgets/design/quantityinput.h"

#include <cmath>

namespace fabricscope {

namespace {

/// "−50 %", "+10 %": whole percent where they say enough.
QString changeText(double now, double before)
{
    if (!(before > 0) || now == before)
        return {};
    const double share = now / before - 1;
    const QString text = texts::percent(share, std::abs(share) < 0.095 ? 1 : 0);
    return share > 0 ? QLatin1Char('+') + text : text;
}

std::string textOf(const YamlNode& item, std::string_view key)
{
    const YamlEntry* entry = item.find(key);
    return entry && entry->value.isScalar() ? entry->value.text : std::string();
}

std::optional<Quantity> quantityOf(const YamlNode& item, std::string_view key, Measure measure)
{
    const std::string text = textOf(item, key);
    auto read = parseQuantity(text, measure);
    return !text.empty() && read ? std::optional(std::move(read).value()) : std::nullopt;
}

} // namespace

OverridesModel::OverridesModel(QObject* parent) : QAbstractTableModel(parent) {}

void OverridesModel::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    if (document)
        connect(document, &DesignDocument::changed, this, &OverridesModel::read);
    read();
}

void OverridesModel::read()
{
    std::vector<Row> rows;
    const YamlDocument* yaml = m_document ? m_document->yaml() : nullptr;
    const std::optional<Platform>* platform = m_document ? &m_document->platform() : nullptr;
    const YamlNode* links = yaml ? yaml->find("platform.overrides.links") : nullptr;
    for (std::size_t i = 0; links && links->isSequence() && i < links->items.size(); ++i) {
        const YamlNode& item = links->items[i];
        if (!item.isMap())
            continue;
        Row row;
        row.name = textOf(item, "link");
        row.field = QStringLiteral("platform.overrides.links[%1]").arg(i);
        row.title = texts::shown(row.name);
        if (const auto link = platform && *platform ? findLink(**platform, row.name) : std::nullopt) {
            row.link = *link;
            row.title = DesignActions::linkTitle(**platform, *link);
        }
        const auto bandwidth = quantityOf(item, "bandwidth", Measure::Bandwidth);
        const auto latency = quantityOf(item, "latency", Measure::Time);
        const std::int32_t number = row.link >= 0 ? (*platform)->linkInfo(row.link).dimension : -1;
        const Dimension* dimension = number >= 0 ? &(*platform)->dimensions()[static_cast<std::size_t>(number)] : nullptr;
        if (textOf(item, "removed") == "true") {
            row.value = tr("removed");
        } else if (bandwidth) {
            row.value = quantitytext::text(*bandwidth);
            row.change = dimension ? changeText(bandwidth->base(), static_cast<double>(dimension->linkBandwidth().bytesPerSecond)) : QString();
        } else if (latency) {
            row.value = quantitytext::text(*latency);
            row.change = dimension ? changeText(latency->base() * 1e9, dimension->latencyNs()) : QString();
        }
        rows.push_back(std::move(row));
    }
    const YamlNode* npus = yaml ? yaml->find("platform.overrides.npus") : nullptr;
    for (std::size_t i = 0; npus && npus->isSequence() && i < npus->items.size(); ++i) {
        const YamlNode& item = npus->items[i];
        if (!item.isMap())
            continue;
        Row row;
        row.name = textOf(item, "npu");
        row.npu = static_cast<NodeId>(QString::fromStdString(row.name).toInt());
        row.field = QStringLiteral("platform.overrides.npus[%1]").arg(i);
        row.title = tr("NPU %1").arg(texts::shown(row.name));
        const auto peak = quantityOf(item, "peak", Measure::ComputeRate);
        const auto memory = quantityOf(item, "memory_bandwidth", Measure::Bandwidth);
        const NpuSpec& base = m_document->design()->platform->npu;
        bool speedGiven = false;
        const double speed = QString::fromStdString(textOf(item, "speed")).toDouble(&speedGiven);
        if (textOf(item, "removed") == "true") {
            row.value = tr("removed");
        } else if (speedGiven) {
            row.value = tr("speed %1").arg(quantitytext::number(speed));
            row.change = changeText(speed, 1);
        } else if (peak) {
            row.value = quantitytext::text(*peak);
            row.change = base.peak ? changeText(peak->base(), base.peak->base()) : QString();
        } else if (memory) {
            row.value = quantitytext::text(*memory);
            row.change = base.memoryBandwidth ? changeText(memory->base(), base.memoryBandwidth->base()) : QString();
        }
        rows.push_back(std::move(row));
    }
    if (rows.size() == m_rows.size()) {
        m_rows = std::move(rows);
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int OverridesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int OverridesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant OverridesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return index.column() == Name ? row.title : index.column() == Value ? row.value : row.change;
    if (role == Qt::AccessibleTextRole)
        return tr("%1: %2 %3").arg(row.title, row.value, row.change).trimmed();
    if (role == Qt::ToolTipRole)
        return texts::toolTip(texts::shown(row.name));
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (index.column() == Name ? Qt::AlignLeft : Qt::AlignRight)));
    return {};
}

QVariant OverridesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Element") : section == Value ? tr("Value") : section == Change ? tr("Change") : QVariant();
}

int OverridesModel::rowOf(LinkId link, NodeId npu) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if ((link >= 0 && m_rows[i].link == link) || (npu >= 0 && m_rows[i].npu == npu))
            return static_cast<int>(i);
    }
    return -1;
}

Status OverridesModel::reset(int row)
{
    if (!m_document || row < 0 || row >= rowCount())
        return {};
    const Row at = m_rows[static_cast<std::size_t>(row)];
    return m_document->edit(tr("Reset %1").arg(at.title), [&](YamlDocument& yaml) { return at.npu >= 0 ? edits::resetNpu(yaml, at.npu) : edits::resetLink(yaml, at.name); });
}

} // namespace fabricscope
