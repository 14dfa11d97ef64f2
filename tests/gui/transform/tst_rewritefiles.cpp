// A program and its schedule as a file: kept when the program is killed, offered at the next start, undone to what the file says.
#include "sourcedir.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/transform/rewritedocument.h"
#include "widgets/transform/rewritefiles.h"

#include <QDir>
#include <QFile>
#include <QMessageBox>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QWidget>
#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

/// A window with a program of Transform.
struct RewriteSession {
    explicit RewriteSession(const QString& folder) : files(&document, &window, folder)
    {
        files.setDecide([this](const QString& question) {
            asked.append(question);
            return answer;
        });
    }
    QWidget window;
    RewriteDocument document;
    RewriteFiles files;
    QStringList asked;
    QMessageBox::StandardButton answer = QMessageBox::Open;
};

QStringList linesOf(const RewriteDocument& document)
{
    QStringList lines;
    if (document.traced()) {
        for (const transform::ScheduleStep& step : document.traced()->schedule)
            lines.append(QString::fromStdString(step.text()));
    }
    return lines;
}

} // namespace

class RewriteFilesTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir().mkpath(copies()));
    }

    void stepsSurviveTheEndOfTheProgram_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("a file") << QStringLiteral("adam.yaml");
        QTest::newRow("a script, whose words stay its own") << QStringLiteral("adam.lua");
    }

    void stepsSurviveTheEndOfTheProgram()
    {
        QFETCH(QString, name);
        const QString path = example(name);
        QByteArray side;
        QString sideName;
        {
            RewriteSession killed(copies());
            QVERIFY(killed.files.open(path));
            QTRY_VERIFY(killed.document.isSettled() && linesOf(killed.document).size() == 5);
            QVERIFY(!killed.files.isModified());
            killed.files.keepForRecovery();
            QVERIFY(sides().isEmpty()); // Nothing is lost.
            killed.document.removeStep(4);
            QTRY_VERIFY(killed.document.isSettled() && linesOf(killed.document).size() == 4);
            killed.files.keepForRecovery();
            QVERIFY(killed.files.mayEnd());
            QVERIFY(killed.asked.isEmpty());
            QCOMPARE(sides().size(), 1);
            sideName = QDir(copies()).filePath(sides().front());
            side = content(sideName);
        }
        writeAsOfADeadProcess(sideName, side);

        RewriteSession next(copies());
        next.files.offerRecovery();
        QCOMPARE(next.asked.size(), 1);
        QVERIFY(next.asked.front().contains(name));
        QTRY_VERIFY(next.document.isSettled() && next.document.traced());
        QCOMPARE(linesOf(next.document).size(), 4);
        QCOMPARE(next.document.displayName(), name);
        QCOMPARE(next.document.path(), path);
        QVERIFY(next.files.isModified());
        QVERIFY(!QFile::exists(sideName)); // Its own copy has taken the place of it.
        QCOMPARE(sides().size(), 1);
        // Undo: what the file says.
        next.document.undo();
        QTRY_VERIFY(next.document.isSettled() && linesOf(next.document).size() == 5);
        QVERIFY(!next.files.isModified());
        next.document.redo();
        QTRY_VERIFY(next.document.isSettled() && next.files.isModified());
        if (name.endsWith(QStringLiteral(".yaml"))) {
            QVERIFY(next.files.save());
            QVERIFY(sides().isEmpty() && !next.files.isModified());
            QCOMPARE(next.asked.size(), 1);
            QVERIFY(content(path).contains("as_slice v") && !content(path).contains("fuse {"));
        } else {
            QVERIFY(!content(path).contains("step of Fabricscope"));
        }
    }

    /// Its file has gone meanwhile: the copy is the program, and in no file.
    void ofAFileThatIsGoneTheCopyIsAll()
    {
        const QString path = example(QStringLiteral("adam.yaml"));
        QByteArray side;
        QString sideName;
        {
            RewriteSession killed(copies());
            QVERIFY(killed.files.open(path));
            QTRY_VERIFY(killed.document.isSettled() && linesOf(killed.document).size() == 5);
            killed.document.removeStep(4);
            QTRY_VERIFY(killed.document.isSettled() && linesOf(killed.document).size() == 4);
            killed.files.keepForRecovery();
            sideName = QDir(copies()).filePath(sides().front());
            side = content(sideName);
        }
        writeAsOfADeadProcess(sideName, side);
        QVERIFY(QFile::remove(path));
        RewriteSession next(copies());
        next.files.offerRecovery();
        QTRY_VERIFY(next.document.isSettled() && next.document.traced());
        QCOMPARE(linesOf(next.document).size(), 4);
        QVERIFY(next.files.isModified() && !next.document.canUndo());
    }

    /// As `fabricscope adam.yaml` does after a kill: the file is asked for while the copy is read.
    void whatIsAskedForMeanwhileDoesNotReplaceTheCopy()
    {
        const QString path = example(QStringLiteral("adam.yaml"));
        const QString sideName = killedCopyOf(path);
        RewriteSession next(copies());
        QSignalSpy noticed(&next.files, &RewriteFiles::noticed);
        next.files.offerRecovery();
        QVERIFY(!next.files.open(path));
        QVERIFY(!next.files.open(example(QStringLiteral("adam.lua"))));
        QTRY_VERIFY(next.document.isSettled() && next.document.traced());
        QCOMPARE(linesOf(next.document).size(), 4);
        QVERIFY(next.files.isModified());
        QCOMPARE(sides().size(), 1);
        QVERIFY(!QFile::exists(sideName));
        QCOMPARE(noticed.size(), 1);
        QVERIFY(noticed[0][0].toString().contains(QStringLiteral("adam.lua")));
    }

    /// The copy is kept for another try, and what was asked for is opened.
    void aCopyThatCannotBeReadStays()
    {
        const QString path = example(QStringLiteral("adam.yaml"));
        const QString sideName = killedCopyOf(path, true);
        RewriteSession next(copies());
        next.files.offerRecovery();
        QVERIFY(next.files.isRecovering());
        next.files.open(path);
        QTRY_VERIFY(next.document.isSettled() && linesOf(next.document).size() == 5);
        QVERIFY(!next.files.isRecovering());
        QVERIFY(!next.files.isModified());
        QVERIFY(QFile::exists(sideName));
        // Later files are opened as ever.
        QVERIFY(next.files.open(example(QStringLiteral("adam.lua"))));
        QTRY_VERIFY(next.document.isSettled() && next.document.displayName() == QStringLiteral("adam.lua"));
        QVERIFY(QFile::exists(sideName));
    }

    void whatIsNotSavedIsAskedAbout()
    {
        RewriteSession session(copies());
        QVERIFY(session.files.open(example(QStringLiteral("adam.yaml"))));
        QTRY_VERIFY(session.document.isSettled() && linesOf(session.document).size() == 5);
        session.document.removeStep(4);
        QTRY_VERIFY(session.document.isSettled() && session.files.isModified());
        session.answer = QMessageBox::Cancel;
        QVERIFY(!session.files.open(example(QStringLiteral("adam.lua"))));
        QCOMPARE(session.asked.size(), 1);
        QCOMPARE(session.document.displayName(), QStringLiteral("adam.yaml"));
        session.answer = QMessageBox::Discard;
        QVERIFY(session.files.open(example(QStringLiteral("adam.lua"))));
        QTRY_COMPARE(session.document.displayName(), QStringLiteral("adam.lua"));
        QTRY_VERIFY(session.document.isSettled());
        QVERIFY(!session.files.isModified());
    }

private:
    QString copies() const { return m_folder->filePath(QStringLiteral("copies")); }
    QStringList sides() const { return QDir(copies()).entryList(QDir::Files); }

    QString example(const QString& name) const
    {
        const QString path = m_folder->filePath(name);
        QFile::remove(path);
        if (!QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/") + name, path) || !QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner))
            qFatal("no example");
        return path;
    }

    /// That of a process which took one of five steps back; its name.
    QString killedCopyOf(const QString& path, bool broken = false) const
    {
        QString name;
        QByteArray side;
        {
            RewriteSession killed(copies());
            const auto has = [&killed](qsizetype steps) { return killed.document.isSettled() && linesOf(killed.document).size() == steps; };
            if (!killed.files.open(path) || !QTest::qWaitFor([&] { return has(5); }))
                qFatal("not opened");
            killed.document.removeStep(4);
            if (!QTest::qWaitFor([&] { return has(4); }))
                qFatal("no step taken back");
            killed.files.keepForRecovery();
            if (sides().size() != 1)
                qFatal("no copy");
            name = QDir(copies()).filePath(sides().front());
            side = content(name);
        }
        if (broken && !side.contains("fabricscope: 1"))
            qFatal("no text");
        writeAsOfADeadProcess(name, broken ? side.replace("fabricscope: 1", "fabricscope: [") : side);
        return name;
    }

    static QByteArray content(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    /// A program that runs is never asked about.
    static void writeAsOfADeadProcess(const QString& path, QByteArray side)
    {
        QProcess ended;
        ended.start(QStringLiteral("true"), {});
        QVERIFY(ended.waitForStarted());
        const qint64 process = ended.processId();
        QVERIFY(ended.waitForFinished());
        const QByteArray own = "\"process\":" + QByteArray::number(QCoreApplication::applicationPid());
        QVERIFY(side.contains(own));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(side.replace(own, "\"process\":" + QByteArray::number(process)));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

FABRICSCOPE_GUI_TEST(RewriteFilesTest)
#include "tst_rewritefiles.moc"
