package dev.berth.node.gpu;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Claim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides from the answers of the probe what the state of each GPU is: readable, unknown or failed.
 * The time is passed in, in nanoseconds of a monotonic clock; this class reads no clock.
 */
final class GpuStates {

    /** A reading older than this is stale. */
    static final Duration STALE_AFTER = Duration.ofSeconds(2);

    /** Longer than a slow driver needs for an answer. */
    static final Duration SILENCE_LIMIT = Duration.ofSeconds(6);

    /**
     * A GPU that is missing for this time, in at least {@link #MISSING_ANSWERS} answers that list
     * others, has failed.
     */
    static final Duration MISSING_AFTER = Duration.ofSeconds(3);

    static final int MISSING_ANSWERS = 3;

    private static final Duration MEAN_OVER = Duration.ofSeconds(1);
    private static final String ABSENT = "missing from the latest readings";
    private static final String GONE = "the driver no longer lists it";

    private final String node;
    private final SortedMap<String, GpuEntry> entries = new TreeMap<>();
    private Optional<String> readFailure = Optional.empty();
    private long answeredAt;

    private static final class GpuEntry {
        private GpuState state;
        private final Deque<Sample> samples = new ArrayDeque<>();
        private long seenAt;
        private int missed;
        private long missedSince;

        private GpuEntry(GpuState state) {
            this.state = state;
        }
    }

    private record Sample(long at, int percent) {}

    GpuStates(String node, long now) {
        this.node = node;
        this.answeredAt = now;
    }

    /** Sorted by index. */
    List<GpuState> states() {
        return entries.values().stream()
                .map(entry -> entry.state)
                .sorted(
                        Comparator.comparingInt((GpuState state) -> state.gpu().index())
                                .thenComparing(state -> state.gpu().id()))
                .toList();
    }

    /** The reason why no GPU can be read, if so. */
    Optional<String> readFailure() {
        return readFailure;
    }

    Optional<GpuState> state(GpuId gpu) {
        return Optional.ofNullable(entries.get(gpu.uuid())).map(entry -> entry.state);
    }

    /** True if one of its GPUs is known to have a process of this attempt. */
    boolean showsProcessOf(AttemptId attempt, List<Claim> claims) {
        var ours = new ProcessOwner.BerthAttempt(attempt);
        return claims.stream()
                .map(claim -> state(claim.gpu()))
                .flatMap(Optional::stream)
                .flatMap(state -> state.currentReading().stream())
                .flatMap(reading -> reading.processes().stream().flatMap(List::stream))
                .anyMatch(process -> process.owner().equals(ours));
    }

    /** The probe answered about some of the GPUs that it listed before. */
    void onPartialAnswer(List<ProbedGpu> rows, long now) {
        rows.forEach(row -> apply(row, now));
    }

    /** The probe answered. */
    void onAnswer(List<ProbedGpu> rows, long now) {
        var contradiction = contradiction(rows);
        if (contradiction.isPresent()) {
            onFailure(contradiction.get(), now);
            return;
        }
        readFailure = Optional.empty();
        answeredAt = now;
        var listed = new HashSet<String>();
        for (var row : rows) {
            listed.add(row.uuid());
            apply(row, now);
        }
        entries.forEach(
                (uuid, entry) -> {
                    if (!listed.contains(uuid)) {
                        var gpu = entry.state.gpu();
                        applyMissing(entry, new GpuState.Unknown(gpu, ABSENT), GONE, now);
                    }
                });
    }

    private Optional<String> contradiction(List<ProbedGpu> rows) {
        if (rows.isEmpty() && !entries.isEmpty()) {
            return Optional.of("the driver lists no GPU any more");
        }
        var uuids = new HashSet<String>();
        var indices = new HashSet<Integer>();
        for (var row : rows) {
            if (!uuids.add(row.uuid()) || !indices.add(row.index())) {
                return Optional.of("the driver lists GPU " + row.index() + " twice");
            }
        }
        return Optional.empty();
    }

    /** The probe failed, or its answer is contradictory. */
    void onFailure(String why, long now) {
        readFailure = Optional.of(why);
        answeredAt = now;
        markUnknown(why);
    }

    private void markUnknown(String why) {
        for (var entry : entries.values()) {
            if (!(entry.state instanceof GpuState.Failed)) {
                entry.state = new GpuState.Unknown(entry.state.gpu(), why);
            }
        }
    }

    /**
     * Time has passed without an answer of the probe. Stale states become unknown. Only a long
     * silence counts as a failure of the probe, because some drivers are just slow.
     */
    void onSilence(String probe, long now) {
        if (readFailure.isPresent()) {
            return;
        }
        long silent = now - answeredAt;
        if (silent >= SILENCE_LIMIT.toNanos()) {
            onFailure(
                    "no answer from " + probe + " for " + SILENCE_LIMIT.toSeconds() + " s",
                    answeredAt);
        } else if (silent >= STALE_AFTER.toNanos()) {
            markUnknown("no answer from " + probe + " for " + STALE_AFTER.toSeconds() + " s");
        }
    }

    private void apply(ProbedGpu row, long now) {
        var before = Optional.ofNullable(entries.get(row.uuid()));
        long total =
                row.totalMib().orElse(before.map(entry -> entry.state.gpu().totalMib()).orElse(0L));
        var model =
                before.filter(_ -> row.error().isPresent())
                        .map(entry -> entry.state.gpu().model())
                        .orElse(row.model());
        var gpu = new Gpu(new GpuId(node, row.uuid()), row.index(), model, total);
        var entry = before.orElseGet(() -> new GpuEntry(new GpuState.Unknown(gpu, "")));
        entries.put(row.uuid(), entry);
        if (row.error().isPresent()) {
            applyUnreadable(entry, gpu, row, now);
            return;
        }
        var state = state(row, gpu, mean(entry, row.reading(), now));
        // The same object is compared quickly, here and in the engine.
        entry.state = state.equals(entry.state) ? entry.state : state;
        entry.seenAt = now;
        entry.missed = 0;
    }

    /** The GPU is listed but returns no data. If the driver calls it lost, it counts as missing. */
    private static void applyUnreadable(GpuEntry entry, Gpu gpu, ProbedGpu row, long now) {
        var why = "the driver cannot read it: " + row.error().orElseThrow();
        if (row.isLost()) {
            applyMissing(entry, new GpuState.Unknown(gpu, why), why, now);
            return;
        }
        entry.missed = 0;
        entry.samples.clear();
        if (!(entry.state instanceof GpuState.Readable)
                || now - entry.seenAt >= STALE_AFTER.toNanos()) {
            entry.state = new GpuState.Unknown(gpu, why);
        }
    }

    private static GpuState state(ProbedGpu row, Gpu gpu, OptionalInt mean) {
        if (row.isMigEnabled()) {
            return new GpuState.Unknown(
                    gpu, "it is split into instances (MIG), which Berth does not support");
        }
        if (gpu.totalMib() == 0) {
            return new GpuState.Unknown(gpu, "the driver does not report its total memory");
        }
        var last = row.reading();
        return new GpuState.Readable(
                gpu,
                new GpuReading(
                        last.usedMib(),
                        last.freeMib(),
                        last.utilizationPercent(),
                        last.temperatureC(),
                        mean,
                        last.processes()));
    }

    private static OptionalInt mean(GpuEntry entry, GpuReading reading, long now) {
        reading.utilizationPercent()
                .ifPresent(percent -> entry.samples.addLast(new Sample(now, percent)));
        while (!entry.samples.isEmpty()
                && now - entry.samples.getFirst().at() >= MEAN_OVER.toNanos()) {
            entry.samples.removeFirst();
        }
        var mean = entry.samples.stream().mapToInt(Sample::percent).average();
        return mean.isPresent()
                ? OptionalInt.of((int) Math.round(mean.getAsDouble()))
                : OptionalInt.empty();
    }

    /**
     * @param unknown its state while it has been missing only for a moment
     * @param gone the reason of the failure if it stays missing
     */
    private static void applyMissing(
            GpuEntry entry, GpuState.Unknown unknown, String gone, long now) {
        if (entry.missed == 0) {
            entry.missedSince = now;
        }
        entry.missed++;
        entry.samples.clear();
        if (entry.missed >= MISSING_ANSWERS && now - entry.missedSince >= MISSING_AFTER.toNanos()) {
            entry.state = new GpuState.Failed(unknown.gpu(), gone);
        } else if (entry.state instanceof GpuState.Unknown
                || (entry.state instanceof GpuState.Readable
                        && now - entry.seenAt >= STALE_AFTER.toNanos())) {
            entry.state = unknown;
        }
    }

    /** Indices of the GPUs in the last answers. */
    List<Integer> indices() {
        var indices = new ArrayList<Integer>();
        states().forEach(state -> indices.add(state.gpu().index()));
        return indices;
    }
}
