#pragma once

#include "app/desktop/mainwindow.h"

namespace fabricscope::test {

/// The one part of the window of this class.
template <class Part>
Part& part(const MainWindow& window)
{
    auto* found = window.findChild<Part*>();
    if (!found)
        qFatal("the window has no %s", Part::staticMetaObject.className());
    return *found;
}

} // namespace fabricscope::test
