// Text of an input is repeated in messages in one way: quotedText() and shownText(), which never cut inside a character and show what hides.
#include "core/design/design.h"
#include "core/formats/nccl/systemtopology.h"
#include "core/platform/presets.h"
#include "core/programio/mscclxml.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>

using namespace fabricscope;

namespace {

/// 59 letters, then a character of two bytes that a cut after 60 bytes would halve, then one that reorders what follows.
QString longName()
{
    return QString(59, QLatin1Char('a')) + QStringLiteral("\u00e9\u202e") + QString(40, QLatin1Char('b'));
}

} // namespace

class TestQuotedText : public QObject {
    Q_OBJECT

private slots:
    /// A cut by bytes leaves half a character; the sources have none.
    void noSourceCutsTextOfInputsByBytes()
    {
        static const QRegularExpression cut(QStringLiteral(R"(substr\(0, ?(20|40|60|80)\))"));
        int files = 0;
        for (const char* folder : {"core", "app", "widgets"}) {
            QDirIterator all(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + QLatin1String(folder), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
            while (all.hasNext()) {
                QFile file(all.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                const QString text = QString::fromUtf8(file.readAll());
                QVERIFY2(!cut.match(text).hasMatch(), qPrintable(file.fileName()));
                ++files;
            }
        }
        QVERIFY(files > 500);
    }

    void messagesCutBetweenCharactersAndShowWhatHides_data()
    {
        QTest::addColumn<QString>("message");
        const std::string name = longName().toStdString();
        QTest::newRow("preset") << QString::fromUtf8(presetPlatform(name).error().text().c_str());
        QTest::newRow("quantity") << QString::fromUtf8(parseQuantity("5 " + name, Measure::Size).error().text().c_str());
        const auto design = readDesignText("fabricscope: 1\nplatform: {topology: \"" + name + "(4)\", bandwidth: 1 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n", "d.yaml");
        QTest::newRow("topology") << QString::fromUtf8(design ? "" : design.error().text().c_str());
        Diagnostics found;
        const auto dump = readNcclTopology("<system version=\"1\"><cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">"
                                           "<pci busid=\"0000:01:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" + name + "\" sm=\"90\" rank=\"0\"/></pci></cpu></system>", "t.xml", {}, found);
        QTest::newRow("dump") << QString::fromUtf8(dump ? "" : dump.error().text().c_str());
    }

    void messagesCutBetweenCharactersAndShowWhatHides()
    {
        QFETCH(QString, message);
        QVERIFY(!message.isEmpty());
        QVERIFY2(!message.contains(QChar::ReplacementCharacter) && !message.contains(QChar(0x202e)), qPrintable(message));
        // 59 letters and the ellipsis: the 60th character would leave no room for it.
        QVERIFY2(message.contains(QString(50, QLatin1Char('a'))) && message.contains(QStringLiteral("\u2026")), qPrintable(message));
        QVERIFY2(!message.contains(QStringLiteral("bbbbb")), qPrintable(message));
    }
};

FABRICSCOPE_TEST(TestQuotedText)
#include "tst_quotedtext.moc"
