#include "core/sharding/stablehlo/mlirscan.h"

#include "core/base/showntext.h"
#include <algorithm>
#include <charconv>

namespace fabricscope::mlir {

namespace {

constexpr int kMostNesting = 32;

/// Recursive descent; the first error stays and ends all loops.
class ModuleParser {
public:
    ModuleParser(std::string_view text, const std::string& file, bool (*known)(std::string_view)) : m_scan(text), m_file(file), m_known(known) {}

    Result<Module> parse()
    {
        const Scanner whole = m_scan;
        bool inside = false;
        while (!m_error && !m_scan.atEnd()) {
            if (!inside && m_scan.accept("module")) {
                m_scan.symbol();
                if (m_scan.accept("attributes"))
                    attributes(m_module.attributes);
                inside = expect("{");
            } else if (m_scan.accept("sdy.mesh")) {
                mesh();
            } else if (m_scan.accept("func.func")) {
                function();
            } else if (m_scan.peek() == '#') {
                alias();
            } else if (m_scan.peek() == '!') {
                typeAlias();
            } else if (m_scan.peekWord("loc")) {
                location();
            } else if (inside && m_scan.accept("}")) {
                inside = false;
            } else if (!inside && m_scan.accept("{-#")) { // Bytes of constants: values do not count.
                if (!m_scan.skipPast("#-}"))
                    return at("the resources have no end", "#-}");
            } else {
                return at("this is no module of functions: \"" + nextText() + "\"", "module, func.func or sdy.mesh");
            }
        }
        if (!m_error && inside)
            return at("the module has no end", "}");
        if (m_error)
            return *std::move(m_error);
        inlineMesh(whole);
        return std::move(m_module);
    }

    /// The mesh that shardings have in themselves, where the module names none: "#sdy.sharding<mesh<["x"=2]>, [...]>".
    void inlineMesh(Scanner scan)
    {
        if (std::ranges::any_of(m_module.meshes, [](const auto& mesh) { return mesh.second.text.find('=') != std::string_view::npos; }))
            return;
        while (scan.skipPast("mesh<[")) {
            scan.moveTo(scan.position() - 2);
            const Span mesh = scan.balanced();
            if (mesh.text.find('=') == std::string_view::npos)
                continue;
            m_module.meshes.emplace_back("", mesh);
            return;
        }
    }

private:
    Error at(std::string message, std::string expected = {})
    {
        m_scan.peek();
        return Error{ErrorCode::InvalidInput, std::move(message), placeOf(m_scan.position()), std::move(expected)};
    }
    void fail(std::string message, std::string expected = {})
    {
        if (!m_error)
            m_error = at(std::move(message), std::move(expected));
    }
    Place placeOf(std::size_t position) const
    {
        Place place;
        place.file = m_file;
        std::tie(place.line, place.column) = m_scan.lineAndColumn(position);
        return place;
    }
    std::string nextText()
    {
        m_scan.peek();
        const std::size_t begin = m_scan.position();
        if (m_scan.word().empty() && m_scan.symbol().empty() && !m_scan.atEnd())
            m_scan.moveTo(begin + 1);
        const std::string text = fabricscope::shownText(m_scan.textFrom(begin), 60);
        m_scan.moveTo(begin);
        return text;
    }
    bool expect(std::string_view what)
    {
        if (m_scan.accept(what))
            return true;
        fail("\"" + nextText() + "\" stands where " + std::string(what) + " is needed", std::string(what));
        return false;
    }

    void mesh()
    {
        const std::string name(m_scan.symbol());
        if (!name.starts_with("@"))
            return fail("a mesh needs a name", "such as @mesh");
        if (!expect("="))
            return;
        m_scan.accept("#sdy.mesh"); // As older versions print it.
        m_scan.peek();
        m_module.meshes.emplace_back(name.substr(1), m_scan.peek() == '<' ? m_scan.balanced() : m_scan.spanFrom(m_scan.position()));
        location();
    }

    void alias()
    {
        const std::string name(m_scan.symbol());
        if (name.size() < 2)
            return fail("\"" + nextText() + "\" is no name of an attribute", "such as #loc");
        if (expect("="))
            m_aliases.insert_or_assign(name, aliasValue());
    }

    void typeAlias()
    {
        const std::string name = typeName();
        if (name.size() < 2)
            return fail("\"" + nextText() + "\" is no name of a type", "such as !t");
        if (expect("="))
            m_types.insert_or_assign(name, type());
    }

    /// "!t"; empty where none is next.
    std::string typeName()
    {
        if (m_scan.peek() != '!')
            return {};
        const std::size_t begin = m_scan.position();
        m_scan.moveTo(begin + 1);
        m_scan.word();
        return std::string(m_scan.textFrom(begin));
    }

    /// A word and brackets; no line says where it ends.
    Span aliasValue()
    {
        m_scan.peek();
        const std::size_t begin = m_scan.position();
        if (m_scan.peek() == '"' || (m_scan.word().empty() && m_scan.symbol().empty())) {
            if (m_scan.balanced().text.empty())
                fail("the value of an attribute has no end");
        } else if (const char next = m_scan.peek(); (next == '<' || next == '(') && m_scan.balanced().text.empty()) {
            fail("a bracket has no end");
        }
        return m_scan.spanFrom(begin);
    }

    void location()
    {
        while (m_scan.accept("loc")) {
            if (m_scan.balanced().text.empty())
                return fail("a location has no end", ")");
        }
    }

    /// "{key = value, flag}".
    void attributes(Attributes& into)
    {
        if (!expect("{"))
            return;
        while (!m_error && !m_scan.accept("}")) {
            std::string key;
            if (m_scan.peek() == '"')
                key = stringOf(m_scan.balanced().text).value_or("");
            else
                key = m_scan.word();
            if (key.empty())
                return fail("\"" + nextText() + "\" is no key of an attribute", "a name");
            m_scan.peek();
            Span value = m_scan.spanFrom(m_scan.position());
            if (m_scan.accept("="))
                value = resolved(m_scan.value(false));
            if (key == "mhlo.sharding")
                m_module.tilings.push_back(value);
            into.insert_or_assign(std::move(key), value);
            if (!m_scan.accept(",") && m_scan.peek() != '}')
                return fail("\"" + nextText() + "\" stands where an attribute ends", ", or }");
        }
    }

    Span resolved(const Span& value) const
    {
        const auto found = m_aliases.find(value.text);
        return found == m_aliases.end() ? value : Span{found->second.text, value.line, value.column};
    }

    Type type()
    {
        m_scan.peek();
        const std::size_t begin = m_scan.position();
        const auto named = m_types.find(typeName());
        if (named != m_types.end())
            return named->second;
        m_scan.moveTo(begin);
        Result<Type> read = readType(m_scan);
        if (read)
            return std::move(read).value();
        if (!m_error) {
            m_error = std::move(read).error();
            m_error->place = placeOf(begin);
        }
        return {};
    }

    /// "T" or "(T, T)" with or without attributes.
    void resultsOf(Function& function)
    {
        const bool several = m_scan.accept("(");
        while (!m_error && !(several && m_scan.accept(")"))) {
            Argument result;
            m_scan.peek();
            result.place = placeOf(m_scan.position());
            result.type = type();
            if (several && m_scan.peek() == '{')
                attributes(result.attributes);
            location();
            function.results.push_back(std::move(result));
            if (!several)
                return;
            if (!m_scan.accept(",") && m_scan.peek() != ')')
                fail("\"" + nextText() + "\" stands where a result ends", ", or )");
        }
    }

    /// "(%a: T {...} loc(...), ...)" behind the opening bracket.
    void arguments(std::vector<Argument>& into)
    {
        while (!m_error && !m_scan.accept(")")) {
            Argument argument;
            m_scan.peek();
            argument.place = placeOf(m_scan.position());
            argument.name = m_scan.symbol();
            if (!argument.name.starts_with("%"))
                return fail("\"" + nextText() + "\" is no argument", "such as %arg0: tensor<8xf32>");
            if (!expect(":"))
                return;
            argument.type = type();
            if (m_scan.peek() == '{')
                attributes(argument.attributes);
            location();
            into.push_back(std::move(argument));
            if (!m_scan.accept(",") && m_scan.peek() != ')')
                fail("\"" + nextText() + "\" stands where an argument ends", ", or )");
        }
    }

    void function()
    {
        Function made;
        for (const std::string_view visibility : {"public", "private", "nested"})
            m_scan.accept(visibility);
        m_scan.peek();
        made.place = placeOf(m_scan.position());
        const std::string name(m_scan.symbol());
        if (!name.starts_with("@"))
            return fail("a function needs a name", "such as @main");
        made.name = name.substr(1);
        if (!expect("("))
            return;
        if (m_scan.peek() != '%' && m_scan.peek() != ')')
            return declaration();
        arguments(made.arguments);
        if (!m_error && m_scan.accept("->"))
            resultsOf(made);
        Attributes unused;
        if (!m_error && m_scan.accept("attributes"))
            attributes(unused);
        if (m_error || m_scan.peek() != '{')
            return;
        m_scan.accept("{");
        region(made.body, 0);
        location();
        m_module.functions.push_back(std::move(made));
    }

    /// One without body: only types, up to the next line of the module.
    void declaration()
    {
        for (; !m_error && !m_scan.accept(")"); m_scan.accept(","))
            type();
        Function unused;
        if (!m_error && m_scan.accept("->"))
            resultsOf(unused);
    }

    /// Behind "{" to behind "}".
    void region(Region& into, int depth)
    {
        if (depth > kMostNesting)
            return fail("regions are nested too deep", "at most " + std::to_string(kMostNesting));
        if (m_scan.peek() == '^') {
            m_scan.symbol();
            if (m_scan.accept("("))
                arguments(into.arguments);
            if (!m_error)
                expect(":");
        }
        while (!m_error && !m_scan.accept("}")) {
            if (m_scan.atEnd())
                return fail("a region has no end", "}");
            if (m_scan.peek() == '^')
                return fail("a region of several blocks is not read", "one block");
            operation(into, depth);
        }
    }

    void operation(Region& into, int depth)
    {
        Operation op;
        while (m_scan.peek() == '%') {
            op.results.emplace_back(std::string(m_scan.symbol()), 1);
            if (m_scan.accept(":")) {
                const std::string_view count = m_scan.word();
                if (std::from_chars(count.data(), count.data() + count.size(), op.results.back().second).ec != std::errc{} || op.results.back().second < 1 || op.results.back().second > 4096)
                    return fail("a number of results is needed here", "1 to 4096");
            }
            m_scan.accept(",");
        }
        if (!op.results.empty() && !expect("="))
            return;
        m_scan.peek();
        const std::size_t begin = m_scan.position();
        op.place = placeOf(begin);
        const bool pretty = m_scan.peek() != '"';
        op.name = !pretty ? stringOf(m_scan.balanced().text).value_or("") : std::string(m_scan.word());
        if (op.name.empty())
            return fail("\"" + nextText() + "\" is no op", "such as stablehlo.add");
        if (op.name == "call" || op.name == "return")
            op.name = "func." + op.name;
        if (!m_known(op.name)) {
            m_error = Error{ErrorCode::Unsupported, "op " + op.name + " is not read", op.place, "ops of the list in the manual: sharding 11"};
            return;
        }
        if (op.name == "sdy.named_computation" && pretty && m_scan.peek() == '<')
            op.words.push_back(m_scan.balanced());
        if ((op.name == "sdy.manual_computation" || op.name == "sdy.named_computation") && pretty)
            shardedRegion(op, depth);
        if (pretty && op.name.ends_with("lo.while")) {
            loop(op, depth);
            location();
            return into.ops.push_back(std::move(op));
        }
        body(op, depth);
        location();
        into.ops.push_back(std::move(op));
    }

    /// "(%a) in_shardings=[...] out_shardings=[...] manual_axes={"x"} (%b: T) { ... }", up to the types.
    void shardedRegion(Operation& op, int depth)
    {
        if (!expect("("))
            return;
        brackets(op, depth);
        while (!m_error && m_scan.peek() != '(') {
            const std::string key(m_scan.word());
            if (key.empty() || !expect("="))
                return fail("\"" + nextText() + "\" is not understood in op " + op.name, "in_shardings, out_shardings, manual_axes");
            op.attributes.insert_or_assign(key, m_scan.balanced());
        }
        Region& inner = op.regions.emplace_back();
        if (!m_error && expect("("))
            arguments(inner.arguments);
        if (!m_error && expect("{"))
            region(inner, depth + 1);
    }

    /// "(%a = %0, %b = %1) : T, T attributes {...} cond { ... } do { ... }" of stablehlo.while.
    void loop(Operation& op, int depth)
    {
        std::vector<Argument> carried;
        if (!expect("("))
            return;
        while (!m_error && !m_scan.accept(")")) {
            Argument argument;
            m_scan.peek();
            argument.place = placeOf(m_scan.position());
            argument.name = m_scan.symbol();
            if (!argument.name.starts_with("%") || !expect("="))
                return fail("\"" + nextText() + "\" is no operand of op " + op.name, "such as %iterArg = %0");
            op.operands.emplace_back(m_scan.symbol());
            carried.push_back(std::move(argument));
            if (!m_scan.accept(",") && m_scan.peek() != ')')
                return fail("\"" + nextText() + "\" stands where an operand ends", ", or )");
        }
        if (!m_error && m_scan.accept(":")) {
            do
                op.resultTypes.push_back(type());
            while (!m_error && m_scan.accept(","));
        }
        if (!m_error && op.resultTypes.size() != carried.size())
            return fail("op " + op.name + " has " + std::to_string(carried.size()) + " operands and " + std::to_string(op.resultTypes.size()) + " types", "one type per operand");
        for (std::size_t i = 0; i < carried.size() && !m_error; ++i)
            carried[i].type = op.resultTypes[i];
        if (!m_error && m_scan.accept("attributes"))
            attributes(op.attributes);
        for (const std::string_view key : {"cond", "do"}) {
            if (m_error || !expect(key) || !expect("{"))
                return;
            Region made;
            region(made, depth + 1);
            made.arguments = carried;
            op.regions.push_back(std::move(made));
        }
    }

    void body(Operation& op, int depth)
    {
        while (!m_error) {
            const char next = m_scan.peek();
            const std::size_t here = m_scan.position();
            if (next == ':') {
                m_scan.accept(":");
                return types(op, depth);
            }
            if (next == '\0' || next == '}' || next == '^')
                return;
            if (next == ',')
                m_scan.accept(",");
            else if (next == '%')
                op.operands.emplace_back(m_scan.symbol());
            else if (next == '(' && m_scan.accept("("))
                brackets(op, depth);
            else if (next == '{')
                attributes(op.attributes);
            else if (next == '<' && m_scan.accept("<{")) {
                m_scan.moveTo(here + 1);
                attributes(op.attributes);
                if (!m_error)
                    expect(">");
            } else if (next == '<' || next == '[' || next == '"') {
                op.words.push_back(m_scan.balanced());
                if (op.words.back().text.empty())
                    fail("a bracket has no end");
            } else {
                wordOf(op);
            }
        }
    }

    /// A word, one with "<...>" behind it, or "key = value".
    void wordOf(Operation& op)
    {
        const std::size_t here = m_scan.position();
        if (m_scan.word().empty() && m_scan.symbol().empty()) {
            if (!m_scan.accept("-"))
                return fail("\"" + nextText() + "\" is not understood in op " + op.name);
            m_scan.word();
        }
        const std::string key(m_scan.textFrom(here));
        if (m_scan.peek() == '<' && m_scan.balanced().text.empty())
            return fail("a bracket has no end", ">");
        const Span alone = m_scan.spanFrom(here);
        if (m_scan.accept("="))
            op.attributes.insert_or_assign(key, resolved(m_scan.value(true)));
        else
            op.words.push_back({trimmed(alone.text), alone.line, alone.column});
    }

    /// "(%a, %b)", "(%a init: %b)", "(%a, k = 8)" or "({ ... }, { ... })" behind the opening bracket.
    void brackets(Operation& op, int depth)
    {
        while (!m_error && !m_scan.accept(")")) {
            if (m_scan.peek() == '%') {
                op.operands.emplace_back(m_scan.symbol());
            } else if (m_scan.accept("{")) {
                op.regions.emplace_back();
                region(op.regions.back(), depth + 1);
            } else if (!m_scan.accept(",") && !m_scan.accept("init:")) {
                const std::string key(m_scan.word());
                if (key.empty() || !m_scan.accept("="))
                    return fail("\"" + nextText() + "\" is no operand of op " + op.name, "such as %arg0");
                op.attributes.insert_or_assign(key, resolved(m_scan.value(false)));
            }
        }
    }

    /// Behind ":". "(T, T) -> T", "(T) -> (T, T)", "T -> (T, T)", "T", "T, T".
    void types(Operation& op, int depth)
    {
        std::vector<Type> list;
        const bool operands = m_scan.accept("(");
        if (operands) {
            typesTo(list);
            if (m_error || !expect("->"))
                return;
        } else {
            do
                list.push_back(type());
            while (!m_error && m_scan.accept(","));
        }
        if (operands || m_scan.accept("->")) {
            list.clear();
            if (m_scan.accept("("))
                typesTo(list);
            else
                list.push_back(type());
        } else if (list.size() > 1) {
            list.erase(list.begin(), list.end() - 1);
        }
        op.resultTypes = std::move(list);
        if (!m_error && m_scan.accept("reducer"))
            reducer(op, depth);
    }

    void typesTo(std::vector<Type>& list)
    {
        for (; !m_error && !m_scan.accept(")"); m_scan.accept(","))
            list.push_back(type());
    }

    /// "reducer(%a: T, %b: T) { ... }" of a reduction in its pretty form.
    void reducer(Operation& op, int depth)
    {
        Region& made = op.regions.emplace_back();
        std::vector<Argument> given;
        while (!m_error && m_scan.accept("("))
            arguments(given);
        if (m_error || !expect("{"))
            return;
        region(made, depth + 1);
        // Both stand in pairs here and one kind behind the other in the generic form.
        made.arguments = unpaired(std::move(given));
        op.operands = unpaired(std::move(op.operands));
    }

    template <typename Item>
    static std::vector<Item> unpaired(std::vector<Item> pairs)
    {
        std::vector<Item> list;
        for (const std::size_t first : {0U, 1U}) {
            for (std::size_t i = first; i < pairs.size(); i += 2)
                list.push_back(std::move(pairs[i]));
        }
        return list;
    }

    Scanner m_scan;
    std::string m_file;
    bool (*m_known)(std::string_view);
    Module m_module;
    Attributes m_aliases;
    std::map<std::string, Type> m_types; ///< By "!t".
    std::optional<Error> m_error;
};

} // namespace

const Function* Module::function(std::string_view name) const
{
    const auto found = std::ranges::find(functions, name, &Function::name);
    return found == functions.end() ? nullptr : &*found;
}

Result<Module> readModule(std::string_view text, const std::string& file, bool (*known)(std::string_view name))
{
    return ModuleParser(text, file, known).parse();
}

} // namespace fabricscope::mlir
