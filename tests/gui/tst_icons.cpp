#include "tests/gui/support/pictures.h"
#include "widgets/base/icons.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;

namespace {

/// The drawings that views may ask for, by name.
const QStringList& family()
{
    static const QStringList names = QStringLiteral(
        "new open save workload transform split fuse slice overlap undo redo copy delete export report settings search run stop live compare pin swap baseline sweep study npu link switch ring "
        "fully-connected torus group draw memory override add-dimension layout fit minimap critical-path flow-arrows measure filter collapse expand hide first "
        "back forward last play pause record chunk matrix storyboard explain ok warning error info assumed locked plus minus more").split(QLatin1Char(' '));
    return names;
}

QImage imageOf(const QIcon& icon, int size, double ratio = 1, QIcon::Mode mode = QIcon::Normal, QIcon::State state = QIcon::Off)
{
    return icon.pixmap(QSize(size, size), ratio, mode, state).toImage().convertToFormat(QImage::Format_ARGB32);
}

int inkedPixels(const QImage& image)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += qAlpha(image.pixel(x, y)) > 100 ? 1 : 0;
    return count;
}

/// The colour where the drawing covers a pixel fully.
QColor inkOf(const QImage& image)
{
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (qAlpha(image.pixel(x, y)) == 255)
                return QColor(image.pixel(x, y));
    return {};
}

} // namespace

class IconsTest : public QObject
{
    Q_OBJECT

private slots:
    void everyNameOfTheTableIsThereAndNoOther()
    {
        QStringList wanted = family();
        wanted.sort();
        QCOMPARE(iconNames(), wanted);
        QVERIFY(icon("no-such-icon", Theme()).isNull());
    }

    void everyIconDrawsSomethingInsideItsMargin_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString& name : family())
            QTest::addRow("%s", qPrintable(name)) << name;
    }
    void everyIconDrawsSomethingInsideItsMargin()
    {
        QFETCH(QString, name);
        const QImage image = imageOf(icon(name, Theme()), 16, 4);
        QCOMPARE(image.size(), QSize(64, 64));
        QVERIFY2(inkedPixels(image) > 100, qPrintable(QString::number(inkedPixels(image))));
        // 2 px margin for the line's middle, so 1.25 px at 16 stay empty: 5 pixels at four times the size.
        int outside = 0;
        for (int at = 0; at < 64; ++at)
            for (int edge = 0; edge < 4; ++edge)
                for (const QPoint p : {QPoint(at, edge), QPoint(at, 63 - edge), QPoint(edge, at), QPoint(63 - edge, at)})
                    outside += qAlpha(image.pixel(p)) > 0 ? 1 : 0;
        QCOMPARE(outside, 0);
    }

    void noTwoIconsLookTheSame()
    {
        for (qsizetype one = 0; one < family().size(); ++one) {
            const QImage first = imageOf(icon(family()[one], Theme()), 16, 2);
            for (qsizetype two = one + 1; two < family().size(); ++two) {
                const QImage second = imageOf(icon(family()[two], Theme()), 16, 2);
                int different = 0;
                for (int y = 0; y < 32; ++y)
                    for (int x = 0; x < 32; ++x)
                        different += std::abs(qAlpha(first.pixel(x, y)) - qAlpha(second.pixel(x, y))) > 100 ? 1 : 0;
                QVERIFY2(different >= 12, qPrintable(family()[one] + QStringLiteral(" and ") + family()[two]));
            }
        }
    }

    void A3_theColourIsTheThemesInEveryState_data()
    {
        QTest::addColumn<Theme::Mode>("mode");
        QTest::newRow("light") << Theme::Mode::Light;
        QTest::newRow("dark") << Theme::Mode::Dark;
    }
    void A3_theColourIsTheThemesInEveryState()
    {
        QFETCH(Theme::Mode, mode);
        const Theme theme(mode);
        const QIcon run = icon("run", theme);
        QCOMPARE(inkOf(imageOf(run, 16)).rgb(), theme.color(Role::Text).rgb());
        QCOMPARE(inkOf(imageOf(run, 16, 1, QIcon::Disabled)).rgb(), theme.color(Role::Disabled).rgb());
        QCOMPARE(inkOf(imageOf(run, 16, 1, QIcon::Normal, QIcon::On)).rgb(), theme.color(Role::Accent).rgb());
        QCOMPARE(inkOf(imageOf(icon("run", IconColors::onAccent(theme)), 16)).rgb(), theme.color(Role::OnAccent).rgb());
    }

    void A7_eachDeviceRatioGetsItsOwnDrawing_data()
    {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<int>("side");
        QTest::newRow("1") << 1.0 << 20;
        QTest::newRow("1.5") << 1.5 << 30;
        QTest::newRow("2") << 2.0 << 40;
    }
    void A7_eachDeviceRatioGetsItsOwnDrawing()
    {
        QFETCH(double, ratio);
        QFETCH(int, side);
        const QImage image = imageOf(icon("minus", Theme()), 20, ratio);
        QCOMPARE(image.size(), QSize(side, side));
        QCOMPARE(image.devicePixelRatio(), ratio);
        // One bar: summed down a column in the middle, its coverage is its thickness, 1.5 logical pixels. An enlarged picture would smear it
        // over more rows than the bar touches.
        double thickness = 0;
        int rows = 0;
        for (int y = 0; y < side; ++y) {
            const int alpha = qAlpha(image.pixel(side / 2, y));
            thickness += alpha / 255.0;
            rows += alpha > 0 ? 1 : 0;
        }
        QVERIFY2(std::abs(thickness - 1.5 * ratio) < 0.15, qPrintable(QString::number(thickness)));
        QVERIFY2(rows <= static_cast<int>(std::ceil(1.5 * ratio)) + 1, qPrintable(QString::number(rows)));
    }

    void paintingIntoARectangleKeepsTheIconSquare()
    {
        QImage image(60, 20, QImage::Format_ARGB32);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        icon("stop", Theme()).paint(&painter, image.rect());
        painter.end();
        QCOMPARE(qAlpha(image.pixel(30, 10)), 255);
        QCOMPARE(qAlpha(image.pixel(15, 10)), 0);
        QCOMPARE(qAlpha(image.pixel(45, 10)), 0);
    }

    void theApplicationIconHasASimplerDrawingWhenSmall()
    {
        const QIcon program = applicationIcon();
        const QImage large = imageOf(program, 64);
        const QImage small = imageOf(program, 16);
        QVERIFY(inkedPixels(large) > 64 * 64 / 2);
        QVERIFY(inkedPixels(small) > 16 * 16 / 2);
        const QImage shrunk = large.scaled(16, 16, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        int different = 0;
        for (int y = 0; y < 16; ++y)
            for (int x = 0; x < 16; ++x)
                different += std::abs(qRed(small.pixel(x, y)) - qRed(shrunk.pixel(x, y))) > 40 ? 1 : 0;
        QVERIFY(different > 20);
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            const Theme theme(mode);
            QImage sheet(1400, 760, QImage::Format_ARGB32);
            sheet.setDevicePixelRatio(2);
            sheet.fill(theme.color(Role::Panel));
            QPainter painter(&sheet);
            painter.setFont(theme.font(TextStyle::Smallest));
            for (int at = 0; at < static_cast<int>(family().size()); ++at) {
                const QPoint corner(10 + at % 10 * 68, 10 + at / 10 * 60);
                const QIcon of = icon(family()[at], theme);
                of.paint(&painter, QRect(corner, QSize(16, 16)));
                of.paint(&painter, QRect(corner + QPoint(20, -2), QSize(20, 20)), Qt::AlignCenter, QIcon::Normal, QIcon::On);
                of.paint(&painter, QRect(corner + QPoint(42, -4), QSize(24, 24)), Qt::AlignCenter, QIcon::Disabled);
                painter.setPen(theme.color(Role::Text));
                painter.drawText(corner + QPoint(0, 34), family()[at]);
            }
            int x = 520;
            for (const int side : {16, 24, 32, 64}) {
                applicationIcon().paint(&painter, QRect(x, 310, side, side));
                x += side + 8;
            }
            painter.end();
            sheet.save(folder + (theme.isDark() ? QStringLiteral("/icons-dark.png") : QStringLiteral("/icons-light.png")));
        }
    }
};

FABRICSCOPE_GUI_TEST(IconsTest)
#include "tst_icons.moc"
