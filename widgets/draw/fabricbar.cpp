#include "widgets/draw/fabricbar.h"

#include "core/design/edits/fabricedits.h"
#include "core/design/edits/graphedits.h"
#include "core/design/fabricdesign.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/presets.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/elidedlabel.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/design/editactions.h"

#include <QFocusEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QShowEvent>
#include <QStyle>

#include <algorithm>
#include <string_view>

namespace fabricscope {

namespace {

constexpr int kRestMs = 150;
/// Some tenths of a second on a worker; what takes longer is left out.
constexpr SearchLimits kLimits{std::int64_t{1} << 20, 400'000'000, 100'000'000};

QString countsOf(const Fabric& fabric)
{
    const std::int64_t switches = fabric.switches();
    QStringList parts{fabric.npus() == 1 ? FabricBar::tr("1 NPU") : FabricBar::tr("%1 NPUs").arg(texts::count(fabric.npus()))};
    if (switches > 0)
        parts.append(switches == 1 ? FabricBar::tr("1 switch") : FabricBar::tr("%1 switches").arg(texts::count(switches)));
    parts.append(fabric.cableCount() == 1 ? FabricBar::tr("1 cable") : FabricBar::tr("%1 cables").arg(texts::count(fabric.cableCount())));
    return parts.join(QStringLiteral(", "));
}

QString figuresText(const std::optional<std::int64_t>& diameter, const std::optional<Fraction>& bisection)
{
    QString text;
    if (bisection)
        text += FabricBar::tr(", bisection %1 cables").arg(bisection->under == 1 ? texts::count(bisection->over) : QStringLiteral("%1/%2").arg(bisection->over).arg(bisection->under));
    if (diameter)
        text += *diameter == 1 ? FabricBar::tr(", diameter 1 link") : FabricBar::tr(", diameter %1 links").arg(*diameter);
    return text;
}

} // namespace

FabricBar::FabricBar(QWidget* parent) : QWidget(parent), m_line(new QLineEdit), m_figures(new ElidedLabel)
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* label = new QLabel(tr("Fabric"));
    label->setProperty("role", QStringLiteral("secondary"));
    m_line->setAccessibleName(tr("Fabric in one line"));
    m_line->setPlaceholderText(tr("for example %1").arg(QStringLiteral("hgx-h100 x32 / rails 64p 400G x4 / spine 2:1"))); // Not what is drawn.
    m_line->setToolTip(tr("A part, then what joins so many of it, from below (Ctrl+K). Return takes it, Esc leaves it."));
    m_figures->setObjectName(QStringLiteral("fabricFigures"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(8);
    row->addWidget(label);
    row->addWidget(m_line, 3);
    row->addWidget(m_figures, 4);
    m_line->installEventFilter(this);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &FabricBar::showDesign);
    connect(m_line, &QLineEdit::textEdited, this, &FabricBar::typed);
    connect(m_line, &QLineEdit::returnPressed, this, &FabricBar::take);
    followTheme(this, &FabricBar::setTheme);
}

void FabricBar::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_line->setFont(theme.font(TextStyle::Mono));
    makeRoom();
    showText(m_figures->text(), m_problem);
}

void FabricBar::setDocument(DesignDocument* document)
{
    m_document = document;
    connect(document, &DesignDocument::changed, &m_rest, qOverload<>(&QTimer::start));
    connect(document, &DesignDocument::replaced, this, [this] { m_line->setModified(false); });
    showDesign();
}

QString FabricBar::figures() const
{
    return m_figures->text();
}

void FabricBar::open()
{
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

void FabricBar::showText(const QString& text, bool problem)
{
    m_problem = problem;
    m_figures->setText(text);
    QPalette colors = m_figures->palette();
    colors.setColor(QPalette::WindowText, m_theme.color(problem ? Role::Err : Role::Text2));
    m_figures->setPalette(colors);
    if (m_line->property("state").isValid() == problem)
        return;
    m_line->setProperty("state", problem ? QVariant(QStringLiteral("error")) : QVariant());
    const QFont font = m_line->font(); // Polishing puts the application's in its place.
    m_line->style()->unpolish(m_line);
    m_line->style()->polish(m_line);
    m_line->setFont(font);
}

void FabricBar::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!event->spontaneous())
        showDesign();
}

void FabricBar::showNothing(const QString& why, bool problem)
{
    showText(why, problem);
    emit fabricHidden();
}

/// The line of the design, unless another is being typed, and the figures of its fabric. Nobody sees it: when somebody does.
void FabricBar::showDesign()
{
    if (!m_document || !isVisible() || (m_line->hasFocus() && m_line->isModified()))
        return;
    const YamlDocument* yaml = m_document->yaml();
    const QString text = yaml ? QString::fromStdString(fabricLine(*yaml).value_or("")) : QString();
    if (m_line->text() != text) {
        m_line->setText(text);
        m_line->setCursorPosition(0); // A line that is longer than the field is read from its beginning.
    }
    makeRoom();
    m_line->setModified(false);
    m_stop.request_stop();
    const int number = ++m_number;
    const std::shared_ptr<const Design> design = m_document->design();
    if (m_document->hasErrors() || design->platform->nodes.size() + design->platform->dimensions.size() == 0) {
        showNothing();
        return;
    }
    const std::int64_t left = design->platform->nodes.count(NodeKind::Memory);
    inBackground(this, [design] { return fabricOfPlatform(withoutMemories(*design->platform)); }, [this, number, left](const Result<Fabric>& fabric) {
        if (number != m_number)
            return;
        const QString memories = left == 0 ? QString() : left == 1 ? tr(", without the memory") : tr(", without the %1 memories").arg(texts::count(left));
        if (fabric)
            show(fabric, memories);
        else if (left > 0)
            showNothing(tr("A memory is part of the graph: figures are of fabrics of NPUs and switches only"));
        else
            showNothing(tr("No figures: %1").arg(texts::shown(fabric.error().message)));
    });
}

/// The line is whole where there is room for it; its figures give way, as they stand at the right, too.
void FabricBar::makeRoom()
{
    const QFontMetrics metrics(m_line->font());
    const int wanted = metrics.horizontalAdvance(m_line->text().isEmpty() ? m_line->placeholderText() : m_line->text()) + m_theme.scaled(28);
    const QMargins margins = layout()->contentsMargins();
    const int room = width() - m_line->x() - layout()->spacing() - margins.right();
    m_figures->setMaximumWidth(std::max(m_theme.scaled(60), room - wanted));
}

void FabricBar::resizeEvent(QResizeEvent*)
{
    makeRoom();
}

void FabricBar::typed()
{
    m_line->setModified(true);
    if (m_line->text().trimmed().isEmpty()) {
        m_stop.request_stop();
        ++m_number;
        showNothing();
        return;
    }
    if (const QString hint = hintOf(m_line->text().trimmed()); !hint.isEmpty()) {
        m_stop.request_stop();
        ++m_number;
        showNothing(hint);
        return;
    }
    show(fabricOfLine(m_line->text().toStdString()));
}

/// What may follow a line that is right so far and not at its end; empty: it is whole, or wrong.
QString FabricBar::hintOf(const QString& line) const
{
    const std::string text = line.toStdString();
    if (!isFabricLine(text)) {
        const bool word = !line.contains(QLatin1Char(' '));
        const bool begun = word && (std::string_view("npu").starts_with(text) || std::string_view("gpu").starts_with(text)
                                    || std::ranges::any_of(presets(), [&](const PresetInfo& preset) { return std::string_view(preset.name).starts_with(text); }));
        const QString part = line.endsWith(QLatin1String(" x")) ? line.chopped(2) : line;
        return begun || checkFabricPart(part.toStdString()) ? tr("Next: xN, then / and what joins them, such as / leaf 64p") : QString();
    }
    if (!line.endsWith(QLatin1Char('/')))
        return {};
    const std::string before = line.chopped(1).trimmed().toStdString();
    if (!isFabricLine(before))
        return !checkFabricPart(before) ? QString() : tr("Next: rails 64p, leaf 64p or a family such as torus 4x4x8");
    return parseFabricForm(before) ? tr("Next: spine 2:1 or core 2:1") : QString();
}

void FabricBar::show(const Result<Fabric>& fabric, const QString& leftOut)
{
    m_stop.request_stop();
    ++m_number;
    if (!fabric) {
        const Error& error = fabric.error();
        showNothing(QString::fromStdString(error.message + (error.expected.empty() ? std::string() : "; expected: " + error.expected)), true);
        return;
    }
    m_counts = countsOf(fabric.value());
    m_leftOut = leftOut;
    const KnownFigures& known = fabric.value().known();
    showKnown(known.diameter, known.bisection ? std::optional(Fraction{*known.bisection, 1}) : std::nullopt);
    emit fabricShown(fabric.value(), std::nullopt);
    searchFigures(fabric.value());
}

void FabricBar::showKnown(const std::optional<std::int64_t>& diameter, const std::optional<Fraction>& bisection)
{
    showText(m_counts + figuresText(diameter, bisection) + m_leftOut, false);
}

void FabricBar::searchFigures(const Fabric& fabric)
{
    m_stop = std::stop_source();
    inBackground(this, [fabric, stop = m_stop.get_token()] { return fabricFigures(fabric, stop, kLimits); }, [this, fabric, number = m_number](const Result<FabricFigures>& found) {
        if (number != m_number || !found)
            return;
        showKnown(found.value().diameter, found.value().bisection);
        emit fabricShown(fabric, found.value());
    });
}

void FabricBar::take()
{
    const std::string line = m_line->text().trimmed().toStdString();
    if (!m_document || line.empty())
        return;
    if (const YamlDocument* yaml = m_document->yaml(); yaml && fabricLine(*yaml) == line) { // Levels that say the same stay levels.
        m_line->setModified(false);
        emit left();
        return;
    }
    const Status status = m_document->edit(tr("fabric %1").arg(m_line->text().trimmed()), [&](YamlDocument& yaml) { return edits::setFabricLine(yaml, line); });
    if (!status) {
        if (status.error().place.field != "--line")
            showText(DesignActions::errorText(status.error()), true);
        else
            show(fabricOfLine(line)); // A line that was only begun is wrong now.
        return;
    }
    m_line->setModified(false);
    emit left();
}

bool FabricBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_line && event->type() == QEvent::FocusOut && m_line->isModified()) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        if (reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason && reason != Qt::MenuBarFocusReason) { // Who looks at another window, or into a menu, goes on typing.
            m_line->setModified(false);
            showDesign();
        }
    }
    const auto* key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event) : nullptr;
    if (watched == m_line && key && key->key() == Qt::Key_Escape) {
        m_line->setModified(false);
        showDesign();
        emit left();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace fabricscope
