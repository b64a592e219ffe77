package dev.berth.config;

import dev.berth.core.NearestName;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Collects the effective value of every key from all sources. */
final class ConfigValues {

    private final Map<ConfigKey<?>, SetValue<?>> setValues = new LinkedHashMap<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<ConfigSources.ConfigFile> files = new ArrayList<>();
    private final java.util.Set<ConfigKey<?>> resetKeys = new HashSet<>();
    private ConfigSources.ConfigFile lanesFile = new ConfigSources.ConfigFile(Path.of(""), "");

    /** A value that a source sets. */
    private record SetValue<T>(T value, String source) {}

    private ConfigValues() {}

    static ConfigValues of(ConfigSources layers, FileDrafts drafts) throws InvalidConfigException {
        var values = new ConfigValues();
        var own = layers.berthFile();
        if (layers.explicitFile().isPresent() && !drafts.exists(own)) {
            throw new InvalidConfigException(own.displayName() + ": there is no such file");
        }
        values.lanesFile = lanesFile(layers, drafts);
        for (var file : layers.files(values.lanesFile)) {
            if (drafts.exists(file)) {
                values.files.add(file);
                values.put(file, parse(file, drafts), file.equals(own));
            }
        }
        for (var key : ConfigKeys.ALL) {
            var text = layers.environment().getOrDefault(key.environmentVariable(), "");
            if (!text.isEmpty()) {
                values.put(key, toRawValue(key, text), "environment " + key.environmentVariable());
            }
        }
        for (var option : layers.options().entrySet()) {
            var key = ConfigKeys.find(option.getKey()).orElseThrow();
            values.put(
                    key,
                    toRawValue(key, option.getValue()),
                    ConfigSources.OPTION_SOURCE + " --" + key.shortName());
        }
        var locale = LocaleVariables.of(layers.environment());
        locale.ifPresent(
                set ->
                        values.putIfUnset(
                                NotificationKeys.LANGUAGE,
                                set.language().tag(),
                                "environment " + set.variable()));
        return values;
    }

    private static List<YamlReader.YamlLine> parse(ConfigSources.ConfigFile file, FileDrafts drafts)
            throws InvalidConfigException {
        return YamlReader.parse(drafts.text(file), file.displayName());
    }

    /** Its path must be known before the files are read. */
    private static ConfigSources.ConfigFile lanesFile(ConfigSources layers, FileDrafts drafts)
            throws InvalidConfigException {
        var key = LaneKeys.CONFIG_PATH;
        var text = ConfigSources.LANES_FILE;
        var place = ConfigSources.DEFAULT_SOURCE;
        var own = layers.berthFile();
        if (drafts.exists(own)) {
            for (var line : parse(own, drafts)) {
                if (ConfigKeys.find(line.key()).filter(key::equals).isPresent()) {
                    text = key.type().parse(line.value()).orElse(text);
                    place = own.displayName() + ":" + line.number();
                }
            }
        }
        var variable = layers.environment().getOrDefault(key.environmentVariable(), "");
        if (!variable.isEmpty()) {
            text = variable;
            place = "environment " + key.environmentVariable();
        }
        var file = layers.lanesFile(text);
        if (!file.equals(layers.lanesFile(ConfigSources.LANES_FILE)) && !drafts.exists(file)) {
            throw new InvalidConfigException(
                    place + ": " + key.name() + ": there is no file " + file.displayName());
        }
        return file;
    }

    private void put(ConfigSources.ConfigFile file, List<YamlReader.YamlLine> lines, boolean isOwn)
            throws InvalidConfigException {
        for (var line : lines) {
            var place = file.displayName() + ":" + line.number();
            var key = ConfigKeys.find(line.key());
            if (key.isPresent() && key.get().equals(LaneKeys.CONFIG_PATH) && !isOwn) {
                warnings.add(
                        place
                                + ": "
                                + line.key()
                                + " has no effect here: it says where this file is. Put it into "
                                + ConfigSources.BERTH_FILE);
            } else if (key.isPresent()) {
                put(key.get(), line.value(), place);
            } else if (NotificationKeys.isReceiverKey(line.key())) {
                // An ignored typing error could send a receiver more than it was meant to get.
                throw new InvalidConfigException(
                        place
                                + ": there is no key "
                                + line.key()
                                + "."
                                + suggestion(line.key(), NotificationKeys.fieldNames()));
            } else if (ConfigKeys.isGroup(line.key())) {
                if (line.value() instanceof RawValue.Scalar
                        || line.value() instanceof RawValue.ScalarList
                        || line.value() instanceof RawValue.MappingList) {
                    throw new InvalidConfigException(
                            place
                                    + ": "
                                    + line.key()
                                    + " is a group of keys, not "
                                    + line.value().shortText());
                }
            } else if (!isInOpenGroup(line.key())
                    && !NotificationKeys.isReceiver(line.key())
                    && !(line.value() instanceof RawValue.Mapping
                            && ConfigKeys.isMember(line.key()))) {
                warnings.add(
                        place + ": there is no key " + line.key() + "." + suggestion(line.key()));
            }
        }
    }

    private static boolean isInOpenGroup(String key) {
        int dot = key.indexOf('.');
        return ConfigKeys.OPEN_GROUPS.contains(dot < 0 ? key : key.substring(0, dot));
    }

    private static String suggestion(String name) {
        var known =
                Stream.concat(
                                ConfigKeys.ALL.stream().map(ConfigKey::shortName),
                                ConfigKeys.FAMILIES.stream()
                                        .map(family -> family.suffix().replace(".", ""))
                                        .filter(own -> !own.isEmpty()))
                        .toList();
        return suggestion(name, known);
    }

    private static String suggestion(String name, List<String> known) {
        return NearestName.find(name.substring(name.lastIndexOf('.') + 1), known)
                .map(near -> " Did you mean " + near + "?")
                .orElse("");
    }

    private <T> void put(ConfigKey<T> key, RawValue value, String source)
            throws InvalidConfigException {
        if (value instanceof RawValue.NullValue) {
            return;
        }
        var read = key.type().parse(value);
        if (read.isEmpty()) {
            throw new InvalidConfigException(
                    source
                            + ": "
                            + key.name()
                            + " is "
                            + key.type().description()
                            + (key.type().isSecret() ? "" : ", not " + value.shortText()));
        }
        if (key.equals(NotificationKeys.MESSAGES)) {
            // Lists of two sources are not merged.
            setValues
                    .keySet()
                    .removeIf(other -> NotificationKeys.receiverKey(other.name()).isPresent());
        }
        var before = setValues.put(key, new SetValue<>(read.get(), source));
        // A change of an admin and an option are meant to override what a file sets.
        boolean isMeant =
                source.startsWith(ConfigSources.OPTION_SOURCE)
                        || source.startsWith(ConfigSources.CHANGES_FILE);
        if (before != null && !isMeant) {
            warnings.add(key.name() + " is set twice: " + source + " wins over " + before.source());
        }
    }

    /** Overrides all sources: a change made through the running server. */
    <T> void override(ConfigKey<T> key, RawValue value) throws InvalidConfigException {
        setValues.remove(key);
        if (value instanceof RawValue.NullValue) {
            resetKeys.add(key);
        } else {
            put(key, value, ConfigSources.MEMORY_SOURCE);
        }
    }

    /** Existing files, in ascending precedence. */
    List<ConfigSources.ConfigFile> files() {
        return List.copyOf(files);
    }

    /** The file with the keys of lanes, which may not exist. */
    ConfigSources.ConfigFile lanesFile() {
        return lanesFile;
    }

    /** A list is separated by commas in a variable or an option. */
    private static RawValue toRawValue(ConfigKey<?> key, String text) {
        if (key.type().isList()) {
            return new RawValue.ScalarList(
                    Arrays.stream(text.split(","))
                            .map(item -> new RawValue.Scalar(item.strip(), true))
                            .toList());
        }
        return new RawValue.Scalar(text, true);
    }

    /** The value of a key that has a default. */
    <T> T get(ConfigKey<T> key) {
        return find(key).orElseThrow();
    }

    @SuppressWarnings("unchecked") // take() stores only values of the key's own type
    <T> Optional<T> find(ConfigKey<T> key) {
        var setValue = (SetValue<T>) setValues.get(key);
        return setValue == null ? key.defaultValue() : Optional.of(setValue.value());
    }

    /** The values of a family, by user-defined name. */
    <T> SortedMap<String, T> membersOf(KeyFamily<T> family) {
        var members = new TreeMap<String, T>();
        for (var key : setValues.keySet()) {
            family.memberOf(key.name())
                    .ifPresent(
                            member ->
                                    find(family.keyOf(member))
                                            .ifPresent(v -> members.put(member, v)));
        }
        return members;
    }

    /** The keys of families that are set. */
    List<ConfigKey<?>> familyKeys() {
        return setValues.keySet().stream().filter(key -> !ConfigKeys.ALL.contains(key)).toList();
    }

    boolean isSet(ConfigKey<?> key) {
        return setValues.containsKey(key);
    }

    void warn(String warning) {
        warnings.add(warning);
    }

    /** Sets a value unless one is set already. */
    <T> void putIfUnset(ConfigKey<T> key, T value, String source) {
        setValues.putIfAbsent(key, new SetValue<>(value, source));
    }

    String source(ConfigKey<?> key) {
        var setValue = setValues.get(key);
        if (setValue != null) {
            return setValue.source();
        }
        return resetKeys.contains(key) ? ConfigSources.MEMORY_SOURCE : ConfigSources.DEFAULT_SOURCE;
    }

    List<String> warnings() {
        return List.copyOf(warnings);
    }
}
