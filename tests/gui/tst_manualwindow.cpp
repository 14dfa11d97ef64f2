// The manual in the window: every topic, found by words, by keyboard.
#include "sourcedir.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/patience.h"
#include "widgets/start/manualwindow.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBlock>
#include <QTextBrowser>
#include <QtTest/QtTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

class ManualWindowTest : public QObject
{
    Q_OBJECT

private slots:
    void everyTopicOfTheFolderIsListedAndShown()
    {
        ManualWindow window;
        const QDir folder(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual"));
        const QStringList names = folder.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
        QVERIFY(names.size() >= 10);
        QCOMPARE(part<QListWidget>(window).count(), names.size());
        for (int row = 0; row < names.size(); ++row) {
            QFile file(folder.filePath(names[row]));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString title = QString::fromUtf8(file.readLine()).mid(2).trimmed();
            QCOMPARE(part<QListWidget>(window).item(row)->text(), title);
            window.showTopic(row);
            QVERIFY2(part<QTextBrowser>(window).toPlainText().startsWith(title), qPrintable(names[row]));
            // Markdown, not its source.
            QVERIFY2(!part<QTextBrowser>(window).toPlainText().contains(QStringLiteral("## 1.")), qPrintable(names[row]));
        }
    }

    /// Files beside the text, small enough for a page, that the window has in itself.
    void picturesAreShown()
    {
        ManualWindow window;
        auto& page = part<QTextBrowser>(window);
        QStringList shown;
        const QDir folder(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual"));
        const QStringList names = folder.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
        for (int row = 0; row < names.size(); ++row) {
            QFile file(folder.filePath(names[row]));
            QVERIFY(file.open(QIODevice::ReadOnly));
            if (!file.readAll().contains("](pictures/"))
                continue;
            window.showTopic(row);
            for (QTextBlock block = page.document()->begin(); block.isValid(); block = block.next()) {
                for (auto part = block.begin(); !part.atEnd(); ++part) {
                    const QTextImageFormat picture = part.fragment().charFormat().toImageFormat();
                    if (!picture.isValid())
                        continue;
                    const auto image = page.loadResource(QTextDocument::ImageResource, QUrl(picture.name()));
                    const QImage loaded = image.metaType().id() == QMetaType::QByteArray ? QImage::fromData(image.toByteArray()) : image.value<QImage>();
                    QVERIFY2(!loaded.isNull() && loaded.width() <= 800, qPrintable(picture.name()));
                    QVERIFY(QFileInfo(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual/") + picture.name()).size() < 40'000);
                    shown << picture.name();
                }
            }
        }
        QCOMPARE(shown, QStringList({QStringLiteral("pictures/explore.png"), QStringLiteral("pictures/workload.png"), QStringLiteral("pictures/transform.png")}));
    }

    void wordsAreFoundInLaterTopicsAndFromTheStartOn()
    {
        ManualWindow window;
        // Only in the rules of models, once.
        part<QLineEdit>(window).setText(QStringLiteral("an idle link remembers nothing"));
        QVERIFY(window.findNext());
        const int models = part<QListWidget>(window).currentRow();
        QVERIFY(models > 0);
        QCOMPARE(part<QTextBrowser>(window).textCursor().selectedText(), QStringLiteral("an idle link remembers nothing"));
        // From a later topic round to it again, and from its end, both ways.
        window.showTopic(part<QListWidget>(window).count() - 1);
        QVERIFY(window.findNext());
        QCOMPARE(part<QListWidget>(window).currentRow(), models);
        QVERIFY(window.findNext());
        QCOMPARE(part<QListWidget>(window).currentRow(), models);
        QVERIFY(part<QTextBrowser>(window).textCursor().hasSelection());
        window.showTopic(0);
        QVERIFY(window.findNext(true));
        QCOMPARE(part<QListWidget>(window).currentRow(), models);
    }

    /// What the text cites is a link to it; examples are left as they are.
    void whatTheTextCitesIsALink()
    {
        ManualWindow window;
        struct Link {
            QString page;
            QString text;
            QString target;
        };
        QList<Link> links;
        for (int row = 0; row < part<QListWidget>(window).count(); ++row) {
            window.showTopic(row);
            for (QTextBlock block = part<QTextBrowser>(window).document()->begin(); block.isValid(); block = block.next()) {
                for (auto part = block.begin(); !part.atEnd(); ++part) {
                    const QTextCharFormat format = part.fragment().charFormat();
                    if (!format.isAnchor() || !format.anchorHref().startsWith(QLatin1Char('#')))
                        continue;
                    QVERIFY2(!format.fontFixedPitch(), qPrintable(part.fragment().text()));
                    links.append({test::part<QListWidget>(window).item(row)->text().section(QLatin1Char(':'), 0, 0), part.fragment().text(), format.anchorHref()});
                }
            }
        }
        const auto has = [&links](const char* page, const char* text, const char* target) {
            return std::any_of(links.begin(), links.end(), [&](const Link& link) {
                return link.page == QLatin1String(page) && link.text == QLatin1String(text) && link.target == QLatin1String(target);
            });
        };
        QVERIFY(has("Models", "collectives 1", "#collectives-1"));
        QVERIFY(has("Models", "section 7", "#models-7"));
        QVERIFY(has("Engines", "models 3.6", "#models-3.6"));
        QVERIFY(links.size() >= 10);
        // Every one leads to a section of its number, at the top as far as the page goes.
        window.show();
        for (const Link& link : links) {
            const QString number = link.target.section(QLatin1Char('-'), 1);
            emit part<QTextBrowser>(window).anchorClicked(QUrl(link.target));
            const QTextBlock shown = part<QTextBrowser>(window).textCursor().block();
            QVERIFY2(shown.blockFormat().headingLevel() >= 2 && (shown.text().startsWith(number + QLatin1Char(' ')) || shown.text().startsWith(number + QStringLiteral(". "))),
                     qPrintable(link.text + QStringLiteral(" leads to ") + shown.text()));
            QVERIFY2(part<QTextBrowser>(window).rect().contains(part<QTextBrowser>(window).cursorRect().center()), qPrintable(link.text));
        }
        QVERIFY(!window.showSection(QStringLiteral("models"), QStringLiteral("99")));
        QVERIFY(!window.showSection(QStringLiteral("modles"), QStringLiteral("1")));
    }

    void aLinkIsFollowedByKeyboard()
    {
        ManualWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        part<QTextBrowser>(window).setFocus();
        QTRY_VERIFY(part<QTextBrowser>(window).hasFocus());
        QTest::keyClick(&part<QTextBrowser>(window), Qt::Key_Tab); // The first of the tour is "models 3.2".
        QTest::keyClick(&part<QTextBrowser>(window), Qt::Key_Return);
        QCOMPARE(part<QListWidget>(window).currentItem()->text().section(QLatin1Char(':'), 0, 0), QStringLiteral("Models"));
        QVERIFY(part<QTextBrowser>(window).textCursor().block().text().startsWith(QStringLiteral("3.2 ")));
    }

    void whatStandsNowhereIsSaidUntilTheWordsChange()
    {
        ManualWindow window;
        part<QLineEdit>(window).setText(QStringLiteral("xyzzy"));
        QVERIFY(!window.findNext());
        QCOMPARE(tagged<QLabel>(window, "message").text(), QStringLiteral("Not found"));
        QCOMPARE(part<QListWidget>(window).currentRow(), 0);
        part<QLineEdit>(window).setText(QStringLiteral("xyz"));
        QVERIFY(tagged<QLabel>(window, "message").text().isEmpty());
    }

    void theKeyboardDoesAll()
    {
        ManualWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&part<QListWidget>(window), Qt::Key_Down);
        QCOMPARE(part<QListWidget>(window).currentRow(), 1);
        QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(part<QLineEdit>(window).hasFocus());
        QTest::keyClicks(&part<QLineEdit>(window), QStringLiteral("rounded"));
        QTest::keyClick(&part<QLineEdit>(window), Qt::Key_Return);
        QCOMPARE(part<QTextBrowser>(window).textCursor().selectedText(), QStringLiteral("rounded"));
        QVERIFY(window.isVisible());
        const int first = part<QTextBrowser>(window).textCursor().position();
        QTest::keyClick(&window, Qt::Key_F3);
        QVERIFY(part<QTextBrowser>(window).textCursor().position() > first);
        QTest::keyClick(&window, Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(part<QTextBrowser>(window).textCursor().position(), first);
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(!window.isVisible());
    }

    void oneWindowIsEnough()
    {
        QWidget parent;
        ManualWindow& window = ManualWindow::open(&parent);
        QVERIFY(window.isVisible());
        window.close();
        QCOMPARE(&ManualWindow::open(&parent), &window);
        QVERIFY(window.isVisible());
        QCOMPARE(parent.findChildren<ManualWindow*>().size(), 1);
    }
};

FABRICSCOPE_GUI_TEST(ManualWindowTest)
#include "tst_manualwindow.moc"
