#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "tests/gui/support/pictures.h"
#include "core/design/design.h"
#include "core/platform/presets.h"
#include "core/run/rundesign.h"
#include "widgets/start/recentfiles.h"
#include "widgets/start/cards.h"
#include "widgets/start/page.h"
#include "widgets/start/designtemplates.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;

namespace {

/// Reads and runs a shipped text; empty: all went well.
QString problemOf(const ShippedDesign& shipped)
{
    auto read = readDesignText(shipped.text, (shipped.id + QStringLiteral(".yaml")).toStdString());
    if (!read)
        return QString::fromStdString(read.error().text());
    for (const Diagnostic& found : read.value().diagnostics)
        if (found.severity != Severity::Note)
            return QString::fromStdString(found.text());
    const auto run = runDesign(std::make_shared<const Design>(read.value().design), read.value().diagnostics, {});
    if (!run)
        return QString::fromStdString(run.error().text());
    return run.value()->record().finish.ps > 0 ? QString() : QStringLiteral("it takes no time");
}

template <typename Button>
Button* buttonCalled(const QWidget& page, const QString& text)
{
    for (Button* button : page.findChildren<Button*>())
        if (button->text() == text)
            return button;
    return nullptr;
}

} // namespace

class StartPageTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_home;

private slots:
    /// In a window too small for the page a card may be left with less room than its title takes.
    void aCardWithoutRoomForItsPictureIsPainted()
    {
        TemplateCard card(designTemplates()[0]);
        QTest::failOnWarning(QRegularExpression(QStringLiteral("QPainter|QPixmap")));
        for (const QSize size : {QSize(160, 20), QSize(2, 112), QSize(1, 1), QSize(160, 112)}) {
            card.resize(size);
            QCOMPARE(card.grab().size(), size);
        }
    }

    void initTestCase() { qputenv("FABRICSCOPE_HOME", m_home.path().toUtf8()); }

    void E9_everyTemplateAndPresetOpensWithoutIssuesAndRuns_data()
    {
        QTest::addColumn<int>("list");
        QTest::addColumn<int>("at");
        const QList<const QList<ShippedDesign>*> lists{&designTemplates(), &presetDesigns()};
        for (int list = 0; list < 2; ++list)
            for (int at = 0; at < static_cast<int>(lists[list]->size()); ++at)
                QTest::addRow("%s", qPrintable(lists[list]->at(at).id)) << list << at;
    }
    void E9_everyTemplateAndPresetOpensWithoutIssuesAndRuns()
    {
        QFETCH(int, list);
        QFETCH(int, at);
        const ShippedDesign& design = (list == 0 ? designTemplates() : presetDesigns())[at];
        QCOMPARE(problemOf(design), QString());
        QVERIFY(!design.title.isEmpty());
        QVERIFY(!design.detail.isEmpty());
    }

    void thereAreFiveTemplatesEveryExampleAndEveryPreset()
    {
        QCOMPARE(designTemplates().size(), 5);
        qsizetype examples = 0;
        for (const QString& folder : {QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples"), QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/plan")})
            examples += QDir(folder).entryList({QStringLiteral("*.yaml")}).size();
        QCOMPARE(exampleDesigns().size(), examples);
        QCOMPARE(presetDesigns().size(), static_cast<qsizetype>(presets().size()));
        for (const ShippedDesign& design : exampleDesigns()) {
            QVERIFY(!design.title.isEmpty());
            QVERIFY(readDesignText(design.text, design.id.toStdString()));
        }
    }

    void anExampleIsFoundByTheNameOfItsFile()
    {
        QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/two-level-hgx.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(exampleText(QStringLiteral("two-level-hgx")), QString::fromUtf8(file.readAll()));
        QVERIFY(exampleText(QStringLiteral("no such")).isEmpty());
    }

    void aCardAndAnExampleGiveTheirText()
    {
        StartPage page;
        page.resize(1000, 700);
        page.show();
        QSignalSpy opened(&page, &StartPage::openText);
        auto* card = buttonCalled<TemplateCard>(page, designTemplates()[2].title);
        QVERIFY(card);
        QTest::mouseClick(card, Qt::LeftButton);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString().toStdString(), designTemplates()[2].text);
        QCOMPARE(opened[0][1].toString(), designTemplates()[2].id + QStringLiteral(".yaml"));
        auto* row = buttonCalled<StartRow>(page, exampleDesigns()[0].title);
        QVERIFY(row);
        row->setFocus();
        QTest::keyClick(row, Qt::Key_Space);
        QCOMPARE(opened.count(), 2);
        QCOMPARE(opened[1][0].toString().toStdString(), exampleDesigns()[0].text);
    }

    void everyCaseStudyIsListedAndItsDesignsCanBeRead()
    {
        const QStringList names = QDir(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/cases")).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
        QVERIFY(!names.isEmpty());
        QStringList listed;
        for (const ShippedCase& shipped : shippedCases()) {
            listed += shipped.id;
            QVERIFY2(!shipped.question.isEmpty() && !shipped.answer.isEmpty() && !shipped.designs.isEmpty(), qPrintable(shipped.id));
            for (const ShippedDesign& design : shipped.designs) {
                const auto read = readDesignText(design.text, design.id.toStdString());
                QVERIFY2(read && !design.title.isEmpty(), qPrintable(design.id + (read ? QString() : QString::fromStdString(read.error().text()))));
            }
        }
        QCOMPARE(listed, names);
        for (const QString& name : names) {
            for (const QString& file : QDir(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/cases/") + name).entryList(QDir::Files))
                QVERIFY2(QFile::exists(QStringLiteral(":/cases/") + name + QLatin1Char('/') + file), qPrintable(file));
        }
    }

    void aCaseStudyGivesTheDesignOfARunWithTheFieldsItSets()
    {
        StartPage page;
        page.resize(1000, 700);
        page.show();
        const auto rails = std::find_if(shippedCases().begin(), shippedCases().end(), [](const ShippedCase& shipped) { return shipped.id == QLatin1String("rail-clos"); });
        QVERIFY(rails != shippedCases().end());
        auto* row = buttonCalled<StartRow>(page, rails->title);
        QVERIFY(row);
        const QList<QLabel*> labels = page.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == rails->question + QLatin1Char('\n') + rails->answer; }));
        QSignalSpy opened(&page, &StartPage::openText);
        row->click();
        auto* menu = row->findChild<QMenu*>();
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), rails->designs.size());
        menu->actions()[1]->trigger();
        menu->close();
        QCOMPARE(opened.count(), 1);
        const auto read = readDesignText(opened[0][0].toString().toStdString(), "case");
        QVERIFY(read);
        QCOMPARE(opened[0][1].toString(), QStringLiteral("rail-clos-rail_2.yaml"));
        QVERIFY2(opened[0][0].toString().contains(QLatin1String("oversubscription: \"2:1\"")) || opened[0][0].toString().contains(QLatin1String("oversubscription: 2:1")), qPrintable(opened[0][0].toString()));
        QVERIFY(opened[0][0].toString().startsWith(QLatin1String("# 1,024 H100 on rails"))); // Comments stay.
    }

    void F1_recentFilesOpenAndMissingOnesAreGreyed()
    {
        const QTemporaryDir folder;
        RecentFiles recent;
        recent.clear();
        StartPage page(&recent);
        page.show();
        QFile file(folder.filePath(QStringLiteral("here.yaml")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        recent.add(folder.filePath(QStringLiteral("gone.yaml")));
        recent.add(file.fileName());
        auto* gone = buttonCalled<StartRow>(page, QStringLiteral("gone.yaml"));
        QTRY_VERIFY(buttonCalled<StartRow>(page, QStringLiteral("here.yaml")));
        auto* here = buttonCalled<StartRow>(page, QStringLiteral("here.yaml"));
        QVERIFY(gone && !gone->isEnabled());
        QSignalSpy opened(&page, &StartPage::openPath);
        // Opening a file moves it to the top, which rebuilds the list under the click.
        connect(&page, &StartPage::openPath, &recent, [&](const QString& path) { recent.add(path); });
        QTest::mouseClick(here, Qt::LeftButton);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), file.fileName());
        recent.clear();
    }

    void A5_everyButtonHasANameAndTakesTheFocus()
    {
        const StartPage page;
        const auto buttons = page.findChildren<QAbstractButton*>();
        QCOMPARE(buttons.size(), designTemplates().size() + exampleDesigns().size() + shippedCases().size() + presetDesigns().size());
        for (const QAbstractButton* button : buttons) {
            QVERIFY(!button->accessibleName().isEmpty());
            QVERIFY(button->focusPolicy() == Qt::StrongFocus);
        }
    }

    void cardsWrapWhenTheWindowIsNarrow()
    {
        StartPage page;
        page.resize(1100, 700);
        page.show();
        const auto rowsOfCards = [&] {
            QSet<int> tops;
            for (const TemplateCard* card : page.findChildren<TemplateCard*>())
                tops += card->y();
            return tops.size();
        };
        QTRY_COMPARE(rowsOfCards(), 1);
        page.resize(500, 700);
        QTRY_VERIFY(rowsOfCards() >= 2);
        for (const TemplateCard* card : page.findChildren<TemplateCard*>())
            QVERIFY(card->mapTo(&page, QPoint(card->width(), 0)).x() <= page.width());
    }

    void A6_nothingIsWiderThanANarrowWindowWithLargeText()
    {
        RecentFiles recent;
        recent.clear();
        recent.add(QStringLiteral("/a/rather/long/folder/name/that/goes/on/and/on/for/ever/gone.yaml"));
        StartPage page(&recent);
        const test::WithTheme themed(Theme(Theme::Mode::Light, 19.5));
        page.resize(600, 700);
        page.show();
        QTRY_COMPARE(page.widget()->width(), page.viewport()->width());
        QVERIFY(page.widget()->minimumSizeHint().width() <= page.viewport()->width());
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        RecentFiles recent;
        recent.clear();
        recent.add(QStringLiteral("/data/designs/gone.yaml"));
        recent.add(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/pipeline.yaml"));
        recent.setResult(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/pipeline.yaml"), QStringLiteral("12.824 ms"));
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            for (const int width : {1280, 560}) {
                const Theme theme(mode, width == 560 ? 19.5 : 13);
                StartPage page(&recent);
                const test::WithTheme themed(theme);
                page.setExampleResult(exampleDesigns()[0].id, QStringLiteral("9.310 ms, simulated in 3 ms"));
                page.resize(width, 1000);
                page.show();
                QVERIFY(QTest::qWaitForWindowExposed(&page));
                page.grab().save(folder + QStringLiteral("/start-%1-%2.png").arg(width).arg(theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light")));
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(StartPageTest)
#include "tst_startpage.moc"
