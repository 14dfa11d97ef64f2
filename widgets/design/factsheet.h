#pragma once

#include "widgets/base/plaintextedit.h"
#include "widgets/design/document.h"
#include "widgets/design/quantityfield.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPointer>

#include <vector>

namespace fabricscope {

/// What every NPU can do: fields that stay plain until touched, empty where nothing is given, with a chip where
/// the figure of a preset is assumed.
class NpuFacts : public QWidget
{
    Q_OBJECT
public:
    explicit NpuFacts(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    /// `key`: peak, memory, memory_bandwidth; null otherwise.
    QuantityField* field(const QString& key) const;

private:
    void setTheme(const Theme& theme);
    struct Row {
        const char* key;
        QLabel* label;
        QLabel* chip;
        QuantityField* field;
    };
    void read();

    QPointer<DesignDocument> m_document;
    std::vector<Row> m_rows;
};

/// What runs: kind of workload, its groups, sizes and where it is placed. Nothing to edit.
class WorkloadFacts : public QWidget
{
    Q_OBJECT
public:
    explicit WorkloadFacts(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    using Facts = std::vector<std::pair<QString, QString>>;
    static Facts factsOf(const Design& design);

private:
    static void addPlanFacts(Facts& facts, const PlannedWorkload& planned);
    void setTheme(const Theme& theme);
    void read();

    QPointer<DesignDocument> m_document;
    Theme m_theme;
    QGridLayout* m_grid;
};

/// Algorithm of all, or per dimension, and number of chunks of the usual collective, and the rules that differ.
class CollectiveFacts : public QWidget
{
    Q_OBJECT
public:
    explicit CollectiveFacts(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    QComboBox* algorithm(int dimension) const;
    /// By dimension, or whatever is fastest for the whole group.
    QComboBox* ofAll() const { return m_ofAll; }
    QuantityField* chunks() const { return m_chunks; }

private:
    void setTheme(const Theme& theme);
    void read();
    /// Whether the dimensions choose.
    bool readOfAll(const Design& design);

    QPointer<DesignDocument> m_document;
    Theme m_theme;
    QGridLayout* m_grid;
    QLabel* m_ofAllLabel;
    QComboBox* m_ofAll;
    std::vector<QLabel*> m_names;
    std::vector<QComboBox*> m_boxes;
    QLabel* m_chunksLabel;
    QuantityField* m_chunks;
    QLabel* m_rules;
};

/// The question a design answers: its notes.
class QuestionEdit : public PlainTextEdit
{
    Q_OBJECT
public:
    explicit QuestionEdit(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);

protected:
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void read();
    void fit();

    QPointer<DesignDocument> m_edited;
    Theme m_theme;
    bool m_busy = false;
};

} // namespace fabricscope
