package dev.berth.checks;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A rule about source files, and files that break it. */
record SourceRule(
        String name,
        Function<SourceFile, Stream<Violation>> violations,
        List<SourceFile> offenders) {

    private static final int MOST_LINES = 500;
    private static final int MOST_LINES_OF_A_TEST = 600;
    private static final int MOST_LINES_OF_A_METHOD = 60;
    private static final int MOST_LINES_OF_A_TEST_METHOD = 100;

    /** RuntimeException may be caught: the engine must survive a defect in a decision. */
    private static final Pattern CATCHES_ALL =
            Pattern.compile(
                    "catch\\s*\\(\\s*(final\\s+)?(\\w+\\s*\\|\\s*)*(Exception|Throwable)\\b");

    /**
     * These call methods that declare Exception: Jetty's start, stop and reload, AutoCloseable's
     * close.
     */
    private static final Set<String> MUST_CATCH_ALL =
            Set.of(
                    "app/src/main/java/dev/berth/app/ServerInstance.java",
                    "server/src/main/java/dev/berth/server/HttpServer.java",
                    "server/src/main/java/dev/berth/server/tls/TlsReloader.java");

    private static final Pattern STACKED_JAVADOC =
            Pattern.compile("/\\*\\*(?:(?!\\*/).)*\\*/\\s*/\\*\\*", Pattern.DOTALL);

    /** A sentence of its own would be shown in English to every reader. */
    private static final Pattern LITERAL_ERROR =
            Pattern.compile(
                    "(new (Ending\\.)?(Vanished|LaunchFailed|StartTimedOut)"
                            + "|LoseContact|Undetermined|TaskTransition\\.Fail)"
                            + "\\((\\w+(\\.\\w+)*(\\(\\))?,\\s*)?\\s*\"");

    private static final String MAIN = "core/src/main/java/dev/berth/core/";
    private static final String TEST = "core/src/test/java/dev/berth/core/";

    static Stream<SourceRule> all() {
        return Stream.concat(aboutFiles(), aboutSyntax());
    }

    private static Stream<SourceRule> aboutFiles() {
        return Stream.of(
                file(
                        "a file has at most 500 lines, a test 600",
                        file ->
                                file.lines()
                                        > (file.isForTests() ? MOST_LINES_OF_A_TEST : MOST_LINES),
                        new SourceFile(MAIN + "Long.java", "//\n".repeat(501)),
                        new SourceFile(TEST + "LongTest.java", "//\n".repeat(601))),
                file(
                        "no code catches Exception or Throwable",
                        file ->
                                !file.isForTests()
                                        && !MUST_CATCH_ALL.contains(file.path())
                                        && CATCHES_ALL.matcher(file.text()).find(),
                        new SourceFile(MAIN + "A.java", "} catch (Exception e) {"),
                        new SourceFile(MAIN + "B.java", "} catch (final Throwable t) {"),
                        new SourceFile(MAIN + "C.java", "catch (IOException | Exception _)")),
                file(
                        "an error of a task is one of the sentences in ErrorSentence",
                        file -> !file.isForTests() && LITERAL_ERROR.matcher(file.text()).find(),
                        new SourceFile(MAIN + "A.java", "new Ending.Vanished(\"gone\")"),
                        new SourceFile(MAIN + "B.java", "new LaunchFailed(\n  \"no \" + name)"),
                        new SourceFile(MAIN + "C.java", "new TaskTransition.Fail(a.at(), \"no\")")),
                file(
                        "a package-info defines the words of its package",
                        file ->
                                !file.isTest()
                                        && file.isPackageInfo()
                                        && !file.text().startsWith("/**"),
                        new SourceFile(MAIN + "package-info.java", "package dev.berth.core;")),
                file(
                        "a module has only packages of its own name",
                        file -> !file.isTest() && !isInPackageOfModule(file),
                        new SourceFile("core/src/main/java/dev/berth/node/Stray.java", "")),
                file(
                        "no stacked Javadoc",
                        file -> STACKED_JAVADOC.matcher(file.text()).find(),
                        new SourceFile(
                                MAIN + "Stacked.java", "/** Old. */\n" + "/** New. */\nint a;"),
                        new SourceFile(
                                TEST + "StackedTest.java",
                                "/**\n * Old.\n */\n\n" + "/**\n * New.\n */\nint a;")));
    }

    private static Stream<SourceRule> aboutSyntax() {
        return Stream.of(
                new SourceRule(
                        "a method has at most 60 lines, in tests 100",
                        SourceRule::longMethods,
                        List.of(
                                new SourceFile(MAIN + "Long.java", classWithMethod(61)),
                                new SourceFile(TEST + "LongTest.java", classWithMethod(101)))),
                new SourceRule(
                        "no lock outside lock-owners.txt",
                        file ->
                                file.isForTests() || LockOwners.NAMES.contains(file.name())
                                        ? Stream.empty()
                                        : locks(file),
                        List.of(
                                lockOffender("class A { synchronized void a() {} }"),
                                lockOffender("class A { void a() { synchronized (this) {} } }"),
                                lockOffender("import java.util.concurrent.locks.ReentrantLock;"),
                                lockOffender("import java.util.concurrent.locks.*;"),
                                lockOffender("import java.util.concurrent.Semaphore;"),
                                lockOffender("class A { java.util.concurrent.Semaphore a; }"))));
    }

    static Stream<Violation> locks(SourceFile file) {
        return Syntax.of(file).locks().stream().map(lock -> new Violation(file.name(), lock));
    }

    private static SourceFile lockOffender(String text) {
        return new SourceFile(MAIN + "Locked.java", text);
    }

    private static Stream<Violation> longMethods(SourceFile file) {
        int most = file.isForTests() ? MOST_LINES_OF_A_TEST_METHOD : MOST_LINES_OF_A_METHOD;
        return Syntax.of(file).methods().stream()
                .filter(method -> method.lines() > most)
                .map(method -> new Violation(method.name(), method.lines() + " lines"));
    }

    private static String classWithMethod(int lines) {
        return "class A {\n @Deprecated\n int a() {\n" + "a();\n".repeat(lines - 2) + "}\n}\n";
    }

    private static SourceRule file(
            String name, Predicate<SourceFile> isBrokenBy, SourceFile... offenders) {
        return new SourceRule(
                name,
                file ->
                        isBrokenBy.test(file)
                                ? Stream.of(new Violation(file.path(), name))
                                : Stream.empty(),
                List.of(offenders));
    }

    /** The rules about classes recognise a module by its package. */
    private static boolean isInPackageOfModule(SourceFile file) {
        var module = file.module();
        return file.path().startsWith(module + "/src/main/java/dev/berth/" + module + "/");
    }

    @Override
    public String toString() {
        return name;
    }
}
