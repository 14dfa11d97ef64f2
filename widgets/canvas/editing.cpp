#include "widgets/canvas/editing.h"

#include "widgets/base/apptheme.h"
#include "widgets/design/editactions.h"
#include "widgets/design/quantityfield.h"
#include "widgets/design/quantityinput.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

namespace fabricscope {

namespace {

/// Closes on Esc.
class ValuePopup : public QFrame
{
public:
    explicit ValuePopup(QWidget* parent) : QFrame(parent, Qt::Popup) {}

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape)
            close();
        else
            QFrame::keyPressEvent(event);
    }
};

bool isNpu(const CanvasElement& element, const Platform& platform)
{
    return element.kind == CanvasElement::Kind::Node && element.node >= 0 && element.node < platform.npuCount();
}

bool isLink(const CanvasElement& element, const Platform& platform)
{
    return element.kind == CanvasElement::Kind::Link && element.link >= 0 && element.link < platform.linkCount();
}

} // namespace

CanvasEditing::CanvasEditing(PlatformCanvas* canvas, QObject* parent) : QObject(parent ? parent : canvas), m_canvas(canvas)
{
    canvas->installEventFilter(this);
}

void CanvasEditing::setDocument(DesignDocument* document)
{
    m_document = document;
}

int CanvasEditing::dimensionOf(const CanvasElement& element) const
{
    if (m_document && m_document->platform() && isLink(element, *m_document->platform()))
        return m_document->platform()->linkInfo(element.link).dimension;
    return -1;
}

int CanvasEditing::dimensionAt(QPointF pixel)
{
    if (!m_canvas)
        return -1;
    // Inner layers lie on top.
    const CanvasItems& items = m_canvas->items();
    for (auto layer = items.layers.rbegin(); layer != items.layers.rend(); ++layer) {
        const auto holds = [&](const auto& rect) { return pixel.x() >= rect.left() && pixel.x() <= rect.right() && pixel.y() >= rect.top() && pixel.y() <= rect.bottom(); };
        for (const CanvasLayer::Bar& bar : layer->bars) {
            if (holds(bar.rect))
                return bar.dimension;
        }
        for (const CanvasLayer::Disc& disc : layer->discs) {
            if (disc.dimension >= 0 && holds(disc.rect))
                return disc.dimension;
        }
    }
    return -1;
}

void CanvasEditing::tell(const Status& status)
{
    if (!status)
        emit refused(DesignActions::errorText(status.error()));
}

void CanvasEditing::toggleRemoved(const CanvasElement& element)
{
    const Platform& platform = *m_document->platform();
    if (isLink(element, platform))
        tell(DesignActions::setLinkRemoved(*m_document, element.link, !DesignActions::isLinkRemoved(*m_document, platform.linkName(element.link))));
    else if (isNpu(element, platform))
        tell(DesignActions::setNpuRemoved(*m_document, element.node, !DesignActions::isNpuRemoved(*m_document, element.node)));
}

void CanvasEditing::reset(const CanvasElement& element)
{
    if (isLink(element, *m_document->platform()))
        tell(DesignActions::resetLink(*m_document, element.link));
    else if (isNpu(element, *m_document->platform()))
        tell(DesignActions::resetNpu(*m_document, element.node));
}

QMenu* CanvasEditing::menuFor(const CanvasElement& element, int dimension)
{
    auto* menu = new QMenu(m_canvas);
    menu->setAccessibleName(tr("Edit the platform"));
    if (!m_document || !m_document->platform() || !m_document->yaml())
        return menu;
    const Platform& platform = *m_document->platform();
    const auto add = [&](const QString& text, const QKeySequence& shown, const std::function<void()>& run) {
        QAction* action = menu->addAction(text);
        if (!shown.isEmpty()) {
            action->setShortcut(shown);
            action->setShortcutContext(Qt::WidgetShortcut); // shown here; the canvas acts on the key
        }
        connect(action, &QAction::triggered, this, run);
        return action;
    };
    const bool link = isLink(element, platform);
    const bool npu = isNpu(element, platform);
    if (link || npu) {
        const std::string name = link ? platform.linkName(element.link) : std::string();
        menu->addSection(link ? DesignActions::linkTitle(platform, element.link) : tr("NPU %1").arg(element.node));
        if (link) {
            add(tr("Change bandwidth…"), Qt::Key_B, [this, element] { change(Value::Bandwidth, element, -1); });
            add(tr("Change latency…"), Qt::Key_L, [this, element] { change(Value::Latency, element, -1); });
        } else {
            add(tr("Change speed…"), Qt::Key_S, [this, element] { change(Value::Speed, element, -1); });
        }
        const bool there = link ? DesignActions::hasLinkOverride(*m_document, name) : DesignActions::hasNpuOverride(*m_document, element.node);
        const bool removed = link ? DesignActions::isLinkRemoved(*m_document, name) : DesignActions::isNpuRemoved(*m_document, element.node);
        add(tr("Reset override"), Qt::Key_R, [this, element] { reset(element); })->setEnabled(there);
        add(removed ? tr("Restore") : tr("Remove"), Qt::Key_Delete, [this, element] { toggleRemoved(element); });
    }
    if (platform.isExplicit())
        return menu;
    const int count = static_cast<int>(platform.dimensions().size());
    int at = dimension >= 0 ? dimension : dimensionOf(element);
    if (at < 0)
        at = m_dimension;
    if (at >= 0 && at < count) {
        menu->addSection(QStringLiteral("D%1 ").arg(at) + DesignActions::shapeTitle(platform.dimensions()[static_cast<std::size_t>(at)].shape));
        add(tr("Change D%1 bandwidth…").arg(at), {}, [this, at] { change(Value::Bandwidth, {}, at); });
        add(tr("Change D%1 latency…").arg(at), {}, [this, at] { change(Value::Latency, {}, at); });
        add(tr("Move D%1 inward").arg(at), {}, [this, at] { tell(DesignActions::moveDimension(*m_document, at, at - 1)); })->setEnabled(at > 0);
        add(tr("Move D%1 outward").arg(at), {}, [this, at] { tell(DesignActions::moveDimension(*m_document, at, at + 1)); })->setEnabled(at + 1 < count);
        add(tr("Remove D%1").arg(at), {}, [this, at] { tell(DesignActions::removeDimension(*m_document, at)); })->setEnabled(count > 1);
    }
    menu->addSeparator();
    add(tr("Add dimension outside"), {}, [this, count] {
        const Status status = DesignActions::addDimension(*m_document, count);
        tell(status);
        if (status)
            emit dimensionChosen(count);
    });
    return menu;
}

void CanvasEditing::change(Value value, const CanvasElement& element, int dimension)
{
    if (!m_document || !m_document->platform() || !m_canvas)
        return;
    const Platform& platform = *m_document->platform();
    const bool link = isLink(element, platform);
    const bool npu = isNpu(element, platform);
    const bool whole = !link && !npu && dimension >= 0 && dimension < static_cast<int>(platform.dimensions().size());
    if ((!link && !npu && !whole) || (npu && value != Value::Speed) || (!npu && value == Value::Speed))
        return;

    auto* popup = new ValuePopup(m_canvas);
    popup->setAttribute(Qt::WA_DeleteOnClose);
    popup->setObjectName(QStringLiteral("canvasValue"));
    const Theme& theme = AppTheme::global().theme();
    popup->setFont(theme.font(TextStyle::Body));
    popup->setStyleSheet(QStringLiteral("QFrame#canvasValue { background: %1; border: 1px solid %2; border-radius: 4px; }").arg(theme.color(Role::Raised).name(), theme.color(Role::Line2).name()));
    const Measure measure = value == Value::Bandwidth ? Measure::Bandwidth : value == Value::Latency ? Measure::Time : Measure::Count;
    auto* field = new QuantityField(measure, popup);
    const QString what = value == Value::Bandwidth ? tr("bandwidth") : value == Value::Latency ? tr("latency") : tr("speed");
    const QString who = link ? DesignActions::linkTitle(platform, element.link) : npu ? tr("NPU %1").arg(element.node) : QStringLiteral("D%1").arg(dimension);
    auto* label = new QLabel(who + QLatin1Char(' ') + what, popup);
    popup->setAccessibleName(label->text());
    auto* layout = new QHBoxLayout(popup);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->addWidget(label);
    layout->addWidget(field);
    field->setName(label->text());
    field->setFixedWidth(theme.scaled(120));
    field->setZeroAllowed(value == Value::Latency);
    Quantity now;
    if (whole)
        now = value == Value::Bandwidth ? platform.dimensions()[static_cast<std::size_t>(dimension)].bandwidth : platform.dimensions()[static_cast<std::size_t>(dimension)].latency;
    else if (npu)
        now = {platform.speed(element.node), "", Measure::Count};
    else if (value == Value::Bandwidth)
        now = {static_cast<double>(platform.bandwidth(element.link).bytesPerSecond) / 1e9, "GB/s", Measure::Bandwidth};
    else
        now = {static_cast<double>(platform.latency(element.link).ps) / 1e6, "us", Measure::Time};
    field->setQuantity(now);

    const QString merge = QStringLiteral("canvas %1 %2 %3 %4").arg(static_cast<int>(value)).arg(element.link).arg(element.node).arg(dimension);
    connect(field, &QuantityField::edited, this, [this, value, element, dimension, link, npu, merge](const Quantity& given) {
        if (!m_document || !m_document->platform())
            return;
        if (npu)
            tell(DesignActions::setNpuSpeed(*m_document, element.node, given.value, merge));
        else if (link)
            tell(value == Value::Bandwidth ? DesignActions::setLinkBandwidth(*m_document, element.link, given, merge) : DesignActions::setLinkLatency(*m_document, element.link, given, merge));
        else if (value == Value::Bandwidth)
            tell(DesignActions::setBandwidth(*m_document, dimension, given, m_document->platform()->dimensions()[static_cast<std::size_t>(dimension)].bandwidthIsPerNpu, merge));
        else
            tell(DesignActions::setLatency(*m_document, dimension, given, merge));
    });
    connect(field, &QuantityField::finished, this, [this] {
        if (m_document)
            m_document->endMerge();
    });
    connect(field, &QuantityField::returned, popup, &QWidget::close);
    popup->adjustSize();
    const QPoint at = m_menuPlace.isNull() ? m_canvas->rect().center() : m_menuPlace;
    popup->move(m_canvas->mapToGlobal(at));
    popup->show();
    field->setFocus(Qt::PopupFocusReason);
    field->lineEdit()->selectAll();
}

bool CanvasEditing::key(int key, Qt::KeyboardModifiers modifiers)
{
    const CanvasElement element = m_canvas->selection();
    const Platform& platform = *m_document->platform();
    if (modifiers != Qt::NoModifier || (!isLink(element, platform) && !isNpu(element, platform)))
        return false;
    m_menuPlace = {};
    switch (key) {
    case Qt::Key_B:
        if (!isLink(element, platform))
            return false;
        change(Value::Bandwidth, element, -1);
        return true;
    case Qt::Key_L:
        if (!isLink(element, platform))
            return false;
        change(Value::Latency, element, -1);
        return true;
    case Qt::Key_S:
        if (!isNpu(element, platform))
            return false;
        change(Value::Speed, element, -1);
        return true;
    case Qt::Key_R: reset(element); return true;
    case Qt::Key_Delete: toggleRemoved(element); return true;
    default: return false;
    }
}

bool CanvasEditing::eventFilter(QObject* watched, QEvent* event)
{
    // Events also come while the canvas is being destroyed and is no PlatformCanvas any more.
    const bool mine = event->type() == QEvent::KeyPress || event->type() == QEvent::ContextMenu;
    if (!mine || watched != m_canvas || !m_document || !m_document->platform())
        return QObject::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) {
        const auto* press = static_cast<QKeyEvent*>(event);
        if (key(press->key(), press->modifiers()))
            return true;
    }
    if (event->type() == QEvent::ContextMenu) {
        const auto* menuEvent = static_cast<QContextMenuEvent*>(event);
        const bool byKey = menuEvent->reason() == QContextMenuEvent::Keyboard;
        m_menuPlace = byKey ? m_canvas->rect().center() : menuEvent->pos();
        const CanvasElement element = byKey ? m_canvas->selection() : m_canvas->elementAt(menuEvent->pos());
        if (!byKey && element.kind != CanvasElement::Kind::None)
            m_canvas->setSelection(element);
        QMenu* menu = menuFor(element, byKey ? -1 : dimensionAt(menuEvent->pos()));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(m_canvas->mapToGlobal(m_menuPlace));
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace fabricscope
