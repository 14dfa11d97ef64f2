// The Transform workspace in the whole window: what opens there, undo of the window, commands.
#include "sourcedir.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/results/statusstrip.h"
#include "widgets/transform/rewritepage.h"

#include <QAbstractButton>
#include <QFile>
#include <QLabel>
#include <QMessageBox>
#include <QTimer>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

class WindowTransformTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { useOwnHome(m_home); }

    void X1_aProgramOpensInItsWorkspaceAndUndoIsItsOwn()
    {
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        auto& page = part<RewritePage>(*window);
        RewriteDocument& document = *page.document();
        for (const char* const name : {"adam.lua", "adam.yaml"}) {
            window->files().openPaths({QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/") + QLatin1StringView(name)});
            QTRY_COMPARE(document.displayName(), QLatin1StringView(name));
            QTRY_VERIFY(document.isSettled() && document.traced());
            QVERIFY(page.isVisible());
            QCOMPARE(document.traced()->schedule.size(), std::size_t{5});
        }
        // The title is that of the program while it is on show.
        QCOMPARE(window->windowTitle(), QStringLiteral("adam.yaml — Fabricscope"));
        document.removeStep(4);
        QTRY_VERIFY(document.isSettled() && document.traced()->schedule.size() == 4);
        QCOMPARE(window->windowTitle(), QStringLiteral("*adam.yaml — Fabricscope"));
        window->setWorkspace(QStringLiteral("explore"));
        QVERIFY(!window->windowTitle().contains(QStringLiteral("adam")));
        window->setWorkspace(QStringLiteral("transform"));
        QAction* const undo = window->commands().action(QStringLiteral("edit.undo"));
        QVERIFY(undo->isEnabled());
        undo->trigger();
        QTRY_VERIFY(document.isSettled() && document.traced()->schedule.size() == 5);
        QVERIFY(!document.isModified());
        // A command of the menu searches beside the window.
        window->commands().action(QStringLiteral("transform.search"))->trigger();
        QVERIFY(document.isSearching() || document.search());
        QTRY_VERIFY(!document.isSearching() && document.search() && document.search()->complete);
    }

    void X4_whatOthersWroteIsNotWrittenOverUnasked()
    {
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        RewriteDocument& document = *part<RewritePage>(*window).document();
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("adam.yaml"));
        QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/adam.yaml"), path));
        QVERIFY(QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        const auto onDisk = [&] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        window->files().openPaths({path});
        QTRY_VERIFY(document.path() == path && document.isSettled() && document.traced());
        document.removeStep(4);
        QTRY_VERIFY(document.isSettled() && document.isModified());
        QAction* const save = window->commands().action(QStringLiteral("file.save"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::Append) && file.write("# of somebody else\n") > 0);
        file.close();
        const QByteArray others = onDisk();
        int asked = 0;
        const auto saveAnd = [&](QMessageBox::StandardButton answer) {
            QTimer::singleShot(0, window.get(), [&asked, answer] {
                if (auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
                    ++asked;
                    box->button(answer)->click();
                }
            });
            save->trigger();
        };
        saveAnd(QMessageBox::Cancel);
        QCOMPARE(asked, 1);
        QCOMPARE(onDisk(), others);
        QVERIFY(document.isModified());
        saveAnd(QMessageBox::Save);
        QCOMPARE(asked, 2);
        QVERIFY(!document.isModified() && !onDisk().contains("somebody else"));
        // What was written here is no surprise.
        document.undo();
        QTRY_VERIFY(document.isSettled() && document.isModified());
        saveAnd(QMessageBox::Cancel);
        QCoreApplication::processEvents();
        QCOMPARE(asked, 2);
        QVERIFY(!document.isModified());
    }

    /// The end of the program keeps the name of the file; the next one opens it, without going there.
    void theFileComesBackWithTheSession()
    {
        const QString path = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/lamb.yaml");
        {
            const auto window = shownWindow({1280, 800});
            QVERIFY(window);
            const RewriteDocument& document = *part<RewritePage>(*window).document();
            window->files().openPaths({path});
            QTRY_VERIFY(document.displayName() == QStringLiteral("lamb.yaml") && document.isSettled());
            QVERIFY(window->close());
        }
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        const RewriteDocument& document = *part<RewritePage>(*window).document();
        QVERIFY(!document.isOpen());
        window->restoreSession();
        QTRY_VERIFY(document.path() == path && document.isSettled() && document.traced());
        QVERIFY(window->workspace() != QStringLiteral("transform") && !window->windowTitle().contains(QStringLiteral("lamb")));
    }

    void aWarningEndsWithItsFile()
    {
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        RewriteDocument& document = *part<RewritePage>(*window).document();
        const auto warned = [&] {
            const auto labels = part<StatusStrip>(*window).findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().contains(QStringLiteral("no step")); });
        };
        const auto open = [&](const char* name) { window->files().openPaths({QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/") + QLatin1StringView(name)}); };
        open("adam.lua");
        QTRY_VERIFY(document.displayName() == QStringLiteral("adam.lua") && document.isSettled() && document.traced());
        document.applyText(QStringLiteral("melt s"));
        QVERIFY(warned());
        open("adam.yaml");
        QTRY_VERIFY(document.displayName() == QStringLiteral("adam.yaml") && document.isSettled());
        QVERIFY(!warned());
    }

private:
    QTemporaryDir m_home;
};

} // namespace

FABRICSCOPE_GUI_TEST(WindowTransformTest)
#include "tst_window_transform.moc"
