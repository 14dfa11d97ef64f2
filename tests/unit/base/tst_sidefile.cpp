#include "core/run/sidefile.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

class SideFileTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsWrittenIsReadBackByteForByte()
    {
        SideFile side;
        side.process = 4'194'304;
        side.started = "123456789";
        side.saved = "2026-01-02T03:04:05.006Z";
        side.path = "/home/u/Süd \"1\".yaml";
        side.name = "Süd \"1\".yaml";
        side.folder = "/home/u";
        side.text = std::string("\n{\xff\0line\r\n", 11);

        const auto read = readSideFile(sideFileText(side), "x.side");

        QVERIFY(read);
        QCOMPARE(read.value().process, side.process);
        QCOMPARE(read.value().started, side.started);
        QCOMPARE(read.value().saved, side.saved);
        QCOMPARE(read.value().path, side.path);
        QCOMPARE(read.value().name, side.name);
        QCOMPARE(read.value().folder, side.folder);
        QCOMPARE(read.value().text, side.text);
    }

    /// As programs wrote it before.
    void aFileOfAnEarlierProgramIsRead()
    {
        const auto read = readSideFile("{\"fabricscope_autosave\":1,\"folder\":\"\",\"name\":\"a\",\"path\":\"\",\"process\":12,\"saved\":\"s\",\"started\":\"7\"}\ntext", "x.side");
        QVERIFY(read);
        QCOMPARE(read.value().process, std::int64_t{12});
        QCOMPARE(read.value().text, std::string("text"));
    }

    void whatIsNoSideFileIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* const text : {"", "\n", "not ours\n", "{}\n", "[]\n", "1\n", "{\"fabricscope_autosave\":2,\"process\":1}\n", "{\"fabricscope_autosave\":\"1\",\"process\":1}\n",
                 "{\"fabricscope_autosave\":1}\n", "{\"fabricscope_autosave\":1,\"process\":-1}\n", "{\"fabricscope_autosave\":1,\"process\":1e300}\n",
                 "{\"fabricscope_autosave\":1,\"process\":1,\"path\":[]}\n", "{\"fabricscope_autosave\":1,\n\"process\":1}\n"})
            QTest::newRow(text) << QByteArray(text);
        QTest::newRow("nested") << "{\"fabricscope_autosave\":" + QByteArray("[").repeated(100'000) + '\n';
    }
    void whatIsNoSideFileIsRefused()
    {
        QFETCH(QByteArray, text);
        const auto read = readSideFile(text.toStdString(), "x.side");
        QVERIFY(!read);
        QVERIFY(read.error().text().starts_with("x.side"));
    }
};

FABRICSCOPE_TEST(SideFileTest)
#include "tst_sidefile.moc"
