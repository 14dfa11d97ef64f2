#include "widgets/base/windowlanguage.h"

#include "widgets/base/files/usersettings.h"

#include <QCoreApplication>
#include <QLibraryInfo>

#include <cstring>

/// Resources of a static library are not registered on their own.
static void registerTranslations()
{
    Q_INIT_RESOURCE(translations);
}

namespace fabricscope {

namespace {

constexpr char kNamespace[] = "fabricscope::";

} // namespace

std::optional<WindowLanguage> windowLanguageOf(const QString& code)
{
    if (code == QLatin1String("en"))
        return WindowLanguage::English;
    if (code == QLatin1String("de"))
        return WindowLanguage::German;
    return {};
}

WindowLanguage chosenLanguage()
{
    return static_cast<WindowLanguage>(UserSettings::value(UserSettings::kLanguage));
}

WindowLanguage languageOfSystem(const QLocale& system)
{
    for (const QString& name : system.uiLanguages()) {
        const QLocale::Language language = QLocale(name).language();
        if (language == QLocale::German)
            return WindowLanguage::German;
        if (language == QLocale::English)
            return WindowLanguage::English;
    }
    return WindowLanguage::English;
}

QString CatalogTranslator::translate(const char* context, const char* source, const char* disambiguation, int n) const
{
    const QString text = QTranslator::translate(context, source, disambiguation, n);
    constexpr std::size_t kLength = sizeof(kNamespace) - 1;
    if (!text.isNull() || !context || std::strncmp(context, kNamespace, kLength) != 0)
        return text;
    return QTranslator::translate(context + kLength, source, disambiguation, n);
}

SpokenLanguage::SpokenLanguage(WindowLanguage language, const QLocale& system)
{
    const bool german = (language == WindowLanguage::System ? languageOfSystem(system) : language) == WindowLanguage::German;
    // Numbers of another country that speaks the language stay as they are there; C has those of English.
    const QLocale::Language wanted = german ? QLocale::German : QLocale::English;
    const bool isSystems = language == WindowLanguage::System || system.language() == wanted || (!german && system.language() == QLocale::C);
    QLocale::setDefault(isSystems ? system : QLocale(wanted));
    if (!german)
        return;
    m_ofQt = std::make_unique<QTranslator>();
    if (m_ofQt->load(QStringLiteral("qtbase_de"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(m_ofQt.get());
    registerTranslations();
    m_catalog = std::make_unique<CatalogTranslator>();
    if (m_catalog->load(QStringLiteral(":/translations/fabricscope_de.qm")))
        QCoreApplication::installTranslator(m_catalog.get());
}

SpokenLanguage::~SpokenLanguage()
{
    QLocale::setDefault(m_before); // Translators leave the application when they end.
}

} // namespace fabricscope
