package dev.berth.config;

import dev.berth.texts.Language;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The language of the server's locale, as POSIX defines it: the first of these variables that is
 * set decides.
 *
 * @param variable the one that decides
 */
record LocaleVariables(String variable, Language language) {

    private static final List<String> NAMES = List.of("LC_ALL", "LC_MESSAGES", "LANG");

    /** Empty if the environment has no locale. */
    static Optional<LocaleVariables> of(Map<String, String> environment) {
        for (var name : NAMES) {
            var locale = environment.getOrDefault(name, "");
            if (!locale.isEmpty()) {
                var language = locale.startsWith("zh") ? Language.CHINESE : Language.ENGLISH;
                return Optional.of(new LocaleVariables(name, language));
            }
        }
        return Optional.empty();
    }
}
