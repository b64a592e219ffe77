package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;

/** A home that was copied or moved while its tasks run. */
@ExtendWith(ServerHarnessExtension.class)
final class CopiedHomeTest {

    private static final String UNTIL_OPEN = "until [[ -e %s ]]; do sleep 0.05; done; exit 3";

    @Test
    void aCopyLeavesTheTasksOfTheOriginalAlone(ServerHarness original) throws Exception {
        var api = original.start();
        var gate = original.file("gate");
        long id = api.submit(TaskBuilder.cpu(UNTIL_OPEN.formatted(gate)));
        api.awaitPhase(id, "running");
        try (var copy = new ServerHarness()) {
            run("cp", "-a", original.home() + "/.", copy.home().toString());
            var second = copy.start();
            eventually("it is lost there", () -> second.phase(id).equals("lost"));
            assertThat(second.task(id).toString())
                    .contains("belongs to another home")
                    .contains(original.attempt(id, 1).toString());

            second.cancel(id).expect(200);
            assertThat(second.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
            assertThat(api.phase(id)).isEqualTo("running");
            copy.kill();
        }
        Files.createFile(gate);
        assertThat(api.awaitEnd(id).path("exit_code").asInt()).isEqualTo(3);
    }

    @Test
    void aHomeThatWasMovedKeepsItsTasks(ServerHarness first) throws Exception {
        var gate = first.file("gate");
        var before = first.start();
        long id = before.submit(TaskBuilder.cpu(UNTIL_OPEN.formatted(gate)));
        before.awaitPhase(id, "running");
        first.kill();
        try (var second = new ServerHarness()) {
            Files.delete(second.home());
            Files.move(first.home(), second.home());
            var api = second.start();
            api.awaitPhase(id, "running");
            Files.createFile(gate);
            assertThat(api.awaitEnd(id).path("exit_code").asInt()).isEqualTo(3);
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }
}
