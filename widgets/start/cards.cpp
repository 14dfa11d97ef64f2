#include "widgets/start/cards.h"

#include "core/design/design.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/canvas/thumbnail.h"

#include <QEvent>
#include <QPainter>

namespace fabricscope {

namespace {

/// The picture is drawn larger and shrunk, so that links and NPUs keep their proportions.
constexpr double kShrink = 2.5;

void paintFocus(QPainter& painter, const QWidget& widget, const Theme& theme)
{
    if (!widget.hasFocus())
        return;
    painter.setPen(QPen(theme.color(Role::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(1, 1, -1, -1), 4, 4);
}

} // namespace

TemplateCard::TemplateCard(const ShippedDesign& design, QWidget* parent)
    : QAbstractButton(parent)
    , m_text(design.text)
{
    setText(design.title);
    setToolTip(texts::toolTip(design.detail));
    setAccessibleName(design.title);
    setAccessibleDescription(design.detail);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    followTheme(this, &TemplateCard::setTheme);
}

void TemplateCard::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_picture = {};
    updateGeometry();
    update();
}

QSize TemplateCard::sizeHint() const
{
    return {m_theme.scaled(160), m_theme.scaled(112)};
}

QSize TemplateCard::pictureSize() const
{
    return {width() - 2, height() - m_theme.scaled(30)};
}

void TemplateCard::drawPicture()
{
    const LoadedDesign read = inspectDesignText(m_text, {}, {}, false);
    m_picture = platformThumbnail(read.design.platform ? *read.design.platform : PlatformSpec(), pictureSize(), devicePixelRatioF(), kShrink);
}

void TemplateCard::paintEvent(QPaintEvent*)
{
    if (m_picture.isNull() || m_picture.size() != pictureSize() * devicePixelRatioF())
        drawPicture();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Role back = isDown() ? Role::Pressed : underMouse() ? Role::Hover : Role::View;
    painter.setPen(QPen(m_theme.color(underMouse() ? Role::Outline : Role::Line2), 1));
    painter.setBrush(m_theme.color(back));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.drawPixmap(QPoint(1, 1), m_picture);
    QRect label = rect();
    label.setTop(1 + pictureSize().height());
    painter.setPen(m_theme.color(Role::Line));
    painter.drawLine(QPointF(1, label.top() + 0.5), QPointF(width() - 1, label.top() + 0.5));
    painter.setFont(m_theme.font(TextStyle::Table));
    painter.setPen(m_theme.color(Role::Text));
    const int pad = m_theme.scaled(8);
    painter.drawText(label.adjusted(pad, 0, -pad, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, label.width() - 2 * pad));
    paintFocus(painter, *this, m_theme);
}

StartRow::StartRow(const QString& title, const QString& detail, QWidget* parent)
    : QAbstractButton(parent)
    , m_detail(detail)
{
    setText(texts::shown(title));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setToolTip(texts::toolTip(detail));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    describe();
    followTheme(this, &StartRow::setTheme);
}

void StartRow::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void StartRow::setRight(const QString& text)
{
    m_right = text;
    describe();
    update();
}

void StartRow::describe()
{
    setAccessibleName(text());
    setAccessibleDescription(m_right.isEmpty() ? m_detail : m_detail + QStringLiteral(", ") + m_right);
}

QSize StartRow::sizeHint() const
{
    return {m_theme.scaled(400), m_theme.scaled(28)};
}

QSize StartRow::minimumSizeHint() const
{
    return {m_theme.scaled(160), m_theme.scaled(28)};
}

void StartRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (isEnabled() && (underMouse() || isDown())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(isDown() ? Role::Pressed : Role::Hover));
        painter.drawRoundedRect(rect(), 4, 4);
    }
    QRect rest = rect().adjusted(m_theme.scaled(8), 0, -m_theme.scaled(8), 0);
    const auto draw = [&](const QString& text, TextStyle style, Role role, Qt::AlignmentFlag side, int most) {
        const QFont font = m_theme.font(style);
        const QFontMetrics metrics(font);
        const QString shown = metrics.elidedText(text, Qt::ElideRight, std::min(most, rest.width()));
        painter.setFont(font);
        painter.setPen(m_theme.color(isEnabled() ? role : Role::Disabled));
        painter.drawText(rest, static_cast<int>(side) | Qt::AlignVCenter, shown);
        return shown.isEmpty() ? 0 : metrics.horizontalAdvance(shown) + m_theme.scaled(12);
    };
    rest.setRight(rest.right() - draw(m_right, TextStyle::Table, Role::Text2, Qt::AlignRight, rest.width() / 2));
    rest.setLeft(rest.left() + draw(text(), TextStyle::Body, Role::Text, Qt::AlignLeft, rest.width() * 2 / 3));
    draw(m_detail, TextStyle::Table, Role::Text3, Qt::AlignLeft, rest.width());
    paintFocus(painter, *this, m_theme);
}

} // namespace fabricscope
