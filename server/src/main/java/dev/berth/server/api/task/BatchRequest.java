package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.batch.BatchArray;
import dev.berth.core.batch.BatchGpus;
import dev.berth.core.batch.BatchOption;
import dev.berth.core.batch.BatchScript;
import dev.berth.core.batch.BatchTime;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Turns the {@code #SBATCH} lines of a command into fields of its request. A field that the request
 * states wins.
 *
 * @param hasCluster options that Berth does not know are passed on to {@code sbatch}; otherwise
 *     they are refused
 */
record BatchRequest(boolean hasCluster) {

    static final int MAX_ARRAY_TASKS = 1000;

    /** If the request states one of these, the GPUs of the script have no effect. */
    private static final List<String> GPU_FIELDS =
            List.of("devices", "gpu_count", "min_gpu", "max_gpu", "gpu_type");

    private static final Set<String> NO_LIMIT = Set.of("0", "infinite", "unlimited");

    /** The request for one task. */
    JsonFields single(JsonFields fields) throws RejectedException {
        var script = read(fields);
        if (script.array.isPresent()) {
            throw refused("batch.array", script.array.get());
        }
        return script.fields(fields);
    }

    /** The requests for the tasks of a script: several if it is an array. */
    List<JsonFields> all(JsonFields fields) throws RejectedException {
        var script = read(fields);
        var one = script.fields(fields);
        if (script.array.isEmpty()) {
            return List.of(one);
        }
        var option = script.array.get();
        var array =
                BatchArray.parse(option.value().orElse(""), MAX_ARRAY_TASKS)
                        .orElseThrow(() -> invalid(option));
        var tasks = new ArrayList<JsonFields>();
        for (int number = 0; number < array.indices().size(); number++) {
            tasks.add(arrayTask(one, array, number));
        }
        return tasks;
    }

    /** Refuses the lines that no task could have. */
    void check(JsonFields fields) throws RejectedException {
        read(fields).fields(fields);
    }

    private ReadScript read(JsonFields fields) throws RejectedException {
        var script = new ReadScript();
        if (fields.isText("command")) {
            for (var option : BatchScript.options(fields.requiredText("command"))) {
                read(option, script);
            }
        }
        return script;
    }

    private void read(BatchOption option, ReadScript script) throws RejectedException {
        switch (BatchScript.treatment(option)) {
            case FIELD -> script.add(option);
            case DECIDED -> {
                if (option.name().equals("--nodes") && !isOne(option)) {
                    throw refused("batch.nodes", option);
                }
            }
            case REFUSED -> throw refused("batch.refused", option);
            case PASSED_ON -> {
                boolean isDefault = option.name().equals("--ntasks") && isOne(option);
                if (!hasCluster && !isDefault) {
                    throw refused("batch.unknown", option);
                }
            }
        }
    }

    private static boolean isOne(BatchOption option) {
        return option.value().filter(text -> text.equals("1") || text.equals("1-1")).isPresent();
    }

    private static RejectedException refused(String code, BatchOption option) {
        return new RejectedException(
                Rejected.invalid(code, "command")
                        .with("line", option.line())
                        .with("option", option.name()));
    }

    private static RejectedException invalid(BatchOption option) {
        return new RejectedException(
                Rejected.invalid("batch.invalid", "command")
                        .with("line", option.line())
                        .with("option", option.argument()));
    }

    /** Tasks of one lane run one after another, so that n lanes run n at the same time. */
    private static JsonFields arrayTask(JsonFields task, BatchArray array, int number)
            throws RejectedException {
        var indices = array.indices();
        var name = task.requiredText("name");
        var env = new TreeMap<>(task.textMap("env"));
        env.put("SLURM_ARRAY_TASK_ID", indices.get(number).toString());
        env.put("SLURM_ARRAY_TASK_COUNT", Integer.toString(indices.size()));
        env.put("SLURM_ARRAY_TASK_MIN", indices.getFirst().toString());
        env.put("SLURM_ARRAY_TASK_MAX", indices.getLast().toString());
        var own = new LinkedHashMap<String, Object>();
        own.put("name", name + "[" + indices.get(number) + "]");
        own.put("env", env);
        if (array.atOnce().isPresent() && task.isAbsent("lane")) {
            own.put("lane", laneName(name + "-" + number % array.atOnce().getAsInt()));
        }
        return task.with(own);
    }

    private static String laneName(String text) {
        var name = text.replaceAll("[^\\p{L}\\p{N}._-]", "_");
        return name.substring(Math.max(0, name.length() - 64));
    }

    /** The fields that a script states. */
    private static final class ReadScript {

        private final Map<String, Object> fields = new LinkedHashMap<>();
        private final Map<String, String> env = new TreeMap<>();
        private Optional<BatchOption> array = Optional.empty();
        private Optional<BatchOption> singleton = Optional.empty();
        private Optional<BatchOption> workDir = Optional.empty();

        void add(BatchOption option) throws RejectedException {
            var value = option.value().orElse("").strip();
            switch (option.name()) {
                case "--job-name" -> fields.put("name", value);
                case "--chdir" -> workDir = Optional.of(option);
                case "--gres", "--gpus", "--gpus-per-node" -> addGpus(option);
                case "--time" -> addTime(option, value);
                case "--array" -> array = Optional.of(option);
                case "--hold" -> fields.put("draft", true);
                case "--export" -> addVariables(value);
                default -> {
                    if (!value.equals("singleton")) {
                        throw refused("batch.dependency", option);
                    }
                    singleton = Optional.of(option);
                }
            }
        }

        private void addGpus(BatchOption option) throws RejectedException {
            var gpus = BatchGpus.of(option).orElseThrow(() -> invalid(option));
            GPU_FIELDS.forEach(fields::remove);
            if (gpus.count() == 0) {
                fields.put("devices", "cpu");
            } else {
                fields.put("gpu_count", gpus.count());
                gpus.type().ifPresent(type -> fields.put("gpu_type", type));
            }
        }

        private void addTime(BatchOption option, String value) throws RejectedException {
            if (NO_LIMIT.contains(value.toLowerCase(Locale.ROOT))) {
                return;
            }
            var limit = BatchTime.parse(value).filter(Duration::isPositive);
            fields.put(
                    "timeout_seconds", (int) limit.orElseThrow(() -> invalid(option)).toSeconds());
        }

        /** {@code ALL} and {@code NONE} change nothing: a task gets the server's environment. */
        private void addVariables(String value) {
            for (var part : value.split(",")) {
                int equals = part.indexOf('=');
                if (equals > 0) {
                    env.put(part.substring(0, equals), part.substring(equals + 1));
                }
            }
        }

        /** The server does not know the directory of the person who submits it. */
        private static String absolute(BatchOption option) throws RejectedException {
            var text = option.value().orElse("").strip();
            if (!text.startsWith("/")) {
                throw invalid(option);
            }
            return text;
        }

        JsonFields fields(JsonFields request) throws RejectedException {
            if (GPU_FIELDS.stream().anyMatch(request::has)) {
                GPU_FIELDS.forEach(fields::remove);
            }
            if (workDir.isPresent() && request.isAbsent("work_dir")) {
                fields.put("work_dir", absolute(workDir.get()));
            }
            var both = request.onTopOf(fields);
            if (singleton.isPresent() && both.isAbsent("lane")) {
                both = both.with(Map.of("lane", laneName(both.text("name").orElse(""))));
            }
            if (env.isEmpty()) {
                return both;
            }
            var variables = new TreeMap<>(env);
            variables.putAll(request.textMap("env"));
            return both.with(Map.of("env", variables));
        }
    }
}
