#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Makes a value of the events of nlohmann's parser, in O(bytes): its own parser with a callback looks at every earlier entry of a list when
/// an object in it ends. Give it to nlohmann::json::sax_parse. A subclass may take objects out as they end, and refuse keys.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
    using Json = nlohmann::json;

    /// Looks at `stop` for every value and throws StopRequested. A value that would take more than about `mostBytes` of memory ends the parser: tooLarge().
    explicit JsonBuilder(std::stop_token stop = {}, std::size_t mostBytes = SIZE_MAX) : m_stop(std::move(stop)), m_left(mostBytes) {}

    bool tooLarge() const { return m_tooLarge; }

    Json take() { return std::move(m_root); }
    /// Of a syntax error: the byte, counted from 1, and nlohmann's words.
    std::size_t errorByte() const { return m_errorByte; }
    const std::string& errorText() const { return m_errorText; }

    bool null() override { return put(nullptr) != nullptr; }
    bool boolean(bool value) override { return put(value) != nullptr; }
    bool number_integer(number_integer_t value) override { return put(value) != nullptr; }
    bool number_unsigned(number_unsigned_t value) override { return put(value) != nullptr; }
    bool number_float(number_float_t value, const string_t&) override { return put(value) != nullptr; }
    bool string(string_t& value) override { return put(std::move(value)) != nullptr; }
    bool binary(binary_t& value) override { return put(std::move(value)) != nullptr; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool key(string_t& name) override;
    bool end_object() override;
    bool end_array() override;
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override;

protected:
    /// A key of an object that is open; 1 level: of the outermost one. `again`: it stands in the object already (the last value counts). False
    /// stops the parser.
    virtual bool keyRead(const std::string&, std::size_t /*levels*/, bool /*again*/) { return true; }
    /// An object is complete, inside `levels` others. False: it is left out of the list it stands in.
    virtual bool keeps(const Json&, std::size_t /*levels*/) { return true; }
    /// A list begins inside `levels` others.
    virtual void listBegins(std::size_t /*levels*/) {}

private:
    Json* put(Json value);
    bool open(Json value);
    bool charge(std::size_t bytes);

    std::stop_token m_stop;
    std::size_t m_left; ///< Bytes the value may still take.
    bool m_tooLarge = false;
    Json m_root;
    std::vector<Json*> m_open;
    Json* m_slot = nullptr; ///< Where the value of the last key goes.
    std::size_t m_errorByte = 0;
    std::string m_errorText;
};

} // namespace fabricscope
