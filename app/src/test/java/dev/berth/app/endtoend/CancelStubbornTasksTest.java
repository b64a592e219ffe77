package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Cancels tasks whose processes resist, and checks that foreign processes survive. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CancelStubbornTasksTest {

    private final List<Process> foreigners = new ArrayList<>();
    private final ServerHarness harness;
    private Optional<String> tmux = Optional.empty();
    private TestApi api;

    CancelStubbornTasksTest(ServerHarness harness) {
        // The default grace of ten seconds is too long for a test.
        this.harness = harness.env("BERTH_STOP_GRACE_SECONDS", "1");
        this.api = harness.start();
    }

    @AfterEach
    void endWhatTheTestItselfStarted() throws Exception {
        foreigners.forEach(Process::destroyForcibly);
        if (tmux.isPresent()) {
            new ProcessBuilder("tmux", "-L", tmux.get(), "kill-server")
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
            tmux = Optional.empty();
        }
        foreigners.clear();
        Files.deleteIfExists(harness.file("begun"));
        harness.awaitNoLeftovers();
    }

    @Test
    void nothingOfACancelledTaskLivesAfterTheGraceAndItsGpuIsFreeOnlyThen() {
        long id =
                begun(
                        """
                        setsid sleep 60011 &
                        nohup sleep 60012 &
                        (trap '' TERM; sleep 60013) &
                        echo begun > %s
                        wait
                        """);

        assertThat(api.cancel(id).status()).isEqualTo(200);
        assertThat(api.events("attempt.stopping"))
                .as("the answer does not wait for the end")
                .anyMatch(event -> event.path("task_id").asLong() == id);
        eventually(
                "the card is free",
                () -> {
                    boolean free = api.holders().isEmpty();
                    assertThat(free && !harness.leftovers().isEmpty())
                            .as("the card is free while something of the task lives")
                            .isFalse();
                    return free;
                });
        assertThat(harness.leftovers()).isEmpty();
        assertThat(api.status(id)).isEqualTo("cancelled");
        assertThat(api.awaitEnd(api.submit(TaskBuilder.gpus(4, "true"))).path("status").asString())
                .isEqualTo("completed");
        assertThat(api.status(id)).isEqualTo("cancelled");
    }

    @Test
    void aCommandThatExitsWellOnTermIsStillCancelled() {
        long id = begun("trap 'exit 0' TERM\necho begun > %s\nwhile :; do sleep 0.05; done");
        api.cancel(id);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        harness.awaitNoLeftovers();
    }

    @Test
    void aTmuxServerThatTheTaskStartedSurvivesAndIsReported() {
        tmux = Optional.of("berth-zoo-" + ProcessHandle.current().pid());
        long id =
                begun(
                        """
                        tmux -L %s -f /dev/null new-session -d 'sleep 60021'
                        sleep 60022 &
                        echo begun > %%s
                        wait
                        """
                                .formatted(tmux.get()));

        api.cancel(id);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");

        assertThat(harness.leftovers())
                .as("the tmux server and what runs inside it")
                .anyMatch(stray -> stray.commandLine().startsWith("tmux"))
                .anyMatch(stray -> stray.commandLine().equals("sleep 60021"))
                .noneMatch(stray -> stray.commandLine().equals("sleep 60022"));
        assertThat(left(id)).contains("tmux").contains("left running");
        assertThat(api.holders()).isEmpty();
    }

    @Test
    void aGrandchildWithoutAParentIsEndedToo() {
        long id =
                begun(
                        """
                        (setsid bash -c 'trap "" TERM HUP; cd /; exec </dev/null >/dev/null 2>&1; sleep 60031 & sleep 60032' &)
                        until pgrep -f 'sleep 6003[2]' > /dev/null; do sleep 0.01; done
                        echo begun > %s
                        sleep 60033
                        """);
        api.cancel(id);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(harness.leftovers()).isEmpty();
    }

    @Test
    void aTaskThatGoesOnForkingWhileItIsKilledIsEndedWhole() {
        long id =
                begun(
                        """
                        trap '' TERM
                        fork() { trap '' TERM; while :; do setsid sleep 60041 & sleep 0.01; done; }
                        fork & fork &
                        echo begun > %s
                        fork
                        """);
        api.cancel(id);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(harness.leftovers()).isEmpty();
        assertThat(api.holders()).isEmpty();
    }

    @Test
    void whatACommandLeavesBehindIsEndedAndReported() {
        long id =
                api.submit(
                        TaskBuilder.oneGpu(
                                "setsid sleep 60051 &\n"
                                        + "nohup sleep 60052 &\n"
                                        + "until [[ $(</proc/$!/comm) == sleep ]]; do :; done\n"
                                        + "exit 0"));
        var task = api.awaitEnd(id);
        assertThat(task.path("status").asString()).isEqualTo("completed");
        assertThat(task.path("exit_code").asInt()).isZero();
        assertThat(harness.leftovers()).isEmpty();
        assertThat(left(id)).contains("sleep").contains("ended");
    }

    @Test
    void aForeignProcessThatLooksAlikeIsNeverTouched() throws IOException {
        long id = begun("echo $BERTH_ATTEMPT > %s\n(trap '' TERM; sleep 60061) &\nsleep 60062");
        var marker = Files.readString(harness.file("begun")).strip();
        var alike =
                List.of(
                        foreign("BERTH_ATTEMPT", marker + "0"),
                        foreign("BERTH_ATTEMPT", "x" + marker),
                        foreign("NOT_BERTH_ATTEMPT", marker),
                        foreign("NOTE", "BERTH_ATTEMPT=" + marker));

        api.cancel(id);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");

        assertThat(harness.leftovers()).isEmpty();
        assertThat(alike).allMatch(Process::isAlive);
    }

    @Test
    void aQueuedTaskIsCancelledAtOnceAndNeverStarts() {
        long holder =
                begun(
                        4,
                        "echo begun > %s\nuntil [[ -e "
                                + harness.file("gate")
                                + " ]]; do sleep 0.02; done");
        var ran = harness.file("ran");
        long second = api.submit(TaskBuilder.oneGpu("echo second >> " + ran));
        long third = api.submit(TaskBuilder.oneGpu("echo third >> " + ran));

        assertThat(api.cancel(second).expect(200).path("status").asString()).isEqualTo("cancelled");
        assertThat(api.cancel(second).status()).isEqualTo(409);
        assertThat(api.task(third).path("position").asInt()).isZero();
        TaskLifecycleTest.touch(harness.file("gate"));

        api.awaitEnd(holder);
        api.awaitEnd(third);
        assertThat(ran).hasContent("third");
        assertThat(api.status(second)).isEqualTo("cancelled");
    }

    @Test
    void aSecondCancelChangesNothing() {
        long id = begun("trap '' TERM\necho begun > %s\nwhile :; do sleep 0.05; done");
        assertThat(api.cancel(id).status()).isEqualTo(200);
        assertThat(api.cancel(id).status()).isBetween(200, 499);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(api.cancel(id).status()).isEqualTo(409);
        assertThat(api.status(id)).isEqualTo("cancelled");
        assertThat(api.events("task.cancelled"))
                .filteredOn(event -> event.path("task_id").asLong() == id)
                .hasSize(1);
    }

    @Test
    void aCancelOutlivesTheServerThatTookIt() {
        long id =
                begun(
                        """
                        trap '' TERM
                        (trap '' TERM; setsid sleep 60071) &
                        echo begun > %s
                        while :; do sleep 0.05; done
                        """);
        assertThat(api.cancel(id).status()).isEqualTo(200);

        api = harness.restart();

        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(harness.leftovers()).isEmpty();
        assertThat(api.holders()).isEmpty();
    }

    /** Submits a command and waits until it has written the file that replaces {@code %s}. */
    private long begun(String command) {
        return begun(1, command);
    }

    private long begun(int cards, String command) {
        var file = harness.file("begun");
        long id = api.submit(TaskBuilder.gpus(cards, command.formatted(file)));
        eventually("the task has begun", () -> Files.exists(file) && Files.size(file) > 0);
        api.awaitPhase(id, "running");
        return id;
    }

    /** The reports about processes that a task left behind. */
    private String left(long id) {
        return api.events("alert.processes_left").stream()
                .filter(event -> event.path("task_id").asLong() == id)
                .map(event -> event.path("data").toString())
                .reduce("", String::concat);
    }

    private Process foreign(String name, String value) throws IOException {
        var builder = new ProcessBuilder("sleep", "60061");
        builder.environment().put(name, value);
        var process = builder.start();
        foreigners.add(process);
        return process;
    }
}
