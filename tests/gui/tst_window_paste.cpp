// Nothing to paste: every field of several lines, wherever it is, takes data without formats for what it is.
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/actions.h"
#include "widgets/base/plaintextedit.h"
#include "widgets/design/panel.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/generatedialog.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/programs/useprogramdialog.h"
#include "widgets/start/shortcutsheet.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QClipboard>
#include <QFileDialog>
#include <QInputDialog>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <QTextEdit>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

/// A way to what is protected, which the virtual call then finds in the real class.
struct PlainAccess : QPlainTextEdit {
    using QPlainTextEdit::insertFromMimeData;
};
struct RichAccess : QTextEdit {
    using QTextEdit::insertFromMimeData;
};

template <class Edit, class Access>
void insertNothing(Edit& edit)
{
    const QString before = edit.toPlainText();
    const QMimeData nothing;
    QVERIFY(nothing.formats().isEmpty());
    (edit.*(&Access::insertFromMimeData))(&nothing);
    // Keys.
    QGuiApplication::clipboard()->setMimeData(new QMimeData);
    edit.setFocus();
    QTest::keyClick(&edit, Qt::Key_V, Qt::ControlModifier);
    QTest::keyClick(&edit, Qt::Key_Insert, Qt::ShiftModifier);
    // The entry of the menu, which calls the same slot.
    edit.paste();
    // The middle button pastes what is selected elsewhere.
    if (QGuiApplication::clipboard()->supportsSelection())
        QGuiApplication::clipboard()->setMimeData(new QMimeData, QClipboard::Selection);
    QTest::mouseClick(edit.viewport(), Qt::MiddleButton);
    // A drag of nothing that is let go over the text.
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &nothing, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(edit.viewport(), &enter);
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &nothing, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(edit.viewport(), &drop);
    QCOMPARE(edit.toPlainText(), before);
}

template <class Edit, class Access>
void pasteText(Edit& edit)
{
    QMimeData text;
    text.setText(QStringLiteral("pasted"));
    (edit.*(&Access::insertFromMimeData))(&text);
    QVERIFY(edit.toPlainText().contains(QStringLiteral("pasted")));
}

/// Every field of several lines below `root`; returns how many can be edited.
int tryAll(QWidget& root)
{
    int editable = 0;
    for (QPlainTextEdit* edit : root.findChildren<QPlainTextEdit*>()) {
        insertNothing<QPlainTextEdit, PlainAccess>(*edit);
        if (edit->isReadOnly())
            continue;
        ++editable;
        QTest::qVerify(dynamic_cast<PlainTextEdit*>(edit) != nullptr, "the one base of text fields", edit->metaObject()->className(), __FILE__, __LINE__);
        pasteText<QPlainTextEdit, PlainAccess>(*edit);
    }
    for (QTextEdit* edit : root.findChildren<QTextEdit*>()) {
        QTest::qVerify(edit->isReadOnly(), "Qt's own fields of rich text show and take nothing", edit->metaObject()->className(), __FILE__, __LINE__);
        insertNothing<QTextEdit, RichAccess>(*edit);
    }
    for (QLineEdit* edit : root.findChildren<QLineEdit*>()) {
        const QString before = edit->text();
        QGuiApplication::clipboard()->setMimeData(new QMimeData);
        edit->paste();
        QTest::qVerify(edit->text() == before, "nothing is pasted into a line", qPrintable(edit->objectName()), __FILE__, __LINE__);
    }
    return editable;
}

} // namespace

class WindowPasteTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
    }

    void init()
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    void everyFieldOfTheWindowTakesNothingAsNothing()
    {
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        test::part<DesignPanel>(*m_window).showText(true);
        m_window->setWorkspace(QStringLiteral("programs"));
        // The question, the text of the design, the program.
        QVERIFY(tryAll(*m_window) >= 3);
    }

    void everyDialogTakesNothingAsNothing()
    {
        GenerateDialog generate(m_window.get());
        tryAll(generate);
        UseProgramDialog use(ProgramToUse(), ProgramTarget(), m_window.get());
        tryAll(use);
        ShortcutSheet sheet(m_window->commands(), m_window.get());
        tryAll(sheet);
        QMessageBox box(QMessageBox::Question, QStringLiteral("title"), QStringLiteral("text"), QMessageBox::Ok, m_window.get());
        box.setDetailedText(QStringLiteral("details"));
        tryAll(box);
        QFileDialog file(m_window.get());
        file.setOption(QFileDialog::DontUseNativeDialog);
        tryAll(file);
        QInputDialog input(m_window.get());
        input.setComboBoxItems({QStringLiteral("links"), QStringLiteral("flow")});
        tryAll(input);
    }

    /// What else may come by a drop: addresses that are no files, an image, text that is no text.
    void dropsOfOddThingsOnTheWindowAreTakenOrLeft()
    {
        m_window->setWorkspace(QStringLiteral("programs"));
        for (QWidget* target : {static_cast<QWidget*>(m_window.get()), test::part<ProgramWorkspace>(*m_window).editor()->viewport()}) {
            QMimeData odd[4];
            odd[1].setUrls({QUrl(QStringLiteral("https://example.org/design.yaml")), QUrl(), QUrl(QStringLiteral("file://"))});
            odd[2].setImageData(QImage(4, 4, QImage::Format_RGB32));
            odd[3].setData(QStringLiteral("text/html"), QByteArray("\xff\xfe\0\0", 4));
            for (const QMimeData& each : odd) {
                QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &each, Qt::LeftButton, Qt::NoModifier);
                QCoreApplication::sendEvent(target, &enter);
                QDragMoveEvent move(QPoint(6, 6), Qt::CopyAction, &each, Qt::LeftButton, Qt::NoModifier);
                QCoreApplication::sendEvent(target, &move);
                QDropEvent drop(QPointF(6, 6), Qt::CopyAction, &each, Qt::LeftButton, Qt::NoModifier);
                QCoreApplication::sendEvent(target, &drop);
            }
        }
        QVERIFY(!m_window->grab().isNull());
    }
};

FABRICSCOPE_GUI_TEST(WindowPasteTest)
#include "tst_window_paste.moc"
