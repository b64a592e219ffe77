package dev.berth.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class of this package's tests in a separate process. */
final class ChildJvm {

    private ChildJvm() {}

    static List<String> command(Class<?> main, List<String> options, Object... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-ea"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        for (var argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /** Its output (stdout and stderr), then its exit status as the last line. */
    static String run(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(3, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException("still running after its output ended: " + command);
        }
        return output + "exit " + process.exitValue();
    }
}
