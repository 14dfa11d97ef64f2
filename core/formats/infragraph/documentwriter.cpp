#include "core/base/stop.h"
#include "core/formats/infragraph/infragraph.h"
#include "core/yaml/tree.h"

#include <cmath>

namespace fabricscope {

namespace {

/// A text in quotes wherever a reader could take it for something else.
std::string scalar(const std::string& text)
{
    const bool plain = !text.empty() && text.size() < 200
        && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos;
    // Words of letters may still be "yes" or "no".
    constexpr std::string_view kWords[] = {"yes", "no", "true", "false", "on", "off", "null", "y", "n"};
    std::string lower = text;
    for (char& c : lower)
        c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (plain && std::find(std::begin(kWords), std::end(kWords), lower) == std::end(kWords))
        return text;
    std::string out = "\"";
    for (const char c : text) {
        constexpr char kHex[] = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += std::string("\\") + c;
        else if (byte < 0x20 || byte == 0x7f)
            out += std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 15U];
        else
            out += c;
    }
    return out + '"';
}

/// Block YAML, keys in alphabetical order as the project's own writer has them, absent options left out.
class Writer {
public:
    Writer(const InfraDocument& document, const std::stop_token& stop)
        : m_stop(stop)
        , m_document(document)
    {
    }

    std::string write()
    {
        const bool combined = !m_document.nodeAnnotations.empty() || !m_document.edgeAnnotations.empty() || !m_document.linkAnnotations.empty() || !m_document.graphAttributes.empty();
        if (combined) {
            line(0, "annotations:");
            annotations(2);
            line(0, "infrastructure:");
        }
        infrastructure(combined ? 2 : 0);
        return std::move(m_out);
    }

private:
    void line(std::size_t indent, const std::string& text) { m_out += std::string(indent, ' ') + text + '\n'; }
    void option(std::size_t indent, const char* key, const std::string& value)
    {
        if (!value.empty())
            line(indent, std::string(key) + ": " + scalar(value));
    }
    /// The first line of a list item carries the dash.
    void item(std::size_t indent, std::size_t begin)
    {
        m_out[begin + indent] = '-';
    }
    template <typename Item, typename WriteItem>
    void list(std::size_t indent, const char* key, const std::vector<Item>& items, bool always, WriteItem writeItem)
    {
        if (items.empty()) {
            if (always)
                line(indent, std::string(key) + ": []");
            return;
        }
        line(indent, std::string(key) + ':');
        for (const Item& entry : items) {
            checkStop(m_stop);
            const std::size_t begin = m_out.size();
            writeItem(indent + 2, entry);
            item(indent, begin);
        }
    }

    void attributes(std::size_t indent, const std::vector<InfraAttribute>& list_)
    {
        list(indent, "attributes", list_, false, [this](std::size_t at, const InfraAttribute& attribute) { attributeItem(at, attribute); });
    }
    void attributeItem(std::size_t at, const InfraAttribute& attribute)
    {
        line(at, "attribute: " + scalar(attribute.name));
        line(at, "value: " + scalar(attribute.value));
    }

    void annotations(std::size_t indent)
    {
        list(indent, "edges", m_document.edgeAnnotations, false, [this](std::size_t at, const InfraAnnotation& annotation) {
            attributes(at, annotation.attributes);
            line(at, "ep1: " + scalar(annotation.first));
            line(at, "ep2: " + scalar(annotation.second));
        });
        list(indent, "graph", m_document.graphAttributes, false, [this](std::size_t at, const InfraAttribute& attribute) { attributeItem(at, attribute); });
        const auto named = [this](std::size_t at, const InfraAnnotation& annotation) {
            attributes(at, annotation.attributes);
            line(at, "name: " + scalar(annotation.first));
        };
        list(indent, "links", m_document.linkAnnotations, false, named);
        list(indent, "nodes", m_document.nodeAnnotations, false, named);
    }

    void links(std::size_t indent, const std::vector<InfraLink>& list_, bool always)
    {
        list(indent, "links", list_, always, [this](std::size_t at, const InfraLink& link) {
            option(at, "description", link.description);
            line(at, "name: " + scalar(link.name));
            if (!link.bandwidth && !link.latency)
                return;
            line(at, "physical:");
            if (link.bandwidth) {
                constexpr const char* kUnits[] = {"gigabits_per_second", "gigabytes_per_second", "gigatransfers_per_second"};
                figure(at + 2, "bandwidth", kUnits[static_cast<std::size_t>(link.bandwidth->unit)], link.bandwidth->text);
            }
            if (link.latency) {
                constexpr const char* kUnits[] = {"ms", "us", "ns"};
                figure(at + 2, "latency", kUnits[static_cast<std::size_t>(link.latency->unit)], link.latency->text);
            }
        });
    }
    void figure(std::size_t indent, const char* key, const char* unit, const std::string& value)
    {
        line(indent, std::string(key) + ':');
        line(indent + 2, std::string("choice: ") + unit);
        line(indent + 2, std::string(unit) + ": " + value);
    }

    void rules(std::size_t indent, const std::vector<InfraRule>& list_, bool always, const char* prefix)
    {
        list(indent, "edges", list_, always, [this, prefix](std::size_t at, const InfraRule& rule) {
            for (const auto& [key, end] : {std::pair<const char*, const InfraEndpoint*>{"ep1:", &rule.ep1}, {"ep2:", &rule.ep2}}) {
                line(at, key);
                line(at + 2, "component: " + scalar(end->component));
                option(at + 2, prefix, end->prefix);
            }
            line(at, "link: " + scalar(rule.link));
            if (rule.scheme)
                line(at, "scheme: " + std::string(infraSchemeName(*rule.scheme)));
        });
    }

    void infrastructure(std::size_t indent)
    {
        option(indent, "description", m_document.description);
        list(indent, "devices", m_document.devices, true, [this](std::size_t at, const InfraDevice& device) {
            list(at, "components", device.components, true, [this](std::size_t inner, const InfraComponent& component) {
                line(inner, "choice: " + std::string(infraChoiceName(component.choice)));
                line(inner, "count: " + std::to_string(component.count));
                if (component.choice == InfraChoice::Custom && !component.customType.empty()) {
                    line(inner, "custom:");
                    line(inner + 2, "type: " + scalar(component.customType));
                }
                option(inner, "description", component.description);
                line(inner, "name: " + scalar(component.name));
            });
            option(at, "description", device.description);
            rules(at, device.rules, true, "device");
            links(at, device.links, true);
            line(at, "name: " + scalar(device.name));
        });
        rules(indent, m_document.rules, false, "instance");
        list(indent, "instances", m_document.instances, true, [this](std::size_t at, const InfraInstance& instance) {
            line(at, "count: " + std::to_string(instance.count));
            option(at, "description", instance.description);
            line(at, "device: " + scalar(instance.device));
            line(at, "name: " + scalar(instance.name));
        });
        links(indent, m_document.links, false);
        option(indent, "name", m_document.name);
    }

    const std::stop_token& m_stop;
    const InfraDocument& m_document;
    std::string m_out;
};

} // namespace

std::string writeInfraGraph(const InfraDocument& document, const std::stop_token& stop)
{
    return Writer(document, stop).write();
}

} // namespace fabricscope
