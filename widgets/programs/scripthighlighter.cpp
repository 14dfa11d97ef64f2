#include "widgets/programs/scripthighlighter.h"

#include "widgets/base/apptheme.h"

#include <QRegularExpression>
#include <QSet>

namespace fabricscope {

namespace {

enum State { Usual = -1, InLongComment = 1, InLongString = 2, InXmlComment = 3 };

const QSet<QString>& keywords()
{
    static const QSet<QString> words{
        QStringLiteral("and"), QStringLiteral("break"), QStringLiteral("do"), QStringLiteral("else"), QStringLiteral("elseif"), QStringLiteral("end"),
        QStringLiteral("false"), QStringLiteral("for"), QStringLiteral("function"), QStringLiteral("goto"), QStringLiteral("if"), QStringLiteral("in"),
        QStringLiteral("local"), QStringLiteral("nil"), QStringLiteral("not"), QStringLiteral("or"), QStringLiteral("repeat"), QStringLiteral("return"),
        QStringLiteral("then"), QStringLiteral("true"), QStringLiteral("until"), QStringLiteral("while")};
    return words;
}

/// Words that make operations or say how.
const QSet<QString>& ownWords()
{
    static const QSet<QString> words{
        QStringLiteral("collective"), QStringLiteral("param"), QStringLiteral("ranks"), QStringLiteral("chunks"), QStringLiteral("root"), QStringLiteral("chunk"),
        QStringLiteral("copy"), QStringLiteral("reduce"), QStringLiteral("tags"), QStringLiteral("phase"), QStringLiteral("channel"), QStringLiteral("instances"), QStringLiteral("weights"),
        QStringLiteral("split"), QStringLiteral("group"), QStringLiteral("before"), QStringLiteral("expect")};
    return words;
}

} // namespace

ScriptHighlighter::ScriptHighlighter(QTextDocument* document) : QSyntaxHighlighter(document)
{
    followTheme(this, &ScriptHighlighter::setTheme);
}

void ScriptHighlighter::setTheme(const Theme& theme)
{
    m_theme = theme;
    rehighlight();
}

void ScriptHighlighter::setXml(bool xml)
{
    if (m_xml == xml)
        return;
    m_xml = xml;
    rehighlight();
}

void ScriptHighlighter::highlightBlock(const QString& text)
{
    constexpr qsizetype kLongest = 2000; // A line of a generated file may be very long.
    setCurrentBlockState(Usual);
    if (text.size() > kLongest)
        return;
    if (m_xml)
        highlightXml(text);
    else
        highlightLua(text);
}

void ScriptHighlighter::highlightLua(const QString& text)
{
    const QColor comment = m_theme.color(Role::Text3);
    const QColor string = m_theme.color(Role::Ok);
    QTextCharFormat keyword;
    keyword.setFontWeight(QFont::DemiBold);
    QTextCharFormat own;
    own.setForeground(m_theme.color(Role::Accent));
    QTextCharFormat plainComment;
    plainComment.setForeground(comment);
    plainComment.setFontItalic(true);
    QTextCharFormat plainString;
    plainString.setForeground(string);

    qsizetype at = 0;
    if (previousBlockState() == InLongComment || previousBlockState() == InLongString) {
        const qsizetype end = text.indexOf(QStringLiteral("]]"));
        const QTextCharFormat& format = previousBlockState() == InLongComment ? plainComment : plainString;
        if (end < 0) {
            setFormat(0, static_cast<int>(text.size()), format);
            setCurrentBlockState(previousBlockState());
            return;
        }
        at = end + 2;
        setFormat(0, static_cast<int>(at), format);
    }
    while (at < text.size()) {
        const QChar c = text[at];
        const bool comments = c == QLatin1Char('-') && at + 1 < text.size() && text[at + 1] == QLatin1Char('-');
        const bool isLong = text.mid(comments ? at + 2 : at, 2) == QStringLiteral("[[");
        if (comments || isLong) {
            const qsizetype end = isLong ? text.indexOf(QStringLiteral("]]"), at) : -1;
            const qsizetype stop = end < 0 ? text.size() : end + 2;
            setFormat(static_cast<int>(at), static_cast<int>(stop - at), comments ? plainComment : plainString);
            if (isLong && end < 0)
                setCurrentBlockState(comments ? InLongComment : InLongString);
            at = stop;
        } else if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
            qsizetype end = at + 1;
            while (end < text.size() && text[end] != c)
                end += text[end] == QLatin1Char('\\') ? 2 : 1;
            end = std::min(end + 1, text.size());
            setFormat(static_cast<int>(at), static_cast<int>(end - at), plainString);
            at = end;
        } else if (c.isLetter() || c == QLatin1Char('_')) {
            qsizetype end = at;
            while (end < text.size() && (text[end].isLetterOrNumber() || text[end] == QLatin1Char('_')))
                ++end;
            const QString word = text.mid(at, end - at);
            if (keywords().contains(word))
                setFormat(static_cast<int>(at), static_cast<int>(end - at), keyword);
            else if (ownWords().contains(word))
                setFormat(static_cast<int>(at), static_cast<int>(end - at), own);
            at = end;
        } else {
            ++at;
        }
    }
}

void ScriptHighlighter::highlightXml(const QString& text)
{
    static const QRegularExpression names(QStringLiteral("</?\\w+"));
    static const QRegularExpression values(QStringLiteral("\"[^\"]*\""));
    QTextCharFormat name;
    name.setForeground(m_theme.color(Role::Accent));
    QTextCharFormat value;
    value.setForeground(m_theme.color(Role::Ok));
    QTextCharFormat comment;
    comment.setForeground(m_theme.color(Role::Text3));
    for (auto match = names.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        setFormat(static_cast<int>(found.capturedStart()), static_cast<int>(found.capturedLength()), name);
    }
    for (auto match = values.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        setFormat(static_cast<int>(found.capturedStart()), static_cast<int>(found.capturedLength()), value);
    }
    qsizetype at = previousBlockState() == InXmlComment ? 0 : text.indexOf(QStringLiteral("<!--"));
    while (at >= 0) {
        const qsizetype end = text.indexOf(QStringLiteral("-->"), at);
        setFormat(static_cast<int>(at), static_cast<int>((end < 0 ? text.size() : end + 3) - at), comment);
        if (end < 0) {
            setCurrentBlockState(InXmlComment);
            return;
        }
        at = text.indexOf(QStringLiteral("<!--"), end);
    }
}

} // namespace fabricscope
