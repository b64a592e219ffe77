package dev.berth.node;

import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.gpu.GpuSettings;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.node.linux.RegularFile;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.shim.GoFile;
import dev.berth.node.window.TmuxWindows;
import dev.berth.node.worker.WorkerSettings;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a new server makes of the files that an attempt has left. */
class AdoptionTest {

    private static final AttemptId ID = new AttemptId(new TaskId(1), 1);
    private static final String GONE = "1 999999999999 ";

    @TempDir Path tasks;
    private final List<Fact> facts = new CopyOnWriteArrayList<>();
    private LocalNode.NodeSettings settings;
    private LocalNode node;
    private Path directory;

    @BeforeEach
    void start() throws IOException {
        settings =
                new LocalNode.NodeSettings(
                        "local",
                        tasks,
                        GpuSettings.of(new GpuSource.None()),
                        Duration.ofMillis(300),
                        16,
                        CommandSettings.NONE,
                        new TmuxWindows.WindowSettings(
                                TmuxWindows.WindowMode.NEVER, Optional.empty()),
                        Duration.ofMinutes(10),
                        WorkerSettings.DEFAULT,
                        Optional.empty());
        node = LocalNode.start(settings, Failpoints.NONE);
        node.reportTo(facts::add);
        directory = Files.createDirectories(tasks.resolve("task_1/attempts/1"));
    }

    @AfterEach
    void close() throws IOException {
        node.close();
    }

    @Test
    void whatNeverStartedIsClosedSoThatItCannotStartLater() throws IOException {
        assertThat(adopted(node.bootId())).isEqualTo(new Ending.NeverStarted());
        assertThat(GoFile.read(directory.resolve("go"))).isInstanceOf(GoFile.Tombstone.class);
    }

    @Test
    void nothingOfAnEarlierBootIsLookedFor() throws IOException {
        Files.writeString(directory.resolve("go"), GONE + "00000000-0000-4000-8000-000000000001\n");

        assertThat(adopted("00000000-0000-4000-8000-000000000001"))
                .isEqualTo(new Ending.MachineRestarted());
    }

    @Test
    void whatStartedAndLeftNoRecordDoesNotStartAgain() throws IOException {
        Files.writeString(directory.resolve("go"), GONE + node.bootId() + "\n");

        assertThat(adopted(node.bootId())).isEqualTo(new Ending.Vanished());
    }

    @Test
    void aRecordThatWasNotWrittenCompletelyIsNoExitCode() throws IOException {
        Files.writeString(directory.resolve("go"), GONE + node.bootId() + "\n");
        Files.writeString(directory.resolve("exit_code.pending"), "0");

        assertThat(adopted(node.bootId())).isEqualTo(new Ending.Vanished());
    }

    @Test
    void aCompleteRecordIsTheExitCodeAlsoIfNobodyPublishedIt() throws IOException {
        Files.writeString(directory.resolve("go"), GONE + node.bootId() + "\n");
        Files.writeString(directory.resolve("exit_code.pending"), "%-63s\n".formatted("7"));

        assertThat(adopted(node.bootId())).isEqualTo(new Ending.Exited(7));
    }

    @Test
    void aLinkInPlaceOfAFileIsNotFollowed() throws IOException {
        var elsewhere = Files.writeString(tasks.resolve("elsewhere"), "0\n");
        var link = Files.createSymbolicLink(directory.resolve("exit_code"), elsewhere);
        Files.writeString(directory.resolve("go"), GONE + node.bootId() + "\n");

        assertThatThrownBy(() -> RegularFile.open(link))
                .isInstanceOf(RegularFile.NotRegularFileException.class);
        assertThat(adopted(node.bootId())).isEqualTo(new Ending.Vanished());
    }

    @Test
    void onlyItsOwnShimStartsAnAttempt() throws IOException {
        var own = Proc.key(Proc.bootId(), ProcessHandle.current().pid()).orElseThrow();
        var other = new ProcessKey(own.bootId(), own.pid(), own.startTick() + 1);
        try (var context =
                        NodeContext.open(
                                settings,
                                Failpoints.NONE,
                                ScriptReports.NONE,
                                new LocalAccounts(),
                                ProcessJournal.NONE);
                var outcome = new AttemptOutcome(ID, context)) {
            Files.writeString(
                    directory.resolve("go"),
                    own.pid() + " " + own.startTick() + " " + own.bootId() + "\n");

            assertThat(outcome.checkStarted(other)).isFalse();
            assertThat(outcome.checkStarted(own)).isTrue();
        }
    }

    private Ending adopted(String bootId) {
        var attempt =
                new Attempt(ID, "local", 1, bootId, List.of(), Instant.EPOCH, new Phase.Starting());
        node.adopt(attempt, Optional.empty(), Optional.empty());
        return present(
                        "its end",
                        () ->
                                facts.stream()
                                        .filter(Fact.Ended.class::isInstance)
                                        .map(Fact.Ended.class::cast)
                                        .findFirst())
                .ending();
    }
}
