package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;

/** Tasks on a real Slurm cluster of four nodes with four fake GPUs each. */
@ExtendWith(ServerHarnessExtension.class)
@Tag("slow")
final class SlurmTest {

    private static final Duration WITHIN = Duration.ofMinutes(3);

    private SlurmHarness slurm;
    private ServerHarness server;

    @BeforeEach
    void startCluster(ServerHarness harness) throws IOException {
        server = harness;
        slurm = SlurmHarness.start(harness);
    }

    @AfterEach
    void stopCluster() {
        if (slurm != null) {
            slurm.close();
        }
    }

    @Test
    void aTaskRunsOnANodeThatSlurmChose() {
        var api = server.start();
        eventually(
                WITHIN,
                "the idle GPUs are free",
                () ->
                        !api.gpus().isEmpty()
                                && api.gpus().stream()
                                        .allMatch(
                                                one ->
                                                        one.path("status")
                                                                .asString()
                                                                .equals("free")));
        assertThat(server.command("health").exitValue()).isZero();
        long id =
                api.submit(
                        TaskBuilder.gpus(
                                        2,
                                        "echo \"here $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES\"; exit"
                                                + " 3")
                                .with("memory_gb", 30));
        var task = api.awaitEnd(id);
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("exit_code").asInt()).isEqualTo(3);
        var attempt = task.path("attempts").get(0);
        assertThat(attempt.path("node").asString())
                .as("an a100 has enough memory")
                .isIn("n1", "n2");
        assertThat(attempt.path("gpus").size()).isEqualTo(2);
        assertThat(api.log(id, 50))
                .anyMatch(line -> line.startsWith("here " + attempt.path("node").asString()));
    }

    @Test
    void aTaskThatWaitsInSlurmIsQueuedAndCanBeCancelledWhileSlurmIsDown() {
        var api = server.start();
        for (int i = 0; i < 4; i++) {
            api.submit(TaskBuilder.gpus(4, "sleep 600"));
        }
        long waiting = api.submit(TaskBuilder.gpus(4, "true"));
        eventually(
                WITHIN,
                "Slurm's reason",
                () ->
                        api.waitReasonCodes(waiting).contains("cluster.resources")
                                || api.waitReasonCodes(waiting).contains("cluster.priority"));
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.phase(waiting)).isEqualTo("handed");
        var why = server.socket().client().get("/api/tasks/" + waiting + "/why").json();
        assertThat(why.path("summary").path("code").asString()).startsWith("cluster.");
        assertThat(why.path("gpus").size()).as("%s", why).isZero();
        assertThat(why.path("suggestions").size()).as("%s", why).isZero();
        eventually(
                WITHIN,
                "the others run",
                () -> api.client().get("/api/queue").json().path("queued").asInt() == 1);
        var queue = api.client().get("/api/queue").json();
        assertThat(queue.path("longest_wait_task_id").asLong()).isEqualTo(waiting);
        assertThat(queue.path("priorities").path("NORMAL").asInt()).isEqualTo(1);
        assertThat(queue.path("lines").path(0).path("kind").asString()).isEqualTo("cluster");
        assertThat(queue.path("lines").path(0).path("tasks").path(0).path("id").asLong())
                .isEqualTo(waiting);
        slurm.cluster().killController();
        api.cancel(waiting);
        assertThat(api.awaitEnd(waiting).path("status").asString()).isEqualTo("cancelled");
        long later = api.submit(TaskBuilder.cpu("true"));
        slurm.cluster().startController();
        assertThat(api.awaitEnd(later).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aRunningTaskIsCancelledOnItsNode() {
        var api = server.start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 600"));
        api.awaitPhase(id, "running");
        api.cancel(id);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
    }

    @Test
    void aTimeLimitEndsATaskAtTheSecond() {
        var api = server.start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 600").with("timeout_seconds", 2));
        var task = api.awaitEnd(id);
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).contains("time limit of 2 s");
    }

    @Test
    void tasksGoOnWhileTheServerIsDown() throws IOException {
        var api = server.start();
        var gate = server.file("gate");
        long running =
                api.submit(
                        TaskBuilder.oneGpu(
                                "until [ -e " + gate + " ]; do sleep 0.1; done; exit 5"));
        api.awaitPhase(running, "running");
        server.kill();
        Files.createFile(gate);
        var again = server.start();
        var task = again.awaitEnd(running);
        assertThat(task.path("exit_code").asInt()).isEqualTo(5);
        assertThat(task.path("attempts").size()).isEqualTo(1);
    }

    @Test
    void aTaskOnANodeThatSlurmCannotReachIsUnreachableAndRunsOnce() throws IOException {
        var api = server.start();
        var gate = server.file("gate");
        long id =
                api.submit(
                        TaskBuilder.oneGpu(
                                "echo begun >>"
                                        + server.file("begun")
                                        + "; until [ -e "
                                        + gate
                                        + " ]; do sleep 0.1; done"));
        api.awaitPhase(id, "running");
        var node = api.task(id).path("attempts").get(0).path("node").asString();
        slurm.cluster().killNode(node);
        slurm.cluster()
                .command("scontrol", "update", "nodename=" + node, "state=down", "reason=test");
        api.awaitPhase(id, "lost");
        assertThat(api.status(id)).isEqualTo("running");
        Files.createFile(gate);
        slurm.cluster().startNode(node);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(Files.readAllLines(server.file("begun"))).hasSize(1);
    }

    @Test
    void whatACommandLineOfSlurmCannotSayIsRefused() {
        var api = server.start();
        eventually(WITHIN, "the GPUs", () -> api.gpus().size() == 16);
        assertThat(refusal(TaskBuilder.gpus(5, "true"))).isEqualTo("cluster.too_many");
        assertThat(refusal(TaskBuilder.oneGpu("true").with("devices", "0")))
                .isEqualTo("cluster.device_numbers");
        assertThat(refusal(TaskBuilder.oneGpu("true").with("gpu_type", "h100")))
                .isEqualTo("gpu_type.unknown");
        var call =
                server.socket()
                        .client()
                        .post("/api/tasks", "{\"name\":\"x\",\"model_name\":\"m\"}");
        assertThat(call.json().path("field").asString()).as(call.body()).isEqualTo("model_name");
        assertThat(call.json().path("code").asString()).isEqualTo("cluster.no_workers");
        var model = TestClient.JSON.createObjectNode().put("worker", "w").put("memory_mb", 1000);
        var refused =
                server.socket()
                        .client()
                        .send(
                                new TestClient.TestRequest(
                                        "PUT",
                                        "/api/models/m",
                                        Map.of("Accept-Language", "zh-CN"),
                                        model.toString()));
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("code").asString()).isEqualTo("cluster.no_workers");
        assertThat(refused.json().path("field").asString()).isEqualTo("worker");
        assertThat(refused.json().path("detail").asString()).contains("engine: slurm");
    }

    @Test
    void linesOfAScriptReachSlurmAndAnArrayBecomesTasks() throws IOException {
        var api = server.start();
        var script =
                """
                #!/bin/bash
                #SBATCH --job-name=sweep --array=3,5 --gres=gpu:v100:1
                #SBATCH --nodelist=n4 --comment=kept
                echo "on $SLURMD_NODENAME as $SLURM_ARRAY_TASK_ID"
                scontrol show job $SLURM_JOB_ID | grep Comment
                """;
        var file = Files.writeString(server.file("sweep.sbatch"), script);
        var submit = server.command("submit", file.toString());
        var ids = submit.stdout().lines().map(Long::valueOf).toList();
        assertThat(ids).as(submit.stderr()).hasSize(2);
        assertThat(api.awaitEnd(ids.getFirst()).path("name").asString()).isEqualTo("sweep[3]");
        assertThat(api.log(ids.getFirst(), 50))
                .contains("on n4 as 3")
                .anyMatch(line -> line.contains("Comment=kept"));
        api.awaitEnd(ids.getLast());
        assertThat(api.log(ids.getLast(), 50)).contains("on n4 as 5");
    }

    @Test
    void aTaskThatRanOutOfGpuMemoryGetsALargerType() throws IOException {
        var api = server.start();
        var gate = server.file("gate");
        for (int i = 0; i < 2; i++) {
            var hold = "until [ -e " + gate + " ]; do sleep 0.1; done";
            long id = api.submit(TaskBuilder.gpus(4, hold).with("gpu_type", "a100"));
            api.awaitPhase(id, "running");
        }
        long id =
                api.submit(
                        TaskBuilder.oneGpu(
                                        "case $SLURMD_NODENAME in n[34]) echo 'RuntimeError: CUDA"
                                                + " out of memory. Tried to allocate 2.00 GiB';"
                                                + " exit 1;; esac; exit 9")
                                .with("memory_gb", 10)
                                .with("max_retries", 1));
        eventually(WITHIN, "the retry", () -> api.task(id).path("attempts").size() == 2);
        Files.createFile(gate);
        var task = api.awaitEnd(id);
        assertThat(task.path("exit_code").asInt()).isEqualTo(9);
        assertThat(task.path("attempts").get(1).path("node").asString()).isIn("n1", "n2");
    }

    @Test
    void doctorProvesThatTheNodesShareThePathAndNamesWhatIsWrong() {
        slurm.cluster()
                .command(
                        "scontrol", "update", "nodename=n2", "state=drain", "reason=disk replaced");
        slurm.cluster()
                .command(
                        "scontrol",
                        "update",
                        "nodename=n3",
                        "state=drain",
                        "reason=Duplicate jobid");
        var doctor = server.command("doctor");
        assertThat(doctor.exitValue()).isEqualTo(1);
        assertThat(doctor.stdout())
                .contains("proctrack/linuxproc")
                .contains("note  nodes       n2 is idle+drain: disk replaced")
                .contains("wrong nodes       n3 is idle+drain: Duplicate jobid")
                .contains("scontrol update nodename=n3 state=resume")
                .contains("n1: there and back in")
                .contains("n4: there and back in")
                .contains("2 node(s) created one file at once, 50 times: exactly one succeeded");
    }

    private String refusal(TaskBuilder order) {
        return server.socket()
                .client()
                .post("/api/tasks", order.body())
                .json()
                .path("code")
                .asString();
    }
}
