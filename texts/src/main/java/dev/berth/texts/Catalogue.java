package dev.berth.texts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * All sentences of one language, by key. Each family of keys has a file of its own with one {@code
 * key = sentence} a line; {@code #} begins a comment.
 */
public final class Catalogue {

    /** Each family is the first part of its keys, and the name of its file. */
    private static final List<String> FAMILIES =
            List.of(
                    "advice",
                    "alert",
                    "block",
                    "cause",
                    "error",
                    "notification",
                    "problem",
                    "reason",
                    "suggestion");

    /** The value that chooses among several sentences of one code. */
    public static final String VARIANT = "variant";

    private static final Map<Language, Catalogue> ALL = loadAll();

    private final Language language;
    private final TreeMap<String, Template> templates;

    private Catalogue(Language language, TreeMap<String, Template> templates) {
        this.language = language;
        this.templates = templates;
    }

    /** The catalogue of a language. */
    public static Catalogue in(Language language) {
        return Objects.requireNonNull(ALL.get(language));
    }

    /** The language of the sentences. */
    public Language language() {
        return language;
    }

    /**
     * The sentence of a code: the one of its {@link #VARIANT} if there is one, else the one of the
     * code. Where a code has none, the same with {@code *} in place of its first part applies, such
     * as {@code problem.*.invalid} for {@code gpu_count.invalid}.
     *
     * @throws IllegalArgumentException if there is no such sentence: a test compares the codes in
     *     use with the keys
     */
    public String sentence(String family, String code, Map<String, String> values) {
        var variant = values.getOrDefault(VARIANT, "");
        var key =
                candidates(family, code, variant)
                        .filter(templates::containsKey)
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "no text for %s.%s %s"
                                                        .formatted(family, code, variant)));
        return text(key, values);
    }

    /** Whether {@link #sentence} finds one. */
    public boolean hasSentence(String family, String code, String variant) {
        return candidates(family, code, variant).anyMatch(templates::containsKey);
    }

    private static Stream<String> candidates(String family, String code, String variant) {
        var own = family + "." + code;
        var any = family + ".*" + code.substring(Math.max(0, code.indexOf('.')));
        return variant.isEmpty()
                ? Stream.of(own, any)
                : Stream.of(own + "." + variant, own, any + "." + variant, any);
    }

    public boolean contains(String key) {
        return templates.containsKey(key);
    }

    /**
     * The sentence with its values.
     *
     * @throws IllegalArgumentException if there is no such key: a test compares the keys with the
     *     codes in use
     */
    public String text(String key, Map<String, String> values) {
        return template(key).render(values, language);
    }

    /** The sentence of a key that needs no values. */
    public String text(String key) {
        return text(key, Map.of());
    }

    public Template template(String key) {
        var found = templates.get(key);
        if (found == null) {
            throw new IllegalArgumentException("no text for " + key);
        }
        return found;
    }

    public SortedSet<String> keys() {
        return Collections.unmodifiableSortedSet(templates.navigableKeySet());
    }

    private static Map<Language, Catalogue> loadAll() {
        var all = new EnumMap<Language, Catalogue>(Language.class);
        for (var language : Language.values()) {
            all.put(language, new Catalogue(language, load(language)));
        }
        return all;
    }

    private static TreeMap<String, Template> load(Language language) {
        var templates = new TreeMap<String, Template>();
        for (var family : FAMILIES) {
            var file = language.tag() + "/" + family + ".txt";
            try (var in = Objects.requireNonNull(Catalogue.class.getResourceAsStream(file), file)) {
                var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                text.lines().forEach(line -> add(templates, family, line));
            } catch (IOException e) {
                throw new UncheckedIOException("reading " + file, e);
            }
        }
        return templates;
    }

    private static void add(TreeMap<String, Template> templates, String family, String line) {
        if (line.isBlank() || line.startsWith("#")) {
            return;
        }
        int equals = line.indexOf(" = ");
        if (equals < 0) {
            throw new IllegalArgumentException("no key = sentence: " + line);
        }
        var key = line.substring(0, equals);
        if (!key.startsWith(family + ".")) {
            throw new IllegalArgumentException("in the file of another family: " + line);
        }
        if (templates.put(key, Template.parse(line.substring(equals + 3))) != null) {
            throw new IllegalArgumentException("two sentences for " + key);
        }
    }
}
