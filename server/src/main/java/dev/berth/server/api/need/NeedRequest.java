package dev.berth.server.api.need;

import dev.berth.core.Rejected;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Need.GpuCount;
import dev.berth.core.task.Need.GpuMemory;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads a task's GPU request. */
public final class NeedRequest {

    public static final int MAX_GPUS = 1024;
    public static final int MAX_MEMORY_GB = 1_000_000;
    private static final double MIB_PER_GB = 1024;
    private static final int MAX_DEVICES_LENGTH = 5000;

    private static final Pattern RANGE = Pattern.compile("([0-9]{1,4})\\s*-\\s*([0-9]{1,4})");
    private static final Pattern GPU_INDEX = Pattern.compile("[0-9]{1,4}");

    private NeedRequest() {}

    public static Need read(JsonFields fields) throws RejectedException {
        var devices = fields.text("devices").orElse("auto").strip();
        return switch (devices) {
            case "cpu" -> cpu(fields);
            case "auto" ->
                    new Need.Gpus(counted(fields), type(fields), Optional.empty(), memory(fields));
            default -> {
                var named = devices(devices);
                checkCountMatches(fields, named.indices().size());
                yield Need.Gpus.on(named, type(fields), memory(fields));
            }
        };
    }

    private static Need cpu(JsonFields fields) throws RejectedException {
        // Each count is also checked for its type: a count that is not a number is invalid on a CPU
        // task too.
        for (var count : new String[] {"gpu_count", "min_gpu", "max_gpu"}) {
            if (fields.wholeNumber(count, 0, MAX_GPUS).orElse(0) != 0) {
                throw notWithCpu(count);
            }
        }
        if (type(fields).isPresent()) {
            throw notWithCpu("gpu_type");
        }
        if (fields.flag("share")) {
            throw notWithCpu("share");
        }
        if (memory(fields).mib().isPresent()) {
            throw notWithCpu("memory_gb");
        }
        return Need.CPU;
    }

    private static RejectedException notWithCpu(String field) {
        return RejectedException.invalid(field + ".with_cpu", field);
    }

    private static Optional<String> type(JsonFields fields) throws RejectedException {
        var type = fields.text("gpu_type").filter(item -> !item.equals("any"));
        if (type.filter(String::isBlank).isPresent()) {
            throw RejectedException.invalid("gpu_type.empty", "gpu_type");
        }
        return type;
    }

    private static GpuMemory memory(JsonFields fields) throws RejectedException {
        var stated = fields.positiveNumber("memory_gb", MAX_MEMORY_GB);
        boolean isShared = fields.flag("share");
        if (isShared && stated.isEmpty()) {
            throw RejectedException.invalid("share.needs_memory", "share");
        }
        var mib =
                stated.isPresent()
                        ? OptionalLong.of((long) Math.ceil(stated.getAsDouble() * MIB_PER_GB))
                        : OptionalLong.empty();
        return new GpuMemory(mib, isShared);
    }

    private static GpuIndices devices(String text) throws RejectedException {
        var indices = new TreeSet<Integer>();
        for (var part : text.split(",", -1)) {
            var item = part.strip();
            if (!GPU_INDEX.matcher(item).matches() || text.length() > MAX_DEVICES_LENGTH) {
                throw new RejectedException(
                        Rejected.invalid("devices.invalid", "devices").with("given", quoted(text)));
            }
            if (!indices.add(Integer.valueOf(item))) {
                throw new RejectedException(
                        Rejected.invalid("devices.repeated", "devices")
                                .with("gpu", Integer.valueOf(item)));
            }
        }
        return new GpuIndices(indices);
    }

    /** Named devices determine the count; a stated count must match. */
    private static void checkCountMatches(JsonFields fields, int named) throws RejectedException {
        var stated = gpuCount(fields);
        if (stated.isPresent() && !stated.get().equals(GpuCount.of(named))) {
            throw otherCount("gpu_count", named);
        }
        for (var bound : new String[] {"min_gpu", "max_gpu"}) {
            if (fields.wholeNumber(bound, 1, MAX_GPUS).orElse(named) != named) {
                throw otherCount(bound, named);
            }
        }
    }

    private static RejectedException otherCount(String field, int named) {
        return new RejectedException(
                Rejected.invalid(field + ".with_devices", field).with("named", named));
    }

    private static GpuCount counted(JsonFields fields) throws RejectedException {
        var stated = gpuCount(fields);
        var min = fields.wholeNumber("min_gpu", 1, MAX_GPUS);
        var max = fields.wholeNumber("max_gpu", 1, MAX_GPUS);
        int least = min.orElse(stated.map(GpuCount::min).orElse(1));
        int most = max.orElse(stated.map(GpuCount::max).orElse(least));
        if (most < least) {
            throw minAboveMax(max);
        }
        if (stated.isPresent() && (stated.get().min() < least || stated.get().max() > most)) {
            throw new RejectedException(
                    Rejected.invalid("gpu_count.outside", "gpu_count")
                            .with("min", least)
                            .with("max", most));
        }
        return new GpuCount(least, most);
    }

    private static RejectedException minAboveMax(OptionalInt max) {
        var field = max.isPresent() ? "max_gpu" : "min_gpu";
        return RejectedException.invalid(field + ".invalid", field);
    }

    public static Optional<GpuCount> gpuCount(JsonFields fields) throws RejectedException {
        if (!fields.isText("gpu_count")) {
            var number = fields.wholeNumber("gpu_count", 1, MAX_GPUS);
            return number.isPresent()
                    ? Optional.of(GpuCount.of(number.getAsInt()))
                    : Optional.empty();
        }
        var text = fields.requiredText("gpu_count").strip();
        var range = RANGE.matcher(text);
        if (range.matches()) {
            int least = Integer.parseInt(range.group(1));
            int most = Integer.parseInt(range.group(2));
            if (least >= 1 && least <= most && most <= MAX_GPUS) {
                return Optional.of(new GpuCount(least, most));
            }
        }
        throw new RejectedException(
                Rejected.invalid("gpu_count.invalid", "gpu_count")
                        .with("given", quoted(text))
                        .with("min", 1)
                        .with("max", MAX_GPUS));
    }

    private static String quoted(String text) {
        return "\"" + (text.length() > 60 ? text.substring(0, 60) + "…" : text) + "\"";
    }
}
