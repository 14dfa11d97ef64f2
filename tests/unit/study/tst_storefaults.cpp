// A disk that fails at every write and every sync in turn, in SQLite's manner: what a store said that it keeps is there afterwards, and nothing of what it refused.
#include "core/study/runstore.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <sqlite3.h>

using namespace fabricscope;

namespace {

/// Writes and syncs that still succeed; below 0 all do. The one that does not leaves half of what it was to write.
std::int64_t writesLeft = -1;
std::int64_t writesSeen = 0;
sqlite3_vfs* realDisk = nullptr;

bool fails()
{
    ++writesSeen;
    if (writesLeft < 0)
        return false;
    if (writesLeft == 0)
        return true;
    --writesLeft;
    return false;
}

struct FaultyFile {
    sqlite3_file base{};
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* realOf(sqlite3_file* file)
{
    return reinterpret_cast<FaultyFile*>(file)->real();
}

int faultyWrite(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset)
{
    sqlite3_file* const real = realOf(file);
    const bool first = writesLeft == 0;
    if (!fails())
        return real->pMethods->xWrite(real, bytes, size, offset);
    if (first)
        real->pMethods->xWrite(real, bytes, size / 2, offset);
    return SQLITE_FULL;
}

int faultySync(sqlite3_file* file, int flags)
{
    sqlite3_file* const real = realOf(file);
    return fails() ? SQLITE_IOERR_FSYNC : real->pMethods->xSync(real, flags);
}

const sqlite3_io_methods kFaulty{
    2,
    [](sqlite3_file* file) { return realOf(file)->pMethods->xClose(realOf(file)); },
    [](sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) { return realOf(file)->pMethods->xRead(realOf(file), bytes, size, offset); },
    faultyWrite,
    [](sqlite3_file* file, sqlite3_int64 size) { return realOf(file)->pMethods->xTruncate(realOf(file), size); },
    faultySync,
    [](sqlite3_file* file, sqlite3_int64* size) { return realOf(file)->pMethods->xFileSize(realOf(file), size); },
    [](sqlite3_file* file, int lock) { return realOf(file)->pMethods->xLock(realOf(file), lock); },
    [](sqlite3_file* file, int lock) { return realOf(file)->pMethods->xUnlock(realOf(file), lock); },
    [](sqlite3_file* file, int* out) { return realOf(file)->pMethods->xCheckReservedLock(realOf(file), out); },
    [](sqlite3_file* file, int op, void* argument) { return realOf(file)->pMethods->xFileControl(realOf(file), op, argument); },
    [](sqlite3_file* file) { return realOf(file)->pMethods->xSectorSize(realOf(file)); },
    [](sqlite3_file* file) { return realOf(file)->pMethods->xDeviceCharacteristics(realOf(file)); },
    [](sqlite3_file* file, int page, int size, int extend, void volatile** out) { return realOf(file)->pMethods->xShmMap(realOf(file), page, size, extend, out); },
    [](sqlite3_file* file, int offset, int count, int flags) { return realOf(file)->pMethods->xShmLock(realOf(file), offset, count, flags); },
    [](sqlite3_file* file) { realOf(file)->pMethods->xShmBarrier(realOf(file)); },
    [](sqlite3_file* file, int remove) { return realOf(file)->pMethods->xShmUnmap(realOf(file), remove); },
    nullptr,
    nullptr,
};

int openFaulty(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* outFlags)
{
    const int code = realDisk->xOpen(realDisk, name, realOf(file), flags, outFlags);
    file->pMethods = realOf(file)->pMethods ? &kFaulty : nullptr;
    return code;
}

StoredPoint pointOf(std::uint64_t number)
{
    StoredPoint point{{number, 1}, "{}", {}};
    point.row.figures[PointFigure::StepTime] = static_cast<double>(number);
    return point;
}

} // namespace

class StoreFaultsTest : public QObject {
    Q_OBJECT

private slots:
    void everyFailureLosesNothing()
    {
        realDisk = sqlite3_vfs_find(nullptr);
        sqlite3_vfs faulty = *realDisk;
        faulty.zName = "faulty";
        faulty.szOsFile = realDisk->szOsFile + static_cast<int>(sizeof(FaultyFile));
        faulty.xOpen = openFaulty;
        QCOMPARE(sqlite3_vfs_register(&faulty, 1), SQLITE_OK);
        constexpr std::uint64_t kTransactions = 6;
        constexpr std::uint64_t kEach = 5;
        const QTemporaryDir folder;
        std::int64_t failures = 0;
        std::int64_t all = 0;
        const std::int64_t step = 1 + 40 / test::cases(40); // Under sanitizers not every one.
        for (std::int64_t fault = -1; fault < std::max<std::int64_t>(all, 1); fault += fault < 0 ? 1 : step) {
            const std::string path = folder.filePath(QString::number(fault)).toStdString() + ".sqlite";
            writesLeft = fault;
            writesSeen = 0;
            std::uint64_t kept = 0;
            {
                Result<RunStore> store = RunStore::open(path, RunStore::Access::Write);
                for (std::uint64_t t = 0; store && t < kTransactions; ++t) {
                    std::vector<StoredPoint> points;
                    for (std::uint64_t i = 0; i < kEach; ++i)
                        points.push_back(pointOf(t * kEach + i));
                    const Status status = store.value().keep(points);
                    if (!status) {
                        QVERIFY(status.error().code == ErrorCode::NotWritable);
                        ++failures;
                        break;
                    }
                    ++kept;
                }
                if (!store)
                    ++failures;
            }
            writesLeft = -1;
            if (fault < 0)
                all = writesSeen;
            // What was said to be kept, or one transaction more: it may be whole although its sync failed.
            Result<RunStore> again = RunStore::open(path, RunStore::Access::Write);
            QVERIFY2(again, again ? "" : (std::to_string(fault) + ": " + again.error().text()).c_str());
            const auto rows = again.value().all();
            QVERIFY2(rows, rows ? "" : rows.error().text().c_str());
            const std::uint64_t count = rows.value().size();
            QVERIFY2(count == kept * kEach || count == (kept + 1) * kEach, (std::to_string(fault) + ": " + std::to_string(count) + " of " + std::to_string(kept * kEach)).c_str());
            for (std::uint64_t i = 0; i < count; ++i)
                QVERIFY(rows.value().at(pointOf(i).hash) == pointOf(i).row);
            // And it goes on.
            QVERIFY(again.value().keep({pointOf(1000)}));
        }
        sqlite3_vfs_unregister(&faulty);
        QVERIFY(all > 20);
        QVERIFY(failures > 10 / step);
    }
};

FABRICSCOPE_TEST(StoreFaultsTest)
#include "tst_storefaults.moc"
