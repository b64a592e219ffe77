package dev.berth.app.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How the program under test is started: the packaged one if the build names it, otherwise the
 * compiled classes. The packaged one first runs once to write an AOT cache, because the tests start
 * it hundreds of times.
 */
final class ProgramUnderTest {

    /**
     * For many short runs the optimising compiler never pays off, and most of what C1 compiles at
     * start-up never runs again. Delayed compilation saves a fifth of each start.
     */
    private static final List<String> OPTIONS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:CompileThresholdScaling=10",
                    "-Xms32m",
                    "-Xmx512m",
                    "-Xlog:disable",
                    "-Xlog:all=warning:stderr",
                    "--enable-native-access=ALL-UNNAMED");

    /** The JVM writes the AOT cache after the server has ended, which takes a while. */
    private static final Duration LEARNS_WITHIN = Duration.ofMinutes(1);

    private static final Optional<Path> PACKAGED =
            Optional.ofNullable(System.getProperty("berth.dist"))
                    .map(dist -> Path.of(dist, "lib"))
                    .filter(Files::isDirectory);

    private static final String CLASS_PATH =
            PACKAGED.map(ProgramUnderTest::jars)
                    .orElseGet(() -> System.getProperty("java.class.path"));

    /** An AOT cache only works with jars. */
    private static final Optional<Path> LEARNT = PACKAGED.flatMap(_ -> learn());

    private ProgramUnderTest() {}

    static List<String> command(List<String> arguments) {
        return command(LEARNT.map(cache -> "-XX:AOTCache=" + cache).stream().toList(), arguments);
    }

    /**
     * @param jvm options that replace the usual ones
     */
    static List<String> command(List<String> jvm, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(jvm);
        command.addAll(List.of("-cp", CLASS_PATH, "dev.berth.app.Main"));
        command.addAll(arguments);
        return command;
    }

    /** The program as users start it. */
    static List<String> launcher(List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("berth.root"), "berth").toString());
        command.addAll(arguments);
        return command;
    }

    static Map<String, String> launcherEnvironment() {
        return Map.of(
                "BERTH_DIST",
                System.getProperty("berth.dist"),
                "BERTH_JAVA_HOME",
                System.getProperty("java.home"));
    }

    private static Optional<Path> learn() {
        try {
            var root = Files.createTempDirectory("berth-learn-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> ServerHarness.remove(root)));
            var cache = root.resolve("server.aot");
            var home = Files.createDirectory(root.resolve("home"));
            var serve =
                    List.of(
                            "serve",
                            "--home",
                            home.toString(),
                            "--port",
                            "0",
                            "--gpus",
                            "sim:2x1024",
                            "--auth",
                            "none");
            var command = command(List.of("-XX:AOTCacheOutput=" + cache), serve);
            var server = ServerProcess.launch(command, Map.of(), root.resolve("server"));
            var api = new TestApi(new TcpTestClient(server.awaitReady()));
            for (var order : List.of(TaskBuilder.cpu("true"), TaskBuilder.oneGpu("true"))) {
                long id = api.submit(order);
                api.awaitEnd(id);
                api.log(id, 10);
            }
            api.gpus();
            api.tasks();
            server.terminate();
            if (!server.endsWithin(LEARNS_WITHIN)) {
                server.kill();
            }
            return Optional.of(cache).filter(Files::exists);
        } catch (IOException e) {
            throw new UncheckedIOException("learning from a first start", e);
        }
    }

    private static String jars(Path lib) {
        try (var jars = Files.list(lib)) {
            return jars.map(Path::toString).sorted().collect(Collectors.joining(":"));
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + lib, e);
        }
    }
}
