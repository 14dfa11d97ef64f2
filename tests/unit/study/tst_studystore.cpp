// Stores of studies: what they give back, what they refuse, and files of others that they leave alone.
#include "core/study/runstore.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <sqlite3.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace fabricscope;

class StudyStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string file(const char* name, const std::string& text) const
    {
        const QString path = m_folder.filePath(QString::fromUtf8(name));
        QFile out(path);
        if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), static_cast<qint64>(text.size())) < 0)
            qFatal("cannot write");
        return path.toStdString();
    }
    std::string path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

private slots:
    /// What is not ours stays byte for byte; what another process ran is not given up for one that was skipped; ":memory:" is a file.
    void aStoreGivesUpNothing()
    {
        sqlite3* database = nullptr;
        QCOMPARE(sqlite3_open(path("others.sqlite").c_str(), &database), SQLITE_OK);
        QCOMPARE(sqlite3_exec(database, "CREATE TABLE theirs(a)", nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
        const auto bytes = [this] {
            QFile read(m_folder.filePath(QStringLiteral("others.sqlite")));
            return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
        };
        const QByteArray before = bytes();
        QVERIFY(!RunStore::open(path("others.sqlite"), RunStore::Access::Write));
        QCOMPARE(bytes(), before);

        Result<RunStore> store = RunStore::open(path("skips.sqlite"), RunStore::Access::Write);
        StoredPoint ran{{1, 2}, "{}", {}};
        ran.row.figures[PointFigure::StepTime] = 5;
        StoredPoint skipped{{1, 2}, "{}", {PointRow::State::Skipped, "", {}}};
        QVERIFY(store && store.value().keep({skipped}) && store.value().keep({ran}) && store.value().keep({skipped}));
        QVERIFY(store.value().all().value().at({1, 2}) == ran.row);

        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder.path()));
        QVERIFY(RunStore::open(":memory:", RunStore::Access::Write));
        QVERIFY(QDir::setCurrent(here));
        QVERIFY(QFile::exists(m_folder.path() + QStringLiteral("/:memory:")));
    }

    /// Made by several at once: each has a store.
    void severalMayMakeIt()
    {
        for (int round = 0; round < 6; ++round) {
            const std::string file = path(("made" + std::to_string(round)).c_str());
            std::atomic<int> opened = 0;
            {
                std::vector<std::jthread> makers;
                for (std::uint64_t maker = 0; maker < 4; ++maker) {
                    makers.emplace_back([&file, &opened, maker] {
                        Result<RunStore> store = RunStore::open(file, RunStore::Access::Write);
                        if (store && store.value().keep({StoredPoint{{maker, 1}, "{}", {}}}))
                            ++opened;
                    });
                }
            }
            QCOMPARE(opened.load(), 4);
            QCOMPARE(RunStore::open(file, RunStore::Access::Read).value().all().value().size(), std::size_t{4});
        }
    }

    void aStoreIsNoOtherFile()
    {
        const std::string text = file("text.sqlite", std::string(5000, 'x'));
        const Result<RunStore> wrong = RunStore::open(text, RunStore::Access::Write);
        QVERIFY(!wrong && wrong.error().code == ErrorCode::InvalidInput);
        const Result<RunStore> none = RunStore::open(path("none.sqlite"), RunStore::Access::Read);
        QVERIFY(!none && none.error().code == ErrorCode::NotReadable);
        const Result<RunStore> nowhere = RunStore::open(path("no/such/folder.sqlite"), RunStore::Access::Write);
        QVERIFY(!nowhere && nowhere.error().code == ErrorCode::NotWritable);
    }

    /// Every figure comes back bit by bit.
    void aStoreGivesBackWhatItTook()
    {
        std::vector<StoredPoint> points;
        for (std::uint64_t i = 0; i < 50; ++i) {
            StoredPoint point{{i * 7919, i}, "{\"a\":\"b\"}", {static_cast<PointRow::State>(i % 3), i % 3 == 2 ? "why \"it\" failed\n" : "", {}}};
            for (std::size_t f = 0; f < kPointFigures; ++f) {
                if ((i >> (f % 5) & 1) != 0)
                    point.row.figures[static_cast<PointFigure>(f)] = 1.0 / static_cast<double>(i + f + 1);
            }
            points.push_back(std::move(point));
        }
        Result<RunStore> store = RunStore::open(path("back.sqlite"), RunStore::Access::Write);
        QVERIFY(store && store.value().keep(points) && store.value().keep(points));
        const auto all = RunStore::open(path("back.sqlite"), RunStore::Access::Read).value().all();
        QVERIFY(all);
        QCOMPARE(all.value().size(), points.size());
        for (const StoredPoint& point : points)
            QVERIFY(all.value().at(point.hash) == point.row);
    }
};

FABRICSCOPE_TEST(StudyStoreTest)
#include "tst_studystore.moc"
