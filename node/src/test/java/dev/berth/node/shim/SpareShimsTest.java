package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.process.CommandSearch;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Which shims wait, and which attempts they get. */
class SpareShimsTest extends SpareShimsFixture {
    @Test
    void aRunningShellCarriesTheMarkerAndItsShimIsFoundByItsCommand() throws Exception {
        var directory = prepare(1, "echo ready; while :; do read -t 0.1 <> <(:); done");
        var given = spares.give(directory, events);
        eventually("it runs", () -> Files.readString(directory.log()).contains("\nready\n"));

        var shell = children(given.process().pid()).getFirst();
        assertThat(Proc.variable(shell, Marker.VARIABLE).value()).contains("h/1.1");
        assertThat(Proc.variable(shell, "LOG_FILE").value()).contains(directory.log().toString());
        assertThat(CommandSearch.find(ShimProgram.arguments(directory)))
                .hasValueSatisfying(key -> assertThat(key.pid()).isEqualTo(given.process().pid()));

        kill(shell);
        assertThat(events.awaitCode()).isEqualTo(137);
        given.hangUp();
        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
    }

    @Test
    void anIdleSpareEndsWithTheServer() throws Exception {
        var before = new ArrayList<>(spareProcesses());
        assertThat(before).hasSize(2);
        for (var spare : List.copyOf(before)) {
            before.add(awaitCopy(spare));
        }
        spares.close();

        eventually("all are gone", () -> before.stream().noneMatch(SpareShimsTest::isAlive));
    }

    @Test
    void aCommandRunsAlthoughAllSparesWereKilled() throws Exception {
        for (var spare : children(ProcessHandle.current().pid())) {
            if (isSpare(spare)) {
                kill(spare);
            }
        }
        var directory = prepare(1, "echo ran");
        var given = spares.give(directory, events);
        given.hangUp();

        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
        assertThat(directory.log()).content().contains("\nran\n");
    }

    @Test
    void aCommandRunsAlthoughTheCopyThatWasMadeAheadWasKilled() throws Exception {
        var spares = new ArrayList<>(spareProcesses());
        for (var spare : spares) {
            kill(awaitCopy(spare));
        }
        var directory = prepare(1, "echo \"ran $BERTH_ATTEMPT\"; exit 7");
        var given = this.spares.give(directory, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(directory.log()).content().contains("\nran h/1.1\n");
        assertThat(isTakenBack(given)).isTrue();
        assertThat(spares).contains(given.process().pid());
    }

    @Test
    void aShimThatNobodyAwaitsIsReaped() throws Exception {
        var given = spares.give(prepare(1, "until [[ -e ready ]]; do :; done"), events);
        given.hangUp();
        given.forgetAttempt();
        Files.createFile(root.resolve("ready"));

        var process = Path.of("/proc/" + given.process().pid());
        eventually("no process is left", () -> Files.notExists(process));
    }

    @Test
    void aTombstonePreventsTheStart() throws Exception {
        var directory = prepare(1, "echo ran");
        assertThat(GoFile.writeTombstone(directory.go())).isTrue();
        var given = spares.give(directory, events);

        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(75));
        given.hangUp();
        assertThat(directory.log()).isEmptyFile();
    }

    @Test
    void aSpareIsReplacedWhileItsCommandRuns() throws Exception {
        var given = spares.give(prepare(1, "until [[ -e ready ]]; do :; done"), events);
        eventually("two are idle", () -> spareProcesses().size() == 2);
        Files.createFile(root.resolve("ready"));

        assertThat(events.awaitCode()).isZero();
        given.hangUp();
    }

    @Test
    void sparesThatWereUsedAreReplaced() throws Exception {
        var given = new ArrayList<ConnectedShim>();
        for (int task = 1; task <= 5; task++) {
            given.add(spares.give(prepare(task, "exit " + task), events));
        }
        for (var one : given) {
            one.hangUp();
            assertThat(ChildProcess.await(one.process().pid()))
                    .contains(new ChildProcess.Status.Exited(0));
        }
        eventually("two are idle", () -> spareProcesses().size() == 2);
    }

    @Test
    void aShimServesTheNextAttemptWhenTheEndOfItsAttemptIsStored() throws Exception {
        var first = prepare(1, "export LEFT=1; trap '' INT; exit 7");
        var given = spares.give(first, events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        eventually("it is a spare again", () -> isSpare(given.process().pid()));

        var second =
                prepare(
                        3,
                        "echo \"$SECONDS $BERTH_ATTEMPT ${LEFT-}\"; until [[ -e ready ]]; do :;"
                                + " done; kill -INT $$; sleep 60");
        var again = spares.give(second, events);
        assertThat(again).isEqualTo(given);
        eventually("it runs", () -> Files.readString(second.log()).contains("\n0 h/3.1 \n"));
        assertThat(CommandSearch.find(ShimProgram.arguments(second)))
                .hasValueSatisfying(key -> assertThat(key.pid()).isEqualTo(given.process().pid()));
        assertThat(CommandSearch.find(ShimProgram.arguments(first))).isEmpty();
        assertThat(descriptors(given.process().pid()))
                .anyMatch(file -> file.contains("task_3"))
                .noneMatch(file -> file.contains("task_1"));
        Files.createFile(root.resolve("ready"));
        assertThat(events.awaitCode()).isEqualTo(130);
        again.send(new byte[] {'s'});

        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
        assertThat(second.exitRecord()).hasContent("130\n");
        assertThat(first.exitRecord()).hasContent("7\n");
    }

    /** Its memory is still in the caches of the processors. */
    @Test
    void theShimThatCameBackLastIsUsedFirst() throws Exception {
        var first = spares.give(prepare(1, "exit 1"), events);
        var second = spares.give(prepare(2, "exit 2"), events);
        assertThat(events.awaitCode() + events.awaitCode()).isEqualTo(3);
        assertThat(isTakenBack(first)).isTrue();
        assertThat(isTakenBack(second)).isTrue();

        var third = spares.give(prepare(3, "exit 3"), events);
        assertThat(events.awaitCode()).isEqualTo(3);
        assertThat(third).isSameAs(second);
        assertThat(isTakenBack(third)).isTrue();
    }

    @Test
    void aShimServesManyAttemptsOneAfterAnother() throws Exception {
        var pids = new TreeSet<Long>();
        for (int task = 1; task <= 50; task++) {
            var directory = prepare(task, "echo ran $BERTH_ATTEMPT; exit " + task);
            var given = spares.give(directory, events);
            assertThat(events.awaitCode()).isEqualTo(task);
            assertThat(directory.log()).content().contains("\nran h/" + task + ".1\n");
            assertThat(directory.exitRecord()).hasContent(task + "\n");
            pids.add(given.process().pid());
            assertThat(isTakenBack(given)).isTrue();
        }
        assertThat(pids).hasSizeLessThan(10);
        eventually("two are idle", () -> spareProcesses().size() == 2);
    }

    @Test
    void aShimThatComesBackEndsWhenTheServerCloses() throws Exception {
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        spares.close();

        assertThat(isAlive(given.process().pid())).isFalse();
        var late = spares.give(prepare(2, "exit 8"), events);
        assertThat(events.awaitCode()).isEqualTo(8);
        assertThat(isTakenBack(late)).isFalse();
        eventually("it has ended", () -> !isAlive(late.process().pid()));
    }

    @Test
    void notAllOfManyAreKept() throws Exception {
        var given = new ArrayList<ConnectedShim>();
        for (int task = 1; task <= 20; task++) {
            given.add(spares.give(prepare(task, "exit 0"), events));
        }
        for (int task = 1; task <= 20; task++) {
            assertThat(events.awaitCode()).isZero();
        }
        assertThat(given.stream().filter(this::isTakenBack)).hasSizeLessThan(20);
        eventually("two are left", () -> spareProcesses().size() == 2);
    }

    /** Its command could start no process either. */
    @Test
    void noSpareIsUsedWhileNoProcessCanBeStarted() throws Exception {
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        giveToTheOther();
        spawner.isRefusing = true;
        assertThatThrownBy(() -> spares.give(prepare(3, "exit 8"), events))
                .hasMessage("no process");
        assertThat(isTakenBack(given)).isTrue();
        eventually("it is a spare again", () -> isSpare(given.process().pid()));
        assertThatThrownBy(() -> spares.give(prepare(4, "exit 8"), events))
                .hasMessage("no process");

        spawner.isRefusing = false;
        var fresh = spares.give(prepare(5, "exit 9"), events);
        assertThat(events.awaitCode()).isEqualTo(9);
        assertThat(isTakenBack(fresh)).isTrue();
        var again = spares.give(prepare(6, "exit 10"), events);
        assertThat(events.awaitCode()).isEqualTo(10);
        assertThat(isTakenBack(again)).isTrue();
    }

    @Test
    void aSpareThatWasKilledIsReportedToNoAttempt() throws Exception {
        for (var spare : children(ProcessHandle.current().pid())) {
            if (isSpare(spare)) {
                kill(spare);
            }
        }
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        given.send(new byte[] {'s'});
        assertThat(events.awaitEnd()).isEqualTo(NativeShim.ALL_GONE);
        given.close();
    }

    /** The number under which bash keeps its script is then too high. */
    @Test
    void aShimKeepsNoFileOfAnAttemptIfFewDescriptorsAreAllowed() throws Exception {
        spawner.prefix = List.of("/usr/bin/prlimit", "--nofile=200");
        restartSparesWith();
        var given = spares.give(prepare(1, "exit 7"), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        assertThat(isTakenBack(given)).isTrue();
        eventually("it is a spare again", () -> isSpare(given.process().pid()));
        assertThat(descriptors(given.process().pid())).noneMatch(file -> file.contains("task_1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "renice -n 5 -g $PPID",
                "chrt --batch --pid 0 $PPID",
                "prlimit --pid $PPID --nofile=99:99",
                "echo 7 >/proc/$PPID/oom_score_adj"
            })
    void aShimServesNoOtherAttemptIfItsCommandChangedIt(String change) throws Exception {
        var given = spares.give(prepare(1, change + " || exit; exit 7"), events);

        assertThat(events.awaitEnd()).isEqualTo(NativeShim.ALL_GONE);
        assertThat(ExitRecord.read(attempt(1))).isEqualTo(new ExitRecord.Code(7));
        assertThat(events.codes()).as("of a shim that stays").isEmpty();
        given.close();
    }

    /** The kernel has one for each session, and a shim keeps its session. */
    @Test
    void aShimServesNoOtherAttemptIfItsCommandChangedThePriorityOfItsSession() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/proc/self/autogroup")), "needs autogroups");
        var given = spares.give(prepare(1, "echo 5 >/proc/self/autogroup; exit 7"), events);

        assertThat(events.awaitEnd()).isEqualTo(NativeShim.ALL_GONE);
        assertThat(events.codes()).as("of a shim that stays").isEmpty();
        given.close();
    }

    /** The disk is slow for the node and for the shim. */
    @Test
    void anAttemptRunsAlthoughItsShimBeganToSyncTheRecordOfTheLastOne() throws Exception {
        var points = Files.createDirectory(root.resolve("points"));
        var armed = Files.createFile(points.resolve("shim.before-sync.arm"));
        var given = spares.give(prepare(1, "exit 7", Optional.of(points)), events);
        assertThat(events.awaitCode()).isEqualTo(7);
        eventually("it syncs", () -> Files.exists(points.resolve("shim.before-sync.hit")));
        for (var spare : spareProcesses()) {
            kill(spare);
        }
        assertThat(isTakenBack(given)).isTrue();
        assertThat(spares.give(prepare(3, "exit 8"), events)).isEqualTo(given);
        Files.delete(armed);

        assertThat(events.awaitCode()).isEqualTo(8);
        given.hangUp();
        assertThat(ChildProcess.await(given.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
    }

    private void giveToTheOther() throws Exception {
        var other = spares.give(prepare(2, "exit 0"), new ShimEvents());
        other.hangUp();
        assertThat(ChildProcess.await(other.process().pid()))
                .contains(new ChildProcess.Status.Exited(0));
    }

    private static List<String> descriptors(long pid) throws IOException {
        var files = new ArrayList<String>();
        try (var links = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (var link : links) {
                files.add(Files.readSymbolicLink(link).toString());
            }
        }
        return files;
    }
}
