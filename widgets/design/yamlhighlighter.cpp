#include "widgets/design/yamlhighlighter.h"

#include "widgets/base/apptheme.h"

namespace fabricscope {

namespace {

bool isBreak(QChar c)
{
    return c == QLatin1Char('{') || c == QLatin1Char('}') || c == QLatin1Char('[') || c == QLatin1Char(']') || c == QLatin1Char(',');
}

bool isQuote(QChar c)
{
    return c == QLatin1Char('"') || c == QLatin1Char('\'');
}

} // namespace

YamlHighlighter::YamlHighlighter(QTextDocument* document) : QSyntaxHighlighter(document)
{
    followTheme(this, &YamlHighlighter::setTheme);
}

void YamlHighlighter::setTheme(const Theme& theme)
{
    m_theme = theme;
    rehighlight();
}

void YamlHighlighter::highlightBlock(const QString& text)
{
    constexpr qsizetype kLongest = 5000; // A line of a generated file may be very long.
    if (text.size() > kLongest)
        return;
    qsizetype at = 0;
    while (at < text.size()) {
        const QChar c = text[at];
        const bool isStart = at == 0 || text[at - 1].isSpace() || isBreak(text[at - 1]);
        if (c == QLatin1Char('#') && (at == 0 || text[at - 1].isSpace())) {
            QTextCharFormat remark;
            remark.setForeground(m_theme.color(Role::Text3));
            remark.setFontItalic(true);
            setFormat(static_cast<int>(at), static_cast<int>(text.size() - at), remark);
            return;
        }
        if (isQuote(c) && isStart) {
            qsizetype end = text.indexOf(c, at + 1);
            end = end < 0 ? text.size() : end + 1;
            setFormat(static_cast<int>(at), static_cast<int>(end - at), m_theme.color(Role::Ok));
            at = end;
        } else if (c.isSpace() || isBreak(c)) {
            ++at;
        } else {
            qsizetype end = at;
            while (end < text.size() && !text[end].isSpace() && !isBreak(text[end]))
                ++end;
            highlightWord(text, at, end);
            at = end;
        }
    }
}

void YamlHighlighter::highlightWord(const QString& text, qsizetype begin, qsizetype end)
{
    if (text[end - 1] == QLatin1Char(':')) {
        QTextCharFormat key;
        key.setForeground(m_theme.color(Role::Accent));
        setFormat(static_cast<int>(begin), static_cast<int>(end - 1 - begin), key);
        return;
    }
    if (!text[begin].isDigit() && text[begin] != QLatin1Char('.'))
        return;
    QTextCharFormat number;
    number.setFontWeight(QFont::DemiBold);
    setFormat(static_cast<int>(begin), static_cast<int>(end - begin), number);
}

} // namespace fabricscope
