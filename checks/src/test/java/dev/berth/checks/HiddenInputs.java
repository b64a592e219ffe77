package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;

import dev.berth.core.offenders.DependsOnHashOrder;
import dev.berth.core.offenders.ReadsHiddenInputs;
import dev.berth.engine.offenders.UsesFiles;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A decision depends only on the state and the command, so that it can be reproduced. */
final class HiddenInputs {
    private HiddenInputs() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.product(
                        "core and engine read no clock, random numbers or environment",
                        noClasses().that(DECIDE).should().accessTargetWhere(HIDDEN),
                        ReadsHiddenInputs.class.getDeclaredClasses()),
                Rule.product(
                        "core and engine use no files",
                        noClasses()
                                .that(DECIDE)
                                .should()
                                .dependOnClassesThat(
                                        resideInAnyPackage("java.io..", "java.nio.file..")),
                        UsesFiles.class.getDeclaredClasses()),
                Rule.product(
                        "core uses only collections with a defined order",
                        noClasses()
                                .that(resideInAnyPackage("dev.berth.core.."))
                                .should()
                                .accessTargetWhere(UNORDERED),
                        DependsOnHashOrder.class.getDeclaredClasses()));
    }

    private static final DescribedPredicate<JavaClass> DECIDE =
            resideInAnyPackage("dev.berth.core..", "dev.berth.engine..");

    private static final Map<String, Set<String>> READS =
            Map.ofEntries(
                    Map.entry(
                            "java.lang.System",
                            Set.of(
                                    "currentTimeMillis",
                                    "nanoTime",
                                    "getenv",
                                    "getProperty",
                                    "getProperties",
                                    "identityHashCode")),
                    Map.entry("java.lang.Math", Set.of("random")),
                    Map.entry("java.lang.Runtime", Set.of("getRuntime")),
                    Map.entry("java.lang.ProcessHandle", Set.of("current", "of", "allProcesses")),
                    Map.entry("java.util.UUID", Set.of("randomUUID")),
                    Map.entry("java.util.Locale", Set.of("getDefault")),
                    Map.entry("java.util.TimeZone", Set.of("getDefault")),
                    Map.entry("java.time.ZoneId", Set.of("systemDefault")),
                    Map.entry("java.time.InstantSource", Set.of("system")),
                    Map.entry(
                            "java.time.Clock",
                            Set.of("systemUTC", "systemDefaultZone", "system", "tickMillis")),
                    Map.entry("java.util.concurrent.ThreadLocalRandom", Set.of("current")),
                    Map.entry("java.util.random.RandomGenerator", Set.of("getDefault", "of")));

    private static final DescribedPredicate<JavaAccess<?>> HIDDEN =
            describe(
                    "it is a hidden input",
                    access ->
                            READS.getOrDefault(ownerOf(access), Set.of()).contains(access.getName())
                                    || readsTheClock(access)
                                    || drawsAtRandom(access));

    /** {@code Instant.now()} and the same method of the other time classes. */
    private static boolean readsTheClock(JavaAccess<?> access) {
        return access.getName().equals("now") && ownerOf(access).startsWith("java.time.");
    }

    /** A generator with a given seed is deterministic; all others are hidden inputs. */
    private static boolean drawsAtRandom(JavaAccess<?> access) {
        var isConstructor = access.getName().equals("<init>");
        return switch (ownerOf(access)) {
            case "java.security.SecureRandom" -> true;
            case "java.util.Random", "java.util.SplittableRandom" ->
                    isConstructor && Accesses.parameters(access) == 0;
            case "java.util.Collections" ->
                    access.getName().equals("shuffle") && Accesses.parameters(access) == 1;
            default -> false;
        };
    }

    /** The iteration order of the JDK's immutable sets and maps differs between JVM runs. */
    private static final DescribedPredicate<JavaAccess<?>> UNORDERED =
            describe(
                    "its order may differ from run to run",
                    access ->
                            switch (ownerOf(access)) {
                                case "java.util.HashMap", "java.util.HashSet" ->
                                        access.getName().equals("<init>");
                                case "java.util.Map" -> isSalted(access, 2);
                                case "java.util.Set" -> isSalted(access, 1);
                                case "java.util.stream.Collectors" -> isUnorderedCollector(access);
                                default -> false;
                            });

    /** A collection with at most one entry has only one order. */
    private static boolean isSalted(JavaAccess<?> access, int parametersOfOneEntry) {
        return switch (access.getName()) {
            case "copyOf", "ofEntries" -> true;
            case "of" -> Accesses.parameters(access) > parametersOfOneEntry;
            default -> false;
        };
    }

    private static boolean isUnorderedCollector(JavaAccess<?> access) {
        return switch (access.getName()) {
            case "toSet", "toUnmodifiableSet", "toUnmodifiableMap" -> true;
            // The fourth parameter is the map.
            case "toMap" -> Accesses.parameters(access) < 4;
            // The third parameter is the map.
            case "groupingBy" -> Accesses.parameters(access) < 3;
            default -> false;
        };
    }

    private static String ownerOf(JavaAccess<?> access) {
        return access.getTargetOwner().getName();
    }
}
