package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.Amount;
import dev.berth.cli.text.Clean;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What can be said about a task besides what it runs, on the command line or in its script; the
 * command line wins. What the server does with it is the server's business: everything is sent.
 */
final class TaskOptions {

    private static final Option GPUS =
            Option.valued("--gpus", "N", "how many cards (1); 0 for none").or("-g");
    private static final Option MEMORY =
            Option.valued("--memory", "20G", "free memory that each card must have").or("-m");
    private static final Option TYPE = Option.valued("--type", "NAME", "only cards of this model");
    private static final Option DEVICE =
            Option.valued("--device", "D", "auto, cpu, or which cards: 0,1");
    private static final Option PRIORITY =
            Option.valued("--priority", "P", "CRITICAL, HIGH, NORMAL or LOW").or("-p");
    private static final Option TIME =
            Option.valued("--time", "2h", "end it after this long (not yet)").or("-t");
    private static final Option RETRIES =
            Option.valued("--retries", "N", "start it again up to N times if it fails (not yet)");
    private static final Option LANE =
            Option.valued("--lane", "X", "one after the other with others of this lane (not yet)");
    private static final Option NAME = Option.valued("--name", "X", "what to call it").or("-n");
    private static final Option ENV =
            Option.valued("--env", "K=V", "set a variable; K alone passes yours on").or("-e");
    private static final Option WORK_DIR =
            Option.valued("--work-dir", "DIR", "start it there (here)").or("-C");

    static final List<Option> ALL =
            List.of(GPUS, MEMORY, TYPE, DEVICE, PRIORITY, TIME, RETRIES, LANE, NAME, ENV, WORK_DIR);

    private final Options given;
    private final Options scripted;
    private final Surroundings around;

    TaskOptions(Options given, Options scripted, Surroundings around) {
        this.given = given;
        this.scripted = scripted;
        this.around = around;
    }

    /** The fields of the request. */
    Map<String, Object> fields(Script script) {
        Map<String, Object> fields = new LinkedHashMap<>();
        String name = value(NAME);
        fields.put("name", Script.typed(name == null ? script.name() : name));
        fields.put("command", script.text());
        put(fields, "devices", value(DEVICE));
        gpus(fields);
        put(fields, "gpu_type", value(TYPE));
        memory(fields);
        String priority = value(PRIORITY);
        put(fields, "priority", priority == null ? null : priority.toUpperCase(Locale.ROOT));
        time(fields);
        String retries = value(RETRIES);
        put(fields, "max_retries", retries == null ? null : count(RETRIES, retries));
        put(fields, "lane", value(LANE));
        String directory = value(WORK_DIR);
        fields.put(
                "work_dir",
                Script.typed(
                        around.cwd()
                                .resolve(directory == null ? "" : directory)
                                .normalize()
                                .toString()));
        Map<String, Object> env = env();
        put(fields, "env", env.isEmpty() ? null : env);
        return fields;
    }

    /** {@code N}, or {@code MIN-MAX}. */
    private void gpus(Map<String, Object> fields) {
        String gpus = value(GPUS);
        if (gpus == null) {
            return;
        }
        int dash = gpus.indexOf('-');
        if (dash > 0) {
            fields.put("min_gpu", count(GPUS, gpus.substring(0, dash)));
            fields.put("max_gpu", count(GPUS, gpus.substring(dash + 1)));
            return;
        }
        int count = count(GPUS, gpus);
        fields.put("gpu_count", count);
        if (count == 0) {
            fields.putIfAbsent("devices", "cpu");
        }
    }

    private void memory(Map<String, Object> fields) {
        String memory = value(MEMORY);
        if (memory != null) {
            OptionalDouble gigabytes = Amount.gigabytes(memory);
            if (gigabytes.isEmpty()) {
                throw wrong(MEMORY, memory, "20G, 20480M or 20 (GB)");
            }
            fields.put("memory_gb", gigabytes.getAsDouble());
        }
    }

    private void time(Map<String, Object> fields) {
        String time = value(TIME);
        if (time != null) {
            OptionalInt seconds = Amount.seconds(time);
            if (seconds.isEmpty()) {
                throw wrong(TIME, time, "90s, 30m, 2h, 1d12h or 1:30:00");
            }
            fields.put("timeout_seconds", seconds.getAsInt());
        }
    }

    private Map<String, Object> env() {
        List<String> all = new ArrayList<>(scripted.values(ENV));
        all.addAll(given.values(ENV));
        Map<String, Object> env = new LinkedHashMap<>();
        for (String pair : all) {
            int equals = pair.indexOf('=');
            String key = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? around.env().get(key) : pair.substring(equals + 1);
            if (key.isEmpty()) {
                throw wrong(ENV, pair, "K=V");
            }
            if (value == null) {
                throw wrong(ENV, pair, "K=V: there is no variable of that name to pass on");
            }
            env.put(key, Script.typed(value));
        }
        return env;
    }

    private @Nullable String value(Option option) {
        String typed = given.value(option);
        return typed == null ? scripted.value(option) : typed;
    }

    private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    private static int count(Option option, String text) {
        OptionalInt count = Amount.count(text);
        if (count.isEmpty()) {
            throw wrong(option, text, "a number from 0 up");
        }
        return count.getAsInt();
    }

    private static UsageError wrong(Option option, String text, String right) {
        return new UsageError(
                option.name() + " '" + Clean.line(text) + "' is not understood: " + right);
    }
}
