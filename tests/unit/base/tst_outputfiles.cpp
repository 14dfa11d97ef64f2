// Output files get their names together or not at all, and nothing else stays behind.
#include "core/base/files/outputfiles.h"
#include "core/trace/etwriter.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace fabricscope;

static int masksSet = 0;

/// Stands for that of the C library in this program: counts.
extern "C" mode_t umask(mode_t mask) noexcept
{
    ++masksSet;
    return static_cast<mode_t>(::syscall(SYS_umask, mask));
}

/// Stand for those of the C library in this program: keep what is flushed, and tell of it.
static std::vector<std::pair<off64_t, off64_t>> flushedPieces; // Begin and length.
static int flushedWhole = 0;
static std::function<void()> onPiece;

extern "C" int sync_file_range(int file, off64_t begin, off64_t length, unsigned int flags)
{
    flushedPieces.emplace_back(begin, length);
    if (onPiece)
        onPiece();
    return static_cast<int>(::syscall(SYS_sync_file_range, file, begin, length, flags));
}

static std::size_t largestWrite = 0;
static int largeWrites = 0;
static std::function<void()> onLargeWrite;

extern "C" ssize_t write(int file, const void* bytes, std::size_t count)
{
    largestWrite = std::max(largestWrite, count);
    if (count > 100'000) {
        ++largeWrites;
        if (onLargeWrite)
            onLargeWrite();
    }
    return static_cast<ssize_t>(::syscall(SYS_write, file, bytes, count));
}

extern "C" int fsync(int file)
{
    ++flushedWhole;
    return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace {

std::string inside(const QTemporaryDir& folder, const char* name)
{
    return folder.filePath(QString::fromUtf8(name)).toStdString();
}

QStringList namesIn(const QTemporaryDir& folder)
{
    return QDir(folder.path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
}

QByteArray contentOf(const QTemporaryDir& folder, const char* name)
{
    QFile file(folder.filePath(QString::fromUtf8(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("not there");
}

} // namespace

class OutputFilesTest : public QObject {
    Q_OBJECT
private slots:
    void cleanup()
    {
        onPiece = nullptr;
        onLargeWrite = nullptr;
    }
    void abandonedFilesAreNotWrittenToTheirEnd()
    {
        const QTemporaryDir folder;
        OutputFiles files;
        largestWrite = 0;
        largeWrites = 0;
        onLargeWrite = [&files] {
            if (largeWrites == 2)
                QVERIFY(files.abandon());
        };
        const Status status = files.write(inside(folder, "large.txt"), std::string(30'000'000, 'x'));
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::Cancelled);
        QCOMPARE(largeWrites, 2);
        QVERIFY(largestWrite <= std::size_t{4} << 20);
        QVERIFY(namesIn(folder).isEmpty());
    }

    void aLargeFileIsFlushedInPieces()
    {
        const QTemporaryDir folder;
        OutputFiles files;
        constexpr off64_t kBytes = 30'000'000;
        QVERIFY(files.write(inside(folder, "large.txt"), std::string(kBytes, 'x')));
        flushedPieces.clear();
        flushedWhole = 0;
        QVERIFY(files.commit());
        off64_t flushed = 0;
        for (const auto& [begin, length] : flushedPieces) {
            QCOMPARE(begin, flushed);
            QVERIFY(length > 0 && length <= off64_t{8} << 20);
            flushed += length;
        }
        QVERIFY(flushed >= kBytes);
        QCOMPARE(flushedWhole, 2); // The file, and the folder it has its name in.
    }

    void abandonedFilesAreNotFlushedToTheirEnd()
    {
        const QTemporaryDir folder;
        OutputFiles files;
        QVERIFY(files.write(inside(folder, "first.txt"), std::string(30'000'000, 'x')));
        QVERIFY(files.write(inside(folder, "second.txt"), std::string(30'000'000, 'x')));
        flushedPieces.clear();
        flushedWhole = 0;
        onPiece = [&files] {
            if (flushedPieces.size() == 2)
                QVERIFY(files.abandon());
        };
        const Status status = files.commit();
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::Cancelled);
        QCOMPARE(flushedPieces.size(), std::size_t{2});
        QCOMPARE(flushedWhole, 0);
        QVERIFY(namesIn(folder).isEmpty());
    }

    void filesAppearTogetherWhenCommitted()
    {
        const QTemporaryDir folder;
        OutputFiles files;
        QVERIFY(files.write(inside(folder, "a.txt"), "first"));
        QVERIFY(files.write(inside(folder, "b.txt"), "second"));
        QVERIFY(!namesIn(folder).contains(QStringLiteral("a.txt")));
        QVERIFY(!namesIn(folder).contains(QStringLiteral("b.txt")));
        QVERIFY(files.commit());
        QCOMPARE(namesIn(folder), (QStringList{QStringLiteral("a.txt"), QStringLiteral("b.txt")}));
        QCOMPARE(contentOf(folder, "a.txt"), QByteArray("first"));
        QCOMPARE(contentOf(folder, "b.txt"), QByteArray("second"));
    }

    void abandonedFilesLeaveTheOldOnesAndNothingElse()
    {
        const QTemporaryDir folder;
        {
            OutputFiles before;
            QVERIFY(before.write(inside(folder, "a.txt"), "old"));
            QVERIFY(before.commit());
        }
        OutputFiles files;
        QVERIFY(files.write(inside(folder, "a.txt"), "new"));
        QVERIFY(files.write(inside(folder, "b.txt"), "new"));
        QVERIFY(files.abandon());
        QCOMPARE(namesIn(folder), QStringList{QStringLiteral("a.txt")});
        // Work that goes on a little longer finds the door closed.
        const Status late = files.write(inside(folder, "c.txt"), "late");
        QVERIFY(!late);
        QCOMPARE(late.error().code, ErrorCode::Cancelled);
        const Status commit = files.commit();
        QVERIFY(!commit);
        QCOMPARE(commit.error().code, ErrorCode::Cancelled);
        QCOMPARE(namesIn(folder), QStringList{QStringLiteral("a.txt")});
        QCOMPARE(contentOf(folder, "a.txt"), QByteArray("old"));
    }

    void whatIsCommittedCannotBeAbandoned()
    {
        const QTemporaryDir folder;
        OutputFiles files;
        QVERIFY(files.write(inside(folder, "a.txt"), "kept"));
        QVERIFY(files.commit());
        QVERIFY(!files.abandon());
        QCOMPARE(contentOf(folder, "a.txt"), QByteArray("kept"));
    }

    void filesWithoutCommitGoAwayWithTheObject()
    {
        const QTemporaryDir folder;
        std::string scratch;
        {
            OutputFiles files;
            QVERIFY(files.write(inside(folder, "a.txt"), "x"));
            const Result<std::string> made = files.scratch(".run", "y");
            QVERIFY(made);
            scratch = made.value();
            QVERIFY(scratch.ends_with(".run"));
            QVERIFY(QFile::exists(QString::fromStdString(scratch)));
        }
        QCOMPARE(namesIn(folder), QStringList());
        QVERIFY(!QFile::exists(QString::fromStdString(scratch)));
    }

    void aScratchFolderGoesWithAllThatIsInIt_data()
    {
        QTest::addColumn<int>("end");
        QTest::newRow("committed") << 0;
        QTest::newRow("abandoned") << 1;
        QTest::newRow("left") << 2;
    }
    void aScratchFolderGoesWithAllThatIsInIt()
    {
        QFETCH(int, end);
        auto files = std::make_unique<OutputFiles>();
        const Result<std::string> made = files->scratchFolder();
        QVERIFY(made);
        const QString folder = QString::fromStdString(made.value());
        QFile inner(folder + QStringLiteral("/a.txt"));
        QVERIFY(inner.open(QIODevice::WriteOnly));
        inner.close();
        QVERIFY(QDir(folder).mkdir(QStringLiteral("deeper")));
        if (end == 0)
            QVERIFY(files->commit());
        else if (end == 1)
            QVERIFY(files->abandon());
        else
            files.reset();
        QVERIFY(!QFile::exists(folder));
        if (end == 1)
            QCOMPARE(files->scratchFolder().error().code, ErrorCode::Cancelled);
    }

    void modesOfNewFilesAreFoundWithoutSettingTheMaskOfOtherThreads()
    {
        const QTemporaryDir folder;
        const mode_t before = ::umask(027);
        masksSet = 0;
        OutputFiles files;
        QVERIFY(files.write(inside(folder, "a.txt"), "x"));
        QVERIFY(files.commit());
        const int set = masksSet;
        ::umask(before);
        QCOMPARE(set, 0);
        struct stat info {};
        QCOMPARE(::stat(inside(folder, "a.txt").c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0640U);
    }

    void aTraceIsOneOfTheFiles()
    {
        const QTemporaryDir folder;
        OutputFiles files;
        for (const char* const name : {"t.0.et", "t.1.et.gz"}) {
            Result<EtWriter> writer = EtWriter::create(inside(folder, name), {"0.0.4", {}}, &files);
            QVERIFY(writer);
            QVERIFY(writer.value().finish());
        }
        QVERIFY(!namesIn(folder).contains(QStringLiteral("t.0.et")));
        QVERIFY(files.commit());
        QCOMPARE(namesIn(folder), (QStringList{QStringLiteral("t.0.et"), QStringLiteral("t.1.et.gz")}));
    }

    void aFileThatCannotBeWrittenIsNamed()
    {
        OutputFiles files;
        const Status status = files.write("/nonexistent/a.txt", "x");
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::NotWritable);
        QCOMPARE(status.error().place.file, std::string("/nonexistent/a.txt"));
    }
};

FABRICSCOPE_TEST(OutputFilesTest)
#include "tst_outputfiles.moc"
