// Files are the old ones or the whole new ones, links and modes stay, and what a dead process left is found.
#include "core/base/files/outputcheck.h"
#include "core/base/files/outputfiles.h"
#include "core/base/files/temporaryname.h"
#include "core/report/outputfile.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fabricscope;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

QStringList filesIn(const QTemporaryDir& folder)
{
    return QDir(folder.path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
}

/// A process that writes half a file and then waits for a signal. Returns its id once the half is there.
pid_t writerOf(const std::string& path)
{
    int ready[2];
    if (::pipe(ready) != 0)
        return -1;
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // A test that failed leaves nobody waiting.
        OutputFiles files;
        if (!files.write(path, "half"))
            ::_exit(1);
        [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
        for (;;)
            ::pause();
    }
    char byte = 0;
    const bool started = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    ::close(ready[1]);
    return started ? child : -1;
}

int endOf(pid_t child, int signal)
{
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

} // namespace

class TestOutputFile : public QObject {
    Q_OBJECT

private slots:
    void modeAndLinkOfAnOldFileStay()
    {
        QTemporaryDir folder;
        const QString real = folder.filePath(QStringLiteral("real"));
        QVERIFY(writeOutputFile(real.toStdString(), "old"));
        QCOMPARE(::chmod(real.toUtf8().constData(), 0604), 0);
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("sub")));
        QCOMPARE(::symlink("../real", folder.filePath(QStringLiteral("sub/middle")).toUtf8().constData()), 0);
        QCOMPARE(::symlink("sub/middle", folder.filePath(QStringLiteral("link")).toUtf8().constData()), 0);
        QVERIFY(writeOutputFile(folder.filePath(QStringLiteral("link")).toStdString(), "new"));
        QCOMPARE(contentOf(real), QByteArray("new"));
        struct stat info {};
        QCOMPARE(::stat(real.toUtf8().constData(), &info), 0);
        QCOMPARE(info.st_mode & 07777U, 0604U);
        QVERIFY(QFileInfo(folder.filePath(QStringLiteral("link"))).isSymLink());
        QVERIFY(QFileInfo(folder.filePath(QStringLiteral("sub/middle"))).isSymLink());
        QCOMPARE(filesIn(folder), (QStringList{QStringLiteral("link"), QStringLiteral("real")}));
    }

    void aLinkToNothingYetStaysToo()
    {
        QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link"));
        QCOMPARE(::symlink("new", link.toUtf8().constData()), 0);
        QVERIFY(writeOutputFile(link.toStdString(), "x"));
        QVERIFY(QFileInfo(link).isSymLink());
        QCOMPARE(contentOf(folder.filePath(QStringLiteral("new"))), QByteArray("x"));
    }

    void aRingOfLinksIsRefused()
    {
        QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link"));
        QCOMPARE(::symlink("link", link.toUtf8().constData()), 0);
        const Status status = writeOutputFile(link.toStdString(), "x");
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::NotWritable);
    }

    void theLongestNameOfAFileCanBeWritten()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QString(255, QLatin1Char('n')));
        QVERIFY(writeOutputFile(path.toStdString(), "x"));
        QCOMPARE(contentOf(path), QByteArray("x"));
    }

    void whatADeadProcessLeftIsRemovedAndWhatALivingOneWritesIsNot()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("out"));
        const pid_t dead = writerOf(path.toStdString());
        const pid_t living = writerOf(path.toStdString());
        QVERIFY(dead > 0 && living > 0);
        QCOMPARE(filesIn(folder).size(), 2);
        QVERIFY(WIFSIGNALED(endOf(dead, SIGKILL)));
        QCOMPARE(filesIn(folder).size(), 2);
        // Names that only look alike.
        const QStringList others{QStringLiteral("notes.tmp"), QStringLiteral("out.fabricscope-x-01234567-ABCDEF.tmp"), QStringLiteral("out.fabricscope-1.tmp")};
        for (const QString& name : others)
            QVERIFY(writeOutputFile(folder.filePath(name).toStdString(), "mine")); // First write here: the dead one's is removed.
        QCOMPARE(filesIn(folder).size(), 1 + others.size());
        QCOMPARE(removeStaleTemporaries(folder.path().toStdString()), 0);
        QVERIFY(WIFSIGNALED(endOf(living, SIGKILL)));
        QCOMPARE(removeStaleTemporaries(folder.path().toStdString()), 1);
        QCOMPARE(filesIn(folder).size(), others.size());
    }

    void aFileOfAnotherHostIsStaleAfterADay()
    {
        // Its process is nobody's here, which says nothing of the one that writes there.
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("out"));
        const pid_t child = writerOf(path.toStdString());
        QVERIFY(child > 0);
        endOf(child, SIGKILL);
        const QString here = filesIn(folder).constFirst();
        const qsizetype where = here.indexOf(QStringLiteral("-%1-").arg(child)) + QString::number(child).size() + 2;
        const QString there = folder.filePath(QString(here).replace(where, 8, here.mid(where, 8) == QStringLiteral("00000000") ? QStringLiteral("11111111") : QStringLiteral("00000000")));
        QVERIFY(QFile::rename(folder.filePath(here), there));
        QCOMPARE(removeStaleTemporaries(folder.path().toStdString()), 0);
        const timeval old{std::time(nullptr) - 25 * 60 * 60, 0};
        const timeval times[2] = {old, old};
        QCOMPARE(::utimes(there.toUtf8().constData(), times), 0);
        QCOMPARE(removeStaleTemporaries(folder.path().toStdString()), 1);
    }

    void onlyOutputsThatAreOtherFilesAreTaken()
    {
        QTemporaryDir folder;
        const auto path = [&](const char* name) { return folder.filePath(QString::fromUtf8(name)).toStdString(); };
        QVERIFY(writeOutputFile(path("in"), "x") && writeOutputFile(path("t.7.et"), "x") && writeOutputFile(path("t.7.et.bak"), "x"));
        QCOMPARE(::link(path("in").c_str(), path("hard").c_str()), 0);
        const std::vector<NamedFile> inputs{{"IN", path("in")}, {"a trace", path("t"), true}};
        const auto refused = [&](const std::string& output, bool prefix = false) { return !checkOutputs({{"--out", output, prefix}}, inputs); };
        QVERIFY(refused(path("in")) && refused(path("hard")) && refused(path("t.7.et")) && refused(path("t"), true));
        QVERIFY(refused(folder.path().toStdString() + "/../" + QDir(folder.path()).dirName().toStdString() + "/in"));
        QVERIFY(!refused(path("new")) && !refused(path("t.7.et.bak")) && !refused(path("u"), true) && !refused("") && !refused("/dev/null"));
        QVERIFY(!refused("/no/such/folder/in")); // That is for the writer to say.
        QVERIFY(checkOutputs({{"--a", "/dev/null"}, {"--b", "/dev/null"}}, inputs));
        QVERIFY(!checkOutputs({{"--a", path("new")}, {"--b", folder.path().toStdString() + "/./new"}}, inputs));
        const Status status = checkOutputs({{"--out", path("hard")}}, inputs);
        QCOMPARE(status.error().code, ErrorCode::Usage);
        const QString text = QString::fromStdString(status.error().text());
        QVERIFY2(text.contains(QStringLiteral("--out")) && text.contains(QStringLiteral("IN")) && text.contains(QString::fromStdString(path("in"))), qPrintable(text));
    }
};

FABRICSCOPE_TEST(TestOutputFile)
#include "tst_outputnames.moc"
