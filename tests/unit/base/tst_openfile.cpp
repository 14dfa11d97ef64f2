// The one door for files: what it refuses, what it reads, and that nobody goes round it.
#include "core/base/files/contentdigest.h"
#include "core/base/files/openfile.h"
#include "core/base/files/textfile.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QtTest>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace fabricscope;

class OpenFileTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::string path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }
    void write(const char* name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

private slots:
    void whatIsNoRegularFileIsRefusedInWordsWithoutWaiting_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("says");

        QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
        QCOMPARE(::symlink("pipe", path("link").c_str()), 0);
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string name = path("s");
        QVERIFY(name.size() < sizeof address.sun_path);
        std::copy(name.begin(), name.end(), address.sun_path);
        QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ::close(socket);

        QTest::newRow("pipe nobody writes to") << "pipe" << "is a pipe (expected a regular file)";
        QTest::newRow("link to a pipe") << "link" << "is a pipe (expected a regular file)";
        QTest::newRow("socket") << "s" << "is a socket (expected a regular file)";
        QTest::newRow("endless device") << "/dev/zero" << "is a device (expected a regular file)";
        QTest::newRow("empty device") << "/dev/null" << "is a device (expected a regular file)";
        QTest::newRow("folder") << "." << "is a folder, not a file";
        QTest::newRow("nothing") << "missing" << "file not found";
        QTest::newRow("below a file") << "/etc/passwd/x" << "file not found";
    }
    void whatIsNoRegularFileIsRefusedInWordsWithoutWaiting()
    {
        QFETCH(QString, file);
        QFETCH(QString, says);
        const std::string full = file.startsWith(QLatin1Char('/')) ? file.toStdString() : path(file.toUtf8().constData());
        const auto opened = OpenFile::open(full);
        QVERIFY(!opened);
        QCOMPARE(QString::fromStdString(opened.error().text()), QString::fromStdString(full) + QStringLiteral(": ") + says);
        QCOMPARE(exitCode(opened.error().code), 2);
    }

    void aNameWithAZeroByteIsNotTheFileBeforeIt()
    {
        write("a", "text");
        QVERIFY(!OpenFile::open(path("a") + std::string("\0b", 2)));
    }

    void aFileIsReadUpToItsLimitAndNotBeyond()
    {
        write("ten", "0123456789");
        QCOMPARE(readTextFile(path("ten"), 10).value(), std::string("0123456789"));
        QCOMPARE(readTextFile(path("ten"), 9).error().message, std::string("the file is larger than 9 bytes"));
        QCOMPARE(readFileHead(path("ten"), 4).value(), std::string("0123"));
        QCOMPARE(readFileHead(path("ten"), 40).value(), std::string("0123456789"));
        write("none", "");
        QCOMPARE(readTextFile(path("none"), 10).value(), std::string());
    }

    /// A file with a hole of 1 TiB takes no room on the disk: it must be refused by its size, not after reading.
    void aHugeFileIsRefusedBeforeItIsRead()
    {
        write("huge", "x");
        QCOMPARE(::truncate(path("huge").c_str(), off_t{1} << 40), 0);
        QCOMPARE(readTextFile(path("huge")).error().message, std::string("the file is larger than 16 MiB"));
        QCOMPARE(readFileHead(path("huge"), 2).value(), std::string("x\0", 2));
    }

    /// Files of /proc say that they are empty.
    void aFileOfSizeZeroWithContentIsRead()
    {
        struct stat status {};
        if (::stat("/proc/self/maps", &status) != 0)
            QSKIP("no /proc here");
        QCOMPARE(static_cast<int>(status.st_size), 0);
        QVERIFY(readTextFile("/proc/self/maps").value().find("[stack]") != std::string::npos);
    }

    void theDigestOfAFileIsThatOfItsText()
    {
        const QByteArray text = QByteArray("0123456789abcdef").repeated(50'000); // more than one block
        write("long", text);
        const auto digest = digestOfFile(path("long"));
        QCOMPARE(digest.value().bytes, std::uint64_t{800'000});
        QVERIFY(digest.value().digest == digestOf(text.toStdString()));
    }

    /// Whoever opens a file for reading elsewhere freezes on a pipe one day.
    void nobodyOpensFilesForReadingAnotherWay()
    {
        const QRegularExpression opens(QStringLiteral("ifstream|\\bfopen\\(|[^:\\w]::open\\(|QIODevice::ReadOnly|load_file\\(|LoadFile\\(|luaL_loadfile|\\bmmap\\("));
        const QStringList allowed{
            QStringLiteral("core/base/files/openfile.cpp"),     // the door
            QStringLiteral("core/trace/column.cpp"),      // memory without a file
            QStringLiteral("core/run/memorylimit.cpp"),   // /proc and /sys
            QStringLiteral("core/base/files/outputfiles.cpp"),  // what it has just written, to flush it; /proc
            QStringLiteral("core/base/files/temporaryname.cpp"), // /proc
            QStringLiteral("widgets/base/files/processid.cpp"), // /proc
            QStringLiteral("widgets/base/icons.cpp"), // resources in the program
            QStringLiteral("widgets/start/designtemplates.cpp"), // resources in the program
            QStringLiteral("widgets/programs/sourcefiles.cpp"), // resources in the program
            QStringLiteral("widgets/start/manualwindow.cpp"), // resources in the program
            QStringLiteral("widgets/transform/rewritestart.cpp"), // resources in the program
            QStringLiteral("widgets/study/variantsstart.cpp"), // resources in the program
        };
        const QRegularExpression writes(QStringLiteral("O_WRONLY|O_RDWR|O_DIRECTORY|\"[wa]b?\""));
        QStringList found;
        for (const char* const part : {"core", "app", "widgets"}) {
            QDirIterator files(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + QString::fromUtf8(part), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                const QString name = QDir(QStringLiteral(FABRICSCOPE_SOURCE_DIR)).relativeFilePath(files.next());
                QFile file(files.filePath());
                QVERIFY(file.open(QIODevice::ReadOnly));
                if (allowed.contains(name))
                    continue;
                const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
                for (const QString& line : lines) {
                    if (opens.match(line).hasMatch() && !writes.match(line).hasMatch())
                        found << name + QStringLiteral(": ") + line.trimmed();
                }
            }
        }
        QCOMPARE(found, QStringList());
    }
};

FABRICSCOPE_TEST(OpenFileTest)
#include "tst_openfile.moc"
