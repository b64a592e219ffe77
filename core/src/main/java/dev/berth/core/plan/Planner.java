package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.lane.GpuSelection;
import dev.berth.core.lane.LaneAccess;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.WaitReason.RefusedGpu;
import dev.berth.core.queue.QueueId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decides which tasks start on which GPUs. */
public final class Planner {

    private final SchedulingRules rules;
    private final Backfill backfill;
    private final PlacementPolicy placement;
    private final PlacementPolicy lanePlacement;

    // Arrays, because a pass reads them thousands of times.
    private final Constraint[] mandatory;
    private final Constraint[] all;

    /**
     * @param lanePlacement placement for the lanes of file runs
     */
    public Planner(
            SchedulingRules rules,
            Backfill backfill,
            PlacementPolicy placement,
            PlacementPolicy lanePlacement) {
        this.rules = rules;
        this.backfill = backfill;
        this.placement = placement;
        this.lanePlacement = lanePlacement;
        this.mandatory = Constraint.mandatory(rules).toArray(Constraint[]::new);
        this.all =
                Stream.concat(Arrays.stream(mandatory), Constraint.waivable(rules).stream())
                        .toArray(Constraint[]::new);
    }

    public Planner(SchedulingRules rules, Backfill backfill, PlacementPolicy placement) {
        this(rules, backfill, placement, new SamplingPlacement());
    }

    /** The same policies with other rules. */
    public Planner with(SchedulingRules other) {
        return new Planner(other, backfill, placement, lanePlacement);
    }

    /** Without backfill, placed by best score. */
    public Planner(SchedulingRules rules) {
        this(rules, new Backfill.Off(), new BestScorePlacement());
    }

    public SchedulingRules rules() {
        return rules;
    }

    public Backfill backfill() {
        return backfill;
    }

    public PlacementPolicy placement() {
        return placement;
    }

    public PlacementPolicy placement(Shape shape) {
        return placement(shape.gpuSelection());
    }

    private PlacementPolicy placement(GpuSelection selection) {
        return selection.yieldsToOthers() ? lanePlacement : placement;
    }

    public Plan plan(Snapshot snapshot) {
        return snapshot.cluster().isPresent()
                ? new HandOverPass(snapshot, snapshot.cluster().get()).run()
                : new SchedulingPass(this, snapshot).run();
    }

    /** The verdict of a pass on one waiting task, with all reasons if it waits. */
    public Verdict explain(Snapshot snapshot, Task task) {
        return explain(snapshot, plan(snapshot), task);
    }

    /** The same by a plan of this snapshot. */
    public Verdict explain(Snapshot snapshot, Plan plan, Task task) {
        if (snapshot.starts().pause().isPresent()) {
            return new Verdict.Wait(task.id(), List.of(snapshot.starts().pause().get()));
        }
        for (var start : plan.starts()) {
            if (start.task().equals(task.id())) {
                return start;
            }
        }
        if (snapshot.cluster().isPresent()) {
            return explainInCluster(snapshot, snapshot.cluster().get(), plan, task);
        }
        var reasons = new ArrayList<WaitReason>();
        var limit = plan.limits().reason(snapshot, task);
        limit.ifPresent(reasons::add);
        reasons.addAll(turnReasons(snapshot, plan, task, limit.isPresent()));
        reasons.addAll(shortage(task, plan));
        Optional.ofNullable(plan.unloading().get(task.id()))
                .map(WaitReason.Unloading::new)
                .ifPresent(reasons::add);
        if (reasons.isEmpty()) {
            yielding(task, plan).ifPresent(reasons::add);
        }
        if (reasons.isEmpty()) {
            plan.promise().map(Planner::behind).ifPresent(reasons::add);
        }
        return new Verdict.Wait(task.id(), reasons);
    }

    private Verdict explainInCluster(
            Snapshot snapshot, ClusterWindow window, Plan plan, Task task) {
        if (task.state() instanceof TaskState.Handed) {
            var wait = window.waits().getOrDefault(task.id(), ClusterWait.UNKNOWN);
            return new Verdict.Wait(task.id(), List.of(new WaitReason.InCluster(wait)));
        }
        var reasons = new ArrayList<>(turnReasons(snapshot, plan, task, false));
        window.full(task.owner().principal(), reasons.isEmpty()).ifPresent(reasons::add);
        return new Verdict.Wait(task.id(), reasons);
    }

    /**
     * Reasons why it is not the task's turn, independent of GPUs.
     *
     * @param isAtLimit it waits for its owner's limit, not for a head of the queue
     */
    private List<WaitReason> turnReasons(
            Snapshot snapshot, Plan plan, Task task, boolean isAtLimit) {
        var reasons = new ArrayList<WaitReason>();
        var waiting = snapshot.waiting();
        if (waiting.isDelayed(task)) {
            var fault = snapshot.starts().faults().get(task.id());
            task.notBefore()
                    .<WaitReason>map(
                            until ->
                                    fault == null
                                            ? new WaitReason.BackingOff(until)
                                            : new WaitReason.CouldNotStart(until, fault))
                    .ifPresent(reasons::add);
        }
        if (task.spec().options().lane().isEmpty()) {
            behind(snapshot, plan, task).filter(_ -> !isAtLimit).ifPresent(reasons::add);
            return reasons;
        }
        var line = QueueId.of(task);
        var first = waiting.lanes().queued(line).first().map(entry -> entry.getKey());
        var busy = waiting.lanes().running(line);
        if (first.isPresent() && !first.get().equals(task.id())) {
            int position = waiting.position(task, snapshot::usedGpuSeconds).orElse(0);
            reasons.add(new WaitReason.BehindHead(first.get(), position));
        }
        busy.map(running -> new WaitReason.LaneBusy(running.id())).ifPresent(reasons::add);
        if (reasons.isEmpty()) {
            task.spec()
                    .fileRunLane()
                    .filter(lane -> plan.startingRuns().contains(lane.run()))
                    .map(lane -> new WaitReason.RunStarting(lane.run()))
                    .ifPresent(reasons::add);
        }
        return reasons;
    }

    /** GPUs fit but the task did not start, so it leaves them for other users. */
    private Optional<WaitReason> yielding(Task task, Plan plan) {
        return Shape.of(task.spec()).gpuSelection().yieldsToOthers()
                ? Optional.of(
                        new WaitReason.YieldingToOthers(
                                rules.lanes().leftForOthers(), idleLaneGpus(plan.fleet()).size()))
                : Optional.empty();
    }

    /** The idle GPUs among those that lanes may use. */
    SortedSet<GpuId> idleLaneGpus(Fleet fleet) {
        return fleet.views()
                .filter(view -> view.laneAccess() != LaneAccess.DENIED)
                .filter(view -> view.isIdle(rules.memoryThresholdPercent()))
                .map(view -> view.state().gpu().id())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Optional<WaitReason> behind(Snapshot snapshot, Plan plan, Task task) {
        var head = plan.blocked().get(QueueId.of(task));
        if (head == null
                || head.id().equals(task.id())
                || !isBehind(task, head, snapshot.fleet())) {
            return Optional.empty();
        }
        var promised = plan.promise().filter(one -> one.head().id().equals(head.id()));
        var start = promised.flatMap(PromisedStart::at);
        if (start.isPresent()) {
            return Optional.of(behind(promised.get()))
                    .filter(_ -> !isShort(snapshot, task, start.get()));
        }
        int position = snapshot.waiting().position(task, snapshot::usedGpuSeconds).orElse(0);
        return Optional.of(new WaitReason.BehindHead(head.id(), position));
    }

    /** Whether backfill makes a task wait for the head of its queue. */
    private boolean isBehind(Task task, Task head, Fleet fleet) {
        return switch (backfill) {
            case Backfill.Off _ -> true;
            case Backfill.Greedy _ -> false;
            case Backfill.Safe _ -> {
                var shape = Shape.of(task.spec());
                var headShape = Shape.of(head.spec());
                yield fleet.gpus()
                        .values()
                        .anyMatch(gpu -> isSuitable(shape, gpu) && isSuitable(headShape, gpu));
            }
        };
    }

    /** Whether the GPU could be used for the shape if it were not held or in use. */
    public boolean isSuitable(Shape shape, GpuState state) {
        return shape.need() instanceof Need.Gpus need
                && isSuitable(requirement(need, shape), state);
    }

    private static WaitReason behind(PromisedStart promise) {
        return new WaitReason.BehindReservation(promise.head().id(), promise.at());
    }

    private static boolean isShort(Snapshot snapshot, Task task, Instant start) {
        return snapshot.bounds().length(task).stream()
                .anyMatch(length -> !snapshot.at().plus(length).isAfter(start));
    }

    private List<WaitReason> shortage(Task task, Plan plan) {
        return switch (task.spec().requirements().need()) {
            case Need.Cpu _ -> cpuLimit(plan.cpuTasks()).stream().toList();
            case Need.Gpus need -> {
                var ask = requirement(need, plan.fleet().placing(task));
                yield shortage(ask, plan.fleet(task), all).stream().toList();
            }
        };
    }

    /** The verdict on a manual start now, regardless of the queue. */
    public Verdict planManualStart(Snapshot snapshot, Task task, boolean isForced) {
        if (snapshot.starts().pause().isPresent()) {
            return new Verdict.Wait(task.id(), List.of(snapshot.starts().pause().get()));
        }
        var before = snapshot.waiting().lanes().running(QueueId.of(task));
        if (before.isEmpty() && snapshot.cluster().isPresent()) {
            return new Verdict.Start(task.nextAttempt(), List.of());
        }
        if (before.isPresent()) {
            return new Verdict.Wait(task.id(), List.of(new WaitReason.LaneBusy(before.get().id())));
        }
        var limit = OwnerRoom.of(rules.limits(), snapshot, task.owner());
        var atLimit = limit.refusal(task.spec().requirements().need());
        if (!isForced && atLimit.isPresent()) {
            return new Verdict.Wait(task.id(), List.of(atLimit.get()));
        }
        if (!(task.spec().requirements().need() instanceof Need.Gpus need)) {
            var full = cpuLimit(snapshot.starts().cpuTasks());
            return full.isPresent()
                    ? new Verdict.Wait(task.id(), List.of(full.get()))
                    : new Verdict.Start(task.nextAttempt(), List.of());
        }
        var fleet = fleet(snapshot, Shape.of(task.spec()).gpuSelection());
        var ask = requirement(need, fleet.placing(task));
        var rules = isForced ? mandatory : all;
        var missing = shortage(ask, fleet, rules);
        if (missing.isPresent()) {
            return new Verdict.Wait(task.id(), List.of(missing.get()));
        }
        var fitting = fitting(ask, fleet.claimable(), rules, snapshot.at());
        int most = Math.max(need.count().min(), Math.min(need.count().max(), limit.gpusLeft()));
        var chosen = fitting.subList(0, Math.min(most, fitting.size()));
        var unloading = Eviction.needed(ask, chosen, this.rules);
        return unloading.isEmpty() || isForced
                ? new Verdict.Start(task.nextAttempt(), claims(ask, chosen))
                : new Verdict.Wait(task.id(), List.of(new WaitReason.Unloading(unloading)));
    }

    /**
     * Number of known GPUs that could serve this shape if they were not held or used.
     *
     * @param most no more are counted: with many GPUs nearly every task finds enough among the
     *     first
     */
    public int suitableGpus(Shape shape, PersistentMap<?, GpuState> states, int most) {
        var ask = requirement((Need.Gpus) shape.need(), shape);
        return (int) states.values().filter(state -> isSuitable(ask, state)).limit(most).count();
    }

    /** All GPUs by index, each with its refusal or its scores. */
    public List<GpuAssessment> assess(Snapshot snapshot, Task task) {
        if (!(task.spec().requirements().need() instanceof Need.Gpus need)) {
            return List.of();
        }
        var fleet = fleet(snapshot, Shape.of(task.spec()).gpuSelection());
        var ask = requirement(need, fleet.placing(task));
        return fleet.views()
                .sorted(Comparator.comparingInt(view -> view.state().gpu().index()))
                .map(
                        view ->
                                new GpuAssessment(
                                        view,
                                        refusal(ask, view, all),
                                        PlacementPolicy.all(rules.modelCache()).stream()
                                                .map(
                                                        rule ->
                                                                GpuAssessment.scored(
                                                                        rule, ask, view, snapshot))
                                                .toList()))
                .toList();
    }

    /** All GPUs by index as a plan leaves them to a waiting task, each with its refusal. */
    public List<GpuAssessment> refusals(Plan plan, Task task) {
        if (!(task.spec().requirements().need() instanceof Need.Gpus need)) {
            return List.of();
        }
        var ask = requirement(need, plan.fleet().placing(task));
        return plan.fleet(task)
                .views()
                .sorted(Comparator.comparingInt(view -> view.state().gpu().index()))
                .map(view -> new GpuAssessment(view, refusal(ask, view, all), List.of()))
                .toList();
    }

    /** Why this GPU cannot be used for the shape. */
    public Optional<Refusal> refusal(Shape shape, GpuView view, boolean isForced) {
        return shape.need() instanceof Need.Gpus need
                ? refusal(requirement(need, shape), view, isForced ? mandatory : all)
                : Optional.empty();
    }

    /** Whether a task of this shape could start on this GPU without waiting for a worker. */
    public boolean canStartNow(Shape shape, GpuView view) {
        if (!(shape.need() instanceof Need.Gpus need)) {
            return false;
        }
        var ask = requirement(need, shape);
        return refusal(ask, view, all).isEmpty() && Eviction.needed(ask, view, rules).isEmpty();
    }

    public GpuRequirement requirement(Need.Gpus need, Shape shape) {
        return GpuRequirement.of(need, shape, rules);
    }

    GpuRequirement requirement(Need.Gpus need, Placing placing) {
        return requirement(need, placing.shape()).with(placing.closed());
    }

    /** The reservations, with the GPUs that they keep now. */
    public ReservationPlan reservations(Snapshot snapshot) {
        return ReservationPlan.of(snapshot, rules.pool());
    }

    // The steps of a scheduling pass.

    private Fleet fleet(Snapshot snapshot, GpuSelection selection) {
        var fleet = snapshot.fleet().with(reservations(snapshot));
        return selection.yieldsToOthers() ? fleet.withLaneGpus(rules) : fleet;
    }

    Optional<Refusal> refusal(GpuRequirement ask, GpuView view) {
        return refusal(ask, view, all);
    }

    private static Optional<Refusal> refusal(
            GpuRequirement ask, GpuView view, Constraint[] constraints) {
        for (var constraint : constraints) {
            var refusal = constraint.refusal(ask, view);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    /** The GPUs that fit, best first. */
    List<GpuView> fitting(GpuRequirement ask, List<GpuView> among, Instant now) {
        return fitting(ask, among, all, now);
    }

    private List<GpuView> fitting(
            GpuRequirement ask, List<GpuView> among, Constraint[] constraints, Instant now) {
        record Scored(GpuView view, int unloads, Score score) {}
        return among.stream()
                .filter(view -> refusal(ask, view, constraints).isEmpty())
                .map(
                        view ->
                                new Scored(
                                        view,
                                        unloads(ask, view),
                                        placement(ask.gpuSelection()).score(ask, view, now)))
                .sorted(
                        Comparator.comparingInt(Scored::unloads)
                                .thenComparing(Scored::score, Comparator.reverseOrder())
                                .thenComparing(scored -> scored.view().state().gpu().index())
                                .thenComparing(scored -> scored.view().state().gpu().id()))
                .map(Scored::view)
                .toList();
    }

    /**
     * A GPU with its model loaded is preferred, then one that no worker has to leave, then one that
     * workers are leaving already.
     */
    private int unloads(GpuRequirement ask, GpuView view) {
        if (view.workers().isEmpty() || (ask.isCall() && view.hasLoaded(ask.model()))) {
            return 0;
        }
        var needed = Eviction.needed(ask, view, rules);
        return needed.isEmpty() ? 0 : needed.stream().allMatch(WarmWorker::isStopping) ? 1 : 2;
    }

    Optional<WaitReason> cpuLimit(int running) {
        return rules.maxCpuTasks().isPresent() && running >= rules.maxCpuTasks().getAsInt()
                ? Optional.of(
                        new WaitReason.CpuLimitReached(running, rules.maxCpuTasks().getAsInt()))
                : Optional.empty();
    }

    /** Whether the GPU could be used if it were not held or in use. */
    boolean isSuitable(GpuRequirement ask, GpuState state) {
        return refusal(ask, GpuView.unheld(state), mandatory).stream()
                .noneMatch(Refusal::isPermanent);
    }

    private static Optional<WaitReason> shortage(
            GpuRequirement ask, Fleet fleet, Constraint[] constraints) {
        var refused = new ArrayList<RefusedGpu>();
        int unsuitable = 0;
        for (var state : fleet.gpus().values().toList()) {
            var refusal = refusal(ask, fleet.view(state), constraints);
            if (refusal.isPresent()) {
                unsuitable += refusal.get().isPermanent() ? 1 : 0;
                refused.add(new RefusedGpu(state.gpu(), refusal.get()));
            }
        }
        int neededCount = ask.need().count().min();
        int fitting = fleet.gpus().size() - refused.size();
        if (fitting >= neededCount) {
            return Optional.empty();
        }
        // For a task that names its GPUs, the other GPUs are not worth a reason.
        refused.removeIf(entry -> entry.refusal() instanceof Refusal.NotRequested);
        refused.sort(Comparator.comparingInt(entry -> entry.gpu().index()));
        int suitable = fleet.gpus().size() - unsuitable;
        return Optional.of(
                suitable < neededCount
                        ? new WaitReason.NeverPossible(neededCount, suitable, refused)
                        : new WaitReason.NotEnoughGpus(neededCount, fitting, refused));
    }

    static List<Claim> claims(GpuRequirement ask, List<GpuView> chosen) {
        return chosen.stream()
                .map(view -> view.state().gpu())
                .sorted(Comparator.comparingInt(gpu -> gpu.index()))
                .map(gpu -> new Claim(gpu.id(), ask.neededMib().orElse(0), !ask.isShared()))
                .toList();
    }
}
