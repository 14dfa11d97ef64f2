#include "tests/gui/support/withtheme.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/pictures.h"
#include "tests/gui/support/runresults.h"
#include "widgets/results/statusstrip.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const QString kMicro = QString::fromUtf8("µs");

QString withUnit(const char* number, const QString& unit)
{
    return QString::fromUtf8(number) + QChar(0x202F) + unit;
}

} // namespace

class StatusStripTest : public QObject
{
    Q_OBJECT

    RunResultPtr m_two = runText(kTwoRanks);

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        AppTheme::global().set(Theme());
    }

    void R3_theStatusStripCarriesModelVersionAndFingerprint()
    {
        StatusStrip strip;
        strip.resize(1400, 28);
        strip.show();
        strip.setResult(m_two);
        QCOMPARE(tagged<QLabel>(strip, "headline").text(), withUnit("292.000", kMicro));
        QCOMPARE(tagged<QLabel>(strip, "model").text(), QStringLiteral("links physical/4"));
        const QString digits = QString::fromStdString(m_two->record().fingerprint.hex());
        QCOMPARE(digits.size(), 32);
        QCOMPARE(tagged<QPushButton>(strip, "fingerprint").text(), QStringLiteral("fingerprint %1-%2").arg(digits.left(4), digits.right(4)));
        QVERIFY(tagged<QLabel>(strip, "engine").text().contains(QStringLiteral("simulated in ")));
        QTest::mouseClick(&tagged<QPushButton>(strip, "fingerprint"), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), digits);
        QVERIFY(tagged<QLabel>(strip, "message").text().contains(digits));
        QCOMPARE(tagged<QLabel>(strip, "accuracy").text(), QStringLiteral("Accuracy: no measurements for this fabric"));
    }

    void theStatusStripSaysHowFarOffTheFabricIs()
    {
        StatusStrip strip;
        strip.resize(1400, 28);
        strip.show();
        const auto shown = [&](const std::string& accuracy) {
            strip.setResult(runText("fabricscope: 1\nplatform: {topology: Switch(8), bandwidth: 100 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 64 MiB}\naccuracy: " + accuracy + "\n"));
            return tagged<QLabel>(strip, "accuracy").text();
        };
        QCOMPARE(shown("{error: 5.5, max_size: 1 GiB, source: nccl-tests}"), QStringLiteral("Accuracy: 5.5 % off"));
        QVERIFY(tagged<QLabel>(strip, "accuracy").toolTip().contains(QStringLiteral("measured for up to 1 GiB (nccl-tests)")));
        QCOMPARE(shown("{error: 5.5, max_size: 1 MiB, max_ranks: 4}"), QStringLiteral("Accuracy: outside of what was measured"));
        QCOMPARE(tagged<QLabel>(strip, "accuracy").toolTip().count(QStringLiteral("Not measured: ")), 2);
    }

    void R3_theSameInputsGiveTheSameFingerprint()
    {
        StatusStrip first;
        first.setResult(runText(kTwoRanks));
        StatusStrip second;
        second.setResult(runText(kTwoRanks));
        QCOMPARE(tagged<QPushButton>(second, "fingerprint").text(), tagged<QPushButton>(first, "fingerprint").text());
        second.setResult(runText(QString::fromUtf8(kTwoRanks).replace(QStringLiteral("250 us"), QStringLiteral("251 us")).toStdString()));
        QVERIFY(tagged<QPushButton>(second, "fingerprint").text() != tagged<QPushButton>(first, "fingerprint").text());
    }

    void theStatusStripCountsAssumedValues()
    {
        StatusStrip strip;
        strip.resize(1400, 28);
        strip.show();
        auto copy = std::make_shared<RunResult>(*m_two);
        copy->summary.parameters = {{"a", "1", "x", true}, {"b", "2", "x", false}, {"c", "3", "x", true}};
        strip.setResult(copy);
        QCOMPARE(tagged<QPushButton>(strip, "assumed").text(), QStringLiteral("2 assumed values"));
        QSignalSpy clicked(&strip, &StatusStrip::assumedClicked);
        QTest::mouseClick(&tagged<QPushButton>(strip, "assumed"), Qt::LeftButton);
        QCOMPARE(clicked.count(), 1);
        copy = std::make_shared<RunResult>(*copy);
        copy->summary.parameters.resize(1);
        strip.setResult(copy);
        QCOMPARE(tagged<QPushButton>(strip, "assumed").text(), QStringLiteral("1 assumed value"));
    }

    void R2_progressIsOneLineForPeople()
    {
        RunProgress progress;
        QCOMPARE(progressText(progress), QStringLiteral("Preparing"));
        progress.stage = RunProgress::Stage::Simulating;
        progress.share = 0.41;
        progress.eventsPerSecond = 38.2e6;
        progress.secondsLeft = 5.2;
        QCOMPARE(progressText(progress), withUnit("41", QStringLiteral("%")) + QStringLiteral(", ") + withUnit("38", QStringLiteral("M")) + QStringLiteral(" events/s, 6 s left"));
        progress.secondsLeft = -1;
        progress.eventsPerSecond = 1234;
        QCOMPARE(progressText(progress), withUnit("41", QStringLiteral("%")) + QStringLiteral(", ") + withUnit("1.2", QStringLiteral("k")) + QStringLiteral(" events/s"));
        StatusStrip strip;
        strip.resize(1000, 28);
        strip.show();
        strip.setProgress(progress);
        QVERIFY(tagged<QLabel>(strip, "progress").isVisible());
        strip.setProgress({});
        QVERIFY(!tagged<QLabel>(strip, "progress").isVisible());
    }

    void aNarrowStatusStripLeavesOutWhatIsLeastAskedFor()
    {
        StatusStrip strip;
        strip.setResult(m_two);
        strip.resize(1400, 28);
        strip.show();
        QVERIFY(tagged<QLabel>(strip, "engine").isVisible());
        strip.resize(560, 28);
        QVERIFY(!tagged<QLabel>(strip, "engine").isVisible());
        QVERIFY(tagged<QLabel>(strip, "headline").isVisible());
        QVERIFY(tagged<QLabel>(strip, "accuracy").isVisible());
    }

    void aTipStandsInThePlaceOfEverythingElse()
    {
        StatusStrip strip;
        strip.setResult(m_two);
        strip.resize(1400, 28);
        strip.show();
        strip.setTip(QStringLiteral("Follow one collective move by move"));
        QVERIFY(tagged<QLabel>(strip, "tip").isVisible());
        QVERIFY(!tagged<QLabel>(strip, "headline").isVisible());
        strip.setMessage(QStringLiteral("Saved pod.yaml")); // Whatever happens meanwhile.
        const test::WithTheme themed(Theme(Theme::Mode::Dark, 19));
        strip.setResult(m_two);
        QVERIFY(!tagged<QLabel>(strip, "headline").isVisible() && !tagged<QLabel>(strip, "message").isVisible() && !tagged<QPushButton>(strip, "assumed").isVisible());
        strip.setTip({});
        QVERIFY(!tagged<QLabel>(strip, "tip").isVisible());
        QVERIFY(tagged<QLabel>(strip, "headline").isVisible() && tagged<QLabel>(strip, "message").isVisible() && tagged<QPushButton>(strip, "assumed").isVisible());
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        QDir().mkpath(folder);
        for (const double base : {13.0, 19.5})
            for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
                const Theme theme(mode, base);
                const test::WithTheme themed(theme);
                const QString suffix = QStringLiteral("_%1_%2").arg(theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light")).arg(base);
                StatusStrip strip;
                strip.resize(theme.scaled(1400), theme.scaled(28));
                strip.setResult(m_two);
                strip.setCoordinates(QStringLiteral("6.200 ms"));
                strip.show();
                strip.grab().save(QStringLiteral("%1/strip%2.png").arg(folder, suffix));
            }
    }
};

FABRICSCOPE_GUI_TEST(StatusStripTest)
#include "tst_statusstrip.moc"
