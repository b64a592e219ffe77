package dev.berth.node.process;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.ProcessKey;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

class CommandShellTest {

    @TempDir Path directory;
    private StartedProcesses started;

    @BeforeEach
    void open() {
        started = new StartedProcesses(directory);
    }

    @AfterEach
    void close() throws IOException {
        started.close();
    }

    @Test
    void isTheProcessThatTheShimStarts() throws Exception {
        var name = directory.resolve("shell");
        var shim = started.bash("bash -c 'echo $$ >" + name + "; sleep 600 & wait'; :");
        var shell = started.named("shell");

        assertThat(CommandShell.of(shim)).isEqualTo(OptionalLong.of(shell.pid()));
        var other = new ProcessKey(shim.bootId(), shim.pid(), shim.startTick() + 1);
        assertThat(CommandShell.of(other)).as("the number has gone to another").isEmpty();
    }

    @Test
    void isEmptyBeforeStartAndAfterEnd() throws Exception {
        var shim = started.bash("read -r </dev/zero; :");
        assertThat(CommandShell.of(shim)).isEmpty();

        var over = started.bash(":");
        eventually("it is over", () -> !StartedProcesses.isAlive(over));
        assertThat(CommandShell.of(over)).isEmpty();
    }
}
