package dev.berth.engine.sim;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.port.Fact;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The GPUs of the {@link SimMachine} and the driver's readings of them. Sometimes the driver does
 * not answer. It lists an attempt's processes while they live and for a moment after.
 */
final class SimGpus {

    static final int COUNT = 4;
    static final String NODE = "sim";

    private static final long TOTAL_MIB = 24_576;
    private static final long UNSTATED_MIB = 12_000;
    private static final long OTHER_USERS_MIB = 3000;
    private static final int MAX_LINGER_MILLIS = 150;

    private final SimMachine machine;
    private final SplittableRandom random;
    private final List<Condition> conditions = new ArrayList<>();
    private final SortedMap<AttemptId, Instant> lingering = new TreeMap<>();
    private boolean isDriverHanging;

    /** The condition of a GPU. */
    private enum Condition {
        FREE,
        /** Another user has a process there. */
        SHARED,
        MISSING,
        GONE
    }

    SimGpus(SimMachine machine, SplittableRandom random) {
        this.machine = machine;
        this.random = random;
        IntStream.range(0, COUNT).forEach(_ -> conditions.add(Condition.FREE));
    }

    /** Changes the condition of a random GPU or of the driver, and describes the change. */
    String change() {
        if (random.nextInt(6) == 0) {
            isDriverHanging = !isDriverHanging;
            return isDriverHanging ? "the driver hangs" : "the driver answers again";
        }
        int index = random.nextInt(COUNT);
        var dice = random.nextInt(10);
        var condition =
                dice < 5
                        ? Condition.FREE
                        : dice < 8
                                ? Condition.SHARED
                                : dice < 9 ? Condition.MISSING : Condition.GONE;
        conditions.set(index, condition);
        return "card " + index + " is " + condition;
    }

    void stopFailures() {
        isDriverHanging = false;
        IntStream.range(0, COUNT).forEach(index -> conditions.set(index, Condition.FREE));
    }

    /** After a reboot no process is on any GPU. */
    void reboot() {
        lingering.clear();
    }

    /** The last process of an attempt has ended. The driver lists it for a moment longer. */
    void processesEnded(AttemptId attempt, Instant now) {
        var delay = Duration.ofMillis(random.nextInt(MAX_LINGER_MILLIS));
        lingering.putIfAbsent(attempt, now.plus(delay));
    }

    /** True if the driver lists processes of the attempt. */
    boolean isListed(AttemptId attempt, Instant now) {
        var folder = machine.folder(attempt);
        boolean isAlive =
                folder.isPresent()
                        && folder.get().go.isPresent()
                        && (folder.get().commandAlive || folder.get().strayAlive);
        return isAlive || now.isBefore(lingering.getOrDefault(attempt, Instant.MIN));
    }

    /** The attempts on the GPU, except {@code own}. */
    List<AttemptId> others(GpuId card, AttemptId own, Instant now) {
        return machine.on(card).stream()
                .filter(attempt -> !attempt.equals(own) && isListed(attempt, now))
                .toList();
    }

    boolean isAnswering() {
        return !isDriverHanging;
    }

    Fact.GpusRead read(List<Fact.Departure> departures, Instant now) {
        var why = isDriverHanging ? Optional.of("no answer") : Optional.<String>empty();
        var states =
                IntStream.range(0, COUNT)
                        .mapToObj(
                                index ->
                                        isDriverHanging
                                                ? new GpuState.Unknown(card(index), "no answer")
                                                : state(index, now))
                        .toList();
        return new Fact.GpusRead(NODE, states, departures, why);
    }

    private GpuState state(int index, Instant now) {
        var card = card(index);
        return switch (conditions.get(index)) {
            case MISSING -> new GpuState.Unknown(card, "missing");
            case GONE -> new GpuState.Failed(card, "gone");
            case FREE -> readable(card, occupants(card, now));
            case SHARED -> {
                var processes = new ArrayList<>(occupants(card, now));
                processes.add(
                        process(
                                9_000_000L + index,
                                OTHER_USERS_MIB,
                                new ProcessOwner.HostUser("eve", false)));
                yield readable(card, processes);
            }
        };
    }

    private List<GpuProcess> occupants(Gpu card, Instant now) {
        var processes = new ArrayList<GpuProcess>();
        for (var attempt : machine.on(card.id())) {
            if (isListed(attempt, now)) {
                var folder = machine.folder(attempt).orElseThrow();
                long claimed =
                        folder.order.attempt().claims().stream()
                                .mapToLong(Claim::memoryMib)
                                .max()
                                .orElse(0);
                processes.add(
                        process(
                                folder.go.orElseThrow().key().pid(),
                                claimed > 0 ? claimed : UNSTATED_MIB,
                                new ProcessOwner.BerthAttempt(attempt)));
            }
        }
        return processes;
    }

    private static GpuProcess process(long pid, long mib, ProcessOwner owner) {
        return new GpuProcess(
                pid,
                OptionalLong.of(mib),
                GpuProcess.Kind.COMPUTE,
                "python",
                owner,
                Optional.empty());
    }

    private static GpuState readable(Gpu card, List<GpuProcess> processes) {
        long used =
                Math.min(
                        TOTAL_MIB,
                        processes.stream().mapToLong(one -> one.usedMib().orElse(0)).sum());
        return new GpuState.Readable(
                card,
                new GpuReading(
                                OptionalLong.of(used),
                                OptionalLong.of(TOTAL_MIB - used),
                                OptionalInt.of(0),
                                OptionalInt.of(40))
                        .withProcesses(Optional.of(processes)));
    }

    private static Gpu card(int index) {
        return new Gpu(new GpuId(NODE, "SIM-" + index), index, "Simulated", TOTAL_MIB);
    }
}
