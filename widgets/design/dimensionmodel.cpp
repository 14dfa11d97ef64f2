#include "widgets/design/dimensionmodel.h"

#include "core/base/nearestword.h"
#include "core/design/edits/dimensionedits.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/editactions.h"
#include "widgets/design/quantityinput.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

const char* const kGigabytes = "GB/s";

QString key(const Dimension& dimension, int column)
{
    switch (column) {
    case DimensionModel::ShapeColumn: return QStringLiteral("shape");
    case DimensionModel::Size: return QStringLiteral("size");
    case DimensionModel::PerLink: return dimension.bandwidthIsPerNpu ? QString() : QStringLiteral("bandwidth");
    case DimensionModel::PerNpu: return dimension.bandwidthIsPerNpu ? QStringLiteral("npu_bandwidth") : QString();
    case DimensionModel::Latency: return QStringLiteral("latency");
    default: return {};
    }
}

/// One decimal, or none: "64.3", "450".
QString gigabytes(const Quantity& quantity)
{
    const double value = quantity.base() / 1e9;
    return texts::number(value, std::abs(value - std::round(value)) < 0.05 ? 0 : value < 1 ? 2 : 1);
}

std::optional<std::int32_t> wholeNumber(const QString& text)
{
    bool good = false;
    QString plain = text.trimmed();
    const int value = plain.remove(QChar(0x202F)).remove(QLatin1Char(' ')).toInt(&good);
    return good && value >= 1 && value <= kMaxNpus ? std::optional<std::int32_t>(value) : std::nullopt;
}

} // namespace

DimensionModel::DimensionModel(QObject* parent) : QAbstractTableModel(parent) {}

void DimensionModel::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    if (m_document)
        connect(m_document, &DesignDocument::changed, this, &DimensionModel::read);
    read();
}

void DimensionModel::read()
{
    std::vector<Dimension> now = m_document ? m_document->design()->platform->dimensions : std::vector<Dimension>();
    if (now.size() != m_dimensions.size()) {
        beginResetModel();
        m_dimensions = std::move(now);
        endResetModel();
        return;
    }
    m_dimensions = std::move(now);
    if (!m_dimensions.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int DimensionModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_dimensions.size());
}

int DimensionModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

/// The value of a cell as it is, or would be, typed.
Quantity DimensionModel::typed(const Dimension& dimension, int column) const
{
    if (column == Latency)
        return dimension.latency;
    if ((column == PerNpu) == dimension.bandwidthIsPerNpu)
        return dimension.bandwidth;
    const Bandwidth derived = column == PerNpu ? dimension.npuBandwidth() : dimension.linkBandwidth();
    return {static_cast<double>(derived.bytesPerSecond) / 1e9, kGigabytes, Measure::Bandwidth};
}

QString DimensionModel::shown(const Dimension& dimension, int column) const
{
    switch (column) {
    case ShapeColumn: return DesignActions::shapeTitle(dimension.shape);
    case Size: return texts::count(dimension.size);
    case PerLink:
    case PerNpu:
        // A dimension of one has no links to count.
        return dimension.linksPerNpu() == 0 && (column == PerNpu) != dimension.bandwidthIsPerNpu ? QStringLiteral("–") : gigabytes(typed(dimension, column));
    case Latency: {
        const double micros = dimension.latencyNs() / 1000;
        return texts::number(micros, std::abs(micros * 100 - std::round(micros * 100)) < 1e-6 ? 2 : 3);
    }
    default: return {};
    }
}

/// A key that is missing is said of the dimension, and one that is unknown of itself: it may be the same, misspelt.
std::optional<DimensionModel::Wrong> DimensionModel::missing(const std::string& item, const std::string& key) const
{
    std::optional<Wrong> found;
    for (const Diagnostic& issue : m_document->issues()) {
        if (issue.severity == Severity::Error && issue.place.field == item && issue.message.find(key) != std::string::npos)
            found = Wrong{{}, texts::shownMessage(issue.message), {}};
    }
    for (const Diagnostic& issue : m_document->issues()) {
        if (!found || !issue.place.field.starts_with(item + '.') || !issue.message.starts_with("unknown key"))
            continue;
        const std::string unknown = issue.place.field.substr(item.size() + 1);
        const std::array<std::string_view, 1> wanted{key};
        if (!nearestWord(unknown, wanted).empty())
            found = Wrong{{}, texts::shownMessage(issue.message), unknown};
    }
    return found;
}

std::optional<DimensionModel::Wrong> DimensionModel::wrong(const QModelIndex& index) const
{
    const QString name = field(index);
    if (!m_document || name.isEmpty() || !m_document->yaml() || !m_document->hasErrors())
        return std::nullopt;
    const std::string path = name.toStdString();
    const YamlNode* const node = m_document->yaml()->find(path);
    const std::size_t dot = path.rfind('.');
    const YamlNode* const item = m_document->yaml()->find(path.substr(0, dot));
    if (!node)
        return item && item->isMap() ? missing(path.substr(0, dot), path.substr(dot + 1)) : std::nullopt;
    for (const Diagnostic& issue : m_document->issues()) {
        if (issue.severity == Severity::Error && issue.place.field == path)
            return Wrong{node->isScalar() ? texts::shown(node->text) : QStringLiteral("…"), texts::shownMessage(issue.message), {}};
    }
    return std::nullopt;
}

/// Of the other bandwidth, the size or the shape nothing can be worked out.
bool DimensionModel::isDerivedOfWrong(const QModelIndex& index) const
{
    if (!m_document || !m_document->hasErrors() || !data(index, DerivedRole).toBool())
        return false;
    for (const int column : {int{ShapeColumn}, int{Size}, int{PerLink}, int{PerNpu}}) {
        if (column != index.column() && wrong(index.siblingAtColumn(column)))
            return true;
    }
    return false;
}

QString DimensionModel::shown(const QModelIndex& index) const
{
    if (const std::optional<Wrong> bad = wrong(index))
        return bad->written.isEmpty() ? QStringLiteral("–") : bad->written;
    return isDerivedOfWrong(index) ? QStringLiteral("–") : shown(dimension(index), index.column());
}

QVariant DimensionModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Dimension& at = dimension(index);
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: return column == Chip ? QStringLiteral("D%1").arg(index.row()) : shown(index);
    case Qt::EditRole:
        if (const std::optional<Wrong> bad = wrong(index))
            return column == ShapeColumn ? QVariant(-1) : QVariant(bad->written); // Of the shapes to choose from it is none.
        if (column == ShapeColumn)
            return static_cast<int>(at.shape);
        if (column == Size)
            return at.size;
        return column == Chip ? QVariant() : quantitytext::text(typed(at, column));
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column <= ShapeColumn ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::AccessibleTextRole:
        if (column == Chip)
            return tr("Dimension %1").arg(index.row());
        return tr("D%1 %2: %3").arg(index.row()).arg(headerData(column, Qt::Horizontal).toString().replace(QLatin1Char('\n'), QLatin1Char(' ')), shown(index));
    case Qt::ToolTipRole: {
        const QString problem = data(index, ProblemRole).toString();
        if (!problem.isEmpty())
            return texts::toolTip(problem);
        if ((column == PerLink || column == PerNpu) && !isDerivedOfWrong(index)) {
            const Quantity value = typed(at, column);
            return tr("%1 = %2 = %3").arg(quantitytext::text(quantitytext::inUnit(value, kGigabytes)), texts::number(value.base() / 1073741824.0, 1) + QChar(0x202F) + QStringLiteral("GiB/s"),
                                          texts::number(value.base() * 8e-9, 1) + QChar(0x202F) + QStringLiteral("Gbit/s"));
        }
        return column == Chip ? tr("Drag to reorder") : QVariant();
    }
    case DerivedRole: return (column == PerLink && at.bandwidthIsPerNpu) || (column == PerNpu && !at.bandwidthIsPerNpu);
    case ShapeRole: return static_cast<int>(at.shape);
    case ProblemRole: {
        const QString name = field(index);
        if (!m_document || name.isEmpty())
            return QString();
        if (const std::optional<Wrong> bad = wrong(index))
            return bad->problem;
        for (const Diagnostic& issue : m_document->issues()) {
            if (issue.severity == Severity::Error && issue.place.field == name.toStdString())
                return texts::shownMessage(issue.message);
        }
        return QString();
    }
    default: return {};
    }
}

QVariant DimensionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignTop | (section <= ShapeColumn ? Qt::AlignLeft : Qt::AlignRight)));
    if (role == Qt::AccessibleTextRole && section == Chip)
        return tr("Dimension");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case ShapeColumn: return tr("Shape");
    case Size: return tr("Size");
    case PerLink: return tr("Per link\nGB/s");
    case PerNpu: return tr("Per NPU\nGB/s");
    case Latency: return tr("Latency\nµs");
    default: return QString();
    }
}

Qt::ItemFlags DimensionModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() != Chip && m_document && m_document->yaml())
        flags |= Qt::ItemIsEditable;
    return flags;
}

QString DimensionModel::refusal(int column, const QString& text)
{
    if (column == Size)
        return wholeNumber(text) ? QString() : tr("Enter a whole number from 1 to 1048576");
    if (column < PerLink)
        return {};
    const Measure measure = column == Latency ? Measure::Time : Measure::Bandwidth;
    return quantitytext::refusal(text, measure, column == Latency ? "us" : kGigabytes);
}

/// Nothing follows from a value that nobody could read, so that only its text changes.
Status DimensionModel::replaceWrong(const QModelIndex& index, const Wrong& wrong, const QString& title, const std::string& value)
{
    const std::string path = field(index).toStdString();
    const std::size_t dot = path.rfind('.');
    return m_document->edit(QStringLiteral("D%1 %2").arg(index.row()).arg(title), [&](YamlDocument& yaml) {
        const Status renamed = wrong.misspelt.empty() ? Status{} : renameKey(yaml, path.substr(0, dot + 1) + wrong.misspelt, path.substr(dot + 1));
        return renamed ? yaml.set(path, value) : renamed;
    });
}

bool DimensionModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid) || !m_document || index.column() == Chip)
        return false;
    const Dimension at = dimension(index);
    const std::optional<Wrong> bad = wrong(index);
    const int column = index.column();
    const int row = index.row();
    const QString text = value.toString();
    if (const QString message = refusal(column, text); !message.isEmpty()) {
        emit refused(index, message);
        return false;
    }
    Status status;
    if (column == ShapeColumn) {
        const int shape = value.toInt();
        if (shape < 0 || shape > static_cast<int>(Shape::Switch) || (!bad && shape == static_cast<int>(at.shape)))
            return false;
        constexpr std::array kWords{"ring", "fully_connected", "switch"};
        status = bad ? replaceWrong(index, *bad, tr("shape %1").arg(DesignActions::shapeTitle(static_cast<Shape>(shape))), kWords[static_cast<std::size_t>(shape)]) : DesignActions::setShape(*m_document, row, static_cast<Shape>(shape));
    } else if (column == Size) {
        const std::int32_t size = *wholeNumber(text);
        if (bad)
            status = replaceWrong(index, *bad, tr("size %1").arg(size), std::to_string(size));
        else if (size != at.size)
            status = DesignActions::setSize(*m_document, row, size);
    } else {
        const Quantity before = typed(at, column);
        const Quantity read = quantitytext::parse(text, column == Latency ? Measure::Time : Measure::Bandwidth, before.unit).value();
        if (text == (bad ? bad->written : quantitytext::text(before)))
            return true; // looked at, not changed: a derived value does not become the given one by that
        if (bad)
            status = replaceWrong(index, *bad, column == Latency ? tr("latency %1").arg(quantitytext::text(read)) : tr("bandwidth %1").arg(quantitytext::text(read)), read.text());
        else
            status = column == Latency ? DesignActions::setLatency(*m_document, row, read) : DesignActions::setBandwidth(*m_document, row, read, column == PerNpu);
    }
    if (!status)
        emit refused(index, DesignActions::errorText(status.error()));
    return static_cast<bool>(status);
}

QString DimensionModel::field(const QModelIndex& index) const
{
    const QString name = index.isValid() ? key(dimension(index), index.column()) : QString();
    return name.isEmpty() ? QString() : QStringLiteral("platform.dimensions[%1].%2").arg(index.row()).arg(name);
}

QModelIndex DimensionModel::indexOf(const QString& field) const
{
    static const QRegularExpression pattern(QStringLiteral("^platform\\.dimensions\\[(\\d+)\\](?:\\.(\\w+))?$"));
    const auto match = pattern.match(field);
    const int row = match.captured(1).toInt();
    if (!match.hasMatch() || row >= rowCount())
        return {};
    const QString name = match.captured(2);
    const int column = name == QLatin1String("shape") ? ShapeColumn : name == QLatin1String("size") ? Size : name == QLatin1String("npu_bandwidth") ? PerNpu : name == QLatin1String("latency") ? Latency : PerLink;
    return index(row, column);
}

} // namespace fabricscope
