// Programs in the whole window: they are opened and dropped, keep their own undo and files beside the design's.
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "widgets/actions.h"
#include "widgets/autosave.h"
#include "widgets/codeeditor.h"
#include "widgets/designdocument.h"
#include "widgets/programfiles.h"
#include "widgets/programworkspace.h"

#include <QtTest>

#include <QAccessible>
#include <QDir>
#include <QMessageBox>
#include <QMimeData>
#include <QTemporaryDir>

using namespace fabricscope;

namespace {

constexpr int kLongMs = 60'000;

void collectNameless(QAccessibleInterface* interface, const QString& path, QStringList& nameless, int depth)
{
    if (!interface || depth > 14 || interface->state().invisible)
        return;
    const QString own = path + QLatin1Char('/') + (interface->object() ? QString::fromLatin1(interface->object()->metaObject()->className()) : QStringLiteral("item"));
    if (interface->state().focusable && interface->text(QAccessible::Name).isEmpty() && interface->role() != QAccessible::Window)
        nameless.append(own);
    for (int i = 0; i < std::min(interface->childCount(), 200); ++i)
        collectNameless(interface->child(i), own, nameless, depth + 1);
}

} // namespace

class WindowProgramsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;

    QString file(const QString& name, const QByteArray& text)
    {
        QFile out(m_folder.filePath(name));
        return out.open(QIODevice::WriteOnly) && out.write(text) == text.size() ? out.fileName() : QString();
    }

private slots:
    void initTestCase()
    {
        qputenv("FABRICSCOPE_HOME", m_home.path().toUtf8());
        QLocale::setDefault(QLocale::c());
    }
    void init()
    {
        m_window = std::make_unique<MainWindow>();
        m_window->files().setDecide([](const QString&) { return QMessageBox::Discard; });
        m_window->programs().files()->setDecide([](const QString&) { return QMessageBox::Discard; });
        m_window->resize(1600, 1000);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void aFirstVisitShowsAnExample()
    {
        m_window->commands().action(QStringLiteral("view.programs"))->trigger();
        QCOMPARE(m_window->workspace(), Workspace::Programs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->programs().checked() && !m_window->programs().checker()->isBusy(), kLongMs);
        QVERIFY(m_window->programs().checked()->isValid());
        QVERIFY(!m_window->programs().files()->isModified());
    }

    void F1_droppedProgramsAreOpenedThere()
    {
        const QString path = file(QStringLiteral("own.lua"), "collective(\"all_gather\", {ranks = 2})\n");
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        auto* sheet = m_window->findChild<QWidget*>(QStringLiteral("dropTarget"));
        QVERIFY(sheet);
        QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(sheet, &drop);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->workspace(), Workspace::Programs, kLongMs);
        QCOMPARE(m_window->programs().files()->displayName(), QStringLiteral("own.lua"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->programs().checked(), kLongMs);
        QVERIFY(!m_window->programs().checked()->isValid()); // Nobody gathers anything.
    }

    void A5_everythingHasANameAndFits_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("pixels");
        QTest::newRow("usual") << QSize(1600, 1000) << 13.0;
        QTest::newRow("smallest") << QSize(1024, 640) << 13.0;
        QTest::newRow("1.5 times") << QSize(1920, 1200) << 19.5;
    }

    void A5_everythingHasANameAndFits()
    {
        QFETCH(QSize, size);
        QFETCH(double, pixels);
        m_window->setTheme(Theme(Theme::Mode::Light, pixels));
        m_window->resize(size);
        m_window->setWorkspace(Workspace::Programs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->programs().checked(), kLongMs);
        QTest::qWait(100);
        QCOMPARE(m_window->size(), size); // Nothing in it asks for more.
        QStringList nameless;
        collectNameless(QAccessible::queryAccessibleInterface(&m_window->programs()), {}, nameless, 0);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
        QStringList cut;
        for (const QLabel* label : m_window->programs().findChildren<QLabel*>()) {
            if (label->isVisible() && !label->wordWrap() && !label->text().isEmpty() && label->width() + 1 < label->fontMetrics().horizontalAdvance(label->text()))
                cut.append(label->text());
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
    }

    void undoBelongsToWhatIsOnShow()
    {
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        m_window->setWorkspace(Workspace::Programs);
        QAction* undo = m_window->commands().action(QStringLiteral("edit.undo"));
        const QString before = m_window->programs().editor()->toPlainText();
        QTest::keyClicks(m_window->programs().editor(), QStringLiteral("-- x"));
        QVERIFY(undo->isEnabled());
        undo->trigger();
        QCOMPARE(m_window->programs().editor()->toPlainText(), before);
        QVERIFY(!m_window->document().isModified());
        m_window->setWorkspace(Workspace::Explore);
        QCOMPARE(undo->isEnabled(), m_window->document().undoStack().canUndo());
    }

    void F2_closingAsksForTheTextToo()
    {
        m_window->setWorkspace(Workspace::Programs);
        QTest::keyClicks(m_window->programs().editor(), QStringLiteral("-- x"));
        int asked = 0;
        m_window->programs().files()->setDecide([&](const QString& question) {
            ++asked;
            return question.contains(QStringLiteral("unsaved")) ? QMessageBox::Cancel : QMessageBox::Discard;
        });
        QVERIFY(!m_window->close());
        QCOMPARE(asked, 1);
        QVERIFY(m_window->isVisible());
        m_window->programs().files()->setDecide([](const QString&) { return QMessageBox::Discard; });
    }

    void F3_theTextIsSavedOnItsOwn()
    {
        m_window->setWorkspace(Workspace::Programs);
        QTest::keyClicks(m_window->programs().editor(), QStringLiteral("-- not saved"));
        Autosave* autosave = m_window->programs().files()->autosave();
        QVERIFY(autosave->saveNow());
        QVERIFY(QFile::exists(autosave->sideFile()));
        QFile side(autosave->sideFile());
        QVERIFY(side.open(QIODevice::ReadOnly));
        QVERIFY(side.readAll().contains("-- not saved"));
        // It is none of those a design is recovered from.
        for (const Recoverable& entry : Autosave::recoverable())
            QVERIFY(!QString::fromStdString(entry.state.text).contains(QStringLiteral("-- not saved")));
        m_window->programs().files()->finish();
        QVERIFY(!QFile::exists(autosave->sideFile()));
    }
};

QTEST_MAIN(WindowProgramsTest)
#include "tst_window_programs.moc"
