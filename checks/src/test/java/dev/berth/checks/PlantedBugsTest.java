package dev.berth.checks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tests of the tests. Each planted bug is built on its own in a copy of the project; the tests that
 * it names must then fail. Without any bug they must pass.
 */
final class PlantedBugsTest {

    private static final Path ROOT = Path.of(System.getProperty("berth.root", ".."));
    private static final Path DIRECTORY = ROOT.resolve("checks/src/test/resources/planted-bugs");
    private static final int FEWEST = 30;

    /** If its text has moved away, a bug would be planted nowhere and prove nothing. */
    @Test
    void everyPlantedBugStillFitsTheSources() {
        var bugs = PlantedBug.all(DIRECTORY);
        assertThat(bugs).hasSizeGreaterThanOrEqualTo(FEWEST);
        for (var bug : bugs) {
            assertThat(bug.occurrences(ROOT)).as("%s in %s", bug.name(), bug.file()).isEqualTo(1);
            for (var test : bug.tests()) {
                assertThat(isTestOf(bug.module(), test)).as("%s %s", bug.name(), test).isTrue();
            }
        }
    }

    @Test
    void theReliabilityPageListsEveryPlantedBug() throws IOException {
        var page = Files.readString(ROOT.resolve("docs/reliability.md"));
        for (var bug : PlantedBug.all(DIRECTORY)) {
            assertThat(page).contains("| " + bug.summary() + " |");
        }
    }

    @Test
    @Tag("soak-oracle")
    void everyPlantedBugIsCaught(@TempDir Path temporary) throws Exception {
        var only = System.getProperty("berth.soak.only", "");
        var bugs =
                PlantedBug.all(DIRECTORY).stream()
                        .filter(bug -> bug.name().startsWith(only))
                        .toList();
        assertThat(bugs).as("bugs with a name that begins with '%s'", only).isNotEmpty();
        var copy = temporary.resolve("project");
        copyProject(copy);
        assertThat(testsWithoutBugs(copy, bugs)).as("without a bug").isEmpty();

        var missed = new ArrayList<String>();
        for (var bug : bugs) {
            try (var _ = bug.plant(copy)) {
                var failed = failedTests(copy, bug.module(), bug.tests());
                System.out.println(
                        (failed.isEmpty() ? "MISSED " : "caught ") + bug.name() + failed);
                if (failed.isEmpty()) {
                    missed.add(bug.name());
                }
            }
        }

        System.out.println((bugs.size() - missed.size()) + " of " + bugs.size() + " caught");
        assertThat(missed).isEmpty();
    }

    private static List<String> testsWithoutBugs(Path copy, List<PlantedBug> bugs)
            throws Exception {
        Map<String, List<String>> tests =
                bugs.stream()
                        .collect(
                                Collectors.groupingBy(
                                        PlantedBug::module,
                                        TreeMap::new,
                                        Collectors.flatMapping(
                                                bug -> bug.tests().stream(), Collectors.toList())));
        var failed = new ArrayList<String>();
        for (var module : tests.entrySet()) {
            failed.addAll(
                    failedTests(
                            copy, module.getKey(), module.getValue().stream().distinct().toList()));
        }
        return failed;
    }

    /** The names of the tests that failed. A build that does not compile is an error. */
    private static List<String> failedTests(Path copy, String module, List<String> tests)
            throws Exception {
        var reports = copy.resolve(module).resolve("target/surefire-reports");
        if (Files.isDirectory(reports)) {
            try (var old = Files.list(reports)) {
                for (var report : old.toList()) {
                    Files.delete(report);
                }
            }
        }
        var log = copy.resolve("build.log");
        var build =
                new ProcessBuilder(
                                "mvn",
                                "-o",
                                "-B",
                                "-q",
                                "-Djacoco.skip",
                                "-pl",
                                module,
                                "-am",
                                "integration-test",
                                "-Dtest=" + String.join(",", tests),
                                "-Dsurefire.failIfNoSpecifiedTests=false")
                        .directory(copy.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        int status = build.waitFor();
        var failed = new ArrayList<String>();
        if (Files.isDirectory(reports)) {
            try (var written = Files.list(reports)) {
                for (var report :
                        written.filter(file -> file.toString().endsWith(".xml")).toList()) {
                    failed.addAll(failuresIn(Files.readString(report)));
                }
            }
        }
        if (status != 0 && failed.isEmpty()) {
            throw new IllegalStateException("the build failed:\n" + Files.readString(log));
        }
        return failed;
    }

    private static List<String> failuresIn(String report) {
        return Stream.of(report.split("<testcase "))
                .filter(part -> part.contains("<failure") || part.contains("<error"))
                .map(part -> part.replaceAll("(?s)^.*?name=\"([^\"]*)\".*$", "$1"))
                .toList();
    }

    /** Only files that the project keeps: an old build must not hide a change. */
    private static void copyProject(Path copy) throws Exception {
        Files.createDirectory(copy);
        var status =
                new ProcessBuilder(
                                "bash",
                                "-c",
                                "git ls-files -z --cached --others --exclude-standard |"
                                        + " tar --null --ignore-failed-read -T - -cf - |"
                                        + " tar -xf - -C \"$1\"",
                                "copy",
                                copy.toString())
                        .directory(ROOT.toFile())
                        .inheritIO()
                        .start()
                        .waitFor();
        assertThat(status).isZero();
    }

    private static boolean isTestOf(String module, String test) {
        try (var files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
            return files.anyMatch(file -> file.endsWith(test + ".java"));
        } catch (IOException _) {
            return false;
        }
    }
}
