package dev.berth.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;

import dev.berth.core.offenders.DependsOnHashOrder;
import dev.berth.core.offenders.ReadsHiddenInputs;
import dev.berth.engine.offenders.TouchesFiles;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A decision is made from the state and the command; the same two give the same answer. */
final class HiddenInputs {
    private HiddenInputs() {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.product(
                        "core and engine read no clock, chance or environment",
                        noClasses().that(DECIDE).should().accessTargetWhere(HIDDEN),
                        ReadsHiddenInputs.class.getDeclaredClasses()),
                Rule.product(
                        "core and engine touch no files",
                        noClasses()
                                .that(DECIDE)
                                .should()
                                .dependOnClassesThat(
                                        resideInAnyPackage("java.io..", "java.nio.file..")),
                        TouchesFiles.class.getDeclaredClasses()),
                Rule.product(
                        "core keeps its collections in an order of their own",
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

    /** {@code Instant.now()} and its many brothers. */
    private static boolean readsTheClock(JavaAccess<?> access) {
        return access.getName().equals("now") && ownerOf(access).startsWith("java.time.");
    }

    /** A generator with a seed is an honest input; one without is not. */
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

    /** The JDK's own immutable sets and maps are ordered anew in every JVM. */
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

    /** With one entry or none there is no order to speak of. */
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
            // With a fourth parameter the caller says which map.
            case "toMap" -> Accesses.parameters(access) < 4;
            // With a third, likewise.
            case "groupingBy" -> Accesses.parameters(access) < 3;
            default -> false;
        };
    }

    private static String ownerOf(JavaAccess<?> access) {
        return access.getTargetOwner().getName();
    }
}
