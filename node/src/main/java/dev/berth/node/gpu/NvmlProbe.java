package dev.berth.node.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Reads the GPUs from NVML. A value that NVML cannot return is absent. A GPU without a handle is
 * omitted, so that it counts as missing while the others answer.
 */
final class NvmlProbe implements GpuProbe {

    private static final int MAX_GPUS = 1024;
    private static final long MIB = 1 << 20;
    private static final int TEMPERATURE_GPU = 0;
    private static final int MIG_ENABLED = 1;

    /** {@code nvmlMemory_v2_t}: version, padding, total, reserved, free, used. */
    private static final long MEMORY_V2_BYTES = 40;

    private static final int MEMORY_V2_VERSION = (int) MEMORY_V2_BYTES | 2 << 24;

    /**
     * {@code nvmlMemory_t}: total, free, used; memory reserved by the driver counts as used here.
     */
    private static final long MEMORY_V1_BYTES = 24;

    private final Nvml nvml;
    private Optional<NvmlEvents> events = Optional.empty();
    private boolean isOpen;

    NvmlProbe(Nvml nvml) {
        this.nvml = nvml;
    }

    @Override
    public List<ProbedGpu> read() throws ProbeFailure {
        try (var arena = Arena.ofConfined()) {
            open();
            int count = count(arena);
            var rows = new ArrayList<ProbedGpu>();
            for (int index = 0; index < count; index++) {
                row(arena, index).ifPresent(rows::add);
            }
            if (rows.isEmpty() && count > 0) {
                throw new ProbeFailure("NVML lists " + count + " GPU(s), and none is reachable");
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
            // After a reload of the driver, only a new initialisation helps.
            isOpen = !nvml.shutDown();
        }
        check(status);
        int answer = count.get(JAVA_INT, 0);
        if (answer < 0 || answer > MAX_GPUS) {
            throw new ProbeFailure("NVML lists " + answer + " GPUs");
        }
        return answer;
    }

    private void check(int status) throws ProbeFailure {
        if (status != Nvml.SUCCESS) {
            throw new ProbeFailure("NVML answers: " + nvml.describe(status));
        }
    }

    private Optional<ProbedGpu> row(Arena arena, int index) {
        var found = NvmlDevice.at(nvml, arena, index);
        var uuid = found.flatMap(NvmlDevice::uuid);
        var model = found.flatMap(device -> device.text("nvmlDeviceGetName"));
        if (uuid.isEmpty() || model.isEmpty()) {
            return Optional.empty();
        }
        var device = found.orElseThrow();
        var memory = memory(arena, device.handle());
        return Optional.of(
                new ProbedGpu(
                        uuid.get(),
                        index,
                        model.get(),
                        memory.total,
                        new GpuReading(
                                memory.used,
                                memory.free,
                                device.firstInt("nvmlDeviceGetUtilizationRates"),
                                temperature(arena, device.handle()),
                                OptionalInt.empty(),
                                processes(arena, device.handle())),
                        device.firstInt("nvmlDeviceGetMigMode").orElse(0) == MIG_ENABLED,
                        memory.problem));
    }

    private OptionalInt temperature(Arena arena, long device) {
        var value = arena.allocate(JAVA_INT);
        int status =
                nvml.call("nvmlDeviceGetTemperature", device, TEMPERATURE_GPU, value.address());
        return status == Nvml.SUCCESS
                ? OptionalInt.of(value.get(JAVA_INT, 0))
                : OptionalInt.empty();
    }

    private record MemoryReading(
            OptionalLong total, OptionalLong used, OptionalLong free, Optional<String> problem) {

        static MemoryReading ofBytes(long total, long used, long free) {
            return new MemoryReading(mib(total), mib(used), mib(free), Optional.empty());
        }

        static MemoryReading unknown(Optional<String> problem) {
            return new MemoryReading(
                    OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), problem);
        }
    }

    private MemoryReading memory(Arena arena, long device) {
        var two = arena.allocate(MEMORY_V2_BYTES, Long.BYTES);
        two.set(JAVA_INT, 0, MEMORY_V2_VERSION);
        if (nvml.call("nvmlDeviceGetMemoryInfo_v2", device, two.address()) == Nvml.SUCCESS) {
            return MemoryReading.ofBytes(
                    two.get(JAVA_LONG, 8), two.get(JAVA_LONG, 32), two.get(JAVA_LONG, 24));
        }
        var one = arena.allocate(MEMORY_V1_BYTES, Long.BYTES);
        int status = nvml.call("nvmlDeviceGetMemoryInfo", device, one.address());
        if (status == Nvml.SUCCESS) {
            return MemoryReading.ofBytes(
                    one.get(JAVA_LONG, 0), one.get(JAVA_LONG, 16), one.get(JAVA_LONG, 8));
        }
        return MemoryReading.unknown(
                Nvml.isGpuError(status) ? Optional.of(nvml.describe(status)) : Optional.empty());
    }

    /**
     * All ones mean "not available"; every negative value is invalid too. Rounded up like
     * nvidia-smi does, so that both show the same number.
     */
    private static OptionalLong mib(long bytes) {
        return bytes < 0 ? OptionalLong.empty() : OptionalLong.of(Math.ceilDiv(bytes, MIB));
    }

    /**
     * Absent if this driver lists no compute processes. A program with compute and graphics is
     * listed once.
     */
    private Optional<List<GpuProcess>> processes(Arena arena, long device) {
        var lists = new NvmlProcesses(nvml, arena, device);
        var compute = lists.read("nvmlDeviceGetComputeRunningProcesses");
        if (compute.isEmpty()) {
            return Optional.empty();
        }
        var all = new TreeMap<Long, GpuProcess>();
        lists.read("nvmlDeviceGetGraphicsRunningProcesses")
                .orElse(List.of())
                .forEach(
                        listed -> all.put(listed.pid(), process(listed, GpuProcess.Kind.GRAPHICS)));
        compute.get()
                .forEach(listed -> all.put(listed.pid(), process(listed, GpuProcess.Kind.COMPUTE)));
        return Optional.of(List.copyOf(all.values()));
    }

    private static GpuProcess process(NvmlProcesses.ListedProcess listed, GpuProcess.Kind kind) {
        return new GpuProcess(
                listed.pid(),
                mib(listed.bytes()),
                kind,
                "",
                new ProcessOwner.Unknown(),
                Optional.empty());
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
    public void reportXidsTo(XidListener listener) {
        events = Optional.of(NvmlEvents.start(nvml, listener));
    }

    @Override
    public String name() {
        return "NVML";
    }

    /**
     * Does not call nvmlShutdown: a call may be running on another thread, and the process is about
     * to end.
     */
    @Override
    public void close() {
        events.ifPresent(NvmlEvents::close);
    }
}
