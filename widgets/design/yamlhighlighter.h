#pragma once

#include "widgets/base/theme.h"

#include <QSyntaxHighlighter>

namespace fabricscope {

/// Colours the text of a design: keys, texts in quotes, numbers with their units, remarks.
class YamlHighlighter : public QSyntaxHighlighter
{
    Q_OBJECT
public:
    explicit YamlHighlighter(QTextDocument* document);

protected:
    void highlightBlock(const QString& text) override;

private:
    void setTheme(const Theme& theme);
    void highlightWord(const QString& text, qsizetype begin, qsizetype end);

    Theme m_theme;
};

} // namespace fabricscope
