package dev.berth.node.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the health of the GPUs from NVML. Any of the functions may be missing in this driver. */
record NvmlHealth(Nvml nvml) implements HealthProbe {

    private static final int UNCORRECTED = 1;
    private static final int SINCE_LOADED = 0;
    private static final long HW_THERMAL_SLOWDOWN = 0x40;

    /** {@code nvmlPciInfo_t}: the old bus id in 16 bytes, domain, bus, device, …; 68 in all. */
    private static final long PCI_BYTES = 128;

    private static final long DOMAIN_AT = 16;
    private static final long BUS_AT = 20;
    private static final long DEVICE_AT = 24;

    /** {@code nvmlFieldValue_t}: field, scope, two times, type, status, value. */
    private static final long FIELD_BYTES = 40;

    private static final long FIELD_STATUS_AT = 28;
    private static final long FIELD_VALUE_AT = 32;
    private static final int RECOVERY_ACTION = 230;
    private static final List<String> REMEDIES =
            List.of("None", "Reset", "Reboot", "Drain P2P", "Drain and Reset", "Bus Reset");

    @Override
    public List<GpuHealth> read() {
        return nvml.withoutShutdown(
                () -> {
                    var all = new ArrayList<GpuHealth>();
                    try (var arena = Arena.ofConfined()) {
                        for (var device : NvmlDevice.all(nvml, arena)) {
                            device.uuid().ifPresent(uuid -> all.add(health(uuid, device)));
                        }
                    }
                    return all;
                });
    }

    private GpuHealth health(String uuid, NvmlDevice device) {
        var rows = device.arena().allocate(JAVA_INT, 4);
        boolean areRowsKnown =
                nvml.call(
                                "nvmlDeviceGetRemappedRows",
                                device.handle(),
                                rows.address(),
                                rows.address() + 4,
                                rows.address() + 8,
                                rows.address() + 12)
                        == Nvml.SUCCESS;
        return new GpuHealth(
                uuid,
                pciAddress(device),
                uncorrected(device),
                device.firstInt("nvmlDeviceGetRetiredPagesPendingStatus").orElse(0) == 1
                        || (areRowsKnown && rows.getAtIndex(JAVA_INT, 2) == 1),
                areRowsKnown && rows.getAtIndex(JAVA_INT, 3) == 1,
                isHot(device),
                remedy(device));
    }

    private Optional<PciAddress> pciAddress(NvmlDevice device) {
        var info = device.arena().allocate(PCI_BYTES, Long.BYTES);
        return nvml.call("nvmlDeviceGetPciInfo_v3", device.handle(), info.address()) == Nvml.SUCCESS
                ? Optional.of(
                        new PciAddress(
                                Integer.toUnsignedLong(info.get(JAVA_INT, DOMAIN_AT)),
                                info.get(JAVA_INT, BUS_AT),
                                info.get(JAVA_INT, DEVICE_AT)))
                : Optional.empty();
    }

    private OptionalLong uncorrected(NvmlDevice device) {
        var count = device.arena().allocate(JAVA_LONG);
        int status =
                nvml.call(
                        "nvmlDeviceGetTotalEccErrors",
                        device.handle(),
                        UNCORRECTED,
                        SINCE_LOADED,
                        count.address());
        return status == Nvml.SUCCESS
                ? OptionalLong.of(count.get(JAVA_LONG, 0))
                : OptionalLong.empty();
    }

    private boolean isHot(NvmlDevice device) {
        var reasons = device.arena().allocate(JAVA_LONG);
        int status =
                nvml.call(
                        nvml.has("nvmlDeviceGetCurrentClocksEventReasons")
                                ? "nvmlDeviceGetCurrentClocksEventReasons"
                                : "nvmlDeviceGetCurrentClocksThrottleReasons",
                        device.handle(),
                        reasons.address());
        return status == Nvml.SUCCESS && (reasons.get(JAVA_LONG, 0) & HW_THERMAL_SLOWDOWN) != 0;
    }

    private Optional<String> remedy(NvmlDevice device) {
        var field = device.arena().allocate(FIELD_BYTES, Long.BYTES);
        field.set(JAVA_INT, 0, RECOVERY_ACTION);
        int status = nvml.call("nvmlDeviceGetFieldValues", device.handle(), 1, field.address());
        int action = field.get(JAVA_INT, FIELD_VALUE_AT);
        return status == Nvml.SUCCESS
                        && field.get(JAVA_INT, FIELD_STATUS_AT) == Nvml.SUCCESS
                        && action > 0
                        && action < REMEDIES.size()
                ? Optional.of(REMEDIES.get(action))
                : Optional.empty();
    }
}
