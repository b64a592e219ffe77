package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Faults of the machine in random order under load: no task fails by them, every fault of starts
 * raises one alert and one when it is over, and no wrong clock is seen in creation times.
 */
@ExtendWith(ServerHarnessExtension.class)
final class MachineFaultSoakTest {

    private static final long SEED = Long.getLong("berth.soak.seed", 20_261_116L);
    private static final long MINUTES = Long.getLong("berth.soak.minutes", 10L);
    private static final Duration RESUMED_WITHIN = Duration.ofMinutes(4);
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(5);

    private static final String SMALL_DISK =
            "mount -t tmpfs -o size=96m,nr_inodes=20000,mode=755 tmpfs \"$0\" && exec \"$@\"";

    private final Random random = new Random(SEED);
    private final List<Long> tasks = new ArrayList<>();
    private final Map<String, Integer> faults = new TreeMap<>();
    private ServerHarness harness;
    private TestApi api;

    private interface Step {
        void run() throws Exception;
    }

    /**
     * @param pausesStarts whether it raises an alert and another one at its end
     */
    private record Fault(String name, boolean pausesStarts, Step begin, Step end) {}

    @Test
    @Tag("soak-machine")
    void noTaskFailsByFaultsOfTheMachine(ServerHarness world, TestReporter reporter)
            throws Exception {
        assumeTrue(
                shell("unshare -m true") == 0 && shell("[[ $EUID == 0 ]]") == 0,
                "needs root, to mount disks and change them");
        harness = world;
        Files.createDirectories(harness.tasks());
        Files.writeString(initScript(), "true\n");
        api =
                harness.configure("conda_init_script: " + initScript() + "\n")
                        .wrapper(
                                "unshare",
                                "-m",
                                "bash",
                                "-c",
                                SMALL_DISK,
                                harness.tasks().toString())
                        .start();
        reporter.publishEntry("seed", Long.toString(SEED));
        var all = faults();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        var begun = Instant.now();
        while (System.nanoTime() < end) {
            run(all.get(random.nextInt(all.size())));
        }
        judge(begun);
        System.out.printf(
                "seed %d, %d minutes, %d tasks, faults %s%n", SEED, MINUTES, tasks.size(), faults);
    }

    private List<Fault> faults() {
        var dir = harness.tasks().toString();
        return List.of(
                new Fault(
                        "inodes",
                        true,
                        inServer(
                                "cd %s && mkdir -p fill && i=0; while : 2>/dev/null >fill/$((i++));"
                                        + " do :; done; true",
                                dir),
                        inServer("rm -rf %s/fill", dir)),
                new Fault(
                        "bytes",
                        true,
                        inServer("cat /dev/zero >%s/filler 2>/dev/null; true", dir),
                        inServer("rm -f %s/filler", dir)),
                new Fault(
                        "read-only",
                        true,
                        inServer(
                                "mount --bind -o ro %s %s && mount -o remount,bind,ro %s",
                                dir, dir, dir),
                        inServer("umount %s", dir)),
                new Fault(
                        "missing init script",
                        true,
                        () -> Files.delete(initScript()),
                        () -> Files.writeString(initScript(), "true\n")),
                new Fault("stopped", false, signal("STOP"), signal("CONT")),
                clock(3600),
                clock(-3600),
                clock(315_360_000),
                clock(-315_360_000));
    }

    private Path initScript() {
        return harness.file("init.sh");
    }

    private Fault clock(long seconds) {
        var file = harness.file("x").getParent().resolveSibling("failpoints/clock");
        return new Fault(
                "clock " + seconds,
                false,
                () -> Files.writeString(file, Long.toString(seconds)),
                () -> Files.delete(file));
    }

    /** Runs in the mount namespace of the server. */
    private Step inServer(String command, Object... values) {
        return () ->
                assertThat(
                                shell(
                                        "nsenter -t "
                                                + harness.server().pid()
                                                + " -m bash -c '"
                                                + command.formatted(values)
                                                + "'"))
                        .isZero();
    }

    private Step signal(String name) {
        return () -> assertThat(shell("kill -" + name + " " + harness.server().pid())).isZero();
    }

    private void run(Fault fault) throws Exception {
        submit(5);
        int pausesBefore = pauses();
        int resumesBefore = resumes();
        fault.begin().run();
        faults.merge(fault.name(), 1, Integer::sum);
        boolean isStopped = fault.name().equals("stopped");
        if (!isStopped) {
            submit(10);
        }
        if (fault.pausesStarts()) {
            eventually("an alert for " + fault.name(), () -> pauses() == pausesBefore + 1);
        }
        TimeUnit.SECONDS.sleep(isStopped ? 60 : 1 + random.nextInt(5));
        fault.end().run();
        submit(1);
        long last = tasks.getLast();
        eventually(RESUMED_WITHIN, "resumes after " + fault.name(), () -> isOver(last));
        if (fault.pausesStarts()) {
            eventually("the end of " + fault.name(), () -> resumes() == resumesBefore + 1);
        }
        assertThat(pauses())
                .as("alerts for %s", fault.name())
                .isEqualTo(pausesBefore + (fault.pausesStarts() ? 1 : 0));
    }

    private void submit(int count) {
        for (int i = 0; i < count; i++) {
            tasks.add(api.submit(TaskBuilder.cpu("sleep 0." + random.nextInt(10))));
        }
    }

    private boolean isOver(long task) {
        return !List.of("queued", "running").contains(api.status(task));
    }

    private int pauses() {
        return api.events("alert.starts_paused").size() + api.events("alert.disk_low").size();
    }

    private int resumes() {
        return api.events("alert.starts_resumed").size()
                + api.events("alert.disk_recovered").size();
    }

    private void judge(Instant begun) {
        for (long id : tasks) {
            eventually(RESUMED_WITHIN, "task " + id, () -> isOver(id));
            var task = api.task(id);
            assertThat(task.path("status").asString()).as("task %d", id).isEqualTo("completed");
            var created = Instant.parse(task.path("created_at").asString());
            assertThat(created)
                    .isBetween(begun.minus(CLOCK_TOLERANCE), Instant.now().plus(CLOCK_TOLERANCE));
        }
        assertThat(api.events("task.failed")).isEmpty();
        var ids = tasks.stream().sorted(Comparator.naturalOrder()).toList();
        assertThat(tasks).isEqualTo(ids).doesNotHaveDuplicates();
        assertThat(api.client().get("/api/health").status()).isEqualTo(200);
    }

    private static int shell(String command) throws IOException, InterruptedException {
        return new ProcessBuilder("bash", "-c", command)
                .redirectErrorStream(true)
                .redirectOutput(Path.of("/dev/null").toFile())
                .start()
                .waitFor();
    }
}
