#include "core/trace/etwriter.h"

#include "core/base/files/outputfiles.h"

#include "chakra_et.pb.h"

#include <google/protobuf/stubs/logging.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <unistd.h>
#include <zlib.h>

namespace fabricscope {

namespace {

namespace proto = ChakraProtoMsg;

template <typename List>
void fillIntegers(List& list, const EtAttribute& attribute)
{
    using Value = std::remove_cvref_t<decltype(list.values(0))>;
    for (const std::int64_t value : attribute.integers)
        list.add_values(static_cast<Value>(value));
}

template <typename List>
void fillReals(List& list, const EtAttribute& attribute)
{
    using Value = std::remove_cvref_t<decltype(list.values(0))>;
    for (const double value : attribute.reals)
        list.add_values(static_cast<Value>(value));
}

template <typename List>
void fillTexts(List& list, const EtAttribute& attribute)
{
    for (const std::string& value : attribute.strings)
        list.add_values(value);
}

void fill(proto::AttributeProto& out, const EtAttribute& in)
{
    out.set_name(in.name);
    out.set_doc_string(in.doc);
    const std::int64_t integer = in.integers.empty() ? 0 : in.integers.front();
    const double real = in.reals.empty() ? 0 : in.reals.front();
    const std::string text = in.strings.empty() ? std::string() : in.strings.front();
    switch (in.kind) {
    case EtKind::None: break;
    case EtKind::Double: out.set_double_val(real); break;
    case EtKind::DoubleList: fillReals(*out.mutable_double_list(), in); break;
    case EtKind::Float: out.set_float_val(static_cast<float>(real)); break;
    case EtKind::FloatList: fillReals(*out.mutable_float_list(), in); break;
    case EtKind::Int32: out.set_int32_val(static_cast<std::int32_t>(integer)); break;
    case EtKind::Int32List: fillIntegers(*out.mutable_int32_list(), in); break;
    case EtKind::Int64: out.set_int64_val(integer); break;
    case EtKind::Int64List: fillIntegers(*out.mutable_int64_list(), in); break;
    case EtKind::Uint32: out.set_uint32_val(static_cast<std::uint32_t>(integer)); break;
    case EtKind::Uint32List: fillIntegers(*out.mutable_uint32_list(), in); break;
    case EtKind::Uint64: out.set_uint64_val(static_cast<std::uint64_t>(integer)); break;
    case EtKind::Uint64List: fillIntegers(*out.mutable_uint64_list(), in); break;
    case EtKind::Sint32: out.set_sint32_val(static_cast<std::int32_t>(integer)); break;
    case EtKind::Sint32List: fillIntegers(*out.mutable_sint32_list(), in); break;
    case EtKind::Sint64: out.set_sint64_val(integer); break;
    case EtKind::Sint64List: fillIntegers(*out.mutable_sint64_list(), in); break;
    case EtKind::Fixed32: out.set_fixed32_val(static_cast<std::uint32_t>(integer)); break;
    case EtKind::Fixed32List: fillIntegers(*out.mutable_fixed32_list(), in); break;
    case EtKind::Fixed64: out.set_fixed64_val(static_cast<std::uint64_t>(integer)); break;
    case EtKind::Fixed64List: fillIntegers(*out.mutable_fixed64_list(), in); break;
    case EtKind::Sfixed32: out.set_sfixed32_val(static_cast<std::int32_t>(integer)); break;
    case EtKind::Sfixed32List: fillIntegers(*out.mutable_sfixed32_list(), in); break;
    case EtKind::Sfixed64: out.set_sfixed64_val(integer); break;
    case EtKind::Sfixed64List: fillIntegers(*out.mutable_sfixed64_list(), in); break;
    case EtKind::Bool: out.set_bool_val(integer != 0); break;
    case EtKind::BoolList: fillIntegers(*out.mutable_bool_list(), in); break;
    case EtKind::String: out.set_string_val(text); break;
    case EtKind::StringList: fillTexts(*out.mutable_string_list(), in); break;
    case EtKind::Bytes: out.set_bytes_val(text); break;
    case EtKind::BytesList: fillTexts(*out.mutable_bytes_list(), in); break;
    }
}

void fill(proto::IOInfo& out, const EtIo& in)
{
    out.set_values(in.values);
    out.set_shapes(in.shapes);
    out.set_types(in.types);
}

/// Length and message. False when the message exceeds what protobuf can hold.
bool append(std::string& out, const google::protobuf::MessageLite& message)
{
    const google::protobuf::LogSilencer quiet; // it would print about names that are no UTF-8
    const std::size_t size = message.ByteSizeLong();
    if (size > 0x7fffffff)
        return false;
    for (std::size_t left = size; ; left >>= 7) {
        if (left < 0x80) {
            out.push_back(static_cast<char>(left));
            break;
        }
        out.push_back(static_cast<char>((left & 0x7f) | 0x80));
    }
    return message.AppendToString(&out);
}

bool append(std::string& out, const EtMetadata& metadata)
{
    proto::GlobalMetadata message;
    message.set_version(metadata.version);
    for (const EtAttribute& attribute : metadata.attributes)
        fill(*message.add_attr(), attribute);
    return append(out, message);
}

bool append(std::string& out, const EtNode& node)
{
    proto::Node message;
    message.set_id(node.id);
    message.set_name(node.name);
    message.set_type(static_cast<proto::NodeType>(node.type));
    message.mutable_ctrl_deps()->Add(node.ctrlDeps.begin(), node.ctrlDeps.end());
    message.mutable_data_deps()->Add(node.dataDeps.begin(), node.dataDeps.end());
    message.set_start_time_micros(node.startMicros);
    message.set_duration_micros(node.durationMicros);
    if (node.inputs != EtIo{})
        fill(*message.mutable_inputs(), node.inputs);
    if (node.outputs != EtIo{})
        fill(*message.mutable_outputs(), node.outputs);
    for (const EtAttribute& attribute : node.attributes)
        fill(*message.add_attr(), attribute);
    return append(out, message);
}

EtMetadata withVersion(EtMetadata metadata)
{
    if (metadata.version.empty())
        metadata.version = "0.0.4";
    return metadata;
}

} // namespace

struct EtWriter::Output {
    std::string path;
    OutputFiles alone;
    bool shared = false; ///< Its name is given by others.
    std::FILE* file = nullptr;
    gzFile packed = nullptr;
    std::string buffer;

    Error error(std::string what) const
    {
        Place place;
        place.file = path;
        return {ErrorCode::NotWritable, std::move(what), std::move(place), {}};
    }
    bool flush()
    {
        const std::size_t size = buffer.size();
        const bool done = size == 0 || (packed ? gzwrite(packed, buffer.data(), static_cast<unsigned>(size)) == static_cast<int>(size)
                                               : std::fwrite(buffer.data(), 1, size, file) == size);
        buffer.clear();
        return done;
    }
    bool close()
    {
        bool done = true;
        if (packed)
            done = gzclose(std::exchange(packed, nullptr)) == Z_OK;
        if (file)
            done = std::fclose(std::exchange(file, nullptr)) == 0;
        return done;
    }
    ~Output()
    {
        close();
    }
};

EtWriter::EtWriter(std::unique_ptr<Output> output) : m_output(std::move(output)) {}
EtWriter::EtWriter(EtWriter&&) noexcept = default;
EtWriter& EtWriter::operator=(EtWriter&&) noexcept = default;
EtWriter::~EtWriter() = default;

Result<EtWriter> EtWriter::create(const std::string& path, const EtMetadata& metadata, OutputFiles* files)
{
    auto output = std::make_unique<Output>();
    output->path = path;
    output->shared = files != nullptr;
    const Result<std::string> temporary = (files ? *files : output->alone).open(path);
    if (!temporary)
        return temporary.error();
    output->file = std::fopen(temporary.value().c_str(), "wb");
    if (!output->file)
        return output->error(std::string("cannot be written: ") + std::strerror(errno));
    if (path.ends_with(".gz")) {
        output->packed = gzdopen(::dup(fileno(output->file)), "wb");
        if (!output->packed)
            return output->error("cannot pack the file");
    }
    EtWriter writer(std::move(output));
    std::string bytes;
    if (!append(bytes, withVersion(metadata)))
        return writer.m_output->error("the metadata is larger than 2 GiB");
    if (Status status = writer.write(bytes); !status)
        return std::move(status).error();
    return writer;
}

Status EtWriter::write(const std::string& message)
{
    constexpr std::size_t kFlushAt = std::size_t{1} << 18;
    m_output->buffer += message;
    if (m_output->buffer.size() >= kFlushAt && !m_output->flush())
        return m_output->error(std::string("cannot be written: ") + std::strerror(errno));
    return {};
}

Status EtWriter::add(const EtNode& node)
{
    std::string bytes;
    if (!append(bytes, node))
        return m_output->error("node " + std::to_string(node.id) + " is larger than 2 GiB");
    return write(bytes);
}

Status EtWriter::finish()
{
    if (!m_output->flush() || !m_output->close())
        return m_output->error(std::string("cannot be written: ") + std::strerror(errno));
    return m_output->shared ? Status() : m_output->alone.commit();
}

std::string etBytes(const EtMetadata& metadata, const std::vector<EtNode>& nodes)
{
    std::string bytes;
    bool fits = append(bytes, metadata);
    for (const EtNode& node : nodes)
        fits = append(bytes, node) && fits;
    return fits ? bytes : std::string();
}

} // namespace fabricscope
