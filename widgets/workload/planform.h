#pragma once

#include "core/base/result.h"
#include "widgets/base/theme.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;

namespace fabricscope {

class DesignDocument;
class YamlDocument;
struct PlanSpec;

/// The fields of `workload.model`, `workload.plan` and `compute.kernels` of a design that decide most, each an edit of the text. A design without a plan is offered one.
class PlanForm : public QWidget
{
    Q_OBJECT
public:
    explicit PlanForm(QWidget* parent = nullptr);

    /// Follows the document. Not owned.
    void setDocument(DesignDocument* document);
    /// Names of models that can be taken.
    void setPresets(const QStringList& presets);

    /// The editor of a field ("workload.plan.data.zero"); null: it is not shown.
    QWidget* editorOf(const QString& path) const;

signals:
    /// An edit was refused: why.
    void refused(const QString& text);

private:
    struct Row {
        QString path;
        QString usual;      ///< Shown where the design says nothing.
        QWidget* editor = nullptr;
    };

    void setTheme(const Theme& theme);
    void rebuild();
    void read();
    QLineEdit* addNumber(const QString& label, const QString& path, const QString& usual, const QString& hint);
    QComboBox* addChoice(const QString& label, const QString& path, const QStringList& words, const QString& usual, const QString& hint);
    QComboBox* makeChoice(const QString& label, const QString& path, const QStringList& words, const QString& usual, const QString& hint);
    void addHeading(const QString& text);
    void addField(const QString& label, QWidget* field);
    void addNote(const QString& text);
    void addOffer();
    void addModel(const PlanSpec& plan);
    void addInference();
    void addMesh(const PlanSpec& plan);
    void addSections(const PlanSpec& plan);
    void addKernels();
    QString textAt(const Row& row) const;
    /// What decides which rows there are.
    QString shapeOf() const;
    void change(const QString& label, const QString& path, const QString& text);
    Status write(YamlDocument& yaml, const QString& path, const QString& text) const;
    void usePreset(const QString& preset);

    DesignDocument* m_document = nullptr;
    QStringList m_presets;
    QFormLayout* m_form = nullptr;
    QWidget* m_body = nullptr;
    std::vector<Row> m_rows;
    QString m_shape; ///< Of the rows on show.
    bool m_reading = false;
    Theme m_theme;
};

} // namespace fabricscope
