package dev.berth.engine.sim;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineState;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Knows the limits of users and checks that no start is against them or against a reservation. */
final class ShareOracle {

    private final LimitRules limits;

    ShareOracle(LimitRules limits) {
        this.limits = limits;
    }

    /** In a third of the simulations nobody has limits. Every task of a simulation fits them. */
    static LimitRules limits(SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            return LimitRules.NONE;
        }
        var ann = new TreeMap<LimitKey, Double>();
        ann.put(LimitKey.MAX_GPUS, 3.0 + random.nextInt(2));
        ann.put(LimitKey.MAX_RUNNING, 1.0 + random.nextInt(4));
        var vision = new TreeMap<LimitKey, Double>();
        vision.put(LimitKey.MAX_RUNNING, 1.0 + random.nextInt(3));
        var defaults = new TreeMap<LimitKey, Double>();
        if (random.nextBoolean()) {
            defaults.put(LimitKey.GPU_HOURS_PER_DAY, 0.001 * random.nextInt(5));
        }
        var groups = new TreeMap<String, SortedMap<LimitKey, Double>>();
        groups.put("vision", vision);
        var users = new TreeMap<String, SortedMap<LimitKey, Double>>();
        users.put("ann", ann);
        return new LimitRules(defaults, groups, users);
    }

    void check(EngineState before, EngineState after, Instant now) {
        var started =
                after.attempts()
                        .values()
                        .filter(attempt -> !attempt.isWorker())
                        .filter(attempt -> !before.attempts().contains(attempt.id()))
                        .filter(attempt -> after.tasks().contains(attempt.id().task()))
                        .toList();
        // With groups or reservations that change in the same step, nobody can tell here which of
        // them a start was decided with.
        boolean isSame =
                before.durable().groups().equals(after.durable().groups())
                        && before.durable().reservations().equals(after.durable().reservations());
        if (started.isEmpty() || !isSame) {
            return;
        }
        var owners = new HashSet<Owner>();
        started.forEach(attempt -> owners.add(owner(attempt, after)));
        owners.forEach(owner -> checkLimits(owner, after));
        for (var reservation : after.durable().reservations().values().toList()) {
            if (reservation.windowAt(now).isPresent()) {
                checkReservation(reservation, started, before, after);
            }
        }
    }

    private static Owner owner(Attempt attempt, EngineState state) {
        return state.tasks().get(attempt.id().task()).orElseThrow().owner();
    }

    private void checkLimits(Owner owner, EngineState state) {
        int running = 0;
        int gpus = 0;
        for (var attempt : state.attempts().values().toList()) {
            if (!attempt.isWorker()
                    && state.tasks().contains(attempt.id().task())
                    && owner(attempt, state).equals(owner)) {
                running++;
                gpus += attempt.claims().size();
            }
        }
        var groups = state.durable().groups().of(owner);
        requireAtMost(owner, LimitKey.MAX_RUNNING, running, groups);
        requireAtMost(owner, LimitKey.MAX_GPUS, gpus, groups);
    }

    private void requireAtMost(Owner owner, LimitKey key, int used, SortedSet<String> groups) {
        limits.find(key, owner, groups)
                .filter(limit -> used > limit.count())
                .ifPresent(
                        limit -> {
                            throw new Simulation.Violation(
                                    owner.name() + " has " + used + " of " + limit);
                        });
    }

    /** No task of a simulation has a time limit, so none may run into a window of others. */
    private static void checkReservation(
            Reservation reservation, List<Attempt> started, EngineState before, EngineState after) {
        var ofOthers =
                started.stream()
                        .filter(attempt -> !isHolder(reservation, owner(attempt, after), after))
                        .filter(attempt -> !attempt.claims().isEmpty())
                        .toList();
        if (ofOthers.isEmpty()) {
            return;
        }
        if (reservation.gpus() instanceof ReservedGpus.NamedGpus(var devices)) {
            for (var attempt : ofOthers) {
                for (var claim : attempt.claims()) {
                    int index = after.gpus().get(claim.gpu()).orElseThrow().gpu().index();
                    if (devices.indices().contains(index)) {
                        throw new Simulation.Violation(
                                "attempt " + attempt.id() + " is on a GPU of " + reservation);
                    }
                }
            }
            return;
        }
        long left = usable(reservation, after, after);
        if (left < reservation.gpus().count() && left < usable(reservation, before, after)) {
            throw new Simulation.Violation(
                    ofOthers.getFirst().id() + " leaves only " + left + " GPUs for " + reservation);
        }
    }

    private static boolean isHolder(Reservation reservation, Owner owner, EngineState state) {
        return reservation.holder().admits(owner, state.durable().groups().of(owner));
    }

    /** GPUs that its holder could use or uses, with the claims of one state. */
    private static long usable(Reservation reservation, EngineState claims, EngineState read) {
        return read.schedulableGpus()
                .values()
                .filter(gpu -> isUsable(gpu))
                .filter(gpu -> !isHeldByOthers(reservation, gpu.gpu().id(), claims))
                .count();
    }

    private static boolean isUsable(GpuState state) {
        return state instanceof GpuState.Readable(_, var reading)
                && reading.processes().orElse(List.of()).stream()
                        .noneMatch(GpuProcess::isOtherUsersCompute);
    }

    private static boolean isHeldByOthers(Reservation reservation, GpuId gpu, EngineState state) {
        return state.holds().get(gpu).orElse(List.of()).stream()
                .map(hold -> state.tasks().get(hold.attempt().task()))
                .anyMatch(
                        task ->
                                task.isPresent()
                                        && !isHolder(reservation, task.get().owner(), state));
    }
}
