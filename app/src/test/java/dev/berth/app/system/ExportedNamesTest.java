package dev.berth.app.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliClock;
import dev.berth.cli.command.task.CallerShell;
import dev.berth.core.task.EnvironmentName;

import org.junit.jupiter.api.Test;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The command line sends no variable that the server would refuse. */
class ExportedNamesTest {

    @Test
    void noVariableOfBashOrBerthIsSent() throws Exception {
        var env =
                new TreeMap<>(Map.of("PATH", "/bin", "BERTH_X", "1", "BASH_FUNC_f%%", "() { :; }"));
        var bash = new ProcessBuilder("/bin/bash", "-c", "compgen -v").start();
        new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .forEach(name -> env.put(name, "x"));
        var context =
                new CallContext(
                        InputStream.nullInputStream(),
                        System.out,
                        System.err,
                        env,
                        Path.of("/"),
                        false,
                        () -> 0,
                        CliClock.SYSTEM);

        var sent = (Map<?, ?>) CallerShell.field(context).get("environment");

        assertThat(env).containsKey("BASHOPTS");
        assertThat(sent.keySet().stream().map(String::valueOf))
                .contains("PATH")
                .allSatisfy(name -> assertThat(EnvironmentName.problem(name)).isEmpty());
    }
}
