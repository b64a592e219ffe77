package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.task.Devices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Need.Count;
import dev.berth.core.task.Need.Memory;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Refused;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads what a task asks of the cards. */
final class NeedForm {

    static final int MOST_GPUS = 1024;
    static final int MOST_MEMORY_GB = 1_000_000;
    private static final double MIB_PER_GB = 1024;
    private static final int LONGEST_DEVICES = 5000;

    private static final Pattern RANGE = Pattern.compile("([0-9]{1,4})\\s*-\\s*([0-9]{1,4})");
    private static final Pattern CARD = Pattern.compile("[0-9]{1,4}");

    private NeedForm() {}

    static Need read(JsonFields fields) throws Refused {
        var devices = fields.text("devices").orElse("auto").strip();
        return switch (devices) {
            case "cpu" -> cpu(fields);
            case "auto" ->
                    new Need.Cards(counted(fields), type(fields), Optional.empty(), memory(fields));
            default -> {
                var named = devices(devices);
                agree(fields, named.indices().size());
                yield Need.Cards.on(named, type(fields), memory(fields));
            }
        };
    }

    private static Need cpu(JsonFields fields) throws Refused {
        // Each is read for its type as well: a count that is no number is wrong on a cpu task too.
        for (var count : new String[] {"gpu_count", "min_gpu", "max_gpu"}) {
            if (fields.wholeNumber(count, 0, MOST_GPUS).orElse(0) != 0) {
                throw withCpu(count);
            }
        }
        if (type(fields).isPresent()) {
            throw withCpu("gpu_type");
        }
        if (fields.flag("share")) {
            throw withCpu("share");
        }
        if (memory(fields).mib().isPresent()) {
            throw withCpu("memory_gb");
        }
        return Need.CPU;
    }

    private static Refused withCpu(String field) {
        return Refused.invalid(
                field + ".with_cpu",
                field,
                "devices \"cpu\" asks for no GPU, so "
                        + field
                        + " cannot be asked for. Leave it out, or make it null.");
    }

    private static Optional<String> type(JsonFields fields) throws Refused {
        var type = fields.text("gpu_type").filter(word -> !word.equals("any"));
        if (type.filter(String::isBlank).isPresent()) {
            throw Refused.invalid(
                    "gpu_type.empty",
                    "gpu_type",
                    "gpu_type is the name of a GPU model, or null for any.");
        }
        return type;
    }

    private static Memory memory(JsonFields fields) throws Refused {
        var stated = fields.amount("memory_gb", MOST_MEMORY_GB);
        boolean isShared = fields.flag("share");
        if (isShared && stated.isEmpty()) {
            throw Refused.invalid(
                    "share.needs_memory",
                    "share",
                    "share needs memory_gb: who shares a card must say how much of it they take.");
        }
        var mib =
                stated.isPresent()
                        ? OptionalLong.of((long) Math.ceil(stated.getAsDouble() * MIB_PER_GB))
                        : OptionalLong.empty();
        return new Memory(mib, isShared);
    }

    private static Devices devices(String text) throws Refused {
        var indices = new TreeSet<Integer>();
        for (var part : text.split(",", -1)) {
            var word = part.strip();
            if (!CARD.matcher(word).matches() || text.length() > LONGEST_DEVICES) {
                throw Refused.invalid(
                        "devices.invalid",
                        "devices",
                        "devices is \"auto\", \"cpu\" or GPU numbers like \"0\" or \"0,1\", not "
                                + shown(text)
                                + ".");
            }
            if (!indices.add(Integer.valueOf(word))) {
                throw new Refused(
                        Rejected.invalid(
                                        "devices.repeated",
                                        "devices",
                                        "devices names GPU "
                                                + Integer.valueOf(word)
                                                + " twice. Name each one once.")
                                .with("gpu", Integer.valueOf(word)));
            }
        }
        return new Devices(indices);
    }

    /** Who names cards has said how many. */
    private static void agree(JsonFields fields, int named) throws Refused {
        var stated = stated(fields);
        if (stated.isPresent() && !stated.get().equals(Count.of(named))) {
            throw otherCount("gpu_count", named);
        }
        for (var bound : new String[] {"min_gpu", "max_gpu"}) {
            if (fields.wholeNumber(bound, 1, MOST_GPUS).orElse(named) != named) {
                throw otherCount(bound, named);
            }
        }
    }

    private static Refused otherCount(String field, int named) {
        return new Refused(
                Rejected.invalid(
                                field + ".with_devices",
                                field,
                                "devices names "
                                        + (named == 1 ? "1 GPU" : named + " GPUs")
                                        + ", so "
                                        + field
                                        + " is "
                                        + named
                                        + " or left out.")
                        .with("named", named));
    }

    private static Count counted(JsonFields fields) throws Refused {
        var stated = stated(fields);
        var min = fields.wholeNumber("min_gpu", 1, MOST_GPUS);
        var max = fields.wholeNumber("max_gpu", 1, MOST_GPUS);
        int least = min.orElse(stated.map(Count::least).orElse(1));
        int most = max.orElse(stated.map(Count::most).orElse(least));
        if (most < least) {
            throw upsideDown(min, max);
        }
        if (stated.isPresent() && (stated.get().least() < least || stated.get().most() > most)) {
            throw Refused.invalid(
                    "gpu_count.outside",
                    "gpu_count",
                    "gpu_count is not within min_gpu and max_gpu ("
                            + least
                            + " to "
                            + most
                            + "). Leave it out, or them.");
        }
        return new Count(least, most);
    }

    private static Refused upsideDown(OptionalInt min, OptionalInt max) {
        var field = max.isPresent() ? "max_gpu" : "min_gpu";
        return Refused.invalid(
                field + ".invalid",
                field,
                max.isPresent() && min.isPresent()
                        ? "max_gpu is min_gpu (" + min.getAsInt() + ") or more."
                        : field + " does not go with gpu_count: the least is above the most.");
    }

    static Optional<Count> stated(JsonFields fields) throws Refused {
        if (!fields.isText("gpu_count")) {
            var number = fields.wholeNumber("gpu_count", 1, MOST_GPUS);
            return number.isPresent() ? Optional.of(Count.of(number.getAsInt())) : Optional.empty();
        }
        var text = fields.requiredText("gpu_count").strip();
        var range = RANGE.matcher(text);
        if (range.matches()) {
            int least = Integer.parseInt(range.group(1));
            int most = Integer.parseInt(range.group(2));
            if (least >= 1 && least <= most && most <= MOST_GPUS) {
                return Optional.of(new Count(least, most));
            }
        }
        throw new Refused(
                Rejected.invalid(
                                "gpu_count.invalid",
                                "gpu_count",
                                "gpu_count is a whole number from 1 to "
                                        + MOST_GPUS
                                        + ", or a range of such like \"2-4\", the least first; not "
                                        + shown(text)
                                        + ".")
                        .with("min", 1)
                        .with("max", MOST_GPUS));
    }

    private static String shown(String text) {
        return "\"" + (text.length() > 60 ? text.substring(0, 60) + "…" : text) + "\"";
    }
}
