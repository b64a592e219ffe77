package dev.berth.core.plan;

import dev.berth.core.queue.HourlyUsage;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Owner;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A random snapshot whose users are in groups, run the tasks that hold GPUs, and have limits and
 * reservations.
 */
final class RandomUsers {

    private static final List<String> USERS = List.of("ann", "bob", "cid");
    private static final List<String> GROUPS = List.of("staff", "vision");

    final Planner planner;
    final Snapshot snapshot;
    private final Random random;
    private final SnapshotBuilder scene;

    RandomUsers(long seed) {
        var world = new RandomSnapshot(seed);
        random = new Random(-seed);
        scene = world.scene;
        scene.groups = groups();
        scene.waiting = scene.waiting.with(weights()).with(scene.groups);
        scene.holds.values().flatMap(List::stream).forEach(hold -> run(hold));
        for (long id = 1; id <= random.nextInt(4); id++) {
            scene.reservations = scene.reservations.with(id, reservation(id));
        }
        for (var user : USERS) {
            long hour = SnapshotBuilder.NOW.getEpochSecond() / 3600;
            var used = new TreeMap<>(Map.of(hour - 1, random.nextInt(3) * 3600.0));
            scene.ended.put("unix:" + user, new HourlyUsage(used));
        }
        planner = world.planner.with(world.planner.rules().with(limits()));
        snapshot = scene.snapshot();
    }

    private UserGroups groups() {
        var groups = UserGroups.NONE;
        for (var user : USERS) {
            var own = new TreeSet<String>();
            for (var group : GROUPS) {
                if (random.nextBoolean()) {
                    own.add(group);
                }
            }
            groups = groups.with("unix:" + user, own);
        }
        return groups;
    }

    private UserWeights weights() {
        var byGroup = new TreeMap<String, Double>();
        if (random.nextBoolean()) {
            byGroup.put("vision", 1.0 + random.nextInt(3));
        }
        return new UserWeights(new TreeMap<>(), byGroup);
    }

    /** Nothing is known of some of the attempts that hold a GPU. */
    private void run(HeldClaim hold) {
        if (random.nextInt(5) > 0) {
            var end =
                    random.nextBoolean() ? Optional.of(moment(0, 200)) : Optional.<Instant>empty();
            var owner = Owner.unix(USERS.get(random.nextInt(USERS.size())));
            scene.running.put(
                    hold.attempt(), new UserLoads.RunningLoad(owner, 1, SnapshotBuilder.T0, end));
        }
    }

    private Instant moment(int from, int to) {
        return SnapshotBuilder.NOW.plusSeconds(from + random.nextInt(to - from));
    }

    private Reservation reservation(long id) {
        var holder =
                switch (random.nextInt(4)) {
                    case 0 -> new ReservationHolder.ForNobody();
                    case 1 -> new ReservationHolder.ForUser(USERS.get(random.nextInt(3)));
                    default -> new ReservationHolder.ForGroup(GROUPS.get(random.nextInt(2)));
                };
        var gpus =
                random.nextInt(3) == 0
                        ? new ReservedGpus.NamedGpus(
                                GpuIndices.of(random.nextInt(7), 7 + random.nextInt(2)))
                        : new ReservedGpus.AnyGpus(1 + random.nextInt(3));
        var schedule =
                new Reservation.Schedule(
                        moment(-300, 300),
                        Duration.ofSeconds(100 + random.nextInt(500)),
                        false,
                        ZoneOffset.UTC);
        return new Reservation(
                id, holder, gpus, schedule, "", Owner.unix("root"), SnapshotBuilder.T0);
    }

    private LimitRules limits() {
        return new LimitRules(
                random.nextInt(3) == 0 ? values() : new TreeMap<>(),
                new TreeMap<>(Map.of("vision", values())),
                new TreeMap<>(Map.of("ann", values())));
    }

    private SortedMap<LimitKey, Double> values() {
        var values = new TreeMap<LimitKey, Double>();
        if (random.nextBoolean()) {
            values.put(LimitKey.MAX_GPUS, (double) random.nextInt(5));
        }
        if (random.nextBoolean()) {
            values.put(LimitKey.MAX_RUNNING, (double) random.nextInt(4));
        }
        if (random.nextInt(3) == 0) {
            values.put(LimitKey.GPU_HOURS_PER_DAY, (double) random.nextInt(4));
        }
        return values;
    }
}
