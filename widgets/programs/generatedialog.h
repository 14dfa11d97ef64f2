#pragma once

#include "core/generate/generate.h"
#include "widgets/base/theme.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace fabricscope {

/// Asks for a program by the name of its algorithm; says which groups the algorithm takes while one types.
class GenerateDialog : public QDialog
{
    Q_OBJECT
public:
    explicit GenerateDialog(QWidget* parent = nullptr);

    /// \pre isAcceptable().
    GenerateRequest request() const;
    bool isAcceptable() const;

    /// "4 x 2", "4,2", "8": extents, axis 0 first; empty: not of that form.
    static std::vector<std::int32_t> extentsOf(const QString& text);

private:
    void chooseAlgorithm();
    void check();

    Theme m_theme;
    QComboBox* m_algorithm;
    QComboBox* m_op;
    QLineEdit* m_extents;
    QSpinBox* m_chunks;
    QSpinBox* m_root;
    QSpinBox* m_radix;
    QLabel* m_note;
    QPushButton* m_accept;
};

} // namespace fabricscope
