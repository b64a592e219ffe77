package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Map;

/** Ended tasks can be removed, with their files and nothing else. */
@ExtendWith(ServerHarnessExtension.class)
final class TaskRemovalTest {

    @Test
    void aRemovedTaskIsGoneWithItsFilesAndSoItStays(ServerHarness harness) {
        var api = harness.start();
        long id = ended(api, "echo gone");
        long running = api.submit(TaskBuilder.cpu("sleep 1000"));
        api.awaitPhase(running, "running");

        assertThat(delete(api, "/" + running).status()).isEqualTo(409);
        assertThat(delete(api, "/" + id).expect(200).path("removed").asInt()).isOne();

        assertThat(harness.tasks().resolve("task_" + id)).doesNotExist();
        assertThat(harness.attempt(running, 1)).exists();
        assertThat(log(api, id).body()).contains("was removed on");
        awaitEmptyTrash(harness);
        var next = harness.restart();
        assertThat(log(next, id).status()).isEqualTo(404);
        assertThat(next.phase(running)).isEqualTo("running");
        assertThat(next.submit(TaskBuilder.cpu("true"))).isGreaterThan(running);
        next.cancel(running);
        next.awaitEnd(running);
    }

    @Test
    void manyAreRemovedByFilter(ServerHarness harness) {
        var api = harness.start();
        long failed = ended(api, "exit 1");
        for (int i = 0; i < 5; i++) {
            ended(api, "true");
        }

        var removed = delete(api, "?status=completed&limit=3").expect(200);
        assertThat(removed.path("removed").asInt()).isEqualTo(3);
        assertThat(removed.path("remaining").asInt()).isEqualTo(2);
        assertThat(delete(api, "?status=completed").expect(200).path("removed").asInt())
                .isEqualTo(2);

        assertThat(api.tasks()).hasSize(1);
        assertThat(api.status(failed)).isEqualTo("failed");
        assertThat(harness.tasks().resolve("task_" + failed)).exists();
    }

    @ParameterizedTest
    @CsvSource({"removal.before-discard, true", "removal.after-discard, false"})
    void aCrashBetweenFilesAndRecordsLosesNoOtherTaskAndTheRemovalCanBeRepeated(
            String name, boolean hasFiles, ServerHarness harness) {
        var api = harness.start();
        long id = ended(api, "echo gone");
        long other = ended(api, "echo stays");
        var point = harness.failpoint(name).arm();
        var request = Thread.ofVirtual().start(() -> delete(api, "/" + id));
        point.awaitHit();
        harness.kill();
        point.release();
        request.interrupt();

        var next = harness.start();
        assertThat(next.status(id)).as("its records are there").isEqualTo("completed");
        assertThat(Files.exists(harness.tasks().resolve("task_" + id))).isEqualTo(hasFiles);
        awaitEmptyTrash(harness);
        assertThat(delete(next, "/" + id).expect(200).path("removed").asInt()).isOne();
        assertThat(log(next, id).status()).isEqualTo(404);
        assertThat(next.log(other, 100)).contains("stays");
    }

    @Test
    void tooManyEndedTasksAreRemovedInTheBackground(ServerHarness harness) {
        var api = harness.start();
        long first = ended(api, "true");
        for (int i = 0; i < 4; i++) {
            ended(api, "true");
        }
        long last = ended(api, "echo kept");
        harness.server().stop();

        var next = harness.configure("keep_tasks: 2\n").start();
        eventually("only 2 are kept", () -> next.tasks().size() == 2);
        assertThat(next.log(last, 100)).contains("kept");
        assertThat(log(next, first).body()).contains("by berth");
        assertThat(harness.tasks().resolve("task_" + first)).doesNotExist();
    }

    private static long ended(TestApi api, String command) {
        long id = api.submit(TaskBuilder.cpu(command));
        api.awaitEnd(id);
        return id;
    }

    private static TestClient.TestReply delete(TestApi api, String path) {
        return api.client()
                .send(new TestClient.TestRequest("DELETE", "/api/tasks" + path, Map.of(), ""));
    }

    private static TestClient.TestReply log(TestApi api, long id) {
        return api.client().get("/api/tasks/" + id + "/logs");
    }

    private static void awaitEmptyTrash(ServerHarness harness) {
        eventually(
                "the files are deleted",
                () -> {
                    try (var left = Files.list(harness.tasks().resolve(".trash"))) {
                        return left.findAny().isEmpty();
                    } catch (NoSuchFileException nothingRemoved) {
                        return true;
                    } catch (IOException unreadable) {
                        return false;
                    }
                });
    }
}
