#include "widgets/base/files/usersettings.h"

#include "widgets/base/files/userfolders.h"

#include <QSettings>

#include <algorithm>
#include <thread>

namespace fabricscope {

UserSettings& UserSettings::global()
{
    static UserSettings settings;
    return settings;
}

int UserSettings::value(const Number& number)
{
    bool isNumber = false;
    const int kept = openSettings()->value(QString::fromLatin1(number.key)).toInt(&isNumber);
    return isNumber ? std::clamp(kept, number.least, number.most) : number.usual;
}

int UserSettings::runThreads()
{
    const int wanted = value(kThreads);
    return wanted > 0 ? wanted : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void UserSettings::set(const Number& number, int value)
{
    Q_ASSERT(value >= number.least && value <= number.most);
    const auto settings = openSettings();
    if (value == number.usual)
        settings->remove(QString::fromLatin1(number.key));
    else
        settings->setValue(QString::fromLatin1(number.key), value);
    settings->sync(); // Others read the file, not this object.
    emit changed();
}

} // namespace fabricscope
