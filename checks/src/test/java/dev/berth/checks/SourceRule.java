package dev.berth.checks;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One convention about the text of a file: what breaks it, and files that do. */
record SourceRule(String name, Predicate<SourceFile> isBrokenBy, List<SourceFile> offenders) {

    private static final int MOST_LINES = 500;
    private static final int MOST_LINES_OF_A_TEST = 600;

    /** The engine must survive a defect in a decision, so RuntimeException may be caught. */
    private static final Pattern CATCHES_ALL =
            Pattern.compile(
                    "catch\\s*\\(\\s*(final\\s+)?(\\w+\\s*\\|\\s*)*(Exception|Throwable)\\b");

    /** What these call declares Exception: Jetty's start and stop, AutoCloseable's close. */
    private static final Set<String> MUST_CATCH_ALL =
            Set.of(
                    "app/src/main/java/dev/berth/app/Serving.java",
                    "server/src/main/java/dev/berth/server/Door.java");

    static Stream<SourceRule> all() {
        return Stream.of(
                new SourceRule(
                        "a file tells one story: 500 lines, a test 600",
                        file ->
                                file.lines()
                                        > (file.isForTests() ? MOST_LINES_OF_A_TEST : MOST_LINES),
                        List.of(
                                new SourceFile(MAIN + "Long.java", "//\n".repeat(501)),
                                new SourceFile(TEST + "LongTest.java", "//\n".repeat(601)))),
                new SourceRule(
                        "nobody catches whatever comes",
                        file ->
                                !file.isForTests()
                                        && !MUST_CATCH_ALL.contains(file.path())
                                        && CATCHES_ALL.matcher(file.text()).find(),
                        List.of(
                                new SourceFile(MAIN + "A.java", "} catch (Exception e) {"),
                                new SourceFile(MAIN + "B.java", "} catch (final Throwable t) {"),
                                new SourceFile(
                                        MAIN + "C.java", "catch (IOException | Exception _)"))),
                new SourceRule(
                        "a package-info defines the words of its package",
                        file ->
                                !file.isTest()
                                        && file.isPackageInfo()
                                        && !file.text().startsWith("/**"),
                        List.of(
                                new SourceFile(
                                        MAIN + "package-info.java", "package dev.berth.core;"))),
                new SourceRule(
                        "a module keeps to the package of its name",
                        file -> !file.isTest() && !isAtHome(file),
                        List.of(
                                new SourceFile(
                                        "core/src/main/java/dev/berth/node/Stray.java", ""))));
    }

    private static final String MAIN = "core/src/main/java/dev/berth/core/";
    private static final String TEST = "core/src/test/java/dev/berth/core/";

    /** The rules tell modules by package, so a class elsewhere would escape them. */
    private static boolean isAtHome(SourceFile file) {
        var module = file.module();
        return file.path().startsWith(module + "/src/main/java/dev/berth/" + module + "/");
    }

    @Override
    public String toString() {
        return name;
    }
}
