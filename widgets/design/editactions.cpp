#include "widgets/design/editactions.h"

#include "widgets/base/showntexts.h"
#include "widgets/design/quantityinput.h"

namespace fabricscope {

namespace {

constexpr qsizetype kTitleNames = 3;

const YamlNode* overrideItem(const DesignDocument& document, const char* list, const char* key, const std::string& name)
{
    const YamlNode* node = document.yaml() ? document.yaml()->find(list) : nullptr;
    for (std::size_t i = 0; node && node->isSequence() && i < node->items.size(); ++i) {
        const YamlEntry* entry = node->items[i].isMap() ? node->items[i].find(key) : nullptr;
        if (entry && entry->value.isScalar() && entry->value.text == name)
            return &node->items[i];
    }
    return nullptr;
}

const YamlNode* linkItem(const DesignDocument& document, const std::string& link)
{
    return overrideItem(document, "platform.overrides.links", "link", link);
}

const YamlNode* npuItem(const DesignDocument& document, NodeId npu)
{
    return overrideItem(document, "platform.overrides.npus", "npu", std::to_string(npu));
}

bool saysRemoved(const YamlNode* item)
{
    const YamlEntry* entry = item ? item->find("removed") : nullptr;
    return entry && entry->value.text == "true";
}

QString chip(int dimension)
{
    return QStringLiteral("D%1").arg(dimension);
}

} // namespace

using DimensionEdit = std::function<Status(YamlDocument&, edits::Dropped*)>;

/// Tried on a copy first: the title names what goes.
static Status editDimensions(DesignDocument& document, QString title, const DimensionEdit& change, const QString& merge = {})
{
    if (document.yaml()) {
        YamlDocument trial = *document.yaml();
        edits::Dropped dropped;
        if (Status status = change(trial, &dropped); !status)
            return status;
        QStringList names;
        for (const std::string& name : dropped)
            names << texts::shown(name);
        if (names.size() > kTitleNames)
            names = names.mid(0, kTitleNames) << DesignActions::tr("…");
        if (!dropped.empty())
            title += DesignActions::tr(", without %1").arg(names.join(QStringLiteral(", ")));
    }
    return document.edit(title, [&](YamlDocument& yaml) { return change(yaml, nullptr); }, merge);
}

static Status editLink(DesignDocument& document, LinkId link, const QString& what, const std::function<Status(YamlDocument&, const std::string&)>& change, const QString& merge = {})
{
    const Platform& platform = *document.platform();
    const std::string name = platform.linkName(link);
    return document.edit(what.arg(DesignActions::linkTitle(platform, link)), [&](YamlDocument& yaml) { return change(yaml, name); }, merge);
}

Status DesignActions::addDimension(DesignDocument& document, int at)
{
    Dimension added{Shape::Ring, 2, {50, "GB/s", Measure::Bandwidth}, false, {1, "us", Measure::Time}};
    const auto& dimensions = document.design()->platform->dimensions;
    if (!dimensions.empty()) {
        const Dimension& inner = dimensions[static_cast<std::size_t>(std::clamp(at - 1, 0, static_cast<int>(dimensions.size()) - 1))];
        if (!inner.bandwidthIsPerNpu)
            added.bandwidth = inner.bandwidth;
        added.latency = inner.latency;
    }
    return editDimensions(document, tr("Add %1").arg(chip(at)), [&](YamlDocument& yaml, edits::Dropped* dropped) { return edits::addDimension(yaml, static_cast<std::size_t>(at), added, dropped); });
}

Status DesignActions::removeDimension(DesignDocument& document, int dimension)
{
    return editDimensions(document, tr("Remove %1").arg(chip(dimension)), [&](YamlDocument& yaml, edits::Dropped* dropped) { return edits::removeDimension(yaml, static_cast<std::size_t>(dimension), dropped); });
}

Status DesignActions::moveDimension(DesignDocument& document, int from, int to)
{
    const QString title = to < from ? tr("Move %1 inward to %2") : tr("Move %1 outward to %2");
    return editDimensions(document, title.arg(chip(from), chip(to)),
                          [&](YamlDocument& yaml, edits::Dropped* dropped) { return edits::moveDimension(yaml, static_cast<std::size_t>(from), static_cast<std::size_t>(to), dropped); });
}

Status DesignActions::setShape(DesignDocument& document, int dimension, Shape shape)
{
    return editDimensions(document, tr("%1 shape %2").arg(chip(dimension), shapeTitle(shape)),
                          [&](YamlDocument& yaml, edits::Dropped* dropped) { return edits::setShape(yaml, static_cast<std::size_t>(dimension), shape, dropped); });
}

Status DesignActions::setSize(DesignDocument& document, int dimension, std::int32_t size)
{
    return editDimensions(document, tr("%1 size %2").arg(chip(dimension)).arg(size),
                          [&](YamlDocument& yaml, edits::Dropped* dropped) { return edits::setSize(yaml, static_cast<std::size_t>(dimension), size, dropped); });
}

Status DesignActions::setBandwidth(DesignDocument& document, int dimension, const Quantity& bandwidth, bool perNpu, const QString& merge)
{
    const QString title = perNpu ? tr("%1 bandwidth %2 per NPU") : tr("%1 bandwidth %2");
    return document.edit(title.arg(chip(dimension), quantitytext::text(bandwidth)),
                         [&](YamlDocument& yaml) { return edits::setBandwidth(yaml, static_cast<std::size_t>(dimension), bandwidth, perNpu); }, merge);
}

Status DesignActions::setLatency(DesignDocument& document, int dimension, const Quantity& latency, const QString& merge)
{
    return document.edit(tr("%1 latency %2").arg(chip(dimension), quantitytext::text(latency)),
                         [&](YamlDocument& yaml) { return edits::setLatency(yaml, static_cast<std::size_t>(dimension), latency); }, merge);
}

Status DesignActions::setLinkBandwidth(DesignDocument& document, LinkId link, const Quantity& bandwidth, const QString& merge)
{
    return editLink(document, link, tr("%1 bandwidth") + QLatin1Char(' ') + quantitytext::text(bandwidth),
                    [&](YamlDocument& yaml, const std::string& name) { return edits::setLinkOverride(yaml, name, bandwidth, std::nullopt); }, merge);
}

Status DesignActions::setLinkLatency(DesignDocument& document, LinkId link, const Quantity& latency, const QString& merge)
{
    return editLink(document, link, tr("%1 latency") + QLatin1Char(' ') + quantitytext::text(latency),
                    [&](YamlDocument& yaml, const std::string& name) { return edits::setLinkOverride(yaml, name, std::nullopt, latency); }, merge);
}

Status DesignActions::resetLink(DesignDocument& document, LinkId link)
{
    return editLink(document, link, tr("Reset %1"), [](YamlDocument& yaml, const std::string& name) { return edits::resetLink(yaml, name); });
}

Status DesignActions::setLinkRemoved(DesignDocument& document, LinkId link, bool removed)
{
    return editLink(document, link, removed ? tr("Remove %1") : tr("Restore %1"),
                    [&](YamlDocument& yaml, const std::string& name) { return edits::setLinkRemoved(yaml, name, removed); });
}

Status DesignActions::setNpuSpeed(DesignDocument& document, NodeId npu, double speed, const QString& merge)
{
    return document.edit(tr("NPU %1 speed %2").arg(npu).arg(quantitytext::number(speed)),
                         [&](YamlDocument& yaml) { return edits::setNpuOverride(yaml, {npu, speed, std::nullopt, std::nullopt}); }, merge);
}

Status DesignActions::setNpuPeak(DesignDocument& document, NodeId npu, const Quantity& peak, const QString& merge)
{
    return document.edit(tr("NPU %1 peak %2").arg(npu).arg(quantitytext::text(peak)),
                         [&](YamlDocument& yaml) { return edits::setNpuOverride(yaml, {npu, std::nullopt, peak, std::nullopt}); }, merge);
}

Status DesignActions::setNpuMemoryBandwidth(DesignDocument& document, NodeId npu, const Quantity& bandwidth, const QString& merge)
{
    return document.edit(tr("NPU %1 memory %2").arg(npu).arg(quantitytext::text(bandwidth)),
                         [&](YamlDocument& yaml) { return edits::setNpuOverride(yaml, {npu, std::nullopt, std::nullopt, bandwidth}); }, merge);
}

Status DesignActions::resetNpu(DesignDocument& document, NodeId npu)
{
    return document.edit(tr("Reset NPU %1").arg(npu), [&](YamlDocument& yaml) { return edits::resetNpu(yaml, npu); });
}

Status DesignActions::setNpuRemoved(DesignDocument& document, NodeId npu, bool removed)
{
    return document.edit((removed ? tr("Remove NPU %1") : tr("Restore NPU %1")).arg(npu), [&](YamlDocument& yaml) { return edits::setNpuRemoved(yaml, npu, removed); });
}

Status DesignActions::setNpuField(DesignDocument& document, const std::string& key, const Quantity& value, const QString& merge)
{
    const QString what = key == "peak" ? tr("NPU peak %1") : key == "memory" ? tr("NPU memory %1") : key == "memory_bandwidth" ? tr("NPU memory bandwidth %1") : tr("NPU budget %1");
    return document.edit(what.arg(quantitytext::text(value)), [&](YamlDocument& yaml) { return edits::setNpuField(yaml, key, value); }, merge);
}

Status DesignActions::setAlgorithmOfAll(DesignDocument& document, bool fastest)
{
    const CollectiveSetting& now = document.design()->collectives.defaults;
    if (fastest ? now.program.choose : now.program == ProgramChoice{})
        return {};
    return document.edit(fastest ? tr("fastest algorithm") : tr("algorithm by dimension"),
                         [fastest](YamlDocument& yaml) { return fastest ? yaml.set("collectives.default.algorithm", std::string("auto")) : edits::setDefaultAlgorithms(yaml, {}); });
}

Status DesignActions::setAlgorithm(DesignDocument& document, int dimension, const AlgorithmChoice& choice)
{
    const std::size_t count = document.design()->platform->dimensions.size();
    std::vector<AlgorithmChoice> algorithms = document.design()->collectives.defaults.algorithms;
    const AlgorithmChoice all = algorithms.size() == 1 ? algorithms.front() : AlgorithmChoice{};
    if (algorithms.size() < count)
        algorithms.assign(count, all);
    if (static_cast<std::size_t>(dimension) >= algorithms.size())
        return {};
    algorithms[static_cast<std::size_t>(dimension)] = choice;
    if (std::all_of(algorithms.begin(), algorithms.end(), [&](const AlgorithmChoice& other) { return other == choice; }))
        algorithms.assign(choice.automatic ? 0 : 1, choice);
    return document.edit(tr("%1 algorithm %2").arg(chip(dimension), texts::shown(algorithmText(choice))),
                         [&](YamlDocument& yaml) { return edits::setDefaultAlgorithms(yaml, algorithms); });
}

Status DesignActions::setChunks(DesignDocument& document, std::int32_t chunks, const QString& merge)
{
    return document.edit(tr("%1 chunks").arg(chunks), [&](YamlDocument& yaml) { return edits::setDefaultChunks(yaml, chunks); }, merge);
}

Status DesignActions::setQuestion(DesignDocument& document, const QString& question, const QString& merge)
{
    return document.edit(tr("Question"), [&](YamlDocument& yaml) { return edits::setNotes(yaml, question.toStdString()); }, merge);
}

bool DesignActions::isLinkRemoved(const DesignDocument& document, const std::string& link)
{
    return saysRemoved(linkItem(document, link));
}

bool DesignActions::isNpuRemoved(const DesignDocument& document, NodeId npu)
{
    return saysRemoved(npuItem(document, npu));
}

bool DesignActions::hasLinkOverride(const DesignDocument& document, const std::string& link)
{
    return linkItem(document, link) != nullptr;
}

bool DesignActions::hasNpuOverride(const DesignDocument& document, NodeId npu)
{
    return npuItem(document, npu) != nullptr;
}

QString DesignActions::linkTitle(const Platform& platform, LinkId link)
{
    const LinkInfo info = platform.linkInfo(link);
    const auto end = [&](NodeId node) {
        if (node < 0)
            return tr("D%1 switch").arg(info.dimension);
        if (!platform.isExplicit())
            return QString::number(node);
        return texts::shown(platform.spec().nodes.name(static_cast<std::size_t>(node)));
    };
    return tr("%1 → %2").arg(end(info.from), end(info.to));
}

QString DesignActions::shapeTitle(Shape shape)
{
    switch (shape) {
    case Shape::Ring: return tr("Ring");
    case Shape::FullyConnected: return tr("Fully connected");
    case Shape::Switch: return tr("Switch");
    }
    return {};
}

QString DesignActions::errorText(const Error& error)
{
    const QString message = texts::shown(error.message);
    return error.expected.empty() ? message : tr("%1. Expected: %2").arg(message, texts::shown(error.expected));
}

} // namespace fabricscope
