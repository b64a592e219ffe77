package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Unusual environments of a task, and failures before its first line. */
@ExtendWith(ServerHarnessExtension.class)
final class TaskEnvironmentTest {

    @Test
    void everyVirtualEnvironmentOfTheServerIsTakenOffThePathAndTheRestKeepsItsOrder(
            ServerHarness harness) {
        var path =
                "/opt/berth/.venv/bin:/usr/local/bin:/home/me/.venv/bin:/usr/bin:/my"
                        + " .venv/bin:/bin:/opt/.venv/bin/more:/home/me/.venv/bin";
        var api = harness.env("PATH", path).start();
        long id = api.submit(TaskBuilder.cpu("echo \"$PATH\""));
        api.awaitEnd(id);
        assertThat(TaskLifecycleTest.between(api.log(id, 100)))
                .containsExactly("/usr/local/bin:/usr/bin:/my .venv/bin:/bin:/opt/.venv/bin/more");
    }

    @Test
    void aTaskRunsWhereThereIsNeitherPythonNorConda(ServerHarness harness) throws IOException {
        var bin = Files.createDirectories(harness.file("bin"));
        for (var program : new String[] {"bash", "env"}) {
            Files.createSymbolicLink(bin.resolve(program), Path.of("/usr/bin", program));
        }
        var api = harness.env("PATH", bin.toString()).start();
        long id = api.submit(TaskBuilder.oneGpu("echo worked"));
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(TaskLifecycleTest.between(api.log(id, 100))).containsExactly("worked");
    }

    @Test
    void aTaskThatTheMachineCannotStartWaitsWhileTheNextOneRuns(ServerHarness harness)
            throws IOException {
        var api = harness.simulatedGpus(1).start();
        long first = api.submit(TaskBuilder.oneGpu("true"));
        api.awaitEnd(first);
        // A plain file in place of its directory, because root can write into any directory.
        var obstacle = harness.tasks().resolve("task_" + (first + 1));
        TaskLifecycleTest.touch(obstacle);

        long broken = api.submit(TaskBuilder.oneGpu("true"));
        long next = api.submit(TaskBuilder.oneGpu("true"));

        assertThat(api.awaitEnd(next).path("status").asString()).isEqualTo("completed");
        assertThat(api.task(broken).path("status").asString()).isIn("queued", "running");
        Files.delete(obstacle);
        assertThat(api.awaitEnd(broken).path("status").asString()).isEqualTo("completed");
        assertThat(api.holders()).isEmpty();
        assertThat(api.client().get("/api/health").expect(200).path("status").asString())
                .isEqualTo("ok");
    }

    @Test
    void aTaskWhoseLinksCannotBeMadeRunsAllTheSame(ServerHarness harness) throws IOException {
        var api = harness.simulatedGpus(1).start();
        long first = api.submit(TaskBuilder.oneGpu("true"));
        api.awaitEnd(first);
        Files.createDirectories(
                harness.tasks().resolve("task_" + (first + 1) + "/run.sh/in-the-way"));

        long id = api.submit(TaskBuilder.oneGpu("sleep 0.3; echo worked"));

        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(TaskLifecycleTest.between(api.log(id, 100))).containsExactly("worked");
    }
}
