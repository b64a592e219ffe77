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
            Option.valued(
                            "--gpus",
                            "N|MIN-MAX",
                            "how many cards (1), or from how many up to how many")
                    .or("-g");
    private static final Option MEMORY =
            Option.valued("--memory", "20G", "free memory that each card must have").or("-m");
    private static final Option SHARE =
            Option.flag("--share", "others that share may be on its cards; needs --memory");
    private static final Option NO_SHARE = Option.flag("--no-share", "its cards are its own again");
    private static final Option TYPE = Option.valued("--type", "NAME", "only cards of this model");
    private static final Option DEVICE =
            Option.valued("--device", "D", "auto, cpu, or which cards: 0,1");
    private static final Option PRIORITY =
            Option.valued("--priority", "P", "CRITICAL, HIGH, NORMAL or LOW").or("-p");
    private static final Option TIME =
            Option.valued("--time", "2h", "end it when it has run for so long").or("-t");
    private static final Option MODEL =
            Option.valued(
                    "--model", "NAME", "the model it runs, from which its memory is estimated");
    private static final Option TASK_TYPE =
            Option.valued("--task-type", "NAME", "what it does with the model");
    private static final Option ATOMS =
            Option.valued("--atoms", "N", "how many atoms its structure has, for the estimate");
    private static final Option RETRIES =
            Option.valued("--retries", "N", "start it again up to N times if it fails");
    private static final Option LANE =
            Option.valued("--lane", "X", "one after the other with others of this lane");
    private static final Option NAME = Option.valued("--name", "X", "what to call it").or("-n");
    private static final Option ENV =
            Option.valued("--env", "K=V", "set a variable; K alone passes yours on").or("-e");
    private static final Option WORK_DIR =
            Option.valued("--work-dir", "DIR", "start it there (here)").or("-C");
    private static final Option DRAFT =
            Option.flag("--draft", "keep it until you queue or launch it");

    /** Of a task that is handed in. */
    static final List<Option> ALL =
            List.of(
                    GPUS, MEMORY, SHARE, TYPE, DEVICE, PRIORITY, TIME, MODEL, TASK_TYPE, ATOMS,
                    RETRIES, LANE, NAME, ENV, WORK_DIR, DRAFT);

    /** Of a task that is there. */
    static final List<Option> CHANGES =
            List.of(
                    GPUS, MEMORY, SHARE, NO_SHARE, TYPE, DEVICE, PRIORITY, TIME, MODEL, TASK_TYPE,
                    ATOMS, NAME, ENV, WORK_DIR);

    /** Of a task that is run again. */
    static final List<Option> AGAIN = List.of(MEMORY, TIME, NAME, ENV);

    private static final String CPU = "cpu";
    private static final String CARDS =
            "a number from 1 up, or a range like 2-4 (none: --device cpu)";

    private final Options given;
    private final Options scripted;
    private final Surroundings around;
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    private final List<Option> takenBack = new ArrayList<>();

    TaskOptions(Options given, Options scripted, Surroundings around) {
        this.given = given;
        this.scripted = scripted;
        this.around = around;
    }

    /** Whether it is only to be kept. */
    boolean isDraft() {
        return has(DRAFT);
    }

    /** The fields of a request for a new task. */
    Map<String, @Nullable Object> fields(Script script) {
        String name = typed(NAME);
        fields.put("name", name == null ? Script.typed(script.name()) : name);
        fields.put("command", script.text());
        need();
        String retries = value(RETRIES);
        put("max_retries", retries == null ? null : count(RETRIES, retries));
        put("lane", value(LANE));
        String directory = value(WORK_DIR);
        fields.put("work_dir", directory(directory == null ? "" : directory));
        put("draft", isDraft() ? true : null);
        return fields;
    }

    /** The fields of a request to change a task: only what is given, null where taken back. */
    Map<String, @Nullable Object> changes() {
        takeBack(MEMORY, "none", "memory_gb");
        takeBack(TIME, "none", "timeout_seconds");
        takeBack(TYPE, "any", "gpu_type");
        takeBack(MODEL, "none", "model_name");
        takeBack(TASK_TYPE, "none", "task_type");
        takeBack(ATOMS, "none", "structure_n_atoms");
        put("name", typed(NAME));
        need();
        if (has(SHARE) && has(NO_SHARE)) {
            throw new UsageError("either --share or --no-share, not both");
        }
        put("share", has(NO_SHARE) ? false : null);
        String directory = value(WORK_DIR);
        put("work_dir", directory == null ? null : directory(directory));
        return fields;
    }

    private void takeBack(Option option, String word, String field) {
        if (word.equalsIgnoreCase(value(option))) {
            fields.put(field, null);
            takenBack.add(option);
        }
    }

    private void need() {
        put("devices", value(DEVICE));
        gpus();
        put("gpu_type", value(TYPE));
        memory();
        put("share", has(SHARE) ? true : null);
        String priority = value(PRIORITY);
        put("priority", priority == null ? null : priority.toUpperCase(Locale.ROOT));
        time();
        put("model_name", typed(MODEL));
        put("task_type", typed(TASK_TYPE));
        String atoms = value(ATOMS);
        put("structure_n_atoms", atoms == null ? null : count(ATOMS, atoms));
        Map<String, Object> env = env();
        put("env", env.isEmpty() ? null : env);
    }

    /** {@code N}, or {@code MIN-MAX}. */
    private void gpus() {
        String gpus = value(GPUS);
        if (gpus == null) {
            return;
        }
        int dash = gpus.indexOf('-');
        if (dash < 0) {
            int count = Amount.count(gpus).orElse(-1);
            // For a task without cards 0 is the truth, and for another it is a slip.
            if (count < (CPU.equals(value(DEVICE)) ? 0 : 1)) {
                throw wrong(GPUS, gpus, CARDS);
            }
            fields.put("gpu_count", count);
            return;
        }
        int least = Amount.count(gpus.substring(0, dash)).orElse(0);
        int most = Amount.count(gpus.substring(dash + 1)).orElse(0);
        if (least < 1 || most < least) {
            throw wrong(GPUS, gpus, CARDS);
        }
        fields.put("min_gpu", least);
        fields.put("max_gpu", most);
    }

    private void memory() {
        String memory = value(MEMORY);
        if (memory != null) {
            OptionalDouble gigabytes = Amount.gigabytes(memory);
            if (gigabytes.isEmpty()) {
                throw wrong(MEMORY, memory, "20G, 20480M or 20 (GB)");
            }
            fields.put("memory_gb", gigabytes.getAsDouble());
        }
    }

    private void time() {
        String time = value(TIME);
        if (time != null) {
            OptionalInt seconds = Amount.seconds(time);
            if (seconds.isEmpty()) {
                throw wrong(TIME, time, "90s, 30m, 2h, 1d, 1h30m or 1:30:00");
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

    private String directory(String directory) {
        return Script.typed(around.cwd().resolve(directory).normalize().toString());
    }

    private boolean has(Option option) {
        return given.has(option) || scripted.has(option);
    }

    private @Nullable String value(Option option) {
        if (takenBack.contains(option)) {
            return null;
        }
        String typed = given.value(option);
        return typed == null ? scripted.value(option) : typed;
    }

    private @Nullable String typed(Option option) {
        String value = value(option);
        return value == null ? null : Script.typed(value);
    }

    private void put(String name, @Nullable Object value) {
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
