#include "tests/gui/support/patience.h"
#include "tests/gui/support/named.h"
#include "widgets/base/apptheme.h"
// A monkey at the whole window: keys, clicks, drags, wheels, commands, sizes, themes, files good and bad, dialogs, all at once with runs going.
// FABRICSCOPE_MONKEY_SECONDS  how long; default 10, with a seed one round
// FABRICSCOPE_MONKEY_SEED     of the first round, the next ones count on; default 1. A round that fails tells its own
// FABRICSCOPE_MONKEY_VERBOSE  tells everything done as it is done
// FABRICSCOPE_MONKEY_WAIT     a loop that stands still waits for a debugger
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "tests/gui/support/monkeylog.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/start/designtemplates.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QAbstractItemView>
#include <QAbstractButton>
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QTemporaryDir>

#include <random>
#include <sys/stat.h>

using namespace fabricscope;
using fabricscope::test::MonkeyLog;
using fabricscope::test::Watchdog;

namespace {

constexpr int kActionsOfARound = 400;
#ifdef FABRICSCOPE_MONKEY_SANITIZED
constexpr std::chrono::seconds kStill{120};
#else
constexpr std::chrono::seconds kStill{15}; ///< On a machine that does other things too.
#endif

constexpr int kKeys[] = {Qt::Key_Up, Qt::Key_Down, Qt::Key_Left, Qt::Key_Right, Qt::Key_Home, Qt::Key_End, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Tab, Qt::Key_Backtab, Qt::Key_Return,
                         Qt::Key_Enter, Qt::Key_Escape, Qt::Key_Space, Qt::Key_Delete, Qt::Key_Backspace, Qt::Key_Insert, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Comma, Qt::Key_Period, Qt::Key_Slash,
                         Qt::Key_Question, Qt::Key_F1, Qt::Key_F2, Qt::Key_F5, Qt::Key_F6, Qt::Key_F7, Qt::Key_F8, Qt::Key_F10, Qt::Key_Menu};
constexpr Qt::KeyboardModifiers::Int kModifiers[] = {0, 0, 0, 0, 0, Qt::ShiftModifier, Qt::ControlModifier, Qt::ControlModifier | Qt::ShiftModifier, Qt::AltModifier, Qt::ControlModifier | Qt::AltModifier};
constexpr Qt::MouseButton kButtons[] = {Qt::LeftButton, Qt::LeftButton, Qt::LeftButton, Qt::LeftButton, Qt::RightButton, Qt::MiddleButton, Qt::BackButton};

/// Pieces of designs and programs, and what no field expects.
const char* const kTexts[] = {"1", "0", "-1", "64", "9999999999999999999", "50 GB/s", "0 GB/s", "1e-30 GB/s", "100 Gbit/s", "1 us", "-5 ns", "1e300 s", "ring", "switch", "{shape: ring, size: 4}", "- ", ": ", "\n",
                              "[", "{", "\"", "*", "&a [*a]", "auto", "all_reduce", "1 MiB", "8 TiB", "d0 0>1", "npu 3", "\t", "fabricscope: 1\n", "\xe2\x80\xae-evil", "<b>x</b>", "a\xcc\x81", "  steps:\n",
                              "for r = 0, n do\n", "chunk(0, \"input\", 0):copy(1, \"output\", 0)\n", "while true do end\n", "<algo>", "nan", "inf"};

} // namespace

class WindowMonkeyTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<Watchdog> m_dog;
    std::mt19937_64 m_random;
    int m_left = 0;           ///< Actions of the round.
    int m_depth = 0;          ///< Dialogs within dialogs.
    bool m_due = false;       ///< A step waits for the event loop.
    std::int64_t m_done = 0;
    std::string m_opened;     ///< The text that undo leads back to.
    QStringList m_warnings;
    static inline WindowMonkeyTest* s_self = nullptr;
    static inline QtMessageHandler s_before = nullptr;

    int below(int count) { return count < 1 ? 0 : static_cast<int>(m_random() % static_cast<std::uint64_t>(count)); }
    template <class T, std::size_t N>
    const T& anyOf(const T (&list)[N])
    {
        return list[static_cast<std::size_t>(below(static_cast<int>(N)))];
    }
    Qt::KeyboardModifiers modifiers() { return Qt::KeyboardModifiers::fromInt(anyOf(kModifiers)); }
    static QByteArray nameOf(const QWidget* widget)
    {
        return widget ? QByteArray(widget->metaObject()->className()) + ' ' + widget->objectName().toUtf8() + ' ' + widget->accessibleName().toUtf8() : QByteArray("none");
    }

    QString inHome(const QString& name) const { return m_home.filePath(name); }
    bool write(const QString& name, const QByteArray& bytes)
    {
        QFile file(inHome(name));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    }

    /// Where events go: what is in front.
    QWidget* front()
    {
        if (QWidget* popup = QApplication::activePopupWidget())
            return popup;
        if (QWidget* modal = QApplication::activeModalWidget())
            return modal;
        return m_window.get();
    }

    /// Some visible widget of what is in front, and a place in it.
    QWidget* target(QPoint& at)
    {
        QWidget* widget = front();
        const QPoint point(below(widget->width()), below(widget->height()));
        if (QWidget* child = widget->childAt(point)) {
            at = child->mapFrom(widget, point);
            return child;
        }
        at = point;
        return widget;
    }

    void key()
    {
        QWidget* widget = front();
        if (QWidget* focus = widget == m_window.get() ? QApplication::focusWidget() : widget->focusWidget())
            widget = focus;
        const bool letter = below(4) == 0;
        const int key = letter ? Qt::Key_A + below(26) : anyOf(kKeys);
        const Qt::KeyboardModifiers held = modifiers();
        // The program may be ended by its menu, at the end of the round.
        if (held == Qt::ControlModifier && key == Qt::Key_Q)
            return;
        MonkeyLog::add("key " + QKeySequence(QKeyCombination(held, static_cast<Qt::Key>(key))).toString().toUtf8() + " on " + nameOf(widget));
        QTest::keyClick(widget, static_cast<Qt::Key>(key), held);
    }

    void type()
    {
        QWidget* widget = QApplication::focusWidget() ? QApplication::focusWidget() : front();
        const char* text = anyOf(kTexts);
        MonkeyLog::add("type " + QByteArray(text).toPercentEncoding() + " into " + nameOf(widget));
        for (const QChar c : QString::fromUtf8(text)) {
            QKeyEvent press(QEvent::KeyPress, c == QLatin1Char('\n') ? Qt::Key_Return : 0, Qt::NoModifier, QString(c));
            QCoreApplication::sendEvent(widget, &press);
            if (QApplication::focusWidget() != widget)
                return; // It may be gone.
        }
    }

    void click()
    {
        QPoint at;
        QWidget* widget = target(at);
        const Qt::MouseButton button = anyOf(kButtons);
        const Qt::KeyboardModifiers held = modifiers();
        const bool twice = below(5) == 0;
        MonkeyLog::add((twice ? "double click " : "click ") + QByteArray::number(button) + " on " + nameOf(widget) + " at " + QByteArray::number(at.x()) + ',' + QByteArray::number(at.y()));
        if (twice)
            QTest::mouseDClick(widget, button, held, at);
        else
            QTest::mouseClick(widget, button, held, at);
    }

    void drag()
    {
        QPoint at;
        const QPointer<QWidget> widget = target(at);
        MonkeyLog::add("drag on " + nameOf(widget));
        const Qt::KeyboardModifiers held = modifiers();
        QTest::mousePress(widget, Qt::LeftButton, held, at);
        for (int i = 0, moves = 1 + below(8); i < moves && widget; ++i) {
            at += QPoint(below(121) - 60, below(81) - 40);
            QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, held);
            QCoreApplication::sendEvent(widget, &move);
            if (below(3) == 0)
                QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 5);
        }
        if (widget && below(20) != 0)
            QTest::mouseRelease(widget, Qt::LeftButton, held, at);
    }

    void hover()
    {
        QPoint at;
        QWidget* widget = target(at);
        MonkeyLog::add("hover over " + nameOf(widget));
        QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(widget, &move);
        QHelpEvent help(QEvent::ToolTip, at, widget->mapToGlobal(at));
        QCoreApplication::sendEvent(widget, &help);
    }

    void wheel()
    {
        QPoint at;
        QWidget* widget = target(at);
        const QPoint angle(below(3) == 0 ? 120 * (below(9) - 4) : 0, 120 * (below(9) - 4));
        MonkeyLog::add("wheel on " + nameOf(widget));
        QWheelEvent event(at, widget->mapToGlobal(at), {}, angle, Qt::NoButton, modifiers(), Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(widget, &event);
    }

    void contextMenu()
    {
        QPoint at;
        QWidget* widget = target(at);
        MonkeyLog::add("context menu of " + nameOf(widget));
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
        QCoreApplication::sendEvent(widget, &event);
    }

    void command()
    {
        const auto& actions = m_window->commands().actions();
        QAction* action = actions[static_cast<std::size_t>(below(static_cast<int>(actions.size())))];
        const QString id = ActionRegistry::idOf(*action);
        if (!action->isEnabled() || id == QStringLiteral("file.quit") || m_depth > 3)
            return;
        MonkeyLog::add("command " + id.toUtf8());
        action->trigger();
    }

    void resize()
    {
        const QSize size(900 + below(1200), 600 + below(800));
        MonkeyLog::add("resize " + QByteArray::number(size.width()) + 'x' + QByteArray::number(size.height()));
        m_window->resize(size);
    }

    void look()
    {
        Theme theme(below(2) ? Theme::Mode::Dark : Theme::Mode::Light, 10 + below(17));
        theme.setPatterns(below(2));
        MonkeyLog::add("theme " + QByteArray::number(theme.basePixels()));
        AppTheme::global().set(theme);
    }

    void visit()
    {
        const QStringList keys = workspaceKeys();
        const QString workspace = keys[below(static_cast<int>(keys.size()))];
        MonkeyLog::add("workspace " + workspace.toLatin1());
        m_window->setWorkspace(workspace);
        if (workspace == QStringLiteral("explore"))
            test::part<TablesPanel>(*m_window).showTab(static_cast<TablesPanel::Tab>(below(TablesPanel::Log + 1)));
    }

    void openSomething()
    {
        if (m_depth > 2)
            return;
        const auto& examples = exampleDesigns();
        const auto& templates = designTemplates();
        const auto& presets = presetDesigns();
        const auto& list = below(4) == 0 ? templates : below(4) == 0 ? presets : examples;
        const ShippedDesign& drawn = list[below(static_cast<int>(list.size()))];
        const ShippedDesign& design = test::isTriedNow(drawn.id) ? drawn : examples.front();
        MonkeyLog::add("open " + design.id.toUtf8());
        m_window->files().openText(QByteArray::fromStdString(design.text), design.id + QStringLiteral(".yaml"));
    }

    void openFile()
    {
        if (m_depth > 2)
            return;
        const QStringList names = QDir(m_home.path()).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
        QStringList paths;
        for (int i = 0, count = 1 + (below(4) == 0 ? below(3) : 0); i < count; ++i)
            paths.append(inHome(names[below(static_cast<int>(names.size()))]));
        MonkeyLog::add("open files " + paths.join(QLatin1Char(' ')).toUtf8());
        if (below(2)) {
            m_window->files().openPaths(paths);
            return;
        }
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls.append(QUrl::fromLocalFile(path));
        data.setUrls(urls);
        QPoint at;
        QWidget* widget = target(at);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(widget, &enter);
        QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(widget, &drop);
    }

    void changeText()
    {
        DesignDocument& document = m_window->document();
        std::string text = document.text();
        if (text.size() > 200'000)
            return;
        const std::string piece = anyOf(kTexts);
        const auto place = static_cast<std::size_t>(below(static_cast<int>(text.size()) + 1));
        // At the start of a line a change more often means something.
        std::size_t at = below(2) ? place : text.find('\n', place) == std::string::npos ? place : text.find('\n', place) + 1;
        at = std::min(at, text.size());
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
            ++at;
        std::size_t length = below(3) ? 0 : std::min<std::size_t>(text.size() - at, static_cast<std::size_t>(below(12)));
        while (at + length < text.size() && (static_cast<unsigned char>(text[at + length]) & 0xC0) == 0x80)
            ++length;
        text.replace(at, length, piece);
        MonkeyLog::add("change text at " + QByteArray::number(static_cast<qulonglong>(at)) + " to " + QByteArray::fromStdString(piece).toPercentEncoding());
        static_cast<void>(document.editText(QStringLiteral("monkey"), text));
    }

    /// A number of the design becomes another, so that most edits leave a design that runs.
    void changeNumber()
    {
        DesignDocument& document = m_window->document();
        const std::string& text = document.text();
        if (text.empty())
            return;
        std::size_t at = text.find_first_of("0123456789", static_cast<std::size_t>(below(static_cast<int>(text.size()))));
        if (at == std::string::npos)
            return;
        std::string changed = text;
        changed[at] = static_cast<char>('1' + below(9));
        MonkeyLog::add("change number at " + QByteArray::number(static_cast<qulonglong>(at)));
        static_cast<void>(document.editText(QStringLiteral("number"), changed));
    }

    void programText()
    {
        MonkeyLog::add("program text");
        QTextCursor cursor = test::part<ProgramWorkspace>(*m_window).editor()->textCursor();
        cursor.setPosition(below(test::part<ProgramWorkspace>(*m_window).editor()->document()->characterCount()));
        cursor.insertText(QString::fromUtf8(anyOf(kTexts)));
    }

    void undoRedo()
    {
        QUndoStack& stack = m_window->document().undoStack();
        const int index = below(stack.count() + 1);
        MonkeyLog::add("undo to " + QByteArray::number(index));
        stack.setIndex(index);
    }

    void clipboard()
    {
        MonkeyLog::add("clipboard");
        auto* data = new QMimeData;
        if (below(3))
            data->setText(QString::fromUtf8(anyOf(kTexts)));
        QGuiApplication::clipboard()->setMimeData(data);
    }

    void paint()
    {
        MonkeyLog::add("paint " + nameOf(front()));
        if (!front()->size().isEmpty()) // Of nothing there is no picture.
            static_cast<void>(front()->grab());
    }

    /// Combo boxes, buttons and lists that a click seldom meets.
    void useControl()
    {
        const QList<QWidget*> all = front()->findChildren<QWidget*>();
        if (all.isEmpty())
            return;
        QWidget* widget = all[below(static_cast<int>(all.size()))];
        if (!widget->isVisible() || !widget->isEnabled())
            return;
        MonkeyLog::add("use " + nameOf(widget));
        if (auto* box = qobject_cast<QComboBox*>(widget); box && box->count() > 0) {
            const int index = below(box->count());
            box->setCurrentIndex(index);
            emit box->activated(index);
        } else if (auto* view = qobject_cast<QAbstractItemView*>(widget); view && view->model() && view->model()->rowCount() > 0) {
            const QModelIndex index = view->model()->index(below(view->model()->rowCount()), below(view->model()->columnCount()));
            view->setCurrentIndex(index);
            if (below(2))
                emit view->activated(index);
        } else if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
            button->click();
        } else {
            widget->setFocus();
            if (QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget))
                for (int i = 0; i < std::min(interface->childCount(), 50); ++i)
                    if (QAccessibleInterface* child = interface->child(i))
                        static_cast<void>(child->text(QAccessible::Name));
        }
    }

    /// Dialogs of files name nothing outside of the home.
    void fileDialog(QFileDialog& dialog)
    {
        static const char* const kNames[] = {"saved.yaml", "saved.lua", "saved.xml", "saved.json", "saved.et", "saved.run", "saved.html", "saved.pdf", "saved.png", "saved.svg", "saved.csv", "saved", "folder", "good.yaml"};
        const QString path = inHome(QString::fromLatin1(anyOf(kNames)));
        const bool take = below(3) != 0;
        MonkeyLog::add((take ? "dialog takes " : "dialog leaves ") + path.toUtf8());
        if (!take) {
            dialog.reject();
            return;
        }
        dialog.setDirectory(m_home.path());
        dialog.selectFile(path);
        static_cast<QDialog&>(dialog).accept();
    }

    void leaveDialog()
    {
        QWidget* widget = front();
        MonkeyLog::add("leave " + nameOf(widget));
        if (auto* box = qobject_cast<QMessageBox*>(widget)) {
            const auto buttons = box->buttons();
            buttons[below(static_cast<int>(buttons.size()))]->click();
        } else if (auto* dialog = qobject_cast<QDialog*>(widget)) {
            below(2) ? dialog->accept() : dialog->reject();
        } else {
            widget->close();
        }
    }

    void act()
    {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget()); dialog && !QApplication::activePopupWidget())
            return fileDialog(*dialog);
        if (front() != m_window.get() && below(6) == 0)
            return leaveDialog();
        switch (below(40)) {
        case 0: return resize();
        case 1: return look();
        case 2: case 3: return visit();
        case 4: return openSomething();
        case 5: return openFile();
        case 6: return changeText();
        case 7: case 8: return changeNumber();
        case 9: return programText();
        case 10: case 11: return undoRedo();
        case 12: return clipboard();
        case 13: case 14: return paint();
        case 15: case 16: case 17: return useControl();
        case 18: return contextMenu();
        case 19: case 20: return wheel();
        case 21: case 22: return drag();
        case 23: case 24: return hover();
        case 25: case 26: case 27: case 28: return type();
        case 29: case 30: case 31: case 32: return command();
        case 33: case 34: return key();
        default: return below(2) ? click() : key();
        }
    }

    /// Wherever an event loop runs, also within the dialogs that a step opens, a step is soon due: the pulse itself never runs a loop, so it never waits for one.
    void pulse()
    {
        if (std::exchange(m_due, true))
            return;
        QMetaObject::invokeMethod(this, [this] {
            m_due = false;
            step();
        }, Qt::QueuedConnection);
    }

    void step()
    {
        m_dog->beat();
        if (m_left <= 0 || !m_window->isVisible()) {
            // What still stands open is left, from the innermost on; what was begun before may open more.
            if (QWidget* open = front(); open != m_window.get())
                open->close();
            return;
        }
        --m_left;
        ++m_done;
        ++m_depth;
        act();
        --m_depth;
        m_dog->beat();
    }

    static void hear(QtMsgType type, const QMessageLogContext& context, const QString& text)
    {
        if (type == QtWarningMsg || type == QtCriticalMsg) {
            // What the offscreen platform and the file system say of themselves is no finding.
            static const char* const kKnown[] = {"propagateSizeHints", "This plugin does not support", "QFileSystemWatcher", "XDG_RUNTIME_DIR", "QStandardPaths"};
            const bool known = std::any_of(std::begin(kKnown), std::end(kKnown), [&](const char* each) { return text.contains(QLatin1String(each)); });
            if (!known && s_self) {
                s_self->m_warnings.append(text);
                MonkeyLog::add("WARNING " + text.toUtf8());
            }
        }
        if (s_before)
            s_before(type, context, text);
    }

    void round(std::uint64_t seed)
    {
        MonkeyLog::begin(seed);
        m_random.seed(seed);
        m_warnings.clear();
        m_left = kActionsOfARound;
        m_depth = 0;
        m_window = std::make_unique<MainWindow>();
        m_opened = m_window->document().text();
        connect(&m_window->document(), &DesignDocument::replaced, this, [this] { m_opened = m_window->document().text(); });
        m_window->resize(1280, 800);
        m_window->show();
        m_window->activateWindow();
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, &WindowMonkeyTest::pulse);
        timer.start(1);
        openSomething();
        while (m_left > 0 && m_window->isVisible()) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
            m_dog->beat();
        }
        while (front() != m_window.get()) {
            front()->close();
            QCoreApplication::processEvents();
        }
        // The round is over, also for a step that is still due.
        timer.stop();
        QCoreApplication::removePostedEvents(this, QEvent::MetaCall);
        m_due = false;
        // Whatever was done, undo leads back to what was opened, byte for byte.
        m_window->document().undoStack().setIndex(0);
        QVERIFY2(m_window->document().text() == m_opened, "undo does not lead back to what was opened");
        MonkeyLog::add("the end of the window");
        m_window.reset();
        m_dog->beat();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        if (!m_warnings.isEmpty())
            MonkeyLog::tell();
        QVERIFY2(m_warnings.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(m_warnings.join(QLatin1Char('\n')))));
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_home.isValid());
        for (const char* name : {"HOME", "FABRICSCOPE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "TMPDIR"})
            qputenv(name, m_home.path().toUtf8());
        QVERIFY(QDir::setCurrent(m_home.path()));
        QLocale::setDefault(QLocale::c());
        // The platform's own dialogs would not be the monkey's.
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        s_self = this;
        s_before = qInstallMessageHandler(hear);

        QVERIFY(QDir(m_home.path()).mkdir(QStringLiteral("folder")));
        QVERIFY(write(QStringLiteral("good.yaml"), QByteArray::fromStdString(exampleDesigns().front().text)));
        QVERIFY(write(QStringLiteral("empty.yaml"), {}));
        QVERIFY(write(QStringLiteral("noise.yaml"), QByteArray("\xff\xfe\0\x01 binary", 12)));
        QVERIFY(write(QStringLiteral("missing.yaml"), "fabricscope: 1\nplatform: {file: nowhere.yaml}\nworkload: {collective: all_reduce, size: 1 MiB}\n"));
        QVERIFY(write(QStringLiteral("piped.yaml"), "fabricscope: 1\nplatform: {file: pipe}\nworkload: {collective: all_reduce, size: 1 MiB}\n"));
        QVERIFY(write(QStringLiteral("device.yaml"), "fabricscope: 1\nplatform: {file: /dev/zero}\nworkload: {collective: all_reduce, size: 1 MiB}\n"));
        QVERIFY(write(QStringLiteral("program.lua"), "collective(\"all_gather\", {ranks = 4})\nfor r = 0, 3 do for s = 1, 3 do chunk(r, \"input\", 0):copy((r + s) % 4, \"output\", r) end end\n"));
        QVERIFY(write(QStringLiteral("bad.xml"), "<algo name=\"x\" ngpus=\"2\"><gpu id=\"0\"></algo>"));
        QVERIFY(write(QStringLiteral("noise.et"), QByteArray(1000, '\x7f')));
        QVERIFY(write(QStringLiteral("noise.run"), QByteArray(1000, '\x80')));
        QCOMPARE(::mkfifo(inHome(QStringLiteral("pipe")).toLocal8Bit().constData(), 0600), 0);
        QCOMPARE(::mkfifo(inHome(QStringLiteral("pipe.lua")).toLocal8Bit().constData(), 0600), 0);
        QCOMPARE(::mkfifo(inHome(QStringLiteral("pipe.json")).toLocal8Bit().constData(), 0600), 0);
        m_dog = std::make_unique<Watchdog>(kStill);
    }

    void cleanupTestCase()
    {
        m_dog.reset();
        qInstallMessageHandler(s_before);
        s_self = nullptr;
    }

    void nothingTheMonkeyDoesEndsFreezesOrComplains()
    {
        bool hasTime = false;
        bool hasSeed = false;
        const int seconds = qEnvironmentVariableIntValue("FABRICSCOPE_MONKEY_SECONDS", &hasTime);
        const int seed = qEnvironmentVariableIntValue("FABRICSCOPE_MONKEY_SEED", &hasSeed);
        const std::uint64_t first = hasSeed ? static_cast<std::uint64_t>(seed) : 1;
        const QDeadlineTimer deadline(1000LL * (hasTime ? seconds : hasSeed ? 0 : 10));
        std::uint64_t rounds = 0;
        do {
            round(first + rounds++);
        } while (!deadline.hasExpired() && !QTest::currentTestFailed());
        std::fprintf(stderr, "monkey: %llu rounds from seed %llu on, %lld actions\n", static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(first), static_cast<long long>(m_done));
    }
};

static int begin(int argc, char** argv)
{
    QApplication application(argc, argv);
    WindowMonkeyTest test;
    QStringList arguments = QCoreApplication::arguments();
    arguments.insert(1, QStringLiteral("-nocrashhandler")); // The monkey tells what it did.
    return QTest::qExec(&test, arguments);
}

FABRICSCOPE_TEST_BEGINS(begin)

#include "tst_window_monkey.moc"
