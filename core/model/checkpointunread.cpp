#include "core/model/checkpointunread.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricscope {

namespace {

/// Fields of published files that change neither counts nor shapes.
constexpr std::array kHarmless{
    std::string_view("_attn_implementation"), std::string_view("_commit_hash"), std::string_view("activation"), std::string_view("activation_dropout"),
    std::string_view("activation_function"), std::string_view("alibi_bias_max"), std::string_view("apply_residual_connection_post_layernorm"), std::string_view("attention_softmax_in_fp32"),
    std::string_view("attention_probs_dropout_prob"), std::string_view("hidden_dropout_prob"), std::string_view("attn_implementation"), std::string_view("attn_logit_softcapping"), std::string_view("auto_map"), std::string_view("aux_loss_alpha"), std::string_view("bad_words_ids"),
    std::string_view("begin_suppress_tokens"), std::string_view("bias_dropout_fusion"), std::string_view("bos_token_id"), std::string_view("cache_implementation"), std::string_view("chunk_size_feed_forward"),
    std::string_view("classifier_dropout"), std::string_view("cross_attention_hidden_size"), std::string_view("diversity_penalty"), std::string_view("do_sample"), std::string_view("early_stopping"),
    std::string_view("embed_dropout"), std::string_view("embd_pdrop"), std::string_view("encoder_no_repeat_ngram_size"), std::string_view("eos_token_id"), std::string_view("ep_size"),
    std::string_view("final_logit_softcapping"), std::string_view("finetuning_task"), std::string_view("forced_bos_token_id"), std::string_view("forced_eos_token_id"), std::string_view("gradient_checkpointing"),
    std::string_view("hidden_act"), std::string_view("hidden_activation"), std::string_view("id2label"), std::string_view("init_std"), std::string_view("initializer_range"), std::string_view("is_decoder"),
    std::string_view("is_encoder_decoder"), std::string_view("label2id"), std::string_view("layer_norm_eps"), std::string_view("layer_norm_epsilon"), std::string_view("layerdrop"), std::string_view("length_penalty"),
    std::string_view("masked_softmax_fusion"), std::string_view("max_length"), std::string_view("min_length"), std::string_view("n_ctx"), std::string_view("n_positions"), std::string_view("no_repeat_ngram_size"),
    std::string_view("norm_topk_prob"), std::string_view("num_beam_groups"), std::string_view("num_beams"), std::string_view("num_return_sequences"), std::string_view("offset_alibi"),
    std::string_view("original_max_position_embeddings"), std::string_view("output_attentions"), std::string_view("output_hidden_states"), std::string_view("output_router_logits"), std::string_view("output_scores"),
    std::string_view("pad_token_id"), std::string_view("partial_rotary_factor"), std::string_view("prefix"), std::string_view("pretraining_tp"), std::string_view("problem_type"),
    std::string_view("query_pre_attn_scalar"), std::string_view("remove_invalid_values"), std::string_view("reorder_and_upcast_attn"), std::string_view("repetition_penalty"), std::string_view("return_dict"),
    std::string_view("return_dict_in_generate"), std::string_view("rms_norm_eps"), std::string_view("rope_interleave"), std::string_view("rope_parameters"), std::string_view("rope_scaling"), std::string_view("rope_theta"),
    std::string_view("rotary_emb_base"), std::string_view("rotary_pct"), std::string_view("router_aux_loss_coef"), std::string_view("router_jitter_noise"), std::string_view("routed_scaling_factor"),
    std::string_view("scale_attn_by_inverse_layer_idx"), std::string_view("scale_attn_weights"), std::string_view("scoring_func"), std::string_view("seq_aux"), std::string_view("skip_bias_add"),
    std::string_view("skip_bias_add_qkv"), std::string_view("slow_but_exact"), std::string_view("summary_activation"), std::string_view("summary_first_dropout"), std::string_view("summary_proj_to_labels"),
    std::string_view("summary_type"), std::string_view("summary_use_proj"), std::string_view("suppress_tokens"), std::string_view("task_specific_params"), std::string_view("temperature"), std::string_view("tf_legacy_loss"),
    std::string_view("tie_encoder_decoder"), std::string_view("tokenizer_class"), std::string_view("top_k"), std::string_view("top_p"), std::string_view("topk_method"), std::string_view("torchscript"),
    std::string_view("transformers_version"), std::string_view("typical_p"), std::string_view("unk_token_id"), std::string_view("use_bfloat16"), std::string_view("use_cache"), std::string_view("_name_or_path"),
    std::string_view("sep_token_id"), std::string_view("decoder_start_token_id"), std::string_view("_num_labels"), std::string_view("num_labels"), std::string_view("is_llama_config"),
    std::string_view("rope_interleaved"), std::string_view("transformers.js_config"), std::string_view("num_logits_to_keep")};

/// Harmless where they are off, which most files say.
constexpr std::array kHarmlessOff{std::string_view("pruned_heads"), std::string_view("n_special"), std::string_view("qkv_bias"), std::string_view("lm_head_bias"), std::string_view("shared_expert_intermediate_size")};

/// Words in names of fields that change sizes.
constexpr std::array kSizeWords{std::string_view("num"),  std::string_view("size"),  std::string_view("dim"),     std::string_view("rank"),   std::string_view("layers"), std::string_view("layer"),
                                std::string_view("heads"), std::string_view("head"), std::string_view("bias"),    std::string_view("norm"),   std::string_view("layernorm"), std::string_view("n"),
                                std::string_view("expert"), std::string_view("experts"), std::string_view("width"), std::string_view("config"), std::string_view("adapter"), std::string_view("vocab"),
                                std::string_view("hidden"), std::string_view("intermediate"), std::string_view("embedding"), std::string_view("embeddings"), std::string_view("lora"), std::string_view("shared"),
                                std::string_view("group"), std::string_view("sparse"), std::string_view("moe"), std::string_view("window"), std::string_view("tie"), std::string_view("position")};

bool isOff(const nlohmann::json& value)
{
    return value.is_null() || value == false || value == 0 || ((value.is_array() || value.is_object()) && value.empty());
}

bool hasSizeWord(std::string_view key)
{
    std::size_t begin = 0;
    while (begin <= key.size()) {
        const std::size_t end = std::min(key.find('_', begin), key.size());
        if (std::find(kSizeWords.begin(), kSizeWords.end(), key.substr(begin, end - begin)) != kSizeWords.end())
            return true;
        begin = end + 1;
    }
    return false;
}

} // namespace

UnreadField unreadField(const std::string& key, const nlohmann::json& value)
{
    if (std::find(kHarmless.begin(), kHarmless.end(), key) != kHarmless.end())
        return UnreadField::Harmless;
    if (isOff(value))
        return std::find(kHarmlessOff.begin(), kHarmlessOff.end(), key) != kHarmlessOff.end() ? UnreadField::Harmless : UnreadField::Unknown;
    // A text cannot be a size, and neither can a fraction.
    const bool mayCount = value.is_number_integer() || value.is_boolean() || value.is_array() || value.is_object();
    return mayCount && hasSizeWord(key) ? UnreadField::Sizes : UnreadField::Unknown;
}

} // namespace fabricscope
