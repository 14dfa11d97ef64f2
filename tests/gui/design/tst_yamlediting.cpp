// Writing a design as text: what is offered while it is typed, what a field means, its colours.
#include "tests/gui/support/designdock.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/design/fieldcompleter.h"
#include "widgets/design/yamlhighlighter.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHelpEvent>
#include <QTextLayout>
#include <QToolTip>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using namespace Qt::Literals::StringLiterals;

class YamlEditingTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        AppTheme::global().set(Theme());
    }

    void init()
    {
        m_dock = std::make_unique<Dock>();
        m_dock->panel.showText(true);
        m_dock->panel.show();
        m_text = &part<YamlView>(m_dock->panel);
        m_text->setFocus();
        m_list = part<FieldCompleter>(m_dock->panel).popup();
    }
    void cleanup() { m_dock.reset(); }

    void L1_keysOfTheMappingAreOfferedWhileTheyAreTyped()
    {
        const QString before = m_text->toPlainText();
        putCursor(before.indexOf(u"80 GiB}"_s) + 6); // Of the NPU, which has a memory already.
        QTest::keyClicks(m_text, u", memo"_s);
        QTRY_VERIFY(m_list->isVisible());
        QCOMPARE(offered(), QStringList{u"memory_bandwidth"_s});
        QTest::keyClick(m_list, Qt::Key_Return);
        QVERIFY(!m_list->isVisible());
        QVERIFY2(m_text->toPlainText().contains(u"memory: 80 GiB, memory_bandwidth: }"_s), qPrintable(m_text->toPlainText()));
        QCOMPARE(QString::fromStdString(m_dock->document.text()), m_text->toPlainText());
        // All of it is one step of the document.
        m_dock->document.endMerge();
        m_dock->document.undoStack().undo();
        QCOMPARE(m_text->toPlainText(), before);
    }

    void L1_wordsAreOfferedOnRequestAndChosenByKeys()
    {
        const qsizetype at = m_text->toPlainText().indexOf(u"shape: "_s) + 7;
        putCursor(at);
        QTest::keyClick(m_text, Qt::Key_Space, Qt::ControlModifier);
        QVERIFY(m_list->isVisible());
        const QStringList words = offered();
        QVERIFY2(words.contains(u"ring"_s) && words.contains(u"switch"_s), qPrintable(words.join(u' ')));
        QTest::keyClick(m_list, Qt::Key_Escape);
        QVERIFY(!m_list->isVisible());
        const QString before = m_text->toPlainText();
        QTest::keyClick(m_text, Qt::Key_Space, Qt::ControlModifier);
        for (qsizetype i = 0; i < words.size() && chosen() != u"switch"_s; ++i)
            QTest::keyClick(m_list, Qt::Key_Down);
        QCOMPARE(chosen(), u"switch"_s);
        QTest::keyClick(m_list, Qt::Key_Tab);
        QCOMPARE(m_text->toPlainText().mid(at).section(QRegularExpression(u"[,}]"_s), 0, 0), u"switch"_s);
        QVERIFY(!m_dock->document.hasErrors());
        QVERIFY(m_text->toPlainText() != before);
    }

    void L1_unitsAreOfferedBehindANumber()
    {
        const qsizetype at = m_text->toPlainText().indexOf(u"450 GB/s"_s) + 4;
        QTextCursor cursor = m_text->textCursor();
        cursor.setPosition(static_cast<int>(at));
        cursor.setPosition(static_cast<int>(at) + 4, QTextCursor::KeepAnchor);
        m_text->setTextCursor(cursor);
        QTest::keyClicks(m_text, u"T"_s);
        QTRY_VERIFY(m_list->isVisible());
        QCOMPARE(offered(), QStringList{u"TB/s"_s});
        QTest::keyClick(m_list, Qt::Key_Return);
        QCOMPARE(m_text->toPlainText().mid(at, 4), u"TB/s"_s);
        QVERIFY(!m_dock->document.hasErrors());
    }

    void L1_nothingIsOfferedInRemarksAndForWholeWords()
    {
        m_text->goTo(1);
        QTest::keyClick(m_text, Qt::Key_Home);
        QTest::keyClicks(m_text, u"# work"_s);
        settle();
        QVERIFY(!m_list->isVisible());
        QTest::keyClick(m_text, Qt::Key_Space, Qt::ControlModifier);
        QVERIFY(!m_list->isVisible());
    }

    void L1_aNewLineBeginsWhereItsMappingDoes_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("spaces");
        QTest::newRow("a key") << u"  npu: {peak: 1 TFLOP/s}"_s << 2;
        QTest::newRow("a section") << u"platform:"_s << 2;
        QTest::newRow("an item in braces") << u"    - {shape: ring}"_s << 4;
        QTest::newRow("an item of lines") << u"    - shape: ring"_s << 6;
        QTest::newRow("an item that opens") << u"    - steps:"_s << 8;
        QTest::newRow("a remark") << u"  # so:"_s << 2;
    }
    void L1_aNewLineBeginsWhereItsMappingDoes()
    {
        QFETCH(const QString, line);
        QFETCH(const int, spaces);
        m_dock->document.endMerge();
        QVERIFY(m_dock->document.editText(u"line"_s, line.toStdString(), {}));
        QCOMPARE(m_text->toPlainText(), line);
        putCursor(line.size());
        QTest::keyClick(m_text, Qt::Key_Return);
        QCOMPARE(m_text->toPlainText(), line + u'\n' + QString(spaces, u' '));
    }

    void L2_theTooltipSaysWhatAFieldMeans()
    {
        const qsizetype at = m_text->toPlainText().indexOf(u"shape: "_s);
        const QString text = hover(at + 1);
        QVERIFY2(text.contains(u"platform.dimensions[0].shape"_s), qPrintable(text));
        QVERIFY2(text.contains(u"fully_connected"_s), qPrintable(text));
        // Where something is wrong, that comes first.
        QVERIFY(m_dock->document.edit(u"wrong"_s, [](YamlDocument& yaml) { return yaml.set("platform.dimensions.0.shape", "rings"); }));
        QVERIFY2(hover(at + 1).contains(u"rings"_s), qPrintable(hover(at + 1)));
    }

    void L3_keysNumbersTextsAndRemarksHaveTheirColours()
    {
        QTextDocument document;
        YamlHighlighter highlighter(&document);
        const Theme theme = AppTheme::global().theme();
        document.setPlainText(u"size: 4 # NPUs\nname: \"a # b\"\n- {shape: ring, bandwidth: 50 GB/s}"_s);
        highlighter.rehighlight(); // A document that nobody shows tells no changes.
        const auto colour = [&](int line, const QString& word) {
            const QTextBlock block = document.findBlockByNumber(line);
            const int at = static_cast<int>(block.text().indexOf(word));
            for (const QTextLayout::FormatRange& range : block.layout()->formats()) {
                if (at >= range.start && at < range.start + range.length)
                    return range.format;
            }
            return QTextCharFormat();
        };
        QCOMPARE(colour(0, u"size"_s).foreground().color(), theme.color(Role::Accent));
        QVERIFY(colour(0, u"4"_s).fontWeight() > QFont::Normal);
        QVERIFY(colour(0, u"NPUs"_s).fontItalic());
        QCOMPARE(colour(1, u"# b"_s).foreground().color(), theme.color(Role::Ok));
        QVERIFY(!colour(1, u"# b"_s).fontItalic());
        QCOMPARE(colour(2, u"bandwidth"_s).foreground().color(), theme.color(Role::Accent));
        QVERIFY(!colour(2, u"ring"_s).hasProperty(QTextFormat::ForegroundBrush));
    }

private:
    void putCursor(qsizetype at)
    {
        QTextCursor cursor = m_text->textCursor();
        cursor.setPosition(static_cast<int>(at));
        m_text->setTextCursor(cursor);
    }

    QStringList offered() const
    {
        QStringList words;
        for (int row = 0; row < m_list->model()->rowCount(); ++row)
            words << m_list->model()->index(row, 0).data().toString();
        return words;
    }

    QString chosen() const { return m_list->currentIndex().siblingAtColumn(0).data().toString(); }

    /// Typing has had its rest.
    void settle() { QTRY_VERIFY(part<FieldCompleter>(m_dock->panel).isSettled()); }

    QString hover(qsizetype at)
    {
        QTextCursor cursor = m_text->textCursor();
        cursor.setPosition(static_cast<int>(at));
        const QPoint inside = m_text->cursorRect(cursor).center();
        const QPoint local = m_text->viewport()->mapTo(m_text, inside);
        QHelpEvent event(QEvent::ToolTip, local, m_text->mapToGlobal(local));
        QCoreApplication::sendEvent(m_text, &event);
        return QToolTip::text();
    }

    std::unique_ptr<Dock> m_dock;
    YamlView* m_text = nullptr;
    QAbstractItemView* m_list = nullptr;
};

FABRICSCOPE_GUI_TEST(YamlEditingTest)
#include "tst_yamlediting.moc"
