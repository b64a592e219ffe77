package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Disks that fill up. Each server lives on a small one of its own, which nobody else on the machine
 * sees.
 */
@ExtendWith(Worlds.class)
final class DiskFullTest {

    private static final String SMALL_DISK =
            "mount -t tmpfs -o size=64m,mode=700 tmpfs \"$0\" && exec \"$@\"";

    @BeforeAll
    static void needsMountsOfItsOwn() throws Exception {
        int status =
                new ProcessBuilder("unshare", "-Urm", "true")
                        .redirectErrorStream(true)
                        .start()
                        .waitFor();
        assumeTrue(status == 0, "this machine lets nobody mount a small disk (unshare -Urm fails)");
    }

    @Test
    void whenTheDiskOfTheLogsIsFullExitCodesLandStartsPauseAndOneAlertIsRaised(World world)
            throws IOException {
        var api = onSmallDisk(world, world.tasks());
        long ending = api.submit(Order.cpu(talking(world, "ending")));
        long lasting = api.submit(Order.cpu(talking(world, "lasting")));
        awaitFiles(world, "ending.begun", "lasting.begun");

        fill(world, world.tasks());
        eventually("the alert is raised", () -> !api.events("alert.disk_low").isEmpty());
        long waiting = api.submit(Order.cpu("echo late"));
        PipelineTest.touch(world.file("ending.gate"));
        PipelineTest.touch(world.file("lasting.gate"));

        var task = api.awaitFinal(ending);
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("exit_code").asInt()).isEqualTo(7);
        awaitFiles(world, "lasting.talked");
        assertThat(api.status(lasting)).isEqualTo("running");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.task(waiting).path("wait_reasons").toString()).containsIgnoringCase("disk");
        assertThat(api.door().get("/api/health").json().path("status").asString())
                .isNotEqualTo("ok");

        Files.delete(filler(world, world.tasks()));
        PipelineTest.touch(world.file("lasting.last"));

        assertThat(api.awaitFinal(lasting).path("status").asString()).isEqualTo("completed");
        assertThat(PipelineTest.between(api.log(lasting, 100)))
                .contains("before")
                .endsWith("after");
        assertThat(api.awaitFinal(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(api.events("alert.disk_low")).hasSize(1);
        assertThat(api.events("alert.disk_recovered")).hasSize(1);
        assertThat(api.door().get("/api/health").json().path("status").asString()).isEqualTo("ok");
    }

    @Test
    void aTaskThatFillsTheDiskItselfGoesOnWhenItsLogWasTrimmed(World world) {
        var api = onSmallDisk(world, world.tasks());
        long id =
                api.submit(
                        Order.cpu(
                                """
                                seq 100000000
                                echo > %s
                                until echo later; do sleep 0.05; done
                                exit 4
                                """
                                        .formatted(world.file("full"))));
        awaitFiles(world, "full");

        assertThat(api.awaitFinal(id).path("exit_code").asInt()).isEqualTo(4);
        assertThat(api.log(id, 1000)).anyMatch(line -> line.endsWith("later"));
        var middle = api.door().get("/api/tasks/" + id + "/logs?from=4000000").expect(200);
        assertThat(middle.path("lines").path(0).asString()).contains("dropped");
        assertThat(api.events("alert.disk_low")).hasSize(1);
        long next = api.submit(Order.cpu("echo room"));
        assertThat(api.awaitFinal(next).path("status").asString()).isEqualTo("completed");
        assertThat(PipelineTest.between(api.log(next, 100))).containsExactly("room");
    }

    @Test
    void whenTheDiskOfTheDatabaseIsFullNothingIsAcknowledgedAndAllResumesByItself(World world)
            throws IOException {
        var runtime = world.home().resolve("runtime");
        var api = onSmallDisk(world, runtime);
        long running = api.submit(Order.cpu(talking(world, "running")));
        awaitFiles(world, "running.begun");
        api.awaitPhase(running, "running");

        fill(world, runtime);
        // Long, so that it cannot fit into what the database has already taken of the disk.
        var order = Order.cpu("true # " + "x".repeat(500_000));
        var refused = api.door().post("/api/tasks", order.body());
        assertThat(refused.status()).as("%s", refused).isIn(503, 507);
        assertThat(refused.json().path("detail").asString()).isNotBlank();
        assertThat(api.tasks()).hasSize(1);
        PipelineTest.touch(world.file("running.gate"));
        PipelineTest.touch(world.file("running.last"));
        awaitFiles(world, "running.over");

        Files.delete(filler(world, runtime));

        assertThat(api.awaitFinal(running).path("status").asString()).isEqualTo("completed");
        assertThat(api.tasks()).hasSize(1);
        long next = api.submit(order);
        assertThat(api.awaitFinal(next).path("status").asString()).isEqualTo("completed");
    }

    private static Api onSmallDisk(World world, Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("making " + directory, e);
        }
        return world.wrapper("unshare", "-Urm", "bash", "-c", SMALL_DISK, directory.toString())
                .start();
    }

    /**
     * Prints before and after its gate, and once more before its end; notes outside how far it is.
     */
    private static String talking(World world, String name) {
        var file = world.file(name);
        return """
        echo before
        echo > NAME.begun
        until [[ -e NAME.gate ]]; do sleep 0.02; done
        head -c 1000000 /dev/zero | tr '\\0' x
        echo > NAME.talked
        [[ NAME == */ending ]] && exit 7
        until [[ -e NAME.last ]]; do sleep 0.02; done
        echo; echo after
        echo > NAME.over
        """
                .replace("NAME", file.toString());
    }

    private static void awaitFiles(World world, String... names) {
        for (var name : names) {
            eventually(name, () -> Files.exists(world.file(name)));
        }
    }

    /** Takes all that is left of the small disk. */
    private static void fill(World world, Path directory) throws IOException {
        try (var out = Files.newOutputStream(filler(world, directory))) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left on device");
        }
    }

    /**
     * The small disk is seen by the server alone, and by whoever looks through the server's eyes.
     */
    private static Path filler(World world, Path directory) {
        return Path.of("/proc/" + world.server().pid() + "/root" + directory + "/filler");
    }
}
