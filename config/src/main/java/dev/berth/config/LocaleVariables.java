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

    /** The caller's value, if the launcher had to set another one for the JVM. */
    private static final String CALLER_LC_ALL = "BERTH_CALLER_LC_ALL";

    /** Empty if the environment has no locale. */
    static Optional<LocaleVariables> of(Map<String, String> environment) {
        for (var name : NAMES) {
            var locale = valueOf(name, environment);
            if (!locale.isEmpty()) {
                var language = locale.startsWith("zh") ? Language.CHINESE : Language.ENGLISH;
                return Optional.of(new LocaleVariables(name, language));
            }
        }
        return Optional.empty();
    }

    private static String valueOf(String name, Map<String, String> environment) {
        var value = environment.getOrDefault(name, "");
        return name.equals("LC_ALL") ? environment.getOrDefault(CALLER_LC_ALL, value) : value;
    }
}
