package dev.berth.node.process;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.ChildProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class ProcTest {
    private static final long SELF = ProcessHandle.current().pid();

    @TempDir Path directory;

    @Test
    void readsThisProcess() throws IOException {
        var stat = Proc.stat(SELF).orElseThrow();

        assertThat(stat.pid()).isEqualTo(SELF);
        assertThat(stat.program()).isEqualTo("java");
        assertThat(stat.parent()).isEqualTo(ProcessHandle.current().parent().orElseThrow().pid());
        assertThat(stat.threadCount()).isGreaterThan(1);
    }

    @Test
    void aProcessIsAliveWhileItRunsAndGoneAsAZombie() throws IOException {
        try (var started = new StartedProcesses(directory)) {
            var key = started.bash("read x <go");
            assertThat(Proc.liveness(key)).isIn(Liveness.ALIVE, Liveness.GONE);
            var ending = started.bash("exit 0");
            eventually("it ended", () -> Proc.liveness(ending) == Liveness.GONE);

            assertThat(Proc.stat(ending.pid()).orElseThrow().state()).isEqualTo('Z');
            assertThat(ChildProcess.reap(ending.pid())).contains(new ChildProcess.Status.Exited(0));
            assertThat(Proc.liveness(ending)).isEqualTo(Liveness.GONE);
        }
    }

    @Test
    void anotherProcessWithThePidIsNotIt() throws IOException {
        var self = Proc.key(StartedProcesses.BOOT, SELF).orElseThrow();

        assertThat(Proc.liveness(self)).isEqualTo(Liveness.ALIVE);
        assertThat(Proc.liveness(new ProcessKey(self.bootId(), self.pid(), self.startTick() + 1)))
                .isEqualTo(Liveness.GONE);
        assertThat(Proc.liveness(new ProcessKey("another-boot", self.pid(), self.startTick())))
                .isEqualTo(Liveness.GONE);
    }

    @Test
    void findsAVariableOfTheEnvironment() throws IOException {
        try (var started = new StartedProcesses(directory)) {
            var key =
                    started.bash(
                            "export XBERTH_ATTEMPT=no BERTH_ATTEMPT=h/7.1 LONG=%s; exec sleep 100"
                                    .formatted("x".repeat(100_000)));
            // A process has the new program's name a moment before its environment is readable.
            var value =
                    present(
                            "it has become sleep",
                            () -> Proc.variable(key.pid(), "BERTH_ATTEMPT").value());

            assertThat(value).isEqualTo("h/7.1");
            assertThat(Proc.stat(key.pid()).orElseThrow().program()).isEqualTo("sleep");
            assertThat(Proc.variable(key.pid(), "BERTH_ATTEMP").value()).isEmpty();
            assertThat(Proc.variable(key.pid(), "NONE").value()).isEmpty();
        }
        assertThat(Proc.variable(999_999_999, "PATH").value()).isEmpty();
    }

    @Test
    void aSearchFindsAValueHoweverThePiecesFall() {
        var environment =
                "A=1\0NAME=va=lue\0B=2\0".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        for (var cut = 0; cut <= environment.length; cut++) {
            var search = new VariableSearch("NAME");
            search.take(environment, cut);
            search.take(
                    java.util.Arrays.copyOfRange(environment, cut, environment.length),
                    environment.length - cut);

            assertThat(search.value()).contains("va=lue");
        }
    }
}
