// Names from inputs do nothing in the window: no label takes them for HTML, and what hides or reorders text is shown.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/showntexts.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/design/editactions.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/results/statusstrip.h"
#include "widgets/results/table.h"
#include "widgets/timeline/timetext.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QClipboard>
#include <QGroupBox>
#include <QLabel>
#include <QMessageBox>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QTreeView>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;
constexpr int kMostRows = 100;

/// As YAML writes them between double quotes.
const QStringList& attacks()
{
    static const QStringList list{QStringLiteral("<b>x</b><img src=x>"), QStringLiteral("\\u202Eevil"), QStringLiteral("\\e[2J\\e]0;owned\\a"), QStringLiteral("=1+1"), QStringLiteral("ok\\r\\nforged\\u2028\\u200b\\x9b")};
    return list;
}

QByteArray graphDesign()
{
    QStringList nodes;
    QStringList links;
    QStringList steps;
    for (qsizetype i = 0; i < attacks().size(); ++i) {
        nodes << QStringLiteral("{name: \"%1\"}").arg(attacks()[i]);
        links << QStringLiteral("{between: [\"%1\", \"s<i>\"], bandwidth: 50 GB/s, latency: 1 us}").arg(attacks()[i]);
        steps << QStringLiteral("{compute: 20 us, name: \"%1\"}, {collective: all_reduce, size: 1 MiB, name: \"%1 sum\"}").arg(attacks()[i]);
    }
    return QStringLiteral("fabricscope: 1\nname: \"%1%2%3\"\nnotes: \"%1%2%3\"\nplatform: {nodes: [%4, {name: \"s<i>\", kind: switch}], links: [%5]}\nworkload: {steps: [%6]}\n")
        .arg(attacks()[0], attacks()[1], attacks()[2], nodes.join(QStringLiteral(", ")), links.join(QStringLiteral(", ")), steps.join(QStringLiteral(", ")))
        .toUtf8();
}

QByteArray groupDesign(const QString& name)
{
    return QStringLiteral("fabricscope: 1\nname: \"%1\"\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n"
                          "workload: {groups: [{name: \"%1\", dimensions: [0]}], steps: [{collective: all_reduce, size: 1 MiB, group: \"%1\", name: \"%1\"}]}\n")
        .arg(name)
        .toUtf8();
}

/// Nothing in it hides or reorders; ends of lines and the tab before a shortcut are the program's own.
bool isShown(const QString& text)
{
    for (const QChar c : text) {
        const ushort u = c.unicode();
        if ((u < 0x20 && u != '\n' && u != '\t') || (u >= 0x7f && u <= 0x9f) || u == 0x200b || u == 0x200e || u == 0x200f || (u >= 0x2028 && u <= 0x202e) || (u >= 0x2060 && u <= 0x206f))
            return false;
    }
    return true;
}

/// Elements of a name would take effect. Only our own are meant to.
bool isDangerousHtml(const QString& text)
{
    return Qt::mightBeRichText(text) && (text.contains(QLatin1String("<img")) || text.contains(QLatin1String("<i>")) || text.contains(QLatin1String("<b>x")));
}

class Findings {
public:
    void text(const QString& where, const QString& text)
    {
        ++m_seen;
        if (!isShown(text))
            m_list.append(where + QStringLiteral(" holds hidden characters: ") + texts::shown(text));
    }
    void toolTip(const QString& where, const QString& text)
    {
        this->text(where, text);
        if (isDangerousHtml(text))
            m_list.append(where + QStringLiteral(" has a tooltip that is HTML: ") + text);
    }
    void label(const QString& where, const QLabel& label)
    {
        text(where, label.text());
        if (label.isVisible() && label.textFormat() == Qt::AutoText)
            m_list.append(where + QStringLiteral(" guesses its format: ") + label.text());
        if (label.textFormat() != Qt::PlainText && isDangerousHtml(label.text()))
            m_list.append(where + QStringLiteral(" shows HTML: ") + label.text());
    }
    void model(const QString& where, const QAbstractItemModel& model, const QModelIndex& parent = {})
    {
        for (int column = 0; column < model.columnCount(parent); ++column) {
            text(where, model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
            toolTip(where, model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
            for (int row = 0; row < std::min(model.rowCount(parent), kMostRows); ++row) {
                const QModelIndex index = model.index(row, column, parent);
                text(where, index.data(Qt::DisplayRole).toString());
                toolTip(where, index.data(Qt::ToolTipRole).toString());
                if (column == 0 && model.hasChildren(index))
                    this->model(where, model, index);
            }
        }
    }
    void window(const QString& when, const QWidget& window)
    {
        QList<const QWidget*> widgets = window.findChildren<const QWidget*>();
        widgets.append(&window);
        for (const QWidget* widget : widgets) {
            const QString where = when + QLatin1Char('/') + QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName();
            toolTip(where, widget->toolTip());
            text(where, widget->windowTitle());
            text(where + QStringLiteral(" read aloud"), widget->accessibleName());
            if (const auto* label = qobject_cast<const QLabel*>(widget))
                this->label(where, *label);
            if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
                text(where, button->text());
            if (const auto* box = qobject_cast<const QGroupBox*>(widget))
                text(where, box->title());
            if (const auto* combo = qobject_cast<const QComboBox*>(widget))
                model(where, *combo->model());
            if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
                for (int i = 0; i < tabs->count(); ++i)
                    text(where, tabs->tabText(i));
            if (const auto* view = qobject_cast<const QAbstractItemView*>(widget); view && view->model())
                model(where, *view->model());
        }
        for (const QAction* action : window.findChildren<QAction*>()) {
            text(when + QStringLiteral("/action"), action->text());
            toolTip(when + QStringLiteral("/action"), action->toolTip());
        }
    }

    int seen() const { return m_seen; }
    QByteArray words()
    {
        m_list.removeDuplicates();
        return m_list.join(QLatin1Char('\n')).toUtf8();
    }

private:
    QStringList m_list;
    int m_seen = 0;
};

} // namespace

class WindowNamesTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
    }

    void namesDoNothingInAnyWorkspace_data()
    {
        QTest::addColumn<QByteArray>("design");
        QTest::addColumn<QString>("file");
        QTest::newRow("nodes and tasks") << graphDesign() << QStringLiteral("design.yaml");
        for (qsizetype i = 0; i < attacks().size(); ++i)
            QTest::addRow("groups %d", static_cast<int>(i)) << groupDesign(attacks()[i]) << QStringLiteral("design.yaml");
        QTest::newRow("name of the file") << groupDesign(QStringLiteral("plain")) << QStringLiteral("\u202E<img src=x>\x1b[2J\n.yaml");
        QTest::newRow("errors") << QByteArray("fabricscope: 1\nplatform: {dimensions: [{shape: \"<img src=x>\\e[2J\\u202E\", size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n\"<img src=x>\\u202E\\n\": 1\nworkload: {collective: all_reduce, size: 1 MiB}\n")
                                << QStringLiteral("design.yaml");
    }

    void namesDoNothingInAnyWorkspace()
    {
        QFETCH(QByteArray, design);
        QFETCH(QString, file);
        const QString path = m_home.filePath(file);
        QFile out(path);
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(design) == design.size());
        out.close();
        const auto shown = test::shownWindow({1600, 1000});
        QVERIFY(shown);
        MainWindow& window = *shown;
        QSignalSpy opened(&window.files(), &FileCommands::opened);
        QSignalSpy failed(&window.files(), &FileCommands::failed);
        window.files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(!opened.isEmpty() || !failed.isEmpty(), kLongMs);
        const bool wrong = qstrcmp(QTest::currentDataTag(), "errors") == 0;
        if (!wrong && window.document().hasErrors())
            QFAIL(window.document().issues().front().text().c_str());
        QTRY_VERIFY_WITH_TIMEOUT((wrong || window.history().current()) && !window.runs().isBusy(), kLongMs);
        Findings findings;
        for (const QString& workspace : workspaceKeys()) {
            window.setWorkspace(workspace);
            const QString when = QStringLiteral("workspace %1").arg(workspace);
            for (int tab = 0; tab <= TablesPanel::Log; ++tab) {
                if (workspace == QStringLiteral("explore"))
                    test::part<TablesPanel>(window).showTab(static_cast<TablesPanel::Tab>(tab));
                if (workspace == QStringLiteral("explore") || tab == 0) {
                    QCoreApplication::processEvents();
                    QVERIFY(!window.grab().isNull());
                    findings.window(when, window);
                }
            }
        }
        QVERIFY(findings.seen() > 1000);
        const QByteArray words = findings.words();
        QVERIFY2(words.isEmpty(), words.left(3000).constData());
    }

    /// Under the pointer, in the titles of edits, and copied from any view with Ctrl+C.
    void namesOfLinksDoNothing()
    {
        auto window = test::shownWindow({1600, 1000});
        QVERIFY(window);
        window->files().openText(graphDesign(), QStringLiteral("graph.yaml"));
        QVERIFY(window->document().platform());
        const Platform& platform = *window->document().platform();
        QVERIFY(platform.linkCount() >= 2 * attacks().size());
        auto* strip = window->findChild<StatusStrip*>();
        QVERIFY(strip);
        Findings findings;
        for (LinkId link = 0; link < platform.linkCount(); ++link) {
            CanvasElement element;
            element.kind = CanvasElement::Kind::Link;
            element.link = link;
            emit test::part<ExploreView>(*window).canvas().hoverChanged(element);
            QVERIFY(!test::tagged<QLabel>(*strip, "coordinates").text().isEmpty());
            findings.text(QStringLiteral("under the pointer"), test::tagged<QLabel>(*strip, "coordinates").text());
            findings.text(QStringLiteral("read aloud"), test::tagged<QLabel>(*strip, "coordinates").accessibleName());
            QVERIFY(DesignActions::setLinkRemoved(window->document(), link, true));
            findings.text(QStringLiteral("title of an edit"), window->document().undoStack().undoText());
            findings.window(QStringLiteral("after an edit"), *window);
            window->document().undoStack().undo();
        }
        const QByteArray words = findings.words();
        QVERIFY2(words.isEmpty(), words.left(3000).constData());
    }

    void aCopiedItemOfAnyViewIsTextOfOneCell_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("copied");
        QTest::newRow("formula") << QStringLiteral("=1+1") << QStringLiteral("'=1+1");
        QTest::newRow("two cells") << QStringLiteral("a\tb") << QStringLiteral("a\\tb");
        QTest::newRow("reordered") << QStringLiteral("\u202Eevil") << QStringLiteral("\\u202eevil");
        QTest::newRow("negative number") << QStringLiteral("-5.5") << QStringLiteral("-5.5");
        QTest::newRow("plain") << QStringLiteral("plain name") << QStringLiteral("plain name");
    }

    void aCopiedItemOfAnyViewIsTextOfOneCell()
    {
        QFETCH(QString, name);
        QFETCH(QString, copied);
        const auto window = test::shownWindow({1280, 800}); // Makes copying so for the program.
        QVERIFY(window);
        QStandardItemModel model;
        model.appendRow(new QStandardItem(name));
        QTreeView view;
        view.setModel(&model);
        view.setCurrentIndex(model.index(0, 0));
        QGuiApplication::clipboard()->setText(QStringLiteral("before"));
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), copied);
    }

    void aMessageShowsTheNameAsItIs()
    {
        PlainLabels::install();
        QMessageBox box(QMessageBox::Question, QStringLiteral("t"), QStringLiteral("<b>x</b><img src=x> has unsaved changes"), QMessageBox::Ok);
        box.show();
        const auto* label = box.findChild<QLabel*>(QStringLiteral("qt_msgbox_label"));
        QVERIFY(label);
        QCOMPARE(label->textFormat(), Qt::PlainText);
        QLabel rich(QStringLiteral("<b>meant</b>"));
        rich.setTextFormat(Qt::RichText);
        rich.show();
        QCOMPARE(rich.textFormat(), Qt::RichText);
    }

    void tooltipsShowWhatLooksLikeHtml()
    {
        QCOMPARE(texts::toolTip(QStringLiteral("two\nlines")), QStringLiteral("two\nlines"));
        const QString html = texts::toolTip(QStringLiteral("<img src=x>\n\u202Ea"));
        QTextDocument document;
        document.setHtml(html);
        QCOMPARE(document.toPlainText().replace(QChar(0x2028), QLatin1Char('\n')), QStringLiteral("<img src=x>\n\\u202ea"));
        TimelineEvent event;
        event.name = "<img src=x>\xe2\x80\xae";
        event.group = "<b>g\x1b[2J";
        QVERIFY(isShown(eventTooltip(event)));
        QVERIFY(!isDangerousHtml(eventTooltip(event)));
    }
};

FABRICSCOPE_GUI_TEST(WindowNamesTest)
#include "tst_window_names.moc"
