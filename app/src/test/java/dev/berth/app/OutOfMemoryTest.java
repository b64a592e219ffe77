package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A JVM that runs out of memory, with the options that the launcher gives to a server. */
final class OutOfMemoryTest {

    @TempDir private Path directory;

    /** Takes memory until there is none, like a server with an open log. */
    static final class Hungry {

        private Hungry() {}

        public static void main(String[] arguments) {
            try (var log =
                    Files.newOutputStream(
                            Path.of(arguments[0]),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.APPEND)) {
                log.write("before\n".getBytes(StandardCharsets.UTF_8));
                var kept = new ArrayList<byte[]>();
                while (kept.size() < Integer.MAX_VALUE) {
                    kept.add(new byte[1 << 20]);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void theLogAndStderrSayThatTheMemoryIsExhausted() throws Exception {
        var root = Path.of(System.getProperty("berth.root", ".."));
        var log = directory.resolve("berth.log");
        var stderr = directory.resolve("stderr");
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:+ExitOnOutOfMemoryError",
                                option(root),
                                "-Xmx24m"));
        command.addAll(List.of("-cp", classes(), Hungry.class.getName(), log.toString()));

        var child = new ProcessBuilder(command).redirectError(stderr.toFile()).start();
        assertThat(child.waitFor(3, TimeUnit.MINUTES)).isTrue();

        assertThat(child.exitValue()).isEqualTo(3);
        var expected =
                "SEVERE Memory  out of memory, the server ends: pid="
                        + child.pid()
                        + " heap_limit=24m";
        assertThat(Files.readString(log)).startsWith("before\n").contains(expected);
        assertThat(Files.readString(log)).containsPattern("resident_mib=\\d+ threads=\\d+");
        assertThat(Files.readString(stderr)).contains(expected);
    }

    /** The option of the launcher, with the path filled in. */
    private static String option(Path root) throws IOException {
        var berth = root.resolve("berth").toRealPath();
        var options = Files.readString(root.resolve("ops/package/berth"));
        var found =
                Pattern.compile("\"(-XX:OnOutOfMemoryError=/bin/bash )\\$quoted([^\"]*)\"")
                        .matcher(options);
        assertThat(found.find()).as("the launcher has the option").isTrue();
        return found.group(1) + berth + found.group(2);
    }

    private static String classes() throws Exception {
        return Path.of(Hungry.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }
}
