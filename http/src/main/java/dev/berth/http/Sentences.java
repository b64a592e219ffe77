package dev.berth.http;

import dev.berth.core.commandfile.BlockProblem;
import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;
import dev.berth.texts.StoredSentences;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The sentences of responses, in the language of the caller. The language belongs to the thread
 * that handles the request; what other threads write, such as the state that all event streams
 * share, is in English, and the console renders it by code.
 */
public final class Sentences {

    private static final ScopedValue<Language> LANGUAGE = ScopedValue.newInstance();

    private Sentences() {}

    /** Calls {@code action}, with sentences in {@code language}. */
    public static <R> R in(Language language, Supplier<R> action) {
        return ScopedValue.where(LANGUAGE, language).call(action::get);
    }

    /** Why a request is rejected. The sentence may use the field as {@code {field}}. */
    public static String problem(String code, @Nullable String field, Map<String, String> params) {
        var values = new TreeMap<>(params);
        if (field != null && !field.isEmpty()) {
            values.put("field", field);
        }
        return catalogue().sentence("problem", code, values);
    }

    /** Why a task waits, or cannot use a GPU. */
    public static String reason(String code, Map<String, String> params) {
        var values = new TreeMap<>(params);
        values.computeIfPresent("cause", (_, cause) -> stored(cause));
        values.computeIfPresent("why", (_, why) -> stored(why));
        return catalogue().sentence("reason", code, values);
    }

    /** What would let a task start earlier, and when. */
    public static String suggestion(String code, Map<String, String> params) {
        return catalogue().sentence("suggestion", code, params);
    }

    /** What to do about a failure. */
    public static String advice(String code, Map<String, String> params) {
        return catalogue().text("advice." + code, params);
    }

    /** An error or a reason that is stored as its English sentence. */
    public static String stored(String text) {
        return StoredSentences.in(LANGUAGE.orElse(Language.ENGLISH), text);
    }

    /** Why a block of a command file cannot run: it is invalid, or its task can never start. */
    public static String of(BlockProblem block) {
        var variant = block.params().getOrDefault(Catalogue.VARIANT, "");
        return catalogue().hasSentence("block", block.code(), variant)
                ? catalogue().sentence("block", block.code(), block.params())
                : problem(block.code(), null, block.params());
    }

    private static Catalogue catalogue() {
        return Catalogue.in(LANGUAGE.orElse(Language.ENGLISH));
    }
}
