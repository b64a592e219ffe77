package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.ShareRules;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.ReservationPayload;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Limits, reservations and shares in the engine. */
class ShareEngineTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Owner BOB = Owner.unix("bob");
    private static final Duration HOUR = Duration.ofHours(1);

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    private void start(LimitRules limits) throws StoreFailure {
        start(new ShareRules(limits, UserWeights.EQUAL, false));
    }

    private void start(ShareRules shares) throws StoreFailure {
        var planner = new Planner(SchedulingRules.DEFAULT.with(shares));
        var order = new FairShareOrder(shares.weights());
        var queueing = new QueueSettings(order, 1000, Duration.ofDays(1), Duration.ofMillis(100));
        engine =
                Engine.recover(
                        new Engine.Parts(store, node, planner, queueing, Failpoints.NONE), 0, now);
        readGpus(Optional.of(List.of()));
    }

    private static LimitRules ofAnn(LimitKey key, double value) {
        var values = new TreeMap<String, SortedMap<LimitKey, Double>>();
        values.put("ann", new TreeMap<>(Map.of(key, value)));
        return new LimitRules(new TreeMap<>(), new TreeMap<>(), values);
    }

    private static LimitRules ofVision(LimitKey key, double value) {
        var values = new TreeMap<String, SortedMap<LimitKey, Double>>();
        values.put("vision", new TreeMap<>(Map.of(key, value)));
        return new LimitRules(new TreeMap<>(), values, new TreeMap<>());
    }

    @Test
    void aTaskWithoutATimeLimitGetsTheLongestAndALongerOneIsRefused() throws StoreFailure {
        start(ofAnn(LimitKey.MAX_HOURS, 2));
        var id = accepted(submit(ANN, spec(Need.CPU)));
        assertThat(timeLimit(id)).contains(HOUR.multipliedBy(2));
        assertThat(timeLimit(accepted(submit(ANN, spec(Need.CPU).with(HOUR))))).contains(HOUR);
        assertThat(timeLimit(accepted(submit(BOB, spec(Need.CPU))))).isEmpty();
        var refused = refused(submit(ANN, spec(Need.CPU).with(HOUR.multipliedBy(3))));
        assertThat(refused).isEqualTo("limit.max_hours timeout_seconds");
    }

    @Test
    void aMoreUrgentPriorityIsRefusedAlsoByAnEdit() throws StoreFailure {
        start(ofAnn(LimitKey.MAX_PRIORITY, Limit.ofPriority(Priority.NORMAL)));
        var high = spec(Need.gpus(2)).with(Priority.HIGH);
        assertThat(refused(submit(ANN, high))).isEqualTo("limit.max_priority priority");
        var id = accepted(submit(ANN, spec(Need.gpus(2))));
        accepted(submit(ANN, spec(Need.gpus(2))));
        var waiting = new TaskId(id.value() + 1);
        var before = engine.state().tasks().get(waiting).orElseThrow().spec();
        var edit = before.with(Priority.CRITICAL);
        assertThat(refused(ask(new EngineCommand.ChangeTask(now, ANN, waiting, before, edit))))
                .isEqualTo("limit.max_priority priority");
        accepted(
                ask(
                        new EngineCommand.ChangeTask(
                                now, ANN, waiting, before, before.with(Priority.LOW))));
    }

    @Test
    void onlySoManyTasksMayWait() throws StoreFailure {
        start(ofAnn(LimitKey.MAX_QUEUED, 1));
        accepted(submit(ANN, spec(Need.gpus(2))));
        accepted(submit(ANN, spec(Need.gpus(2))));
        assertThat(refused(submit(ANN, spec(Need.gpus(2))))).isEqualTo("limit.max_queued ");
        accepted(submit(BOB, spec(Need.gpus(2))));
    }

    @Test
    void groupsAreStoredAndTheirLimitsApplyAtOnceAndAfterARestart() throws StoreFailure {
        start(ofVision(LimitKey.MAX_RUNNING, 1));
        groups(ANN, "vision");
        accepted(submit(ANN, spec(Need.CPU)));
        var second = accepted(submit(ANN, spec(Need.CPU)));
        assertThat(isRunning(second)).isFalse();
        now = now.plusSeconds(1);
        start(ofVision(LimitKey.MAX_RUNNING, 1));
        assertThat(engine.state().durable().groups().of(ANN)).containsExactly("vision");
        tick();
        assertThat(isRunning(second)).isFalse();
        groups(ANN);
        assertThat(isRunning(second)).as("no longer in the group").isTrue();
    }

    @Test
    void aReservationIsStoredKeepsItsGpusAndEnds() throws StoreFailure {
        start(LimitRules.NONE);
        var reply = reserve(new ReservedGpus.AnyGpus(2), now.plus(HOUR), false);
        assertThat(reply)
                .isInstanceOfSatisfying(
                        EngineReply.ReservationKept.class,
                        kept -> assertThat(kept.reservation().id()).isEqualTo(1));
        var waits = accepted(submit(ANN, spec(Need.gpus(1))));
        var short1 = accepted(submit(ANN, spec(Need.gpus(1)).with(HOUR)));
        assertThat(isRunning(waits)).isFalse();
        assertThat(isRunning(short1)).as("its time limit ends it before").isTrue();
        now = now.plusSeconds(5);
        start(LimitRules.NONE);
        assertThat(engine.state().durable().reservations().size()).isEqualTo(1);
        tick();
        assertThat(engine.due()).isBeforeOrEqualTo(now.plus(HOUR));
        assertThat(isRunning(waits)).isFalse();
        now = now.plus(HOUR.multipliedBy(2));
        tick();
        assertThat(isRunning(waits)).as("the window is over").isTrue();
        assertThat(engine.state().durable().reservations().isEmpty()).isTrue();
        assertThat(store.eventsAfter(0, 1000))
                .anyMatch(one -> one.payload() instanceof ReservationPayload.ReservationCreated)
                .anyMatch(one -> one.payload() instanceof ReservationPayload.ReservationOver);
        reserve(new ReservedGpus.AnyGpus(1), now, false);
        assertThat(engine.state().durable().reservations().first().orElseThrow().getKey())
                .as("an id is not used again")
                .isEqualTo(2);
    }

    @Test
    void aReservationThatCannotBeIsRefused() throws StoreFailure {
        start(LimitRules.NONE);
        assertThat(refused(reserve(new ReservedGpus.AnyGpus(3), now, false)))
                .isEqualTo("reservation.too_many gpus");
        assertThat(refused(reserve(new ReservedGpus.AnyGpus(1), now.minus(HOUR), false)))
                .isEqualTo("reservation.past from");
        var unknown = new ReservedGpus.NamedGpus(GpuIndices.of(7));
        assertThat(refused(reserve(unknown, now, false))).isEqualTo("reservation.no_gpu gpus");
        reserve(new ReservedGpus.AnyGpus(1), now.minus(HOUR), true);
        assertThat(
                        refused(
                                reserve(
                                        new ReservedGpus.AnyGpus(2),
                                        now.plus(Duration.ofDays(7)).minusSeconds(1),
                                        true)))
                .as("the weekly one is at the same time")
                .isEqualTo("reservation.overlap ");
        assertThat(refused(ask(new EngineCommand.RemoveReservation(now, ANN, 9))))
                .isEqualTo("reservation.unknown ");
        ask(new EngineCommand.RemoveReservation(now, ANN, 1));
        assertThat(engine.state().durable().reservations().isEmpty()).isTrue();
    }

    @Test
    void gpuTimeOutsideBerthIsChargedOnlyIfItIsToBeCounted() throws StoreFailure {
        start(new ShareRules(LimitRules.NONE, UserWeights.EQUAL, true));
        var process =
                new GpuProcess(
                        1,
                        OptionalLong.of(100),
                        GpuProcess.Kind.COMPUTE,
                        "python",
                        new ProcessOwner.HostUser("bob", false),
                        Optional.empty());
        for (int second = 0; second < 130; second++) {
            now = now.plusSeconds(1);
            readGpus(Optional.of(List.of(process)));
        }
        double used = engine.state().durable().usage().hours("unix:bob").lastDay(now);
        assertThat(used).as("on two GPUs, stored each minute").isBetween(200.0, 260.0);
        start(new ShareRules(LimitRules.NONE, UserWeights.EQUAL, false));
        for (int second = 0; second < 130; second++) {
            now = now.plusSeconds(1);
            readGpus(Optional.of(List.of(process)));
        }
        assertThat(engine.state().durable().usage().hours("unix:bob").lastDay(now)).isEqualTo(used);
    }

    @Test
    void weightsAndLimitsChangeWhileTheServerRuns() throws StoreFailure {
        start(ofAnn(LimitKey.MAX_RUNNING, 1));
        accepted(submit(ANN, spec(Need.CPU)));
        var second = accepted(submit(ANN, spec(Need.CPU)));
        assertThat(isRunning(second)).isFalse();
        var weights = new UserWeights(new TreeMap<>(), new TreeMap<>(Map.of("vision", 2.0)));
        var rules =
                SchedulingRules.DEFAULT.with(
                        new ShareRules(ofAnn(LimitKey.MAX_RUNNING, 2), weights, false));
        ask(new EngineCommand.ChangeRules(now, ANN, rules, AttemptSettings.DEFAULT, List.of()));
        tick();
        assertThat(isRunning(second)).isTrue();
        assertThat(engine.state().waiting().order())
                .isInstanceOfSatisfying(
                        FairShareOrder.class,
                        order -> assertThat(order.userWeights()).isEqualTo(weights));
    }

    private EngineReply reserve(ReservedGpus gpus, Instant begin, boolean isWeekly) {
        return ask(
                new EngineCommand.CreateReservation(
                        now,
                        ANN,
                        new ReservationHolder.ForNobody(),
                        gpus,
                        new Reservation.Schedule(begin, HOUR, isWeekly, ZoneOffset.UTC),
                        "a note"));
    }

    private void groups(Owner owner, String... names) {
        var groups = new TreeMap<String, SortedSet<String>>();
        groups.put(owner.principal(), new TreeSet<>(List.of(names)));
        observe(new Fact.GroupsRead(groups));
    }

    private static TaskSpec spec(Need need) {
        return TaskSpec.of("train", "true", need, "/");
    }

    private EngineReply submit(Owner owner, TaskSpec spec) {
        return ask(new EngineCommand.Submit(now, owner, spec, Optional.empty()));
    }

    private Optional<Duration> timeLimit(TaskId id) {
        return store.find(id).orElseThrow().task().spec().options().timeLimit();
    }

    private boolean isRunning(TaskId id) {
        return store.find(id).orElseThrow().task().state() instanceof TaskState.Running
                && node.launched.contains(new AttemptId(id, 1));
    }

    private static TaskId accepted(EngineReply reply) {
        assertThat(reply).isInstanceOf(EngineReply.TaskAccepted.class);
        return ((EngineReply.TaskAccepted) reply).task();
    }

    private static String refused(EngineReply reply) {
        assertThat(reply).isInstanceOf(EngineReply.Refused.class);
        var rejection = ((EngineReply.Refused) reply).rejection();
        return rejection.code() + " " + rejection.field();
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void tick() {
        ask(new EngineCommand.Tick(now));
    }

    private void observe(Fact fact) {
        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Observe(now, fact), _ -> {})), now);
    }

    /** Two GPUs with these processes on each. */
    private void readGpus(Optional<List<GpuProcess>> processes) {
        var gpus = new ArrayList<GpuState>();
        for (int index = 0; index < 2; index++) {
            var gpu = new Gpu(new GpuId("here", "GPU-" + index), index, "Simulated", 24576);
            var reading =
                    new GpuReading(
                            OptionalLong.of(0),
                            OptionalLong.of(24576),
                            OptionalInt.of(0),
                            OptionalInt.of(40));
            gpus.add(new GpuState.Readable(gpu, reading.withProcesses(processes)));
        }
        observe(new Fact.GpusRead("here", gpus));
    }
}
