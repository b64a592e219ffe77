package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

class ProcessOwnersTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(7), 2);
    private static final long NOBODY = 4_194_303;

    private final NodeAttempts holders = new NodeAttempts();
    private final List<Process> started = new ArrayList<>();
    private final ProcessOwners occupancy = occupancy();

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void aMarkedProcessBelongsToItsAttemptOfThisHome() throws IOException {
        long ours = start("home/7.2");
        long others = start("elsewhere/7.2");
        assertThat(seen(ours).owner()).isEqualTo(new ProcessOwner.BerthAttempt(ONE));
        assertThat(seen(others).owner()).isEqualTo(new ProcessOwner.HostUser(me(), true));
    }

    @Test
    void aProcessWithoutMarkerIsFoundByItsAncestors() throws IOException {
        var shell = new ProcessBuilder("bash", "-c", "sleep 60 & wait").start();
        started.add(shell);
        eventually("it has a child", () -> shell.children().findFirst().isPresent());
        var child = shell.children().findFirst().orElseThrow();
        assertThat(seen(child.pid()).owner()).isEqualTo(new ProcessOwner.HostUser(me(), true));
        holders.assign(
                new Attempt(ONE, "here", 1, "b", List.of(), Instant.EPOCH, new Phase.Starting()));
        holders.started(
                ONE, new ShimProcess(Proc.key("b", shell.pid()).orElseThrow(), Instant.EPOCH));
        eventually(
                "it is the attempt's",
                () -> named(child.pid()).owner().equals(new ProcessOwner.BerthAttempt(ONE)));
        child.destroyForcibly();
    }

    @Test
    void aProcessHasAProgramAndAnAge() throws IOException {
        long pid = start("home/7.2");
        var one = seen(pid);
        assertThat(one.program()).isEqualTo("sleep");
        assertThat(Duration.between(one.startedAt().orElseThrow(), Instant.now()).abs())
                .isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void theOwnerIsKeptWhileTheDriverListsThePid() throws Exception {
        long pid = start("home/7.2");
        assertThat(seen(pid).owner()).isEqualTo(new ProcessOwner.BerthAttempt(ONE));
        started.getFirst().destroyForcibly().waitFor();
        assertThat(named(pid).owner()).isEqualTo(new ProcessOwner.BerthAttempt(ONE));
        assertThat(
                        occupancy
                                .withOwners(List.of(row()))
                                .getFirst()
                                .reading()
                                .processes()
                                .orElseThrow())
                .isEmpty();
        assertThat(named(pid).owner()).as("and no longer").isEqualTo(new ProcessOwner.Unknown());
    }

    @Test
    void anInvisiblePidHasAnUnknownOwner() {
        assertThat(named(NOBODY).owner()).isEqualTo(new ProcessOwner.Unknown());
        assertThat(named(NOBODY).startedAt()).isEmpty();
    }

    @Test
    @EnabledIf("isRoot")
    void aProcessOfAnotherUserHasThatUserAsOwner() throws IOException {
        var process =
                new ProcessBuilder("setpriv", "--reuid=65534", "--clear-groups", "sleep", "60")
                        .start();
        started.add(process);
        eventually(
                "it runs as another",
                () ->
                        named(process.pid())
                                .owner()
                                .equals(new ProcessOwner.HostUser("nobody", false)));
    }

    /** Where tasks run as their owners. */
    @Test
    void theMarkerOfAnotherUsersAttemptMeansNothing() throws IOException {
        var others = new ProcessOwners("home", holders, Optional.of((_, _) -> false));
        long pid = start("home/7.2");
        eventually(
                "it is looked at",
                () -> named(others, pid).owner().equals(new ProcessOwner.HostUser(me(), false)));
    }

    /** Where tasks run as their owners. */
    @Test
    void aProcessWithoutATraceOnTheGpuOfItsUsersAttemptCountsAsTheAttempts() throws IOException {
        var owners = new ProcessOwners("home", holders, Optional.of((_, _) -> true));
        long earlier = start("elsewhere/7.2");
        long later = start("elsewhere/7.3");
        var claim = new Claim(new GpuId("here", "A"), 5, true);
        holders.assign(
                new Attempt(
                        ONE, "here", 1, "b", List.of(claim), Instant.EPOCH, new Phase.Starting()));
        eventually(
                "the GPU is not free",
                () -> named(owners, later).owner().equals(new ProcessOwner.BerthAttempt(ONE)));
        var _ = holders.remove(ONE);
        assertThat(named(owners, later).owner())
                .as("also after the end of the attempt")
                .isEqualTo(new ProcessOwner.BerthAttempt(ONE));
        eventually(
                "also if it was not seen before",
                () -> named(owners, earlier).owner().equals(new ProcessOwner.BerthAttempt(ONE)));
        holders.left(ONE);
        long last = start("elsewhere/7.4");
        eventually(
                "not once the GPU was seen free",
                () -> named(owners, last).owner().equals(new ProcessOwner.HostUser(me(), false)));
    }

    static boolean isRoot() {
        return me().equals("root");
    }

    private static String me() {
        return System.getProperty("user.name");
    }

    private long start(String marker) throws IOException {
        var builder = new ProcessBuilder("sleep", "60");
        builder.environment().put("BERTH_ATTEMPT", marker);
        var process = builder.start();
        started.add(process);
        // The marker is the last part of the environment that appears while a program is loaded;
        // the process that loads it has the marker too.
        eventually(
                "its environment is loaded",
                () ->
                        process.info().command().filter(it -> it.endsWith("sleep")).isPresent()
                                && Proc.variable(process.pid(), Marker.VARIABLE)
                                        .value()
                                        .isPresent());
        return process.pid();
    }

    /** Repeats until a read completes in time, because the first may time out on a busy machine. */
    private GpuProcess seen(long pid) {
        return present(
                "it is looked at",
                () ->
                        Optional.of(named(pid))
                                .filter(it -> !(it.owner() instanceof ProcessOwner.Unknown)));
    }

    private GpuProcess named(long pid) {
        return named(occupancy, pid);
    }

    private static GpuProcess named(ProcessOwners owners, long pid) {
        var one =
                new GpuProcess(
                        pid,
                        OptionalLong.of(5),
                        GpuProcess.Kind.COMPUTE,
                        "",
                        new ProcessOwner.Unknown(),
                        Optional.empty());
        return owners.withOwners(List.of(row(one)))
                .getFirst()
                .reading()
                .processes()
                .orElseThrow()
                .getFirst();
    }

    private static ProbedGpu row(GpuProcess... occupants) {
        return new ProbedGpu(
                "A",
                0,
                "A100",
                OptionalLong.of(100),
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(100),
                        OptionalInt.of(0),
                        OptionalInt.of(40),
                        OptionalInt.empty(),
                        Optional.of(List.of(occupants))),
                false);
    }

    private ProcessOwners occupancy() {
        try {
            return new ProcessOwners("home", holders, Optional.empty());
        } catch (IOException e) {
            throw new AssertionError("/proc cannot be read", e);
        }
    }
}
