#include "widgets/draw/partspalette.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"
#include "widgets/design/quantityfield.h"
#include "widgets/draw/gallery.h"
#include "widgets/draw/graphcanvas.h"
#include "widgets/draw/outlineview.h"
#include "widgets/step/paneheader.h"

#include <QApplication>
#include <QDrag>
#include <QGridLayout>
#include <QLabel>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace fabricscope {

KeyTile::KeyTile(const QString& text, QChar key, QWidget* parent) : QToolButton(parent), m_key(key)
{
    setText(text);
    setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void KeyTile::paintEvent(QPaintEvent* event)
{
    QToolButton::paintEvent(event);
    const Theme& theme = AppTheme::global().theme();
    QPainter painter(this);
    painter.setFont(theme.font(TextStyle::Smallest));
    painter.setPen(theme.color(isEnabled() ? Role::Text3 : Role::Disabled));
    painter.drawText(rect().adjusted(0, theme.scaled(3), -theme.scaled(5), 0), Qt::AlignRight | Qt::AlignTop, m_key);
}

PartTile::PartTile(NodeKind kind, const QString& text, QChar key, QWidget* parent) : KeyTile(text, key, parent), m_kind(kind) {}

void PartTile::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->pos();
    QToolButton::mousePressEvent(event);
}

void PartTile::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton) || (event->pos() - m_pressed).manhattanLength() < QApplication::startDragDistance()) {
        QToolButton::mouseMoveEvent(event);
        return;
    }
    setDown(false);
    auto* part = new QMimeData;
    part->setData(QString::fromLatin1(kPartMime), partData(m_kind));
    auto* drag = new QDrag(this);
    drag->setMimeData(part);
    drag->setPixmap(icon().pixmap(iconSize()));
    drag->exec(Qt::CopyAction);
}

PartsPalette::PartsPalette(GraphEditor* editor, GraphCanvas* canvas, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_canvas(canvas), m_rate(new QuantityField(Measure::Bandwidth)), m_latency(new QuantityField(Measure::Time)), m_gallery(new GalleryView),
      m_outline(new OutlineView(editor)), m_tabs(new QTabWidget)
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* header = new StepHeader(tr("Parts"));
    header->setHint(tr("drag, or key then click"));
    auto* fresh = new QPushButton(tr("New empty design"));
    connect(fresh, &QPushButton::clicked, this, &PartsPalette::newRequested);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 8, 12, 12);
    foot->addWidget(fresh);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header);
    column->addWidget(buildTiles());
    column->addWidget(buildLinks());
    m_tabs->setAccessibleName(tr("Gallery and outline"));
    m_tabs->tabBar()->setAccessibleName(tr("Gallery and outline"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_gallery, tr("Gallery"));
    m_tabs->addTab(m_outline, tr("Outline"));
    m_tabs->setTabToolTip(1, tr("The design as a tree (Ctrl+Shift+O)"));
    column->addWidget(m_tabs, 1);
    column->addLayout(foot);
    connect(editor, &GraphEditor::changed, this, &PartsPalette::showState);
    connect(editor, &GraphEditor::defaultsChanged, this, &PartsPalette::showState);
    followTheme(this, &PartsPalette::setTheme);
    showState();
}

QWidget* PartsPalette::buildTiles()
{
    auto* tiles = new QWidget;
    auto* grid = new QGridLayout(tiles);
    grid->setContentsMargins(12, 8, 12, 8);
    grid->setSpacing(8);
    int at = 0;
    const auto add = [&](QToolButton* tile, const char* iconName, const QString& tip) {
        tile->setToolTip(tip);
        tile->setAccessibleName(tip);
        grid->addWidget(tile, 0, at);
        grid->setColumnStretch(at, 1);
        ++at;
        m_tiles.emplace_back(tile, iconName);
    };
    for (const auto& [kind, text, key, iconName, tip] : {std::tuple{NodeKind::Npu, tr("NPU"), 'N', "npu", tr("Put an NPU (N)")}, {NodeKind::Switch, tr("Switch"), 'X', "switch", tr("Put a switch (X)")},
                                                    {NodeKind::Memory, tr("Memory"), 'M', "memory", tr("Put a memory (M)")}}) {
        auto* tile = new PartTile(kind, text, QLatin1Char(key));
        connect(tile, &QToolButton::clicked, this, [this, part = kind] { m_canvas->beginPart(part); });
        add(tile, iconName, tip);
    }
    auto* link = new KeyTile(tr("Link"), QLatin1Char('K'));
    connect(link, &QToolButton::clicked, this, [this] { m_canvas->beginLink(); });
    add(link, "link", tr("Draw a link (K)"));
    return tiles;
}

QWidget* PartsPalette::buildLinks()
{
    auto* links = new QWidget;
    auto* rows = new QGridLayout(links);
    rows->setContentsMargins(12, 8, 12, 8);
    rows->setSpacing(8);
    auto* title = new QLabel(tr("New links"));
    title->setProperty("role", QStringLiteral("section"));
    rows->addWidget(title, 0, 0, 1, 2);
    const auto field = [&](int row, const QString& text, QuantityField* value) {
        auto* label = new QLabel(text);
        rows->addWidget(label, row, 0);
        rows->addWidget(value, row, 1);
        value->setName(tr("%1 of new links").arg(text));
    };
    field(1, tr("Rate"), m_rate);
    field(2, tr("Latency"), m_latency);
    m_latency->setZeroAllowed(true);
    connect(m_rate, &QuantityField::edited, m_editor, &GraphEditor::setRate);
    connect(m_latency, &QuantityField::edited, m_editor, &GraphEditor::setLatency);
    rows->setColumnStretch(1, 1);
    return links;
}

void PartsPalette::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (const auto& [tile, name] : m_tiles) {
        tile->setIcon(icon(name, theme));
        tile->setIconSize({theme.scaled(20), theme.scaled(20)});
        tile->setMinimumHeight(theme.scaled(56));
    }
}

void PartsPalette::openOutline()
{
    m_tabs->setCurrentWidget(m_outline);
    m_outline->setFocus();
}

QSize PartsPalette::minimumSizeHint() const
{
    return QWidget::minimumSizeHint().expandedTo({m_theme.scaled(220), 0});
}

void PartsPalette::showState()
{
    m_rate->setQuantity(m_editor->rate());
    m_latency->setQuantity(m_editor->latency());
    for (const auto& [tile, name] : m_tiles)
        tile->setEnabled(m_editor->canDraw());
}

} // namespace fabricscope
