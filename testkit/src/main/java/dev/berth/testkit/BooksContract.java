package dev.berth.testkit;

import static dev.berth.testkit.StoreSamples.ALICE;
import static dev.berth.testkit.StoreSamples.ODD_TEXT;
import static dev.berth.testkit.StoreSamples.RUN;
import static dev.berth.testkit.StoreSamples.at;
import static dev.berth.testkit.StoreSamples.attempt;
import static dev.berth.testkit.StoreSamples.ended;
import static dev.berth.testkit.StoreSamples.granted;
import static dev.berth.testkit.StoreSamples.id;
import static dev.berth.testkit.StoreSamples.keep;
import static dev.berth.testkit.StoreSamples.saved;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.card.CardId;
import dev.berth.core.card.Fault;
import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.LaneRun.Stage;
import dev.berth.core.lane.Mode;
import dev.berth.core.line.Usage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Consumption;
import dev.berth.core.task.Findings;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Said;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Scheduler;
import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.TaskStore;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** What every store keeps beside the tasks. */
public abstract class BooksContract {

    /** What the next server on this test's home would use. */
    protected abstract TaskStore anotherServer() throws Exception;

    /** Reads of this test's home. */
    protected abstract TaskQueries queries() throws Exception;

    @Test
    void tokensComeBackEqualAndMayBeForgotten() throws Exception {
        var store = opened();
        var token =
                new Token(
                        new TokenId(1),
                        new Token.Grant(Token.Kind.TOKEN, ODD_TEXT, "00ff", Optional.of(at(9))),
                        new Owner("unix:1007", ODD_TEXT),
                        at(1),
                        Optional.empty());
        var session =
                new Token(
                        new TokenId(2),
                        new Token.Grant(Token.Kind.SESSION, "", "01ff", Optional.empty()),
                        Owner.unix("ann"),
                        at(2),
                        Optional.of(at(3)));
        keep(store, new Change.TokenSaved(session), new Change.TokenSaved(token));
        assertThat(anotherServer().open().tokens()).containsExactly(token, session);

        store.open();
        keep(
                store,
                new Change.TokenSaved(token.revoked(at(5))),
                new Change.TokenDropped(session.id()),
                new Change.TokenDropped(new TokenId(99)));

        assertThat(anotherServer().open().tokens()).containsExactly(token.revoked(at(5)));
    }

    @Test
    void whatEverybodyHadOfTheCardsIsKept() throws Exception {
        var store = opened();
        keep(store, new Change.UsageSaved("unix:alice", new Usage.Account(12.5, at(1))));
        keep(
                store,
                new Change.UsageSaved("unix:alice", new Usage.Account(0.1 + 0.2, at(2))),
                new Change.UsageSaved(ODD_TEXT, new Usage.Account(1e12, at(3))));

        assertThat(anotherServer().open().usage())
                .containsOnlyKeys("unix:alice", ODD_TEXT)
                .containsEntry("unix:alice", new Usage.Account(0.1 + 0.2, at(2)))
                .containsEntry(ODD_TEXT, new Usage.Account(1e12, at(3)));
    }

    @Test
    void aStoppedSchedulerStaysStopped() throws Exception {
        var store = opened();
        var stopped = new Scheduler(false, Optional.of(new Scheduler.Turn(ALICE, at(2))));
        keep(store, new Change.SchedulerSet(stopped));

        assertThat(anotherServer().open().scheduler()).isEqualTo(stopped);
    }

    @Test
    void aRunComesBackEqualAtEveryStageAndIsLoadedUntilItIsOver() throws Exception {
        var store = opened();
        var live = run(1, Mode.SINGLE, OptionalInt.of(3), new Stage.Live());
        var stopping = run(2, Mode.MULTI, OptionalInt.empty(), new Stage.Stopping(at(4)));
        var finished = run(7, Mode.SINGLE, OptionalInt.of(0), new Stage.Finished(at(5)));
        var stopped = run(9, Mode.MULTI, OptionalInt.of(1), new Stage.Stopped(at(6)));
        for (var run : new LaneRun[] {stopped, live, finished, stopping}) {
            keep(store, new Change.RunSaved(run));
        }

        assertThat(queries().runs(10)).containsExactly(stopped, finished, stopping, live);
        assertThat(queries().runs(2)).containsExactly(stopped, finished);
        var loaded = anotherServer().open();
        assertThat(loaded.runs()).containsExactly(live, stopping);
        assertThat(loaded.lastRun()).isEqualTo(9);

        store.open();
        keep(store, new Change.RunSaved(live.at(new Stage.Finished(at(8)))));
        assertThat(anotherServer().open().runs()).containsExactly(stopping);
    }

    private static LaneRun run(long id, Mode mode, OptionalInt config, Stage stage) {
        return new LaneRun(
                id,
                mode,
                config,
                "command/" + ODD_TEXT,
                id % 2 == 0 ? LaneRun.Origin.CONSOLE : LaneRun.Origin.TERMINAL,
                ALICE,
                at(1),
                id(10 * id),
                7,
                stage);
    }

    @Test
    void whatAScriptSaidOfItsEndIsKept() throws Exception {
        var store = opened();
        var well =
                attempt(1, 1, new Phase.Running(RUN)).with(new Said(true, Optional.empty(), at(3)));
        var badly =
                attempt(2, 1, new Phase.Running(RUN))
                        .with(new Said(false, Optional.of(ODD_TEXT), at(4)));
        keep(store, saved(granted(1, 1)), saved(granted(2, 1)), saved(well), saved(badly));

        assertThat(anotherServer().open().attempts()).containsExactly(well, badly);
        assertThat(queries().attempts(id(2))).containsExactly(badly);
    }

    @Test
    void whatWasFoundOutAboutAnAttemptIsKept() throws Exception {
        var store = opened();
        var diagnosis =
                new Diagnosis(Cause.OOM, ODD_TEXT, new TreeMap<>(Map.of("tried_mib", "2048")));
        var watched =
                new Consumption(
                        11_000,
                        9_000,
                        OptionalInt.of(99),
                        OptionalInt.of(0),
                        Duration.ofMillis(90_500));
        var unread =
                new Consumption(
                        0, 0, OptionalInt.empty(), OptionalInt.empty(), Duration.ofNanos(1000));
        var all = found(1, Optional.of(diagnosis), Optional.of(watched));
        var diagnosed = found(2, Optional.of(diagnosis), Optional.empty());
        var seen = found(3, Optional.empty(), Optional.of(unread));
        for (var attempt : List.of(all, diagnosed, seen)) {
            keep(store, saved(granted(attempt.id().task().value(), 1)), saved(attempt));
        }

        assertThat(queries().attempts(id(1))).containsExactly(all);
        assertThat(queries().attempts(id(2))).containsExactly(diagnosed);
        assertThat(queries().attempts(id(3))).containsExactly(seen);
    }

    private static Attempt found(
            long task, Optional<Diagnosis> diagnosis, Optional<Consumption> consumption) {
        return attempt(task, 1, ended()).with(new Findings(diagnosis, consumption));
    }

    @Test
    void aCardStaysOutOfUseUntilItIsHandedBack() throws Exception {
        var store = opened();
        var missing =
                new Fault(
                        new CardId("host-a", "GPU-1"),
                        Fault.Kind.MISSING,
                        ODD_TEXT,
                        at(3),
                        Fault.Stage.TESTING);
        var taken =
                new Fault(
                        new CardId("host-a", "GPU-2"),
                        Fault.Kind.PERSON,
                        "",
                        at(4),
                        Fault.Stage.OUT);
        keep(store, new Change.FaultSaved(taken), new Change.FaultSaved(missing));
        assertThat(anotherServer().open().faults()).containsExactly(missing, taken);

        store.open();
        keep(
                store,
                new Change.FaultSaved(missing.with(Fault.Stage.OUT)),
                new Change.FaultDropped(taken.card()));
        assertThat(anotherServer().open().faults()).containsExactly(missing.with(Fault.Stage.OUT));
    }

    @Test
    void whatAModelWasFoundToNeedIsKept() throws Exception {
        var store = opened();
        keep(store, new Change.EstimateSaved(ODD_TEXT, 4800));
        keep(store, new Change.EstimateSaved(ODD_TEXT, 5760), new Change.EstimateSaved("a", 1));

        assertThat(anotherServer().open().estimates()).isEqualTo(Map.of(ODD_TEXT, 5760L, "a", 1L));
    }

    private TaskStore opened() throws Exception {
        var store = anotherServer();
        store.open();
        return store;
    }
}
