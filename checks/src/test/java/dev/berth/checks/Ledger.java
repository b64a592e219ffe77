package dev.berth.checks;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tests that docs/ledger.md names: {@code Class#method} or {@code module/Class#method}. */
final class Ledger {
    private static final Pattern TEST = Pattern.compile("`(?:([a-z]+)/)?([A-Z]\\w*)#(\\w+)`");

    /** How the introduction of the ledger describes a reference. */
    private static final String EXAMPLE = "`Class#method`";

    /** By name, because the importer does not read classes of libraries. */
    private static final Set<String> JUNIT =
            Set.of(
                    "org.junit.jupiter.api.Test",
                    "org.junit.jupiter.api.RepeatedTest",
                    "org.junit.jupiter.api.TestFactory",
                    "org.junit.jupiter.params.ParameterizedTest");

    private static final Pattern ANY_REFERENCE = Pattern.compile("`[^`\\s]*#[^`\\s]*`");

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| [A-Z]-\\d\\d \\| .*? \\| (shown|partly|open) \\|");

    private final Map<String, List<JavaClass>> classes;

    Ledger(JavaClasses... all) {
        classes =
                Arrays.stream(all)
                        .flatMap(JavaClasses::stream)
                        .filter(type -> !type.getSimpleName().isEmpty())
                        .collect(Collectors.groupingBy(JavaClass::getSimpleName));
    }

    /** The sentence of the introduction that counts the rows by their status. */
    static String summary(String text) {
        var statuses = ROW.matcher(text).results().map(found -> found.group(1)).toList();
        return "%d rows: %d shown, %d partly, %d open."
                .formatted(
                        statuses.size(),
                        Collections.frequency(statuses, "shown"),
                        Collections.frequency(statuses, "partly"),
                        Collections.frequency(statuses, "open"));
    }

    /** The references that do not name exactly one test. */
    List<Violation> violations(String text) {
        var malformed =
                ANY_REFERENCE
                        .matcher(text)
                        .results()
                        .map(found -> found.group())
                        .filter(reference -> !TEST.matcher(reference).matches())
                        .map(reference -> new Violation(reference, "is not Class#method"));
        var wrong =
                TEST.matcher(text)
                        .results()
                        .filter(found -> !found.group().equals(EXAMPLE))
                        .flatMap(
                                found ->
                                        violation(
                                                found.group(),
                                                found.group(1),
                                                found.group(2),
                                                found.group(3)));
        return Stream.concat(malformed, wrong).distinct().toList();
    }

    private Stream<Violation> violation(
            String reference, String module, String type, String method) {
        long tests =
                classes.getOrDefault(type, List.of()).stream()
                        .filter(found -> module == null || isIn(module, found))
                        .flatMap(found -> found.getAllMethods().stream())
                        .filter(found -> found.getName().equals(method) && isTest(found))
                        .count();
        return tests == 1
                ? Stream.empty()
                : Stream.of(new Violation(reference, tests + " tests have this name"));
    }

    private static boolean isIn(String module, JavaClass type) {
        return type.getSource()
                .map(source -> source.getUri().toString().contains("/" + module + "/target/"))
                .orElse(false);
    }

    private static boolean isTest(JavaMethod method) {
        return method.getAnnotations().stream()
                .map(annotation -> annotation.getRawType().getName())
                .anyMatch(JUNIT::contains);
    }
}
