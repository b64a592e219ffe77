package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Runs the tests of the Python SDK for model workers, which are in {@code sdk/python/tests}. */
final class PythonSdkTest {

    private static final Pattern COUNT = Pattern.compile("(?m)^Ran (\\d+) tests in .*\\s+OK");

    @TempDir private Path directory;

    @Test
    @Tag("slow")
    void theTestsOfThePythonSdkPass() throws IOException, InterruptedException {
        var output = directory.resolve("output");
        var builder =
                new ProcessBuilder(
                        "python3", "-m", "unittest", "discover", "-s", "sdk/python/tests");
        // Compiled once and not into the sources: each test starts a worker.
        builder.environment().remove("PYTHONDONTWRITEBYTECODE");
        builder.environment().put("PYTHONPYCACHEPREFIX", directory.resolve("cache").toString());
        var tests =
                builder.directory(Path.of(System.getProperty("berth.root", "..")).toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertThat(tests.waitFor(4, TimeUnit.MINUTES)).as("ended").isTrue();
        } finally {
            tests.descendants().forEach(ProcessHandle::destroyForcibly);
            tests.destroyForcibly();
        }

        var text = Files.readString(output);
        assertThat(tests.exitValue()).as(text).isZero();
        var count = COUNT.matcher(text);
        assertThat(count.find()).as(text).isTrue();
        assertThat(Integer.parseInt(count.group(1))).as("tests").isGreaterThan(60);
    }
}
