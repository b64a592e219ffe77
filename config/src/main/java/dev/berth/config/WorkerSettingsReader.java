package dev.berth.config;

import dev.berth.config.Configuration.ModelDefinition;
import dev.berth.config.Configuration.WorkerSettings;
import dev.berth.core.task.EnvironmentName;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Builds the settings of models and workers. */
final class WorkerSettingsReader {

    private WorkerSettingsReader() {}

    static WorkerSettings of(ConfigValues values) throws InvalidConfigException {
        var models = models(values);
        var interval = values.get(ModelKeys.HEARTBEAT_INTERVAL);
        var limit = values.get(ModelKeys.HEARTBEAT_TIMEOUT);
        // A worker must get the question before its time is over.
        var asked = Duration.ofSeconds(Math.min(interval, Math.max(1, limit / 2)));
        return new WorkerSettings(
                models,
                asked,
                Duration.ofSeconds(limit),
                Duration.ofSeconds(values.get(ModelKeys.LOAD_TIMEOUT)));
    }

    private static SortedMap<String, ModelDefinition> models(ConfigValues values)
            throws InvalidConfigException {
        var prewarmed = values.get(ModelKeys.PREWARM);
        var memory = values.membersOf(ModelKeys.MEMORY);
        var atStart = values.membersOf(ModelKeys.LOADED_AT_START);
        var environments = values.membersOf(ModelKeys.ENVIRONMENT);
        var workDirs = values.membersOf(ModelKeys.WORK_DIR);
        var idle = values.membersOf(ModelKeys.IDLE);
        var accounts = values.membersOf(ModelKeys.RUN_AS);
        var models = new TreeMap<String, ModelDefinition>();
        for (var worker : values.membersOf(ModelKeys.WORKER).entrySet()) {
            var name = worker.getKey();
            models.put(
                    name,
                    new ModelDefinition(
                            worker.getValue(),
                            memory.getOrDefault(name, 0L),
                            atStart.getOrDefault(name, false) || prewarmed.contains(name),
                            environment(
                                    ModelKeys.ENVIRONMENT.keyOf(name),
                                    environments.getOrDefault(name, List.of()),
                                    values),
                            workDir(
                                    ModelKeys.WORK_DIR.keyOf(name),
                                    Optional.ofNullable(workDirs.get(name)),
                                    values),
                            Optional.ofNullable(idle.get(name)).map(Duration::ofSeconds),
                            Optional.ofNullable(accounts.get(name))));
        }
        for (var name : prewarmed) {
            if (!models.containsKey(name)) {
                values.warn(
                        values.source(ModelKeys.PREWARM)
                                + ": "
                                + ModelKeys.PREWARM.name()
                                + " names "
                                + name
                                + ", but there is no models."
                                + name
                                + ".worker");
            }
        }
        return models;
    }

    private static SortedMap<String, String> environment(
            ConfigKey<?> key, List<String> entries, ConfigValues values)
            throws InvalidConfigException {
        var environment = new TreeMap<String, String>();
        for (var entry : entries) {
            int sign = entry.indexOf('=');
            if (sign < 1 || EnvironmentName.problem(entry.substring(0, sign)).isPresent()) {
                throw new InvalidConfigException(
                        values.source(key) + ": " + key.name() + " is a list like [A=1, B=x]");
            }
            environment.put(entry.substring(0, sign), entry.substring(sign + 1));
        }
        return environment;
    }

    private static Optional<Path> workDir(
            ConfigKey<?> key, Optional<String> text, ConfigValues values)
            throws InvalidConfigException {
        if (text.isPresent() && !text.get().startsWith("/")) {
            throw new InvalidConfigException(
                    values.source(key)
                            + ": "
                            + key.name()
                            + " is an absolute path, not "
                            + text.get());
        }
        return text.map(Path::of);
    }
}
