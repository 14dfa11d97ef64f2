#include "widgets/base/icons.h"

#include <QDir>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include <memory>

/// The family is compiled into a static library: without this call the linker would leave it out. Outside of any namespace, as Qt wants.
static void loadIconFamily()
{
    Q_INIT_RESOURCE(icons);
}

namespace fabricscope {

namespace {

constexpr double kGrid = 16;

QByteArray resource(const QString& path)
{
    loadIconFamily();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What engines of both kinds share: everything is painted, pixmaps too, so it is crisp at any device ratio.
class VectorEngine : public QIconEngine
{
public:
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override { return scaledPixmap(size, mode, state, 1); }

    /// `size` is in device pixels.
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        draw(painter, QRectF(QPointF(), QSizeF(size)), mode, state, std::min(size.width(), size.height()) / scale);
        painter.end();
        pixmap.setDevicePixelRatio(scale);
        return pixmap;
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        draw(*painter, QRectF(rect), mode, state, std::min(rect.width(), rect.height()));
    }

protected:
    /// `logical`: the shorter side in logical pixels.
    virtual void draw(QPainter& painter, const QRectF& rect, QIcon::Mode mode, QIcon::State state, double logical) = 0;

    static void render(QPainter& painter, const QRectF& rect, const QByteArray& svg)
    {
        QSvgRenderer renderer(svg);
        const double side = std::min(rect.width(), rect.height());
        QRectF square(0, 0, side, side);
        square.moveCenter(rect.center());
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        renderer.render(&painter, square);
        painter.restore();
    }
};

class FamilyEngine final : public VectorEngine
{
public:
    FamilyEngine(QString name, QByteArray svg, IconColors colors)
        : m_name(std::move(name))
        , m_svg(std::move(svg))
        , m_colors(std::move(colors))
    {
    }

    QIconEngine* clone() const override { return new FamilyEngine(*this); }
    QString key() const override { return QStringLiteral("fabricscope"); }
    QString iconName() override { return m_name; }

protected:
    void draw(QPainter& painter, const QRectF& rect, QIcon::Mode mode, QIcon::State state, double logical) override
    {
        const QColor& color = mode == QIcon::Disabled ? m_colors.disabled : state == QIcon::On ? m_colors.checked : m_colors.normal;
        // The stroke keeps its width on screen while the drawing grows: 1.5 px, from 24 px on 1.75.
        const double stroke = logical <= 0 ? 1.5 : (logical >= 24 ? 1.75 : 1.5) * kGrid / logical;
        QByteArray svg = m_svg;
        svg.replace("currentColor", color.name().toLatin1());
        svg.replace("stroke-width=\"1.5\"", "stroke-width=\"" + QByteArray::number(stroke, 'f', 4) + '"');
        render(painter, rect, svg);
    }

private:
    QString m_name;
    QByteArray m_svg;
    IconColors m_colors;
};

class ApplicationEngine final : public VectorEngine
{
public:
    QIconEngine* clone() const override { return new ApplicationEngine(*this); }
    QList<QSize> availableSizes(QIcon::Mode, QIcon::State) override
    {
        return {{16, 16}, {22, 22}, {24, 24}, {32, 32}, {48, 48}, {64, 64}, {128, 128}, {256, 256}};
    }

protected:
    void draw(QPainter& painter, const QRectF& rect, QIcon::Mode, QIcon::State, double logical) override
    {
        render(painter, rect, resource(logical <= 24 ? QStringLiteral(":/icons/app/small.svg") : QStringLiteral(":/icons/app/full.svg")));
    }
};

} // namespace

IconColors IconColors::of(const Theme& theme)
{
    return {theme.color(Role::Text), theme.color(Role::Disabled), theme.color(Role::Accent)};
}

IconColors IconColors::onAccent(const Theme& theme)
{
    return {theme.color(Role::OnAccent), theme.color(Role::Disabled), theme.color(Role::OnAccent)};
}

QIcon icon(QAnyStringView name, const Theme& theme)
{
    return icon(name, IconColors::of(theme));
}

QIcon icon(QAnyStringView name, const IconColors& colors)
{
    const QString text = name.toString();
    QByteArray svg = resource(QStringLiteral(":/icons/") + text + QStringLiteral(".svg"));
    if (svg.isEmpty())
        return {};
    return QIcon(new FamilyEngine(text, std::move(svg), colors));
}

QStringList iconNames()
{
    loadIconFamily();
    QStringList names = QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")}, QDir::Files, QDir::Name);
    for (QString& name : names)
        name.chop(4);
    return names;
}

QIcon applicationIcon()
{
    return QIcon(new ApplicationEngine);
}

} // namespace fabricscope
