// Renders the application icon at build time: rendericon FULL.svg SMALL.svg SIZE OUT.png. Up to 24 px the simpler drawing is taken.
#include <QImage>
#include <QPainter>
#include <QString>
#include <QSvgRenderer>

#include <cstdio>

int main(int argc, char** argv)
{
    if (argc != 5)
        return 2;
    const int size = QByteArray(argv[3]).toInt();
    QSvgRenderer renderer(QString::fromLocal8Bit(size <= 24 ? argv[2] : argv[1]));
    QImage image(size, size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter);
    painter.end();
    if (!renderer.isValid() || !image.save(QString::fromLocal8Bit(argv[4]))) {
        std::fprintf(stderr, "%s: cannot be rendered\n", argv[4]);
        return 1;
    }
    return 0;
}
