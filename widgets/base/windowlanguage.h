#pragma once

#include <QLocale>
#include <QString>
#include <QTranslator>

#include <memory>
#include <optional>

namespace fabricscope {

/// What the window speaks; kept by its number.
enum class WindowLanguage { System, English, German };

/// "en" or "de"; nothing: neither.
std::optional<WindowLanguage> windowLanguageOf(const QString& code);
/// The one that UserSettings keeps.
WindowLanguage chosenLanguage();
/// English or German: what a system of this locale speaks, in its own order of preference.
WindowLanguage languageOfSystem(const QLocale& system);

/// Texts of one catalog. lupdate leaves the namespace out of the names of some classes, tr() never does: either name is an answer.
class CatalogTranslator : public QTranslator
{
    Q_OBJECT
public:
    using QTranslator::QTranslator;
    QString translate(const char* context, const char* source, const char* disambiguation = nullptr, int n = -1) const override;
};

/// As long as it lives the application speaks this language: our texts, those of Qt where its translations are installed, and numbers. Widgets ask for
/// their texts when they are made, so it is there before them.
class SpokenLanguage {
public:
    explicit SpokenLanguage(WindowLanguage language, const QLocale& system = QLocale::system());
    ~SpokenLanguage();
    SpokenLanguage(const SpokenLanguage&) = delete;
    SpokenLanguage& operator=(const SpokenLanguage&) = delete;

    /// Ours; null: the texts are as they are in the sources.
    const CatalogTranslator* catalog() const { return m_catalog.get(); }

private:
    QLocale m_before;
    std::unique_ptr<QTranslator> m_ofQt;
    std::unique_ptr<CatalogTranslator> m_catalog;
};

} // namespace fabricscope
