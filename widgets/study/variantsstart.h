#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace fabricscope {

/// A study that comes with the program.
struct ShippedStudy {
    QString name;   ///< Of its file: "rail-bandwidth.yaml".
    QString title;
    QString detail; ///< What it asks.
    QString text;
};
std::vector<ShippedStudy> shippedStudies();

/// What Study shows while none is open: what it is for, commands, the studies that come with the program.
class VariantsStart : public QWidget
{
    Q_OBJECT
public:
    explicit VariantsStart(QWidget* parent = nullptr);

    void addCommand(const QString& text, const std::function<void()>& what);
    /// "Reading pod.yaml…"; empty: what it is for.
    void say(const QString& text);
    QString text() const;

signals:
    void exampleChosen(const QString& text, const QString& name);

private:
    void setTheme(const Theme& theme);

    QWidget* m_column;
    QVBoxLayout* m_rows;
    QLabel* m_text;
    QLabel* m_head;
};

} // namespace fabricscope
