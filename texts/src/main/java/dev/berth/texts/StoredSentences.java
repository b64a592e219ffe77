package dev.berth.texts;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sentences inside stored values. The database has errors of tasks and reasons of alerts as
 * English sentences, as 0.1.0 did; a sentence is recognised by its template and rendered in the
 * language of the reader. Texts of programs, drivers and receivers stay as they are.
 */
public final class StoredSentences {

    /** A sentence may have another one as its value, such as the cause. */
    private static final int MAX_DEPTH = 4;

    private static final List<String> FAMILIES = List.of("error.", "alert.why.");

    private static final List<String> KEYS =
            Catalogue.in(Language.ENGLISH).keys().stream()
                    .filter(key -> FAMILIES.stream().anyMatch(key::startsWith))
                    .sorted(StoredSentences::moreSpecificFirst)
                    .toList();

    private StoredSentences() {}

    /** The sentence in this language; the text itself if it is not one. */
    public static String in(Language language, String text) {
        return language == Language.ENGLISH ? text : in(language, text, MAX_DEPTH);
    }

    private static String in(Language language, String text, int depth) {
        if (depth == 0) {
            return text;
        }
        var english = Catalogue.in(Language.ENGLISH);
        for (var key : KEYS) {
            var found = english.template(key).match(text);
            if (found.isPresent()) {
                var values = new TreeMap<>(found.get());
                values.replaceAll((_, value) -> in(language, value, depth - 1));
                return Catalogue.in(language).text(key, values);
            }
        }
        return text;
    }

    /** More literal text matches less, so it is tried first. */
    private static int moreSpecificFirst(String one, String other) {
        return Integer.compare(literalLength(other), literalLength(one));
    }

    private static int literalLength(String key) {
        var template = Catalogue.in(Language.ENGLISH).template(key);
        var values = new TreeMap<String, String>();
        template.names().forEach(name -> values.put(name, ""));
        return template.render(Map.copyOf(values), Language.ENGLISH).length();
    }
}
