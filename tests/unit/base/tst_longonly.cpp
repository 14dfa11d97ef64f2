// What sanitizers leave out without FABRICSCOPE_LONG.
#include "sourcedir.h"
#include "tests/unit/support/longonly.h"
#include "tests/unit/support/testprogram.h"

#include <QDirIterator>
#include <QFile>

#include <algorithm>

using namespace fabricscope;
using Functions = std::vector<std::string>;

class TestLongOnly : public QObject {
    Q_OBJECT
private slots:
    /// A test or function that was renamed would run again, or its row be left for one that is no longer there.
    void everyRowIsAFunctionOfATest()
    {
        std::map<std::string, QString> sources;
        QDirIterator files(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/tests"), {QStringLiteral("tst_*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            sources[files.fileInfo().completeBaseName().toStdString()] = QString::fromUtf8(file.readAll());
        }
        QVERIFY(sources.size() > 200);
        for (const test::LongOnly& row : test::kLongOnly) {
            QVERIFY2(sources.contains(row.test), row.test);
            QVERIFY2(sources[row.test].contains(QStringLiteral("    void %1()").arg(QLatin1String(row.function))), row.function);
        }
        QVERIFY(std::is_sorted(std::begin(test::kLongOnly), std::end(test::kLongOnly),
                               [](const auto& a, const auto& b) { return std::string_view(a.test) < b.test; }));
    }

    void theyAreLeftOutWhereNoFunctionIsNamed()
    {
        const test::LongOnly& row = test::kLongOnly[0];
        const Functions all{"first", row.function, "last"};
        const Functions left{"first", "last"};
        for (const Functions& given : {Functions{}, Functions{"-v2"}, Functions{"-o", "out.xml,junitxml", "-maxwarnings", "0"}, Functions{"unknown"}})
            QVERIFY(test::withoutLongOnly(row.test, all, given) == left);
        for (const Functions& given : {Functions{"last"}, Functions{row.function}, Functions{"-v2", "first:some row"}})
            QVERIFY(!test::withoutLongOnly(row.test, all, given));
        QVERIFY(test::withoutLongOnly(row.test, Functions{row.function}, {}) == Functions{});
        QVERIFY(!test::withoutLongOnly(row.test, left, {}));
        QVERIFY(!test::withoutLongOnly("tst_longonly", all, {}));
    }
};

FABRICSCOPE_TEST(TestLongOnly)
#include "tst_longonly.moc"
