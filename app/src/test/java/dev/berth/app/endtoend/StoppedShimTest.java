package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Shims that were started ahead and are stopped when they get their attempt. */
@ExtendWith(ServerHarnessExtension.class)
final class StoppedShimTest {

    @Test
    void aTaskWhoseShimIsStoppedRunsOnceAndLater(ServerHarness harness) throws Exception {
        var api = harness.configure("start_confirm_timeout_seconds: 1\n").start();
        assumeTrue(
                api.client()
                        .get("/api/server")
                        .expect(200)
                        .path("shim")
                        .asString()
                        .equals("native"),
                "only native shims are started ahead");
        eventually("spares are there", () -> spares(harness).size() == 2);
        for (long spare : spares(harness)) {
            signal(spare, "STOP");
        }
        var ran = harness.file("ran");
        long id = api.submit(TaskBuilder.cpu("echo ran >> " + ran));

        var task = api.awaitEnd(id);
        assertThat(task.path("status").asString()).as("%s", task).isEqualTo("completed");
        assertThat(task.path("retry_count").asInt()).isZero();
        assertThat(TestApi.list(task.path("attempts"))).hasSizeGreaterThan(1);
        assertThat(Files.readAllLines(ran)).containsExactly("ran");
        harness.awaitNoLeftovers();
    }

    private static List<Long> spares(ServerHarness harness) {
        return ProcessHandle.of(harness.server().pid()).stream()
                .flatMap(ProcessHandle::children)
                .map(ProcessHandle::pid)
                .filter(StoppedShimTest::isSpare)
                .toList();
    }

    private static boolean isSpare(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline")).contains("\0-s\0");
        } catch (IOException gone) {
            return false;
        }
    }

    private static void signal(long pid, String name) throws Exception {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
        assertThat(kill.waitFor()).isZero();
    }
}
