#include "widgets/base/texts.h"
#include "core/base/index.h"
#include "tests/gui/support/withtheme.h"
#include "widgets/base/chip.h"
#include "widgets/base/theme.h"
#include "tests/unit/support/testprogram.h"

#include <QLabel>
#include <QPushButton>
#include <QtTest>

#include <array>
#include <cmath>

using namespace fabricscope;

namespace {

using Vector = std::array<double, 3>;

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

/// How a colour looks to a reader: Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
enum class Reader { Normal, Deuteranopia, Protanopia, Tritanopia };

Vector seenBy(const QColor& color, Reader reader)
{
    static const std::array<std::array<double, 9>, 4> matrices{{
        {1, 0, 0, 0, 1, 0, 0, 0, 1},
        {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
        {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
        {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
    }};
    const auto& m = matrices[at(reader)];
    const Vector rgb{linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
    Vector seen{};
    for (std::size_t row = 0; row < 3; ++row)
        seen[row] = std::clamp(m[3 * row] * rgb[0] + m[3 * row + 1] * rgb[1] + m[3 * row + 2] * rgb[2], 0.0, 1.0);
    return seen;
}

Vector lab(const Vector& rgb)
{
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f((0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047);
    const double y = f(0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2]);
    const double z = f((0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// CIEDE2000 (Sharma, Wu, Dalal 2005).
double distance(const Vector& one, const Vector& two)
{
    constexpr double pi = 3.14159265358979323846;
    const auto rad = [](double degrees) { return degrees * pi / 180; };
    const double c1 = std::hypot(one[1], one[2]);
    const double c2 = std::hypot(two[1], two[2]);
    const double cMean7 = std::pow((c1 + c2) / 2, 7);
    const double g = 0.5 * (1 - std::sqrt(cMean7 / (cMean7 + std::pow(25.0, 7))));
    const double a1 = one[1] * (1 + g);
    const double a2 = two[1] * (1 + g);
    const double cp1 = std::hypot(a1, one[2]);
    const double cp2 = std::hypot(a2, two[2]);
    const auto hue = [&](double b, double a) {
        if (a == 0 && b == 0)
            return 0.0;
        const double angle = std::atan2(b, a) * 180 / pi;
        return angle < 0 ? angle + 360 : angle;
    };
    const double h1 = hue(one[2], a1);
    const double h2 = hue(two[2], a2);
    double dh = h2 - h1;
    if (cp1 * cp2 == 0)
        dh = 0;
    else if (dh > 180)
        dh -= 360;
    else if (dh < -180)
        dh += 360;
    const double dL = two[0] - one[0];
    const double dC = cp2 - cp1;
    const double dH = 2 * std::sqrt(cp1 * cp2) * std::sin(rad(dh / 2));
    const double lMean = (one[0] + two[0]) / 2;
    const double cMean = (cp1 + cp2) / 2;
    double hMean = h1 + h2;
    if (cp1 * cp2 != 0)
        hMean = std::abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 < 360 ? (h1 + h2 + 360) / 2 : (h1 + h2 - 360) / 2);
    const double t = 1 - 0.17 * std::cos(rad(hMean - 30)) + 0.24 * std::cos(rad(2 * hMean)) + 0.32 * std::cos(rad(3 * hMean + 6)) - 0.20 * std::cos(rad(4 * hMean - 63));
    const double theta = 30 * std::exp(-std::pow((hMean - 275) / 25, 2));
    const double cm7 = std::pow(cMean, 7);
    const double rc = 2 * std::sqrt(cm7 / (cm7 + std::pow(25.0, 7)));
    const double sl = 1 + 0.015 * std::pow(lMean - 50, 2) / std::sqrt(20 + std::pow(lMean - 50, 2));
    const double sc = 1 + 0.045 * cMean;
    const double sh = 1 + 0.015 * cMean * t;
    const double rt = -std::sin(rad(2 * theta)) * rc;
    return std::sqrt(std::pow(dL / sl, 2) + std::pow(dC / sc, 2) + std::pow(dH / sh, 2) + rt * dC / sc * dH / sh);
}

double smallest(const std::vector<QColor>& colors, Reader reader, bool neighboursOnly = false)
{
    double least = 1000;
    for (std::size_t i = 0; i < colors.size(); ++i)
        for (std::size_t j = i + 1; j < (neighboursOnly ? std::min(i + 2, colors.size()) : colors.size()); ++j)
            least = std::min(least, distance(lab(seenBy(colors[i], reader)), lab(seenBy(colors[j], reader))));
    return least;
}

std::vector<QColor> kinds(const Theme& theme)
{
    std::vector<QColor> colors;
    for (int k = 0; k <= static_cast<int>(Activity::Broadcast); ++k)
        colors.push_back(theme.activity(static_cast<Activity>(k)));
    return colors;
}

} // namespace

class ThemeTest : public QObject
{
    Q_OBJECT
private slots:
    void distanceFormulaGivesPublishedValues()
    {
        // Pairs 1, 7 and 25 of the test data published with the formula.
        QVERIFY(std::abs(distance({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
        QVERIFY(std::abs(distance({50, 0, 0}, {50, -1, 2}) - 2.3669) < 1e-4);
        QVERIFY(std::abs(distance({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) - 1.2644) < 1e-4);
    }

    void A3_textIsReadableOnEverySurface_data()
    {
        QTest::addColumn<int>("mode");
        QTest::newRow("light") << static_cast<int>(Theme::Mode::Light);
        QTest::newRow("dark") << static_cast<int>(Theme::Mode::Dark);
    }
    void A3_textIsReadableOnEverySurface()
    {
        QFETCH(int, mode);
        const Theme theme(static_cast<Theme::Mode>(mode));
        const Role surfaces[] = {Role::Window, Role::Panel, Role::View, Role::Raised, Role::Stripe, Role::Hover, Role::Sel};
        for (const Role surface : surfaces) {
            for (const Role text : {Role::Text, Role::Text2, Role::Accent, Role::Ok, Role::Warn, Role::Err})
                QVERIFY2(Theme::contrast(theme.color(text), theme.color(surface)) >= 4.5, qPrintable(QString::number(static_cast<int>(text))));
            if (surface != Role::Sel)
                QVERIFY(Theme::contrast(theme.color(Role::Text3), theme.color(surface)) >= 4.5);
        }
        QVERIFY(Theme::contrast(theme.color(Role::OnAccent), theme.color(Role::Accent)) >= 4.5);
        QVERIFY(Theme::contrast(theme.color(Role::Ok), theme.color(Role::OkBg)) >= 4.5);
        QVERIFY(Theme::contrast(theme.color(Role::Warn), theme.color(Role::WarnBg)) >= 4.5);
        QVERIFY(Theme::contrast(theme.color(Role::Err), theme.color(Role::ErrBg)) >= 4.5);
        QVERIFY(Theme::contrast(theme.color(Role::Accent), theme.color(Role::InfoBg)) >= 4.5);
    }

    void A3_graphicsStandOutFromTheView_data() { A3_textIsReadableOnEverySurface_data(); }
    void A3_graphicsStandOutFromTheView()
    {
        QFETCH(int, mode);
        const Theme theme(static_cast<Theme::Mode>(mode));
        std::vector<QColor> graphics = kinds(theme);
        for (int d = 0; d < Theme::kDimensionColors; ++d)
            graphics.push_back(theme.dimension(d));
        for (const Role role : {Role::Outline, Role::Wait, Role::Exposed, Role::Critical, Role::Ghost})
            graphics.push_back(theme.color(role));
        for (int bucket = 0; bucket < Theme::kHeatBuckets; ++bucket)
            graphics.push_back(theme.heat(bucket));
        for (const QColor& color : graphics)
            QVERIFY2(Theme::contrast(color, theme.color(Role::View)) >= 2.95, qPrintable(color.name()));
        for (const QColor& fill : kinds(theme))
            QVERIFY2(Theme::contrast(theme.ink(fill), fill) >= 4.5, qPrintable(fill.name()));
    }

    void A4_kindsDifferForEveryReader_data()
    {
        // Smallest distances between kinds, dimensions and steps of heat, for each way of seeing colours.
        QTest::addColumn<int>("mode");
        QTest::addColumn<int>("reader");
        QTest::addColumn<double>("kindsDistance");
        QTest::addColumn<double>("dimensionsDistance");
        QTest::addColumn<double>("heatDistance");
        const int light = static_cast<int>(Theme::Mode::Light);
        const int dark = static_cast<int>(Theme::Mode::Dark);
        QTest::newRow("light, normal") << light << 0 << 19.6 << 22.7 << 9.6;
        QTest::newRow("light, deuteranopia") << light << 1 << 16.4 << 21.1 << 4.8;
        QTest::newRow("light, protanopia") << light << 2 << 11.7 << 20.8 << 6.5;
        QTest::newRow("light, tritanopia") << light << 3 << 11.1 << 19.0 << 5.6;
        QTest::newRow("dark, normal") << dark << 0 << 18.8 << 20.4 << 9.6;
        QTest::newRow("dark, deuteranopia") << dark << 1 << 15.8 << 18.5 << 5.2;
        QTest::newRow("dark, protanopia") << dark << 2 << 15.8 << 16.5 << 3.3;
        QTest::newRow("dark, tritanopia") << dark << 3 << 13.7 << 17.7 << 6.0;
    }
    void A4_kindsDifferForEveryReader()
    {
        QFETCH(int, mode);
        QFETCH(int, reader);
        QFETCH(double, kindsDistance);
        QFETCH(double, dimensionsDistance);
        QFETCH(double, heatDistance);
        const Theme theme(static_cast<Theme::Mode>(mode));
        const auto as = static_cast<Reader>(reader);
        std::vector<QColor> dimensions;
        for (int d = 0; d < Theme::kDimensionColors; ++d)
            dimensions.push_back(theme.dimension(d));
        std::vector<QColor> heat;
        for (int bucket = 0; bucket < Theme::kHeatBuckets; ++bucket)
            heat.push_back(theme.heat(bucket));

        QVERIFY(std::abs(smallest(kinds(theme), as) - kindsDistance) < 0.15);
        QVERIFY(std::abs(smallest(dimensions, as) - dimensionsDistance) < 0.15);
        QVERIFY(std::abs(smallest(heat, as, true) - heatDistance) < 0.15);
        QVERIFY(smallest(kinds(theme), as) >= 10);
        QVERIFY(smallest(dimensions, as) >= 15);
        QVERIFY(smallest(heat, as, true) >= 3);
    }

    void A4_kindsDifferByPatternToo()
    {
        const Theme theme;
        QSet<int> patterns;
        for (int k = 0; k <= static_cast<int>(Activity::Broadcast); ++k)
            patterns.insert(theme.pattern(static_cast<Activity>(k)));
        QCOMPARE(patterns.size(), 8);
    }

    void A3_switchesAtRunTime()
    {
        auto* application = qobject_cast<QApplication*>(QCoreApplication::instance());
        QVERIFY(application);
        Theme(Theme::Mode::Dark).apply(*application);
        QCOMPARE(QApplication::palette().color(QPalette::Window), QColor(0x1B, 0x1F, 0x24));
        Theme(Theme::Mode::Light).apply(*application);
        QCOMPARE(QApplication::palette().color(QPalette::Window), QColor(0xF6, 0xF7, 0xF9));
    }

    void styleSheetHasNoTokenLeft()
    {
        QVERIFY(!Theme().styleSheet().contains(QLatin1Char('@')));
        QVERIFY(!Theme(Theme::Mode::Dark).styleSheet().contains(QLatin1Char('@')));
    }

    void figuresHaveOneWidth()
    {
        const QFontMetricsF metrics(Theme().font(TextStyle::Body));
        for (char digit = '1'; digit <= '9'; ++digit)
            QCOMPARE(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance(QLatin1Char('0')));
    }

    void heatBucketsCutTheRangeInEighths()
    {
        QCOMPARE(Theme::heatBucket(-1), 0);
        QCOMPARE(Theme::heatBucket(0.1249), 0);
        QCOMPARE(Theme::heatBucket(0.125), 1);
        QCOMPARE(Theme::heatBucket(0.534), 4);
        QCOMPARE(Theme::heatBucket(1.0), 7);
        QCOMPARE(Theme::heatBucket(7.5), 7);
        QCOMPARE(Theme::heatBucket(std::nan("")), 0);
    }

    void numbersAreShownAsTheDesignSays()
    {
        QLocale::setDefault(QLocale::c());
        const QString thin(QChar(0x202F));
        QCOMPARE(texts::time(SimTime{11'314'000'000}), QStringLiteral("11.314") + thin + QStringLiteral("ms"));
        QCOMPARE(texts::time(SimTime{828'512'000}), QStringLiteral("828.512") + thin + QString::fromUtf8("µs"));
        QCOMPARE(texts::time(SimTime{999'999'900}), QStringLiteral("1.000") + thin + QStringLiteral("ms"));
        QCOMPARE(texts::time(SimTime{7}), QStringLiteral("7") + thin + QStringLiteral("ps"));
        QCOMPARE(texts::bytes(75'497'472), QStringLiteral("75.5") + thin + QStringLiteral("MB"));
        QCOMPARE(texts::bytes(999), QStringLiteral("999") + thin + QStringLiteral("B"));
        QCOMPARE(texts::rate(12.5e9), QStringLiteral("12.5") + thin + QStringLiteral("GB/s"));
        QCOMPARE(texts::percent(0.534), QStringLiteral("53.4") + thin + QStringLiteral("%"));
        QCOMPARE(texts::count(1408), QStringLiteral("1") + thin + QStringLiteral("408"));
        QCOMPARE(texts::count(-1048576), QChar(0x2212) + QStringLiteral("1") + thin + QStringLiteral("048") + thin + QStringLiteral("576"));
        QCOMPARE(texts::number(-0.0001, 3), QStringLiteral("0.000"));
        QCOMPARE(texts::number(1509949.25, 2), QStringLiteral("1") + thin + QStringLiteral("509") + thin + QStringLiteral("949.25"));
    }

    void numbersFollowTheLocale()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(texts::percent(0.534), QStringLiteral("53,4") + QChar(0x202F) + QLatin1Char('%'));
        QLocale::setDefault(QLocale::c());
    }

    void iconsOfButtonsGrowWithTheText()
    {
        for (const double pixels : {13.0, 20.0, 26.0}) {
            const Theme theme(Theme::Mode::Light, pixels);
            const test::WithTheme with(theme);
            QPushButton button(QStringLiteral("Export"));
            button.ensurePolished();
            QCOMPARE(button.iconSize().height(), theme.scaled(16));
        }
    }

    void chipsHaveRoundCornersAtEverySizeOfText()
    {
        for (const double pixels : {10.0, 13.0, 16.0, 20.0, 26.0}) {
            const Theme theme(Theme::Mode::Light, pixels);
            const test::WithTheme with(theme);
            for (const int height : {0, theme.scaled(20)}) {
                QWidget page; // A window of its own would be filled whole.
                QLabel label(QStringLiteral("Live: every edit re-runs"), &page);
                setChip(label, "ok", label.text());
                label.ensurePolished();
                label.resize(label.sizeHint().width(), height > 0 ? height : label.sizeHint().height());
                const QImage drawn = page.grab(label.geometry()).toImage();
                QCOMPARE(drawn.pixelColor(drawn.width() / 2, 1).rgb(), theme.color(Role::OkBg).rgb());
                QVERIFY2(drawn.pixelColor(0, 0).rgb() != theme.color(Role::OkBg).rgb(), qPrintable(QStringLiteral("%1 px, %2 high").arg(pixels).arg(label.height())));
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(ThemeTest)
#include "tst_theme.moc"
