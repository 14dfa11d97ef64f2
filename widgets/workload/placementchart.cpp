#include "widgets/workload/placementchart.h"

#include "core/base/index.h"
#include "core/report/placementdrawing.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/report/drawingpainter.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr double kUsualDrawn = 800;
constexpr double kLeastDrawn = 470;

} // namespace

PlacementChart::PlacementChart(Kind kind, QWidget* parent) : QWidget(parent), m_kind(kind)
{
    setFocusPolicy(kind == Kind::Stages ? Qt::StrongFocus : Qt::NoFocus);
    setAccessibleName(kind == Kind::Ratios ? tr("Ratios by kind of device") : kind == Kind::Stages ? tr("Stages of the program") : tr("The program against the baselines"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setSizePolicy(policy);
    followTheme(this, &PlacementChart::setTheme);
}

void PlacementChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void PlacementChart::setFigures(std::shared_ptr<const PlacementFigures> figures)
{
    m_figures = std::move(figures);
    m_stages = m_figures ? stagesOf(*m_figures) : std::vector<PlacedStage>();
    m_current = std::min(m_current, stageCount() - 1);
    describe();
    updateGeometry();
    update();
}

void PlacementChart::setCurrentStage(int stage)
{
    m_current = std::clamp(stage, -1, stageCount() - 1);
    describe();
    update();
}

Drawing PlacementChart::drawingOf(double width) const
{
    if (!m_figures)
        return {};
    switch (m_kind) {
    case Kind::Ratios:
        return ratioDrawing(*m_figures, width);
    case Kind::Stages:
        return stageDrawing(*m_figures, width, m_current < 0 ? 0 : m_stages[at(m_current)].number);
    case Kind::Programs:
        break;
    }
    return programsDrawing(*m_figures, width);
}

Drawing PlacementChart::drawing() const
{
    return drawingOf(std::max(kLeastDrawn, width() / scale()));
}

QRectF PlacementChart::stagePlace(int stage) const
{
    const RectF place = stageRect(m_stages, at(stage), std::max(kLeastDrawn, width() / scale()));
    return {place.left() * scale(), place.top() * scale(), place.width() * scale(), place.height() * scale()};
}

QSize PlacementChart::sizeHint() const
{
    return {static_cast<int>(kUsualDrawn * scale()), static_cast<int>(drawingOf(kUsualDrawn).size.height() * scale() + 0.5)};
}

QSize PlacementChart::minimumSizeHint() const
{
    return {static_cast<int>(kLeastDrawn * scale()), sizeHint().height()};
}

void PlacementChart::describe()
{
    if (!m_figures)
        return setAccessibleDescription({});
    QString text = texts::shown(drawingOf(kUsualDrawn).description);
    if (m_kind == Kind::Stages && m_current >= 0) {
        const PlacedStage& stage = m_stages[at(m_current)];
        text += tr("; stage %1 waits for %2, computes %3").arg(stage.number).arg(texts::shown(enteringText(*m_figures, stage)), texts::shown(computingText(*m_figures, stage)));
    }
    setAccessibleDescription(text);
}

void PlacementChart::choose(int stage)
{
    setCurrentStage(stage);
    emit stageChosen(m_current);
}

void PlacementChart::keyPressEvent(QKeyEvent* event)
{
    if (m_kind != Kind::Stages || m_stages.empty() || event->modifiers() != Qt::NoModifier)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left: return choose(std::max(0, m_current - 1));
    case Qt::Key_Right: return choose(std::min(stageCount() - 1, m_current + 1));
    case Qt::Key_Home: return choose(0);
    case Qt::Key_End: return choose(stageCount() - 1);
    case Qt::Key_Escape:
        if (m_current >= 0)
            return choose(-1);
        break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void PlacementChart::mousePressEvent(QMouseEvent* event)
{
    if (m_kind != Kind::Stages)
        return QWidget::mousePressEvent(event);
    for (int stage = 0; stage < stageCount(); ++stage) {
        if (stagePlace(stage).contains(event->position()))
            return choose(stage);
    }
    choose(-1);
}

void PlacementChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (!m_figures)
        return;
    const Drawing shown = drawing();
    painter.setRenderHint(QPainter::Antialiasing);
    paintDrawing(painter, shown, QRectF(0, 0, shown.size.width() * scale(), shown.size.height() * scale()), m_theme.font(TextStyle::Body), m_theme.isDark());
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

} // namespace fabricscope
