#include "app/desktop/settingplaces.h"

#include "widgets/start/settingsdialog.h"

#include <QCoreApplication>
#include <QPointer>
#include <QScrollArea>
#include <QTabWidget>
#include <QVariant>
#include <QWidget>

namespace fabricscope {

namespace {

/// Tabs that hide it are turned over, areas scrolled.
void bringIntoSight(QWidget& widget)
{
    for (QWidget* child = &widget; QWidget* const parent = child->parentWidget(); child = parent) {
        auto* const tabs = parent->parentWidget() ? qobject_cast<QTabWidget*>(parent->parentWidget()) : nullptr; // A stack lies between.
        if (tabs && tabs->indexOf(child) >= 0)
            tabs->setCurrentWidget(child);
        if (auto* const area = qobject_cast<QScrollArea*>(parent))
            area->ensureWidgetVisible(&widget);
    }
}

struct DesignSetting {
    const char* title;
    const char* field;
};

constexpr DesignSetting kDesignSettings[] = {
    {QT_TRANSLATE_NOOP("fabricscope::GoTo", "Algorithm of collectives"), "collectives.default.algorithm"},
    {QT_TRANSLATE_NOOP("fabricscope::GoTo", "Chunks of collectives"), "collectives.default.chunks"},
    {QT_TRANSLATE_NOOP("fabricscope::GoTo", "Peak of an NPU"), "platform.npu.peak"},
    {QT_TRANSLATE_NOOP("fabricscope::GoTo", "Memory of an NPU"), "platform.npu.memory"},
    {QT_TRANSLATE_NOOP("fabricscope::GoTo", "Memory rate of an NPU"), "platform.npu.memory_bandwidth"},
    {QT_TRANSLATE_NOOP("fabricscope::GoTo", "Question of the design"), "notes"},
};

} // namespace

std::vector<GoToSetting> settingsOfPage(const QWidget& page, const QString& where, const std::function<void()>& show)
{
    std::vector<GoToSetting> settings;
    for (QWidget* const widget : page.findChildren<QWidget*>()) {
        if (!widget->property(kSettingProperty).toBool() || widget->accessibleName().isEmpty())
            continue;
        settings.push_back({widget->accessibleName(), where, [show, widget = QPointer<QWidget>(widget)] {
                                show();
                                if (!widget)
                                    return;
                                bringIntoSight(*widget);
                                widget->setFocus(Qt::OtherFocusReason);
                            }});
    }
    return settings;
}

std::vector<GoToSetting> settingsOfDesign(const QString& where, const std::function<void(const QString& field)>& focus)
{
    std::vector<GoToSetting> settings;
    for (const DesignSetting& setting : kDesignSettings) {
        const QString field = QString::fromLatin1(setting.field);
        settings.push_back({QCoreApplication::translate("fabricscope::GoTo", setting.title), where, [focus, field] { focus(field); }});
    }
    return settings;
}

void openSettingsDialog(const ActionRegistry& registry, QWidget* window, const QString& name)
{
    auto* dialog = window->findChild<SettingsDialog*>();
    if (!dialog) {
        dialog = new SettingsDialog(registry, window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    }
    dialog->raise();
    dialog->activateWindow();
    dialog->focusOn(name.isEmpty() ? SettingsDialog::names().front() : name);
}

std::vector<GoToSetting> settingsOfDialog(const ActionRegistry& registry, const QString& where, QWidget* window)
{
    std::vector<GoToSetting> settings;
    for (const QString& name : SettingsDialog::names())
        settings.push_back({name, where, [&registry, window, name] { openSettingsDialog(registry, window, name); }, SettingsDialog::commandOf(name)});
    return settings;
}

} // namespace fabricscope
