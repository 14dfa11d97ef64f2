#pragma once

#include "widgets/base/theme.h"

#include <QSyntaxHighlighter>

namespace fabricscope {

/// Colours the text of a program: Lua with the words of our language, or MSCCL XML.
class ScriptHighlighter : public QSyntaxHighlighter
{
    Q_OBJECT
public:
    explicit ScriptHighlighter(QTextDocument* document);
    void setXml(bool xml);

protected:
    void highlightBlock(const QString& text) override;

private:
    void setTheme(const Theme& theme);
    void highlightLua(const QString& text);
    void highlightXml(const QString& text);

    Theme m_theme;
    bool m_xml = false;
};

} // namespace fabricscope
