package dev.berth.testkit;

import static dev.berth.testkit.StoreSamples.ALICE;
import static dev.berth.testkit.StoreSamples.ODD_TEXT;
import static dev.berth.testkit.StoreSamples.RUN;
import static dev.berth.testkit.StoreSamples.at;
import static dev.berth.testkit.StoreSamples.attempt;
import static dev.berth.testkit.StoreSamples.ended;
import static dev.berth.testkit.StoreSamples.granted;
import static dev.berth.testkit.StoreSamples.id;
import static dev.berth.testkit.StoreSamples.save;
import static dev.berth.testkit.StoreSamples.saved;
import static dev.berth.testkit.StoreSamples.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.commandfile.BlockProblem;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.commandfile.FileRun.Stage;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.model.Model;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.HourlyUsage;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ScriptReport;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Change;
import dev.berth.port.SchedulerState;
import dev.berth.port.TaskStore;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.TaskRecord;
import dev.berth.port.read.TaskQueries.WholeTask;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;

/** What every store keeps besides tasks: tokens, usage, runs, faults and estimates. */
public abstract class StoredRecordsContract {

    private static final List<BlockProblem> LEFT_OUT =
            List.of(
                    new BlockProblem(3, "command.no_command", Map.of()),
                    new BlockProblem(70_000, "cards.too_many", Map.of("text", ODD_TEXT, "a", "1")));

    /** A store for the next server with this test's home. */
    protected abstract TaskStore nextServerStore() throws Exception;

    /** The queries on this test's home. */
    protected abstract TaskQueries queries() throws Exception;

    @Test
    void tokensAreReadBackEqualAndCanBeDeleted() throws Exception {
        var store = opened();
        var token =
                new Token(
                        new TokenId(1),
                        new Token.Credential(
                                Token.Kind.TOKEN, ODD_TEXT, "00ff", Optional.of(at(9))),
                        new Owner("unix:1007", ODD_TEXT),
                        at(1),
                        Optional.empty());
        var session =
                new Token(
                        new TokenId(2),
                        new Token.Credential(Token.Kind.SESSION, "", "01ff", Optional.empty()),
                        Owner.unix("ann"),
                        at(2),
                        Optional.of(at(3)));
        save(store, new Change.TokenSaved(session), new Change.TokenSaved(token));
        assertThat(nextServerStore().open().tokens()).containsExactly(token, session);

        store.open();
        save(
                store,
                new Change.TokenSaved(token.revoked(at(5))),
                new Change.TokenDropped(session.id()),
                new Change.TokenDropped(new TokenId(99)));

        assertThat(nextServerStore().open().tokens()).containsExactly(token.revoked(at(5)));
    }

    @Test
    void theGpuUsageOfEachUserIsStored() throws Exception {
        var store = opened();
        save(store, new Change.UsageSaved("unix:alice", new GpuUsage.Account(12.5, at(1))));
        save(
                store,
                new Change.UsageSaved("unix:alice", new GpuUsage.Account(0.1 + 0.2, at(2))),
                new Change.UsageSaved(ODD_TEXT, new GpuUsage.Account(1e12, at(3))));

        assertThat(nextServerStore().open().usage())
                .containsOnlyKeys("unix:alice", ODD_TEXT)
                .containsEntry("unix:alice", new GpuUsage.Account(0.1 + 0.2, at(2)))
                .containsEntry(ODD_TEXT, new GpuUsage.Account(1e12, at(3)));
    }

    @Test
    void theUseOfEachHourIsStored() throws Exception {
        var store = opened();
        var hours = HourlyUsage.NONE.plus(3, at(1), at(9000));
        var account = new GpuUsage.Account(12.5, at(9000), hours);
        save(store, new Change.UsageSaved("unix:alice", account));
        assertThat(nextServerStore().open().usage()).containsEntry("unix:alice", account);
    }

    @Test
    void theGroupsOfEachUserAreStored() throws Exception {
        var store = opened();
        save(store, new Change.GroupsSaved("unix:alice", new TreeSet<>(List.of("b", "a b"))));
        save(
                store,
                new Change.GroupsSaved("unix:alice", new TreeSet<>(List.of("c", "d e"))),
                new Change.GroupsSaved("unix:bob", new TreeSet<>()));
        assertThat(nextServerStore().open().shares().groups())
                .isEqualTo(
                        Map.of(
                                "unix:alice",
                                new TreeSet<>(List.of("c", "d e")),
                                "unix:bob",
                                new TreeSet<String>()));
    }

    @Test
    void reservationsAreStoredUntilTheyEndAndTheirIdsAreNotUsedAgain() throws Exception {
        var store = opened();
        var group =
                reservation(
                        1,
                        new ReservationHolder.ForGroup("vision"),
                        new ReservedGpus.AnyGpus(2),
                        ODD_TEXT);
        var user =
                reservation(
                        2,
                        new ReservationHolder.ForUser("ann"),
                        new ReservedGpus.NamedGpus(GpuIndices.of(0, 3)),
                        "");
        var nobody =
                reservation(3, new ReservationHolder.ForNobody(), new ReservedGpus.AnyGpus(1), "");
        save(
                store,
                new Change.ReservationSaved(group),
                new Change.ReservationSaved(user),
                new Change.ReservationSaved(nobody));
        assertThat(nextServerStore().open().shares().reservations())
                .containsExactly(group, user, nobody);

        store.open();
        save(store, new Change.ReservationEnded(3, at(7)), new Change.ReservationEnded(99, at(7)));
        var loaded = nextServerStore().open();
        assertThat(loaded.shares().reservations()).containsExactly(group, user);
        assertThat(loaded.last().reservation()).isEqualTo(3);
    }

    private static Reservation reservation(
            long id, ReservationHolder holder, ReservedGpus gpus, String note) {
        var schedule =
                new Reservation.Schedule(
                        at(5), Duration.ofHours(4), id == 1, ZoneId.of("Europe/Berlin"));
        return new Reservation(id, holder, gpus, schedule, note, ALICE, at(1));
    }

    @Test
    void aStoppedSchedulerStaysStopped() throws Exception {
        var store = opened();
        var stopped =
                new SchedulerState(false, Optional.of(new SchedulerState.LastSwitch(ALICE, at(2))));
        save(store, new Change.SchedulerSaved(stopped));

        assertThat(nextServerStore().open().scheduler()).isEqualTo(stopped);
    }

    @Test
    void aFileRunIsReadBackEqualAtEveryStageAndLoadedUntilItEnds() throws Exception {
        var store = opened();
        var live = run(1, FileMode.SINGLE, OptionalInt.of(3), new Stage.Running());
        var stopping = run(2, FileMode.MULTI, OptionalInt.empty(), new Stage.Stopping(at(4)));
        var finished = run(7, FileMode.SINGLE, OptionalInt.of(0), new Stage.Finished(at(5)));
        var stopped = run(9, FileMode.MULTI, OptionalInt.of(1), new Stage.Stopped(at(6)));
        for (var run : new FileRun[] {stopped, live, finished, stopping}) {
            save(store, new Change.FileRunSaved(run));
        }

        assertThat(queries().fileRuns(10)).containsExactly(stopped, finished, stopping, live);
        assertThat(queries().fileRuns(2)).containsExactly(stopped, finished);
        var loaded = nextServerStore().open();
        assertThat(loaded.fileRuns()).containsExactly(live, stopping);
        assertThat(loaded.last().fileRun()).isEqualTo(9);

        store.open();
        save(store, new Change.FileRunSaved(live.with(new Stage.Finished(at(8)))));
        assertThat(nextServerStore().open().fileRuns()).containsExactly(stopping);
    }

    private static FileRun run(long id, FileMode mode, OptionalInt config, Stage stage) {
        return new FileRun(
                id,
                mode,
                config,
                "command/" + ODD_TEXT,
                id % 2 == 0 ? FileRun.Origin.CONSOLE : FileRun.Origin.TERMINAL,
                ALICE,
                at(1),
                id(10 * id),
                7,
                id % 2 == 0 ? List.of() : LEFT_OUT,
                stage);
    }

    @Test
    void theReportOfAScriptIsStored() throws Exception {
        var store = opened();
        var well =
                attempt(1, 1, new Phase.Running(RUN))
                        .with(new ScriptReport(true, Optional.empty(), at(3)));
        var badly =
                attempt(2, 1, new Phase.Running(RUN))
                        .with(new ScriptReport(false, Optional.of(ODD_TEXT), at(4)));
        save(store, saved(granted(1, 1)), saved(granted(2, 1)), saved(well), saved(badly));

        assertThat(nextServerStore().open().attempts()).containsExactly(well, badly);
        assertThat(queries().attempts(id(2))).containsExactly(badly);
    }

    @Test
    void theFindingsOfAnAttemptAreStored() throws Exception {
        var store = opened();
        var diagnosis =
                new Diagnosis(Cause.OOM, ODD_TEXT, new TreeMap<>(Map.of("tried_mib", "2048")));
        var watched =
                new GpuConsumption(
                        11_000,
                        9_000,
                        OptionalInt.of(99),
                        OptionalInt.of(0),
                        Duration.ofMillis(90_500));
        var unread =
                new GpuConsumption(
                        0, 0, OptionalInt.empty(), OptionalInt.empty(), Duration.ofNanos(1000));
        var all = found(1, Optional.of(diagnosis), Optional.of(watched));
        var diagnosed = found(2, Optional.of(diagnosis), Optional.empty());
        var seen = found(3, Optional.empty(), Optional.of(unread));
        for (var attempt : List.of(all, diagnosed, seen)) {
            save(store, saved(granted(attempt.id().task().value(), 1)), saved(attempt));
        }

        assertThat(queries().attempts(id(1))).containsExactly(all);
        assertThat(queries().attempts(id(2))).containsExactly(diagnosed);
        assertThat(queries().attempts(id(3))).containsExactly(seen);
    }

    private static Attempt found(
            long task, Optional<Diagnosis> diagnosis, Optional<GpuConsumption> consumption) {
        return attempt(task, 1, ended()).with(new AttemptFindings(diagnosis, consumption));
    }

    @Test
    void aQuarantineIsStoredUntilTheGpuIsReturned() throws Exception {
        var store = opened();
        var missing =
                new GpuFault(
                        new GpuId("host-a", "GPU-1"),
                        GpuFault.Kind.MISSING,
                        ODD_TEXT,
                        at(3),
                        GpuFault.Stage.TESTING);
        var taken =
                new GpuFault(
                        new GpuId("host-a", "GPU-2"),
                        GpuFault.Kind.PERSON,
                        "",
                        at(4),
                        GpuFault.Stage.OUT);
        save(store, new Change.FaultSaved(taken), new Change.FaultSaved(missing));
        assertThat(nextServerStore().open().faults()).containsExactly(missing, taken);

        store.open();
        save(
                store,
                new Change.FaultSaved(missing.with(GpuFault.Stage.OUT)),
                new Change.FaultDropped(taken.gpu()));
        assertThat(nextServerStore().open().faults())
                .containsExactly(missing.with(GpuFault.Stage.OUT));
    }

    @Test
    void theMemoryEstimateOfAModelIsStored() throws Exception {
        var store = opened();
        save(store, new Change.EstimateSaved(ODD_TEXT, 4800));
        save(store, new Change.EstimateSaved(ODD_TEXT, 5760), new Change.EstimateSaved("a", 1));

        assertThat(nextServerStore().open().models().estimates())
                .isEqualTo(Map.of(ODD_TEXT, 5760L, "a", 1L));
    }

    @Test
    void modelsAreStoredUntilTheyAreRemoved() throws Exception {
        var store = opened();
        var plain = new Model("a", "worker", 1, false, new TreeMap<>(), "/", Optional.empty());
        var full =
                new Model(
                        "b",
                        ODD_TEXT,
                        6000,
                        true,
                        new TreeMap<>(Map.of("A", ODD_TEXT)),
                        "/data",
                        Optional.of(Duration.ofMinutes(5)),
                        Model.Access.of(
                                Owner.unnamed(-2), new RunAs(ODD_TEXT, -2, Optional.empty())));
        var shared =
                new Model(
                        "c",
                        "worker",
                        1,
                        false,
                        new TreeMap<>(),
                        "/",
                        Optional.empty(),
                        Model.Access.shared(new RunAs("models", 5000, Optional.empty())));
        save(
                store,
                new Change.ModelSaved(plain),
                new Change.ModelSaved(full),
                new Change.ModelSaved(shared));
        assertThat(nextServerStore().open().models().added()).containsExactly(plain, full, shared);

        store.open();
        save(store, new Change.ModelRemoved("a"));
        assertThat(nextServerStore().open().models().added()).containsExactly(full, shared);
    }

    @Test
    void theResultOfACallGoesWithItsTask() throws Exception {
        var store = opened();
        save(store, saved(task(7)), new Change.ResultSaved(id(7), "{\"x\":1}"));
        assertThat(queries().result(id(7))).contains("{\"x\":1}");
        save(store, new Change.TaskRemoved(id(7)));
        assertThat(queries().result(id(7))).isEmpty();
    }

    @Test
    void aWholeTaskHasAllItsAttemptsAndItsResult() throws Exception {
        var store = opened();
        var first = attempt(1, 1, ended());
        var second = attempt(1, 2, new Phase.Starting());
        var only = attempt(2, 1, new Phase.Starting());
        save(store, saved(granted(1, 2)), saved(granted(2, 1)), saved(task(3)));
        save(store, saved(first), saved(second), saved(only));
        save(store, new Change.ResultSaved(id(2), "{\"x\":1}"));

        assertThat(queries().findWhole(id(1)))
                .contains(
                        new WholeTask(
                                new TaskRecord(granted(1, 2), Optional.of(second)),
                                List.of(first, second),
                                Optional.empty()));
        assertThat(queries().findWhole(id(2)))
                .contains(
                        new WholeTask(
                                new TaskRecord(granted(2, 1), Optional.of(only)),
                                List.of(only),
                                Optional.of("{\"x\":1}")));
        assertThat(queries().findWhole(id(3)).orElseThrow().attempts()).isEmpty();
        assertThat(queries().findWhole(id(4))).isEmpty();
    }

    @Test
    void anAttemptKnowsItsWorker() throws Exception {
        var worker = attempt(8, 1, new Phase.Starting());
        var call = attempt(7, 1, new Phase.Starting()).withWorker(worker.id());
        save(
                opened(),
                saved(granted(7, 1)),
                saved(granted(8, 1)),
                saved(worker.withWorker(worker.id())),
                saved(call));

        var read = nextServerStore().open().attempts();
        assertThat(read).containsExactly(call, worker.withWorker(worker.id()));
        assertThat(read.getFirst().isCall()).isTrue();
        assertThat(read.getLast().isWorker()).isTrue();
    }

    private TaskStore opened() throws Exception {
        var store = nextServerStore();
        store.open();
        return store;
    }
}
