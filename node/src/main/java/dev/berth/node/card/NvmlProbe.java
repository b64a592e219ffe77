package dev.berth.node.card;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Asks the driver's library. A value it cannot give is absent; a card whose handle it cannot give
 * is left out, so that it counts as missing while the others answer.
 */
final class NvmlProbe implements CardProbe {

    private static final int MOST_CARDS = 1024;
    private static final long MIB = 1 << 20;
    private static final int TEMPERATURE_GPU = 0;
    private static final int MIG_ENABLED = 1;

    /** {@code nvmlMemory_v2_t}: version, padding, total, reserved, free, used. */
    private static final long MEMORY_V2_BYTES = 40;

    private static final int MEMORY_V2_VERSION = (int) MEMORY_V2_BYTES | 2 << 24;

    /** {@code nvmlMemory_t}: total, free, used; there the driver's own share counts as used. */
    private static final long MEMORY_V1_BYTES = 24;

    private final Nvml nvml;
    private Optional<NvmlEvents> events = Optional.empty();
    private boolean isOpen;

    NvmlProbe(Nvml nvml) {
        this.nvml = nvml;
    }

    @Override
    public List<CardRow> read() throws ProbeFailure {
        try (var arena = Arena.ofConfined()) {
            open();
            int count = count(arena);
            var rows = new ArrayList<CardRow>();
            for (int index = 0; index < count; index++) {
                row(arena, index).ifPresent(rows::add);
            }
            if (rows.isEmpty() && count > 0) {
                throw new ProbeFailure("NVML lists " + count + " card(s) and can reach none");
            }
            return rows;
        }
    }

    private void open() throws ProbeFailure {
        if (!isOpen) {
            check(nvml.call("nvmlInit_v2"));
            isOpen = true;
        }
    }

    private int count(Arena arena) throws ProbeFailure {
        var count = arena.allocate(JAVA_INT);
        int status = nvml.call("nvmlDeviceGetCount_v2", count.address());
        if (status != Nvml.SUCCESS) {
            // After a driver was reloaded only a new beginning helps.
            isOpen = !nvml.shutDown();
        }
        check(status);
        int answer = count.get(JAVA_INT, 0);
        if (answer < 0 || answer > MOST_CARDS) {
            throw new ProbeFailure("NVML lists " + answer + " cards");
        }
        return answer;
    }

    private void check(int status) throws ProbeFailure {
        if (status != Nvml.SUCCESS) {
            throw new ProbeFailure("NVML answers: " + nvml.describe(status));
        }
    }

    private Optional<CardRow> row(Arena arena, int index) {
        var found = NvmlDevice.at(nvml, arena, index);
        var uuid = found.flatMap(NvmlDevice::uuid);
        var model = found.flatMap(device -> device.text("nvmlDeviceGetName"));
        if (uuid.isEmpty() || model.isEmpty()) {
            return Optional.empty();
        }
        var device = found.orElseThrow();
        var memory = memory(arena, device.handle());
        return Optional.of(
                new CardRow(
                        uuid.get(),
                        index,
                        model.get(),
                        memory.total,
                        new Reading(
                                memory.used,
                                memory.free,
                                device.number("nvmlDeviceGetUtilizationRates"),
                                temperature(arena, device.handle()),
                                OptionalInt.empty(),
                                occupants(arena, device.handle())),
                        device.number("nvmlDeviceGetMigMode").orElse(0) == MIG_ENABLED,
                        memory.trouble));
    }

    private OptionalInt temperature(Arena arena, long device) {
        var value = arena.allocate(JAVA_INT);
        int status =
                nvml.call("nvmlDeviceGetTemperature", device, TEMPERATURE_GPU, value.address());
        return status == Nvml.SUCCESS
                ? OptionalInt.of(value.get(JAVA_INT, 0))
                : OptionalInt.empty();
    }

    private record Memory(
            OptionalLong total, OptionalLong used, OptionalLong free, Optional<String> trouble) {

        static Memory ofBytes(long total, long used, long free) {
            return new Memory(mib(total), mib(used), mib(free), Optional.empty());
        }

        static Memory unknown(Optional<String> trouble) {
            return new Memory(
                    OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), trouble);
        }
    }

    private Memory memory(Arena arena, long device) {
        var two = arena.allocate(MEMORY_V2_BYTES, Long.BYTES);
        two.set(JAVA_INT, 0, MEMORY_V2_VERSION);
        if (nvml.call("nvmlDeviceGetMemoryInfo_v2", device, two.address()) == Nvml.SUCCESS) {
            return Memory.ofBytes(
                    two.get(JAVA_LONG, 8), two.get(JAVA_LONG, 32), two.get(JAVA_LONG, 24));
        }
        var one = arena.allocate(MEMORY_V1_BYTES, Long.BYTES);
        int status = nvml.call("nvmlDeviceGetMemoryInfo", device, one.address());
        if (status == Nvml.SUCCESS) {
            return Memory.ofBytes(
                    one.get(JAVA_LONG, 0), one.get(JAVA_LONG, 16), one.get(JAVA_LONG, 8));
        }
        return Memory.unknown(
                Nvml.isOfTheCard(status) ? Optional.of(nvml.describe(status)) : Optional.empty());
    }

    /**
     * All ones stand for "not available"; anything near that is no number of bytes either. Rounded
     * up, as nvidia-smi does, so that both say the same.
     */
    private static OptionalLong mib(long bytes) {
        return bytes < 0 ? OptionalLong.empty() : OptionalLong.of(Math.ceilDiv(bytes, MIB));
    }

    /**
     * Absent where this driver lists no compute processes; a program that does both is listed once.
     */
    private Optional<List<Occupant>> occupants(Arena arena, long device) {
        var lists = new NvmlProcesses(nvml, arena, device);
        var compute = lists.read("nvmlDeviceGetComputeRunningProcesses");
        if (compute.isEmpty()) {
            return Optional.empty();
        }
        var all = new TreeMap<Long, Occupant>();
        lists.read("nvmlDeviceGetGraphicsRunningProcesses")
                .orElse(List.of())
                .forEach(one -> all.put(one.pid(), occupant(one, Occupant.Kind.GRAPHICS)));
        compute.get().forEach(one -> all.put(one.pid(), occupant(one, Occupant.Kind.COMPUTE)));
        return Optional.of(List.copyOf(all.values()));
    }

    private static Occupant occupant(NvmlProcesses.Listed one, Occupant.Kind kind) {
        return new Occupant(
                one.pid(), mib(one.bytes()), kind, "", new Whose.Unknown(), Optional.empty());
    }

    @Override
    public boolean isImmediate() {
        return false;
    }

    @Override
    public HealthProbe health() {
        return new NvmlHealth(nvml);
    }

    @Override
    public void listen(XidEar ear) {
        events = Optional.of(NvmlEvents.start(nvml, ear));
    }

    @Override
    public String name() {
        return "NVML";
    }

    /**
     * Not shut down: a call may be under way on another thread, and the process is about to end.
     */
    @Override
    public void close() {
        events.ifPresent(NvmlEvents::close);
    }
}
