// The catalogs of German: nothing is missing, every text is found under the name it is asked for, and what is filled in or clicked is in both languages.
#include "tests/gui/support/catalog.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/windowlanguage.h"

#include <QDirIterator>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using test::CatalogText;

namespace {

const QStringList kFolders{QStringLiteral("app"), QStringLiteral("widgets")};
constexpr int kLongMs = 60'000;

QList<CatalogText> german()
{
    return test::readCatalog(test::germanOf(QStringLiteral("app"))) + test::readCatalog(test::germanOf(QStringLiteral("widgets")));
}

/// What matches, in order of the alphabet.
QStringList matches(const QString& text, const QString& pattern)
{
    QStringList found;
    for (const QRegularExpressionMatch& match : QRegularExpression(pattern).globalMatch(text))
        found.append(match.captured());
    found.sort();
    return found;
}

QString blanksAround(const QString& text)
{
    const QRegularExpressionMatch match = QRegularExpression(QStringLiteral("^(\\s*).*?(\\s*)$"), QRegularExpression::DotMatchesEverythingOption).match(text);
    return match.captured(1) + QLatin1Char('|') + match.captured(2);
}

/// What of `source` is not in `translation`, by its kind; empty: all is.
QString difference(const QString& source, const QString& translation, bool isOneOfForms)
{
    const QString filled = isOneOfForms ? QStringLiteral("%L?[0-9]+") : QStringLiteral("%(L?[0-9]+|n)"); // "one" needs no number.
    if (matches(source, filled) != matches(translation, filled))
        return QStringLiteral("places");
    if (matches(source, QStringLiteral("</?[a-z][^>]*>")) != matches(translation, QStringLiteral("</?[a-z][^>]*>")))
        return QStringLiteral("tags");
    if (matches(source, QStringLiteral("&(?=[^&\\s])(?![a-z]+;)")).size() != matches(translation, QStringLiteral("&(?=[^&\\s])(?![a-z]+;)")).size())
        return QStringLiteral("mnemonic");
    if (blanksAround(source) != blanksAround(translation))
        return QStringLiteral("blanks around");
    if (source.endsWith(QChar(0x2026)) != translation.endsWith(QChar(0x2026)))
        return QStringLiteral("ellipsis");
    return {};
}

/// Texts of all sources of the window.
QStringList sources()
{
    QStringList all;
    for (const QString& folder : {QStringLiteral("app/desktop"), QStringLiteral("widgets")}) {
        QDirIterator files(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + folder, {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (file.open(QIODevice::ReadOnly))
                all.append(QString::fromUtf8(file.readAll()));
        }
    }
    return all;
}

} // namespace

class TranslationsTest : public QObject
{
    Q_OBJECT

private slots:
    /// lupdate finds in the sources what the catalogs have, all of it translated.
    void A6_everyTextOfTheSourcesIsTranslated_data()
    {
        QTest::addColumn<QString>("folder");
        for (const QString& folder : kFolders)
            QTest::newRow(qPrintable(folder)) << folder;
    }

    void A6_everyTextOfTheSourcesIsTranslated()
    {
        QFETCH(QString, folder);
        const QTemporaryDir home;
        const QString found = home.filePath(QStringLiteral("found.ts"));
        QProcess lupdate;
        lupdate.start(QStringLiteral(FABRICSCOPE_LUPDATE), {QStringLiteral("-silent"), QStringLiteral("-locations"), QStringLiteral("none"), QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + folder,
                                                            QStringLiteral("-target-language"), QStringLiteral("de"), QStringLiteral("-ts"), found});
        QVERIFY2(lupdate.waitForFinished(kLongMs) && lupdate.exitCode() == 0, lupdate.readAllStandardError().constData());
        QHash<QString, CatalogText> translated;
        for (const CatalogText& text : test::readCatalog(test::germanOf(folder)))
            translated.insert(text.key(), text);
        QVERIFY(!translated.isEmpty());
        QStringList missing;
        for (const CatalogText& asked : test::readCatalog(found)) {
            const CatalogText text = translated.take(asked.key());
            if (!text.isFinished || text.translations.size() != (asked.hasForms ? 2 : 1) || text.translations.contains(QString()))
                missing.append(asked.context + QStringLiteral(": ") + asked.source);
        }
        QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("ninja translations, then translate\n") + missing.join(QLatin1Char('\n'))));
        QVERIFY2(translated.isEmpty(), qPrintable(QStringLiteral("nobody asks for: ") + translated.keys().join(QLatin1Char('\n'))));
    }

    void A6_whatIsFilledInAndClickedIsInBothLanguages()
    {
        QStringList wrong;
        for (const CatalogText& text : german())
            for (qsizetype form = 0; form < text.translations.size(); ++form)
                if (const QString what = difference(text.source, text.translations[form], text.hasForms && form == 0); !what.isEmpty())
                    wrong.append(QStringLiteral("%1: %2: %3 -> %4").arg(what, text.context, text.source, text.translations[form]));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    /// By the program's own catalog, under the name of the class as it knows it.
    void A6_everyTextIsFound()
    {
        const SpokenLanguage language(WindowLanguage::German, QLocale::c());
        const QList<CatalogText> all = german();
        QVERIFY(all.size() > 2000);
        QStringList lost;
        for (const CatalogText& text : all) {
            const QString context = text.context.startsWith(QStringLiteral("fabricscope")) ? text.context : QStringLiteral("fabricscope::") + text.context;
            const int count = text.hasForms ? 2 : -1;
            const QString shown = QCoreApplication::translate(context.toUtf8().constData(), text.source.toUtf8().constData(), text.comment.isEmpty() ? nullptr : text.comment.toUtf8().constData(), count);
            const QString expected = text.hasForms ? QString(text.translations.last()).replace(QStringLiteral("%n"), QStringLiteral("2")) : text.translations.front();
            if (shown != expected)
                lost.append(text.context + QStringLiteral(": ") + text.source);
        }
        QVERIFY2(lost.isEmpty(), qPrintable(lost.join(QLatin1Char('\n'))));
    }

    /// A context is a class that asks by it, or is named where texts are asked for. (A class without Q_OBJECT would ask by the name of its base.)
    void A6_everyContextIsAskedFor()
    {
        static const QRegularExpression kClass(QStringLiteral("\\b(?:class|struct) (\\w+)[^;{]*\\{\\s*Q_OBJECT"));
        static const QRegularExpression kNamed(QStringLiteral("(?:Q_DECLARE_TR_FUNCTIONS\\(|translate\\(\"|QT_TRANSLATE_NOOP\\(\")([\\w:]+)"));
        QSet<QString> asked;
        for (const QString& source : sources())
            for (const QRegularExpression* pattern : {&kClass, &kNamed})
                for (const QRegularExpressionMatch& match : pattern->globalMatch(source))
                    asked.insert(match.captured(1).remove(QStringLiteral("fabricscope::")));
        QStringList unasked;
        for (const CatalogText& text : german())
            if (QString context = text.context; !asked.contains(context.remove(QStringLiteral("fabricscope::"))))
                unasked.append(text.context);
        unasked.removeDuplicates();
        QVERIFY2(unasked.isEmpty(), qPrintable(unasked.join(QLatin1Char('\n'))));
    }

    /// lupdate reads calls of tr() only: a function of another name hides what it is given.
    void A6_noTextHidesBehindAnotherFunction()
    {
        static const QRegularExpression kWrapper(QStringLiteral("(\\w+)\\(const char\\* \\w+[^)]*\\)\\s*\\{\\s*return QCoreApplication::translate"));
        int wrappers = 0;
        for (const QString& source : sources()) {
            for (const QRegularExpressionMatch& match : kWrapper.globalMatch(source)) {
                ++wrappers;
                const QString name = match.captured(1);
                QVERIFY2(name == QStringLiteral("tr") || !source.contains(name + QStringLiteral("(\"")), qPrintable(name));
            }
        }
        QVERIFY(wrappers > 5);
    }

    void A6_theSystemSaysWhichLanguage()
    {
        QCOMPARE(languageOfSystem(QLocale(QLocale::German, QLocale::Austria)), WindowLanguage::German);
        QCOMPARE(languageOfSystem(QLocale(QLocale::English, QLocale::UnitedKingdom)), WindowLanguage::English);
        QCOMPARE(languageOfSystem(QLocale(QLocale::Japanese)), WindowLanguage::English);
        QCOMPARE(languageOfSystem(QLocale::c()), WindowLanguage::English);
    }

    /// Numbers follow what was chosen, by the country where the system has one; afterwards all is as before.
    void A6_numbersFollowTheLanguage()
    {
        const QLocale before(QLocale::French);
        QLocale::setDefault(before);
        const QLocale swiss(QLocale::German, QLocale::Switzerland);
        const auto mark = [](WindowLanguage chosen, const QLocale& system) {
            const SpokenLanguage language(chosen, system);
            return QLocale().decimalPoint();
        };
        QCOMPARE(mark(WindowLanguage::German, QLocale::c()), QStringLiteral(","));
        QCOMPARE(mark(WindowLanguage::German, swiss), QStringLiteral("."));
        QCOMPARE(mark(WindowLanguage::English, QLocale(QLocale::German)), QStringLiteral("."));
        QCOMPARE(mark(WindowLanguage::System, QLocale(QLocale::French)), QStringLiteral(","));
        QCOMPARE(mark(WindowLanguage::System, QLocale::c()), QStringLiteral("."));
        QCOMPARE(QLocale(), before);
        QCOMPARE(QCoreApplication::translate("fabricscope::SettingsDialog", "Language"), QStringLiteral("Language"));
        QLocale::setDefault(QLocale::c());
    }
};

FABRICSCOPE_GUI_TEST(TranslationsTest)
#include "tst_translations.moc"
