package dev.berth.node.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.process.ProgramRun.Result;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

@Timeout(60)
final class ProgramRunTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static Process start(String script) throws IOException {
        return ProgramRun.builder(List.of("/bin/bash", "-c", script)).start();
    }

    private static Result run(String script, Duration time, int bytes)
            throws IOException, InterruptedException {
        return ProgramRun.await(start(script), new ProgramRun.Limits(time, bytes));
    }

    @Test
    void outputErrorsAndStatusAreKept() throws Exception {
        assertThat(run("echo out; echo err >&2; exit 3", LONG, 100))
                .isEqualTo(new Result.Ended(3, "out\n", "err\n", false));
    }

    @Test
    void aProgramThatPrintsMoreThanIsKeptStillEnds() throws Exception {
        assertThat(run("head -c 1000000 /dev/zero | tr '\\0' x; exit 4", LONG, 10))
                .isEqualTo(new Result.Ended(4, "x".repeat(10), "", true));
    }

    @Test
    void aChildThatKeepsThePipeOpenDelaysNothing() throws Exception {
        assertThat(run("sleep 600 & echo $!", LONG, 100))
                .isInstanceOfSatisfying(
                        Result.Ended.class,
                        ended ->
                                ProcessHandle.of(Long.parseLong(ended.output().strip()))
                                        .ifPresent(ProcessHandle::destroyForcibly));
    }

    @Test
    void aProgramIsKilledWhenItsTimeIsUp() throws Exception {
        var process = start("exec sleep 600");
        assertThat(ProgramRun.await(process, new ProgramRun.Limits(Duration.ofMillis(50), 100)))
                .isEqualTo(new Result.TimedOut());
        assertThat(process.waitFor()).as("SIGKILL").isEqualTo(137);
    }

    @Test
    void aProgramIsKilledWhenItsThreadIsInterrupted() throws Exception {
        var process = start("exec sleep 600");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ProgramRun.await(process, new ProgramRun.Limits(LONG, 100)))
                .isInstanceOf(InterruptedException.class);
        assertThat(process.waitFor()).as("SIGKILL").isEqualTo(137);
    }
}
