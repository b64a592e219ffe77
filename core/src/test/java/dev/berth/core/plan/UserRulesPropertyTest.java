package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Limits and reservations in every plan, for random snapshots. */
class UserRulesPropertyTest {

    private static final int WORLDS = 10_000;

    @Test
    void nobodyStartsMoreThanItsLimits() {
        var seen = new AtomicInteger();
        everywhere(
                (world, plan) -> {
                    for (var owner : owners(plan, world)) {
                        var starts = startsOf(owner, plan, world);
                        var before = running(owner, world);
                        int gpus =
                                starts.stream().mapToInt(start -> start.claims().size()).sum()
                                        + before.stream()
                                                .mapToInt(UserLoads.RunningLoad::gpuCount)
                                                .sum();
                        limit(LimitKey.MAX_RUNNING, owner, world)
                                .ifPresent(
                                        most -> {
                                            assertThat(starts.size() + before.size())
                                                    .isLessThanOrEqualTo((int) most.value());
                                            seen.incrementAndGet();
                                        });
                        if (starts.stream().anyMatch(start -> !start.claims().isEmpty())) {
                            limit(LimitKey.MAX_GPUS, owner, world)
                                    .ifPresent(
                                            most ->
                                                    assertThat(gpus)
                                                            .isLessThanOrEqualTo(
                                                                    (int) most.value()));
                        }
                    }
                });
        assertThat(seen).as("starts of users with a limit").hasValueGreaterThan(1000);
    }

    @Test
    void nothingStartsOnAGpuThatIsReservedForOthers() {
        var seen = new AtomicInteger();
        everywhere(
                (world, plan) -> {
                    var reserved = world.planner.reservations(world.snapshot);
                    for (var start : plan.starts()) {
                        var task = task(start, world);
                        for (var claim : start.claims()) {
                            for (var window : reserved.on(claim.gpu())) {
                                assertThat(isClosed(window, task, world)).isFalse();
                                seen.incrementAndGet();
                            }
                        }
                    }
                });
        assertThat(seen).as("starts on reserved GPUs").hasValueGreaterThan(500);
    }

    /** Otherwise a GPU would be idle while a task waits that could use it. */
    @Test
    void withGreedyBackfillNoTaskWaitsForGpusThatItCouldUse() {
        var seen = new AtomicInteger();
        for (long seed = 0; seed < WORLDS; seed++) {
            var world = new RandomUsers(seed);
            var rules = world.planner.rules();
            var planner = new Planner(rules, new Backfill.Greedy(), new BestScorePlacement());
            var plan = planner.plan(world.snapshot);
            var started = plan.starts().stream().map(Verdict.Start::task).toList();
            for (var task : world.snapshot.waiting().all().toList()) {
                if (!started.contains(task.id())
                        && task.spec().requirements().need() instanceof Need.Gpus need
                        && plan.limits().reason(world.snapshot, task).isEmpty()) {
                    var ask = planner.requirement(need, plan.fleet().placing(task));
                    var fitting =
                            planner.fitting(ask, plan.fleet().claimable(), world.snapshot.at());
                    assertThat(fitting)
                            .as("seed %s, task %s", seed, task.id())
                            .hasSizeLessThan(need.count().min());
                    seen.incrementAndGet();
                }
            }
        }
        assertThat(seen).as("waiting tasks").hasValueGreaterThan(10_000);
    }

    @Test
    void reservationsTakeTheGpusThatServeThemBest() {
        var seen = new AtomicInteger();
        everywhere(
                (world, _) -> {
                    var plan = world.planner.reservations(world.snapshot);
                    var expected = selected(plan.windows(), world);
                    for (var window : plan.windows()) {
                        var gpus = new TreeSet<Integer>();
                        for (var entry : plan.byGpu()) {
                            if (entry.getValue().contains(window)) {
                                gpus.add(index(world.snapshot.fleet(), entry.getKey()));
                            }
                        }
                        assertThat(gpus).isEqualTo(expected.get(window.id()));
                        seen.addAndGet(gpus.size());
                    }
                });
        assertThat(seen).as("reserved GPUs").hasValueGreaterThan(1000);
    }

    @Test
    void theViewsOfAFleetAreThoseOfEachGpu() {
        everywhere(
                (world, plan) -> {
                    for (var fleet : List.of(plan.fleet(), world.snapshot.fleet())) {
                        assertThat(fleet.views().toList())
                                .isEqualTo(fleet.gpus().values().map(fleet::view).toList());
                    }
                });
    }

    private static void everywhere(BiConsumer<RandomUsers, Plan> property) {
        for (long seed = 0; seed < WORLDS; seed++) {
            var world = new RandomUsers(seed);
            try {
                property.accept(world, world.planner.plan(world.snapshot));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    // The same rules as in the scheduler, in their plainest form.

    private static SortedMap<Long, SortedSet<Integer>> selected(
            List<ReservationWindow> windows, RandomUsers world) {
        var selected = new TreeMap<Long, SortedSet<Integer>>();
        var usable =
                world.snapshot
                        .fleet()
                        .views()
                        .filter(
                                view ->
                                        world.planner
                                                .rules()
                                                .pool()
                                                .contains(view.state().gpu().index()))
                        .toList();
        for (var window : windows) {
            var earlier =
                    windows.stream()
                            .takeWhile(other -> other.id() != window.id())
                            .filter(other -> other.span().overlaps(window.span()))
                            .flatMap(other -> selected.get(other.id()).stream())
                            .collect(Collectors.toSet());
            var gpus =
                    switch (window.reservation().gpus()) {
                        case ReservedGpus.NamedGpus(var named) ->
                                usable.stream()
                                        .map(view -> view.state().gpu().index())
                                        .filter(named.indices()::contains)
                                        .toList();
                        case ReservedGpus.AnyGpus(int count) ->
                                usable.stream()
                                        .sorted(
                                                Comparator.<GpuView, Boolean>comparing(
                                                                view ->
                                                                        earlier.contains(
                                                                                view.state()
                                                                                        .gpu()
                                                                                        .index()))
                                                        .thenComparing(
                                                                view -> rank(view, window, world))
                                                        .thenComparing(
                                                                view -> view.state().gpu().index()))
                                        .limit(count)
                                        .map(view -> view.state().gpu().index())
                                        .toList();
                    };
            selected.put(window.id(), new TreeSet<>(gpus));
        }
        return selected;
    }

    private static int rank(GpuView view, ReservationWindow window, RandomUsers world) {
        var loads = world.snapshot.loads();
        var known = new ArrayList<UserLoads.RunningLoad>();
        for (var hold : view.holds()) {
            if (loads.running().containsKey(hold.attempt())) {
                known.add(loads.running().get(hold.attempt()));
            }
        }
        Predicate<UserLoads.RunningLoad> isHolder = load -> admits(window, load.owner(), world);
        Predicate<UserLoads.RunningLoad> endsBefore =
                load ->
                        load.latestEnd().isPresent()
                                && !load.latestEnd().get().isAfter(window.span().begin());
        if (!view.state().isReadable()) {
            return 4;
        }
        if (known.stream().anyMatch(isHolder)) {
            return 0;
        }
        boolean isFreeThen =
                known.size() == view.holds().size() && known.stream().allMatch(endsBefore);
        boolean isUsedOutside =
                view.processes().stream().anyMatch(process -> process.isOtherUsersCompute());
        return isUsedOutside || !isFreeThen ? 3 : view.holds().isEmpty() ? 1 : 2;
    }

    private static boolean admits(ReservationWindow window, Owner owner, RandomUsers world) {
        return window.reservation()
                .holder()
                .admits(owner, world.snapshot.loads().groups().of(owner));
    }

    private static boolean isClosed(ReservationWindow window, Task task, RandomUsers world) {
        var end = task.spec().options().timeLimit().map(world.snapshot.at()::plus);
        boolean endsBefore = end.isPresent() && !end.get().isAfter(window.span().begin());
        return !admits(window, task.owner(), world) && (window.isActive() || !endsBefore);
    }

    private static int index(Fleet fleet, GpuId gpu) {
        return fleet.gpus().get(gpu).orElseThrow().gpu().index();
    }

    private static Task task(Verdict.Start start, RandomUsers world) {
        return world.snapshot
                .waiting()
                .all()
                .filter(task -> task.id().equals(start.task()))
                .findFirst()
                .orElseThrow();
    }

    private static List<Owner> owners(Plan plan, RandomUsers world) {
        return plan.starts().stream().map(start -> task(start, world).owner()).distinct().toList();
    }

    private static List<Verdict.Start> startsOf(Owner owner, Plan plan, RandomUsers world) {
        return plan.starts().stream()
                .filter(start -> task(start, world).owner().equals(owner))
                .toList();
    }

    private static List<UserLoads.RunningLoad> running(Owner owner, RandomUsers world) {
        return world.snapshot.loads().running().values().stream()
                .filter(load -> load.owner().equals(owner))
                .toList();
    }

    private static Optional<Limit> limit(LimitKey key, Owner owner, RandomUsers world) {
        var groups = world.snapshot.loads().groups().of(owner);
        return world.planner.rules().limits().find(key, owner, groups);
    }
}
