package dev.berth.notify.alert;

import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The reasons inside alerts. Events store a reason as its English sentence, as 0.1.0 did; the
 * sentence is recognised by its template and rendered in the language of the reader. Texts of
 * drivers and receivers stay as they are.
 */
final class AlertReasons {

    private static final String PREFIX = "alert.why.";

    private static final List<String> KEYS =
            Catalogue.in(Language.ENGLISH).keys().stream()
                    .filter(key -> key.startsWith(PREFIX))
                    .sorted(AlertReasons::moreSpecificFirst)
                    .toList();

    private AlertReasons() {}

    static String in(Language language, String reason) {
        if (language == Language.ENGLISH) {
            return reason;
        }
        var english = Catalogue.in(Language.ENGLISH);
        for (var key : KEYS) {
            var values = english.template(key).match(reason);
            if (values.isPresent()) {
                return Catalogue.in(language).text(key, values.get());
            }
        }
        return reason;
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
