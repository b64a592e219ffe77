package dev.berth.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the machine around a task may be like, and what goes wrong before its first line. */
@ExtendWith(Worlds.class)
final class SurroundingsTest {

    @Test
    void everyVirtualEnvironmentOfTheServerIsTakenOffThePathAndTheRestKeepsItsOrder(World world) {
        var path =
                "/opt/berth/.venv/bin:/usr/local/bin:/home/me/.venv/bin:/usr/bin:/my"
                        + " .venv/bin:/bin:/opt/.venv/bin/more:/home/me/.venv/bin";
        var api = world.env("PATH", path).start();
        long id = api.submit(Order.cpu("echo \"$PATH\""));
        api.awaitFinal(id);
        assertThat(PipelineTest.between(api.log(id, 100)))
                .containsExactly("/usr/local/bin:/usr/bin:/my .venv/bin:/bin:/opt/.venv/bin/more");
    }

    @Test
    void aTaskRunsWhereThereIsNeitherPythonNorConda(World world) throws IOException {
        var bin = Files.createDirectories(world.file("bin"));
        for (var program : new String[] {"bash", "env"}) {
            Files.createSymbolicLink(bin.resolve(program), Path.of("/usr/bin", program));
        }
        var api = world.env("PATH", bin.toString()).start();
        long id = api.submit(Order.card("echo worked"));
        assertThat(api.awaitFinal(id).path("status").asString()).isEqualTo("completed");
        assertThat(PipelineTest.between(api.log(id, 100))).containsExactly("worked");
    }

    @Test
    void aTaskThatCannotBeLaunchedFailsWithTheReasonAndTheNextOneRuns(World world) {
        var api = world.cards(1).start();
        long first = api.submit(Order.card("true"));
        api.awaitFinal(first);
        // A plain file where its folder should be, since root may write into any folder.
        PipelineTest.touch(world.tasks().resolve("task_" + (first + 1)));

        long broken = api.submit(Order.card("true"));
        long next = api.submit(Order.card("true"));

        var task = api.awaitFinal(broken);
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).contains("task_" + broken);
        assertThat(api.awaitFinal(next).path("status").asString()).isEqualTo("completed");
        assertThat(api.holders()).isEmpty();
        assertThat(api.door().get("/api/health").expect(200).path("status").asString())
                .isEqualTo("ok");
    }

    @Test
    void aTaskWhoseLinksCannotBeMadeRunsAllTheSame(World world) throws IOException {
        var api = world.cards(1).start();
        long first = api.submit(Order.card("true"));
        api.awaitFinal(first);
        Files.createDirectories(
                world.tasks().resolve("task_" + (first + 1) + "/run.sh/in-the-way"));

        long id = api.submit(Order.card("sleep 0.3; echo worked"));

        assertThat(api.awaitFinal(id).path("status").asString()).isEqualTo("completed");
        assertThat(PipelineTest.between(api.log(id, 100))).containsExactly("worked");
    }
}
