#include "core/model/presettable.h"

#include <array>

namespace fabricscope {

namespace {

constexpr PresetForm kConfig = PresetForm::Checkpoint;

// What the config.json of each says of sizes.
constexpr std::array<PresetRow, 41> kCheckpointPresets{{
    {"gpt2-124m", "GPT-2", kConfig,
     R"({"architectures":["GPT2LMHeadModel"],"n_layer":12,"n_embd":768,"n_head":12,"n_positions":1024,"vocab_size":50257,"torch_dtype":"float32"})"},
    {"gpt2-medium", "GPT-2", kConfig,
     R"({"architectures":["GPT2LMHeadModel"],"n_layer":24,"n_embd":1024,"n_head":16,"n_positions":1024,"vocab_size":50257,"torch_dtype":"float32"})"},
    {"gpt2-large", "GPT-2", kConfig,
     R"({"architectures":["GPT2LMHeadModel"],"n_layer":36,"n_embd":1280,"n_head":20,"n_positions":1024,"vocab_size":50257,"torch_dtype":"float32"})"},
    {"gpt2-xl", "GPT-2", kConfig,
     R"({"architectures":["GPT2LMHeadModel"],"n_layer":48,"n_embd":1600,"n_head":25,"n_positions":1024,"vocab_size":50257,"torch_dtype":"float32"})"},
    {"llama-7b", "LLaMA", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":32,)"
     R"("intermediate_size":11008,"vocab_size":32000,"max_position_embeddings":2048,"torch_dtype":"float16"})"},
    {"llama-2-7b", "Llama 2", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":32,)"
     R"("intermediate_size":11008,"vocab_size":32000,"max_position_embeddings":4096,"torch_dtype":"float16"})"},
    {"llama-2-13b", "Llama 2", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":40,"hidden_size":5120,"num_attention_heads":40,"num_key_value_heads":40,)"
     R"("intermediate_size":13824,"vocab_size":32000,"max_position_embeddings":4096,"torch_dtype":"float16"})"},
    {"llama-2-70b", "Llama 2", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":80,"hidden_size":8192,"num_attention_heads":64,"num_key_value_heads":8,)"
     R"("intermediate_size":28672,"vocab_size":32000,"max_position_embeddings":4096,"torch_dtype":"float16"})"},
    {"llama-3-8b", "Llama 3", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,)"
     R"("intermediate_size":14336,"vocab_size":128256,"max_position_embeddings":8192})"},
    {"llama-3-70b", "Llama 3", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":80,"hidden_size":8192,"num_attention_heads":64,"num_key_value_heads":8,)"
     R"("intermediate_size":28672,"vocab_size":128256,"max_position_embeddings":8192})"},
    {"llama-3.1-405b", "Llama 3.1", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":126,"hidden_size":16384,"num_attention_heads":128,"num_key_value_heads":8,)"
     R"("intermediate_size":53248,"vocab_size":128256,"max_position_embeddings":131072})"},
    {"llama-3.2-1b", "Llama 3.2, tied", kConfig,
     R"({"architectures":["LlamaForCausalLM"],"num_hidden_layers":16,"hidden_size":2048,"num_attention_heads":32,"num_key_value_heads":8,)"
     R"("intermediate_size":8192,"vocab_size":128256,"max_position_embeddings":131072,"head_dim":64,"tie_word_embeddings":true})"},
    {"mistral-7b-v0.1", "Mistral", kConfig,
     R"({"architectures":["MistralForCausalLM"],"num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,)"
     R"("head_dim":128,"intermediate_size":14336,"vocab_size":32000,"max_position_embeddings":32768,"sliding_window":4096,)"
     R"("tie_word_embeddings":false})"},
    {"mistral-nemo", "Mistral", kConfig,
     R"({"architectures":["MistralForCausalLM"],"num_hidden_layers":40,"hidden_size":5120,"num_attention_heads":32,"num_key_value_heads":8,)"
     R"("head_dim":128,"intermediate_size":14336,"vocab_size":131072,"max_position_embeddings":131072,"sliding_window":null,)"
     R"("tie_word_embeddings":false})"},
    {"mixtral-8x7b", "Mixtral, 8 experts of which 2", kConfig,
     R"({"architectures":["MixtralForCausalLM"],"num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,)"
     R"("intermediate_size":14336,"vocab_size":32000,"max_position_embeddings":32768,"num_local_experts":8,"num_experts_per_tok":2,)"
     R"("sliding_window":null,"tie_word_embeddings":false})"},
    {"mixtral-8x22b", "Mixtral, 8 experts of which 2", kConfig,
     R"({"architectures":["MixtralForCausalLM"],"num_hidden_layers":56,"hidden_size":6144,"num_attention_heads":48,"num_key_value_heads":8,)"
     R"("intermediate_size":16384,"vocab_size":32000,"max_position_embeddings":65536,"num_local_experts":8,"num_experts_per_tok":2,)"
     R"("sliding_window":null,"tie_word_embeddings":false})"},
    {"qwen2-0.5b", "Qwen2", kConfig,
     R"({"architectures":["Qwen2ForCausalLM"],"num_hidden_layers":24,"hidden_size":896,"num_attention_heads":14,"num_key_value_heads":2,)"
     R"("intermediate_size":4864,"vocab_size":151936,"max_position_embeddings":131072,"tie_word_embeddings":true})"},
    {"qwen2-7b", "Qwen2", kConfig,
     R"({"architectures":["Qwen2ForCausalLM"],"num_hidden_layers":28,"hidden_size":3584,"num_attention_heads":28,"num_key_value_heads":4,)"
     R"("intermediate_size":18944,"vocab_size":152064,"max_position_embeddings":131072,"tie_word_embeddings":false})"},
    {"qwen2-72b", "Qwen2", kConfig,
     R"({"architectures":["Qwen2ForCausalLM"],"num_hidden_layers":80,"hidden_size":8192,"num_attention_heads":64,"num_key_value_heads":8,)"
     R"("intermediate_size":29568,"vocab_size":152064,"max_position_embeddings":131072,"tie_word_embeddings":false})"},
    {"qwen1.5-moe-a2.7b", "Qwen2 with 60 experts of which 4, shared experts", kConfig,
     R"({"architectures":["Qwen2MoeForCausalLM"],"num_hidden_layers":24,"hidden_size":2048,"num_attention_heads":16,"num_key_value_heads":16,)"
     R"("vocab_size":151936,"max_position_embeddings":8192,"num_experts":60,"num_experts_per_tok":4,"moe_intermediate_size":1408,)"
     R"("shared_expert_intermediate_size":5632,"tie_word_embeddings":false})"},
    {"qwen2-57b-a14b", "Qwen2 with 64 experts of which 8, shared experts", kConfig,
     R"({"architectures":["Qwen2MoeForCausalLM"],"num_hidden_layers":28,"hidden_size":3584,"num_attention_heads":28,"num_key_value_heads":4,)"
     R"("vocab_size":151936,"max_position_embeddings":131072,"num_experts":64,"num_experts_per_tok":8,"moe_intermediate_size":2560,)"
     R"("shared_expert_intermediate_size":20480,"tie_word_embeddings":false})"},
    {"qwen3-0.6b", "Qwen3", kConfig,
     R"({"architectures":["Qwen3ForCausalLM"],"num_hidden_layers":28,"hidden_size":1024,"num_attention_heads":16,"num_key_value_heads":8,)"
     R"("head_dim":128,"intermediate_size":3072,"vocab_size":151936,"max_position_embeddings":40960,"tie_word_embeddings":true})"},
    {"qwen3-32b", "Qwen3", kConfig,
     R"({"architectures":["Qwen3ForCausalLM"],"num_hidden_layers":64,"hidden_size":5120,"num_attention_heads":64,"num_key_value_heads":8,)"
     R"("head_dim":128,"intermediate_size":25600,"vocab_size":151936,"max_position_embeddings":40960,"tie_word_embeddings":false})"},
    {"qwen3-30b-a3b", "Qwen3 with 128 experts of which 8", kConfig,
     R"({"architectures":["Qwen3MoeForCausalLM"],"num_hidden_layers":48,"hidden_size":2048,"num_attention_heads":32,"num_key_value_heads":4,)"
     R"("head_dim":128,"vocab_size":151936,"max_position_embeddings":40960,"num_experts":128,"num_experts_per_tok":8,"moe_intermediate_size":768,)"
     R"("tie_word_embeddings":false})"},
    {"qwen3-235b-a22b", "Qwen3 with 128 experts of which 8", kConfig,
     R"({"architectures":["Qwen3MoeForCausalLM"],"num_hidden_layers":94,"hidden_size":4096,"num_attention_heads":64,"num_key_value_heads":4,)"
     R"("head_dim":128,"vocab_size":151936,"max_position_embeddings":40960,"num_experts":128,"num_experts_per_tok":8,"moe_intermediate_size":1536,)"
     R"("tie_word_embeddings":false})"},
    {"gemma-2b", "Gemma, one key and value head", kConfig,
     R"({"architectures":["GemmaForCausalLM"],"num_hidden_layers":18,"hidden_size":2048,"num_attention_heads":8,"num_key_value_heads":1,)"
     R"("head_dim":256,"intermediate_size":16384,"vocab_size":256000,"max_position_embeddings":8192})"},
    {"gemma-7b", "Gemma", kConfig,
     R"({"architectures":["GemmaForCausalLM"],"num_hidden_layers":28,"hidden_size":3072,"num_attention_heads":16,"num_key_value_heads":16,)"
     R"("head_dim":256,"intermediate_size":24576,"vocab_size":256000,"max_position_embeddings":8192})"},
    {"gemma-2-2b", "Gemma 2, every other layer slides", kConfig,
     R"({"architectures":["Gemma2ForCausalLM"],"num_hidden_layers":26,"hidden_size":2304,"num_attention_heads":8,"num_key_value_heads":4,)"
     R"("head_dim":256,"intermediate_size":9216,"vocab_size":256000,"max_position_embeddings":8192,"sliding_window":4096})"},
    {"gemma-2-9b", "Gemma 2, every other layer slides", kConfig,
     R"({"architectures":["Gemma2ForCausalLM"],"num_hidden_layers":42,"hidden_size":3584,"num_attention_heads":16,"num_key_value_heads":8,)"
     R"("head_dim":256,"intermediate_size":14336,"vocab_size":256000,"max_position_embeddings":8192,"sliding_window":4096})"},
    {"gemma-2-27b", "Gemma 2, every other layer slides", kConfig,
     R"({"architectures":["Gemma2ForCausalLM"],"num_hidden_layers":46,"hidden_size":4608,"num_attention_heads":32,"num_key_value_heads":16,)"
     R"("head_dim":128,"intermediate_size":36864,"vocab_size":256000,"max_position_embeddings":8192,"sliding_window":4096})"},
    {"deepseek-v2-lite", "DeepSeek-V2, latent attention", kConfig,
     R"({"architectures":["DeepseekV2ForCausalLM"],"num_hidden_layers":27,"hidden_size":2048,"num_attention_heads":16,"intermediate_size":10944,)"
     R"("vocab_size":102400,"max_position_embeddings":163840,"q_lora_rank":null,"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,)"
     R"("v_head_dim":128,"n_routed_experts":64,"num_experts_per_tok":6,"moe_intermediate_size":1408,"n_shared_experts":2,"first_k_dense_replace":1,)"
     R"("moe_layer_freq":1})"},
    {"deepseek-v2", "DeepSeek-V2, latent attention", kConfig,
     R"({"architectures":["DeepseekV2ForCausalLM"],"num_hidden_layers":60,"hidden_size":5120,"num_attention_heads":128,"intermediate_size":12288,)"
     R"("vocab_size":102400,"max_position_embeddings":163840,"q_lora_rank":1536,"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,)"
     R"("v_head_dim":128,"n_routed_experts":160,"num_experts_per_tok":6,"moe_intermediate_size":1536,"n_shared_experts":2,"first_k_dense_replace":1,)"
     R"("moe_layer_freq":1,"n_group":8,"topk_group":3})"},
    {"deepseek-v3", "DeepSeek-V3, latent attention", kConfig,
     R"({"architectures":["DeepseekV3ForCausalLM"],"num_hidden_layers":61,"hidden_size":7168,"num_attention_heads":128,"intermediate_size":18432,)"
     R"("vocab_size":129280,"max_position_embeddings":163840,"q_lora_rank":1536,"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,)"
     R"("v_head_dim":128,"n_routed_experts":256,"num_experts_per_tok":8,"moe_intermediate_size":2048,"n_shared_experts":1,"first_k_dense_replace":3,)"
     R"("moe_layer_freq":1,"n_group":8,"topk_group":4})"},
    {"phi-2", "Phi", kConfig,
     R"({"architectures":["PhiForCausalLM"],"num_hidden_layers":32,"hidden_size":2560,"num_attention_heads":32,"intermediate_size":10240,)"
     R"("vocab_size":51200,"max_position_embeddings":2048,"torch_dtype":"float16"})"},
    {"phi-3-mini-4k", "Phi-3", kConfig,
     R"({"architectures":["Phi3ForCausalLM"],"num_hidden_layers":32,"hidden_size":3072,"num_attention_heads":32,"num_key_value_heads":32,)"
     R"("intermediate_size":8192,"vocab_size":32064,"max_position_embeddings":4096,"sliding_window":2047})"},
    {"gpt-neox-20b", "GPT-NeoX", kConfig,
     R"({"architectures":["GPTNeoXForCausalLM"],"num_hidden_layers":44,"hidden_size":6144,"num_attention_heads":64,"intermediate_size":24576,)"
     R"("vocab_size":50432,"max_position_embeddings":2048,"torch_dtype":"float16"})"},
    {"opt-1.3b", "OPT", kConfig,
     R"({"architectures":["OPTForCausalLM"],"num_hidden_layers":24,"hidden_size":2048,"num_attention_heads":32,"ffn_dim":8192,"vocab_size":50272,)"
     R"("max_position_embeddings":2048,"word_embed_proj_dim":2048,"torch_dtype":"float16"})"},
    {"opt-350m", "OPT, norms behind, narrow embedding", kConfig,
     R"({"architectures":["OPTForCausalLM"],"num_hidden_layers":24,"hidden_size":1024,"num_attention_heads":16,"ffn_dim":4096,"vocab_size":50272,)"
     R"("max_position_embeddings":2048,"word_embed_proj_dim":512,"do_layer_norm_before":false,"torch_dtype":"float16"})"},
    {"falcon-7b", "Falcon, one key and value head", kConfig,
     R"({"architectures":["FalconForCausalLM"],"num_hidden_layers":32,"hidden_size":4544,"num_attention_heads":71,"vocab_size":65024,)"
     R"("multi_query":true,"parallel_attn":true,"bias":false,"new_decoder_architecture":false})"},
    {"falcon-40b", "Falcon", kConfig,
     R"({"architectures":["FalconForCausalLM"],"num_hidden_layers":60,"hidden_size":8192,"num_attention_heads":128,"num_kv_heads":8,)"
     R"("vocab_size":65024,"new_decoder_architecture":true,"bias":false})"},
    {"bloom-176b", "BLOOM", kConfig,
     R"({"architectures":["BloomForCausalLM"],"n_layer":70,"hidden_size":14336,"n_head":112,"vocab_size":250880,"seq_length":2048})"},
}};

} // namespace

std::span<const PresetRow> checkpointPresetRows()
{
    return kCheckpointPresets;
}

} // namespace fabricscope
