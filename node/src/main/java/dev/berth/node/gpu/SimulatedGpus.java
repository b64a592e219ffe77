package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.gpu.NodeAttempts.NodeAttempt;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Simulated GPUs. An attempt that holds one uses its memory; load and temperature are computed from
 * the attempt and the time, so that the same instant always gives the same values.
 */
final class SimulatedGpus implements GpuProbe {

    private static final int COLD_C = 36;
    private static final int HOTTEST_C = 74;
    private static final Duration WARM_UP = Duration.ofSeconds(60);
    private static final int MIN_LOAD = 55;
    private static final int LOAD_SPREAD = 45;

    /** The other user is present in the first half of each such period, on one of the GPUs. */
    private static final Duration VISIT_EVERY = Duration.ofMinutes(6);

    private static final Duration VISIT = Duration.ofMinutes(3);
    private static final String FOREIGN_PROGRAM = "mei";
    private static final long NEIGHBOUR_PID = 3_999_983;

    private final Layout layout;
    private final NodeAttempts nodeAttempts;
    private final InstantSource clock;
    private final Instant openedAt;
    private final List<String> uuids;

    /**
     * @param hasOtherUser processes of another user come and go
     */
    record Layout(int count, long mib, String model, boolean hasOtherUser) {}

    SimulatedGpus(Layout layout, NodeAttempts attempts, InstantSource clock) {
        this.layout = layout;
        this.nodeAttempts = attempts;
        this.clock = clock;
        this.openedAt = clock.instant();
        this.uuids = IntStream.range(0, layout.count()).mapToObj("SIM-%03d"::formatted).toList();
    }

    @Override
    public List<ProbedGpu> read() {
        return read(_ -> true);
    }

    @Override
    public List<ProbedGpu> read(Predicate<String> isWanted) {
        var now = clock.instant();
        return IntStream.range(0, layout.count())
                .filter(index -> isWanted.test(uuids.get(index)))
                .mapToObj(index -> row(index, now))
                .toList();
    }

    private ProbedGpu row(int index, Instant now) {
        var uuid = uuids.get(index);
        var attempts = nodeAttempts.claiming(uuid);
        var processes = new ArrayList<GpuProcess>();
        int load = 0;
        int temperature = COLD_C;
        for (var attempt : attempts) {
            var claim = attempt.claimOn(uuid);
            if (claim.isPresent() && attempt.shim().isPresent()) {
                processes.add(occupant(attempt, claim.get()));
                load = Math.max(load, load(attempt, index, now));
                temperature = Math.max(temperature, temperature(attempt, load, now));
            }
        }
        if (attempts.isEmpty()) {
            var foreignProcess = foreignProcess(index, now);
            if (foreignProcess.isPresent()) {
                processes.add(foreignProcess.get());
                load = MIN_LOAD + wave(index, now);
                temperature = HOTTEST_C - 8;
            }
        }
        long used =
                Math.min(
                        layout.mib(),
                        processes.stream().mapToLong(process -> process.usedMib().orElse(0)).sum());
        var reading =
                new GpuReading(
                        OptionalLong.of(used),
                        OptionalLong.of(layout.mib() - used),
                        OptionalInt.of(load),
                        OptionalInt.of(temperature),
                        OptionalInt.empty(),
                        Optional.of(processes));
        return new ProbedGpu(
                uuid, index, layout.model(), OptionalLong.of(layout.mib()), reading, false);
    }

    /** The claimed memory, or half of the GPU if none is claimed. */
    private GpuProcess occupant(NodeAttempt attempt, Claim claim) {
        return new GpuProcess(
                attempt.shim().map(ProcessKey::pid).orElse(0L),
                OptionalLong.of(claim.memoryMib() > 0 ? claim.memoryMib() : layout.mib() / 2),
                GpuProcess.Kind.COMPUTE,
                "bash",
                new ProcessOwner.BerthAttempt(attempt.attempt()),
                Optional.of(attempt.since()));
    }

    private static int load(NodeAttempt attempt, int index, Instant now) {
        return MIN_LOAD + wave((int) (31 * attempt.attempt().task().value() + index), now);
    }

    /** Rises from 0 to the spread and falls again within half a minute, with a little noise. */
    private static int wave(int phase, Instant now) {
        long second = now.getEpochSecond() + 7L * phase;
        long turn = second % 30;
        long slope = turn < 15 ? turn : 30 - turn;
        return (int) Math.min(LOAD_SPREAD, slope * LOAD_SPREAD / 15 + second * 7 % 4);
    }

    private static int temperature(NodeAttempt attempt, int load, Instant now) {
        long seconds = Math.max(0, Duration.between(attempt.since(), now).toSeconds());
        long part = Math.min(seconds, WARM_UP.toSeconds());
        long top = COLD_C + (long) (HOTTEST_C - COLD_C) * load / 100;
        return (int) (COLD_C + (top - COLD_C) * part / WARM_UP.toSeconds());
    }

    private Optional<GpuProcess> foreignProcess(int index, Instant now) {
        var open = Duration.between(openedAt, now);
        long span = open.dividedBy(VISIT_EVERY);
        var came = openedAt.plus(VISIT_EVERY.multipliedBy(span));
        boolean isHere =
                layout.hasOtherUser()
                        && now.isBefore(came.plus(VISIT))
                        && Math.floorMod(layout.count() - 1 + 5 * span, layout.count()) == index;
        return isHere
                ? Optional.of(
                        new GpuProcess(
                                NEIGHBOUR_PID,
                                OptionalLong.of(layout.mib() * 2 / 5),
                                GpuProcess.Kind.COMPUTE,
                                "python3",
                                new ProcessOwner.HostUser(FOREIGN_PROGRAM, false),
                                Optional.of(came)))
                : Optional.empty();
    }

    @Override
    public boolean isImmediate() {
        return true;
    }

    @Override
    public String name() {
        return "simulation";
    }

    @Override
    public void close() {}
}
