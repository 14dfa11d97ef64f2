#pragma once

#include <QObject>

namespace fabricscope {

/// Numbers a user sets once for all designs; kept in the settings file, which any thread may read.
class UserSettings : public QObject
{
    Q_OBJECT
public:
    struct Number {
        const char* key;
        int usual;
        int least;
        int most;
    };
    static constexpr Number kTextPixels{"window/text", 13, 10, 26};
    static constexpr Number kLanguage{"window/language", 0, 0, 2}; ///< A WindowLanguage.
    static constexpr Number kThreads{"run/threads", 0, 0, 256}; ///< Of a run; 0: one per core.
    static constexpr Number kAutosaveMinutes{"files/autosave_minutes", 2, 1, 60};

    static UserSettings& global();
    /// Within its range, whatever the file has.
    static int value(const Number& number);
    /// Threads a run takes on this machine.
    static int runThreads();
    /// Keeps it and tells whoever listens. \pre within its range
    void set(const Number& number, int value);

signals:
    void changed();

private:
    UserSettings() = default;
};

} // namespace fabricscope
