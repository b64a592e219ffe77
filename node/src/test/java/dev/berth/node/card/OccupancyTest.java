package dev.berth.node.card;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Run;
import dev.berth.core.task.TaskId;
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

class OccupancyTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(7), 2);
    private static final long NOBODY = 4_194_303;

    private final Holders holders = new Holders();
    private final List<Process> started = new ArrayList<>();
    private final Occupancy occupancy = occupancy();

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void aMarkedProcessIsItsAttemptsAndAnotherHomesIsNot() throws IOException {
        long ours = start("home/7.2");
        long others = start("elsewhere/7.2");
        assertThat(seen(ours).whose()).isEqualTo(new Whose.Ours(ONE));
        assertThat(seen(others).whose()).isEqualTo(new Whose.User(me(), true));
    }

    @Test
    void aProcessWithoutAMarkerIsKnownByItsAncestors() throws IOException {
        var shell = new ProcessBuilder("bash", "-c", "sleep 60 & wait").start();
        started.add(shell);
        eventually("it has a child", () -> shell.children().findFirst().isPresent());
        var child = shell.children().findFirst().orElseThrow();
        assertThat(seen(child.pid()).whose()).isEqualTo(new Whose.User(me(), true));
        holders.granted(
                new Attempt(ONE, "here", 1, "b", List.of(), Instant.EPOCH, new Phase.Starting()));
        holders.came(ONE, new Run(Proc.key("b", shell.pid()).orElseThrow(), Instant.EPOCH));
        eventually(
                "it is the attempt's",
                () -> named(child.pid()).whose().equals(new Whose.Ours(ONE)));
        child.destroyForcibly();
    }

    @Test
    void aProcessHasAProgramAndAnAge() throws IOException {
        long pid = start("home/7.2");
        var one = seen(pid);
        assertThat(one.program()).isEqualTo("sleep");
        assertThat(Duration.between(one.since().orElseThrow(), Instant.now()).abs())
                .isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void whoseItWasIsRememberedWhileTheDriverStillListsIt() throws Exception {
        long pid = start("home/7.2");
        assertThat(seen(pid).whose()).isEqualTo(new Whose.Ours(ONE));
        started.getFirst().destroyForcibly().waitFor();
        assertThat(named(pid).whose()).isEqualTo(new Whose.Ours(ONE));
        assertThat(occupancy.name(List.of(row())).getFirst().reading().occupants().orElseThrow())
                .isEmpty();
        assertThat(named(pid).whose()).as("and no longer").isEqualTo(new Whose.Unknown());
    }

    @Test
    void aPidThatTheHostDoesNotShowIsNobodysWeKnow() {
        assertThat(named(NOBODY).whose()).isEqualTo(new Whose.Unknown());
        assertThat(named(NOBODY).since()).isEmpty();
    }

    @Test
    @EnabledIf("isRoot")
    void anotherUsersProcessIsNamedAfterHer() throws IOException {
        var process =
                new ProcessBuilder("setpriv", "--reuid=65534", "--clear-groups", "sleep", "60")
                        .start();
        started.add(process);
        eventually(
                "it runs as another",
                () -> named(process.pid()).whose().equals(new Whose.User("nobody", false)));
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
        // The last that is there of a program being loaded; and what loads it has it, too.
        eventually(
                "its environment is loaded",
                () ->
                        process.info().command().filter(it -> it.endsWith("sleep")).isPresent()
                                && Proc.variable(process.pid(), Marker.VARIABLE)
                                        .value()
                                        .isPresent());
        return process.pid();
    }

    /** Named by a look that was not given up: on a busy machine the first may take too long. */
    private Occupant seen(long pid) {
        return present(
                "it is looked at",
                () -> Optional.of(named(pid)).filter(it -> !(it.whose() instanceof Whose.Unknown)));
    }

    private Occupant named(long pid) {
        var one =
                new Occupant(
                        pid,
                        OptionalLong.of(5),
                        Occupant.Kind.COMPUTE,
                        "",
                        new Whose.Unknown(),
                        Optional.empty());
        return occupancy
                .name(List.of(row(one)))
                .getFirst()
                .reading()
                .occupants()
                .orElseThrow()
                .getFirst();
    }

    private static CardRow row(Occupant... occupants) {
        return new CardRow(
                "A",
                0,
                "A100",
                OptionalLong.of(100),
                new Reading(
                        OptionalLong.of(0),
                        OptionalLong.of(100),
                        OptionalInt.of(0),
                        OptionalInt.of(40),
                        OptionalInt.empty(),
                        Optional.of(List.of(occupants))),
                false);
    }

    private Occupancy occupancy() {
        try {
            return new Occupancy("home", holders);
        } catch (IOException e) {
            throw new AssertionError("/proc cannot be read", e);
        }
    }
}
