package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Foreign processes on a GPU, and their effect on a task. */
@ExtendWith(ServerHarnessExtension.class)
final class OccupiedGpuTest {

    /** Larger than any pid of this host. */
    private static final long IN_A_CONTAINER = 4_194_303;

    private ServerHarness harness;
    private FakeNvidiaSmi smi;

    @BeforeEach
    void stage(ServerHarness given) {
        harness = given;
        smi = new FakeNvidiaSmi(harness);
        smi.removeGpu(FakeNvidiaSmi.B);
    }

    @Test
    void anotherUsersWorkIsYieldedToNamedAndUsedAsSoonAsItIsGone() throws IOException {
        boolean isRoot = System.getProperty("user.name").equals("root");
        var words =
                isRoot
                        ? List.of("setpriv", "--reuid=65534", "--clear-groups", "sleep", "600")
                        : List.of("sleep", "600");
        var foreign = new ProcessBuilder(words).start();
        try {
            long pid = isRoot ? foreign.pid() : IN_A_CONTAINER;
            smi.addProcess(FakeNvidiaSmi.A, pid, 3590, "/usr/bin/sleep");
            var api = harness.start();
            long id = api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 1));
            eventually(
                    "the reason names the process",
                    () -> reasons(api, id).contains("pid " + pid + ", 3590 MiB"));
            assertThat(reasons(api, id)).contains("card.others_work");
            var process = processes(api).getFirst();
            assertThat(process.path("foreign").asBoolean()).isTrue();
            assertThat(process.path("memory_mb").asLong()).isEqualTo(3590);
            if (isRoot) {
                assertThat(reasons(api, id)).contains("by nobody: sleep");
                assertThat(process.path("user").asString()).isEqualTo("nobody");
                assertThat(process.path("since").asString()).startsWith("20");
            }
            assertThat(api.gpus().getFirst().path("status").asString()).isEqualTo("busy");
            smi.clearProcesses();
            eventually("it starts", () -> !api.status(id).equals("queued"));
        } finally {
            foreign.destroyForcibly();
        }
    }

    @Test
    void onesOwnWorkOutsideBerthTakesItsMemoryAndNothingElse() {
        long pid = ProcessHandle.current().pid();
        smi.addProcess(FakeNvidiaSmi.A, pid, 10_000, "java");
        smi.addGpu(FakeNvidiaSmi.A, 0, "10000");
        var api = harness.start();
        assertThat(api.awaitEnd(api.submit(TaskBuilder.oneGpu("true"))).path("status").asString())
                .isEqualTo("completed");
        long large = api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 90));
        assertThat(reasons(api, large)).contains("card.memory_short").contains("pid " + pid);
    }

    /** The GPU has 100,000 MiB. */
    @ParameterizedTest(name = "{0} MiB used, {1} GB needed")
    @CsvSource({"19000,0,true", "20000,0,false", "79520,20,true", "79521,20,false"})
    void thresholdAndNeedAreKeptToTheMib(String used, int gigabytes, boolean starts) {
        smi.addGpu(FakeNvidiaSmi.A, 0, used);
        var api = harness.start();
        var order = TaskBuilder.oneGpu("true");
        long id = api.submit(gigabytes == 0 ? order : order.with("memory_gb", gigabytes));
        if (starts) {
            assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        } else {
            assertThat(reasons(api, id))
                    .contains(gigabytes == 0 ? "card.in_use" : "card.memory_short");
            smi.addGpu(FakeNvidiaSmi.A, 0, "0");
            eventually("it starts", () -> !api.status(id).equals("queued"));
        }
    }

    @Test
    void twoModelsAreNeverMixed() {
        smi.addGpu(FakeNvidiaSmi.A, 0, "Model A", "0, 100000");
        smi.addGpu(FakeNvidiaSmi.B, 1, "Model B", "0, 100000");
        var api = harness.start();
        var answer =
                api.client()
                        .post(
                                "/api/tasks",
                                TaskBuilder.gpus(2, "true").with("gpu_type", "Model A").body());
        assertThat(answer.status()).isEqualTo(400);
        long id = api.submit(TaskBuilder.oneGpu("true").with("gpu_type", "Model B"));
        assertThat(api.awaitEnd(id).path("assigned_gpus").get(0).asInt()).isEqualTo(1);
    }

    @Test
    void aGpuIsReusedOnlyWhenNoProcessOfItsLastTaskIsListed() throws IOException {
        var api = harness.start();
        var pid = harness.file("pid");
        long first =
                api.submit(
                        TaskBuilder.oneGpu(
                                "echo $BASHPID > %s; until [[ -e %s ]]; do sleep 0.02; done"
                                        .formatted(pid, harness.file("gate"))));
        api.awaitPhase(first, "running");
        eventually("its pid is known", () -> !read(pid).isBlank());
        smi.addProcess(FakeNvidiaSmi.A, Long.parseLong(read(pid).strip()), 5000, "bash");
        smi.addGpu(FakeNvidiaSmi.A, 0, "5000");
        eventually(
                "the process is known for the task's",
                () ->
                        processes(api).stream()
                                .anyMatch(one -> one.path("task_id").asLong() == first));
        long second = api.submit(TaskBuilder.oneGpu("true").with("memory_gb", 1));
        TaskLifecycleTest.touch(harness.file("gate"));
        assertThat(api.awaitEnd(first).path("status").asString()).isEqualTo("completed");

        long asked = smi.calls();
        eventually("it is asked again and again", () -> smi.calls() >= asked + 8);
        assertThat(api.status(second)).isEqualTo("queued");
        assertThat(reasons(api, second)).containsAnyOf("card.leaving", "card.left_behind");
        smi.clearProcesses();
        smi.addGpu(FakeNvidiaSmi.A, 0, "0");
        eventually("it is given on", () -> !api.status(second).equals("queued"));
        assertThat(api.gpus().getFirst().path("released_at").asString()).startsWith("20");
        api.awaitEnd(second);
    }

    @Test
    void aGpuThatFillsBetweenTheDecisionAndTheStartSendsTheTaskBackToItsPlace() {
        var api = harness.start();
        var decided = harness.failpoint("engine.after-commit").arm();
        var submitted =
                CompletableFuture.supplyAsync(
                        () -> api.submit(TaskBuilder.oneGpu("true")), Thread::startVirtualThread);
        decided.awaitHit();
        long asked = smi.calls();
        smi.addGpu(FakeNvidiaSmi.A, 0, "90000");
        eventually("the card was read since", () -> smi.calls() >= asked + 3);
        decided.release();
        long id = submitted.join();
        eventually("it is back", () -> api.events("task.requeued").size() == 1);
        assertThat(api.status(id)).isEqualTo("queued");
        assertThat(reasons(api, id)).contains("card.in_use");
        eventually(
                "it is counted",
                () ->
                        api.client()
                                .get("/metrics")
                                .body()
                                .contains("\nscheduler_schedule_failures 1\n"));
        assertThat(harness.attempt(id, 1)).doesNotExist();
        smi.addGpu(FakeNvidiaSmi.A, 0, "0");
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
    }

    private static String read(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private static String reasons(TestApi api, long id) {
        return api.task(id).path("wait_reasons").toString();
    }

    private static List<JsonNode> processes(TestApi api) {
        var gpu = TestApi.list(api.client().get("/api/gpus?processes=true").expect(200)).getFirst();
        // Absent while the last reading failed.
        return gpu.path("processes").valueStream().toList();
    }
}
