package dev.berth.server.config;

import dev.berth.server.http.Nearest;

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

/** Every key's value in force, while it is being put together. */
final class Values {

    private final Map<Key<?>, Set<?>> set = new LinkedHashMap<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<Layers.File> files = new ArrayList<>();
    private final java.util.Set<Key<?>> lifted = new HashSet<>();
    private Layers.File lanesFile = new Layers.File(Path.of(""), "");

    /** A value that somebody set. */
    private record Set<T>(T value, String source) {}

    private Values() {}

    static Values of(Layers layers, Drafts drafts) throws ConfigRefused {
        var values = new Values();
        var own = layers.own();
        if (layers.named().isPresent() && !drafts.has(own)) {
            throw new ConfigRefused(own.shown() + ": there is no such file");
        }
        values.lanesFile = lanesFile(layers, drafts);
        for (var file : layers.files(values.lanesFile)) {
            if (drafts.has(file)) {
                values.files.add(file);
                values.take(file, lines(file, drafts), file.equals(own));
            }
        }
        for (var key : Keys.ALL) {
            var text = layers.environment().getOrDefault(key.variable(), "");
            if (!text.isEmpty()) {
                values.take(key, written(key, text), "environment " + key.variable());
            }
        }
        for (var word : layers.words().entrySet()) {
            var key = Keys.named(word.getKey()).orElseThrow();
            values.take(key, written(key, word.getValue()), Layers.WORDS + " --" + key.ownName());
        }
        return values;
    }

    private static List<YamlFile.Line> lines(Layers.File file, Drafts drafts) throws ConfigRefused {
        return YamlFile.parse(drafts.text(file), file.shown());
    }

    /** Which it is must be known before it can be read. */
    private static Layers.File lanesFile(Layers layers, Drafts drafts) throws ConfigRefused {
        var key = LaneKeys.CONFIG_PATH;
        var text = Layers.LANES_FILE;
        var place = Layers.USUAL;
        var own = layers.own();
        if (drafts.has(own)) {
            for (var line : lines(own, drafts)) {
                if (Keys.named(line.key()).filter(key::equals).isPresent()) {
                    text = key.kind().read(line.value()).orElse(text);
                    place = own.shown() + ":" + line.number();
                }
            }
        }
        var variable = layers.environment().getOrDefault(key.variable(), "");
        if (!variable.isEmpty()) {
            text = variable;
            place = "environment " + key.variable();
        }
        var file = layers.lanes(text);
        if (!file.equals(layers.lanes(Layers.LANES_FILE)) && !drafts.has(file)) {
            throw new ConfigRefused(
                    place + ": " + key.name() + ": there is no file " + file.shown());
        }
        return file;
    }

    private void take(Layers.File file, List<YamlFile.Line> lines, boolean isOwn)
            throws ConfigRefused {
        for (var line : lines) {
            var place = file.shown() + ":" + line.number();
            var key = Keys.named(line.key());
            if (key.isPresent() && key.get().equals(LaneKeys.CONFIG_PATH) && !isOwn) {
                warnings.add(
                        place
                                + ": "
                                + line.key()
                                + " has no effect here: it says where this file is. Put it into "
                                + Layers.OWN_FILE);
            } else if (key.isPresent()) {
                take(key.get(), line.value(), place);
            } else if (MessageKeys.isInRow(line.key())) {
                // What was meant to narrow what somebody hears must not be overlooked.
                throw new ConfigRefused(
                        place
                                + ": there is no key "
                                + line.key()
                                + "."
                                + hint(line.key(), MessageKeys.fieldNames()));
            } else if (Keys.isGroup(line.key())) {
                if (line.value() instanceof Written.Scalar
                        || line.value() instanceof Written.Items
                        || line.value() instanceof Written.Rows) {
                    throw new ConfigRefused(
                            place
                                    + ": "
                                    + line.key()
                                    + " is a group of keys, not "
                                    + line.value().shown());
                }
            } else if (!isOpen(line.key())
                    && !MessageKeys.isRow(line.key())
                    && !(line.value() instanceof Written.Mapping && Keys.isMember(line.key()))) {
                warnings.add(place + ": there is no key " + line.key() + "." + hint(line.key()));
            }
        }
    }

    private static boolean isOpen(String key) {
        int dot = key.indexOf('.');
        return Keys.OPEN_GROUPS.contains(dot < 0 ? key : key.substring(0, dot));
    }

    private static String hint(String name) {
        var known =
                Stream.concat(
                                Keys.ALL.stream().map(Key::ownName),
                                SchedulingKeys.FAMILIES.stream()
                                        .map(family -> family.own().replace(".", ""))
                                        .filter(own -> !own.isEmpty()))
                        .toList();
        return hint(name, known);
    }

    private static String hint(String name, List<String> known) {
        return Nearest.to(name.substring(name.lastIndexOf('.') + 1), known)
                .map(near -> " Did you mean " + near + "?")
                .orElse("");
    }

    private <T> void take(Key<T> key, Written value, String source) throws ConfigRefused {
        if (value instanceof Written.Nothing) {
            return;
        }
        var read = key.kind().read(value);
        if (read.isEmpty()) {
            throw new ConfigRefused(
                    source
                            + ": "
                            + key.name()
                            + " is "
                            + key.kind().words()
                            + (key.kind().isSecret() ? "" : ", not " + value.shown()));
        }
        if (key.equals(MessageKeys.MESSAGES)) {
            // One list is not mixed with another.
            set.keySet().removeIf(other -> MessageKeys.inRow(other.name()).isPresent());
        }
        var before = set.put(key, new Set<>(read.get(), source));
        if (before != null && !source.startsWith(Layers.WORDS)) {
            warnings.add(key.name() + " is set twice: " + source + " wins over " + before.source());
        }
        if (!key.isInForce()) {
            warnings.add(source + ": " + key.name() + " is understood, but has no effect yet");
        }
    }

    /** Over everything else: what somebody has said to the server that runs. */
    <T> void override(Key<T> key, Written value) throws ConfigRefused {
        set.remove(key);
        if (value instanceof Written.Nothing) {
            lifted.add(key);
        } else {
            take(key, value, Layers.MEMORY);
        }
    }

    /** Those that are there, the least important first. */
    List<Layers.File> files() {
        return List.copyOf(files);
    }

    /** The file of the lanes' keys, which need not be there. */
    Layers.File lanesFile() {
        return lanesFile;
    }

    /** In a variable or an option, a list is written with commas. */
    private static Written written(Key<?> key, String text) {
        if (key.kind().isList()) {
            return new Written.Items(
                    Arrays.stream(text.split(","))
                            .map(item -> new Written.Scalar(item.strip(), true))
                            .toList());
        }
        return new Written.Scalar(text, true);
    }

    /** The value of a key that always has one. */
    <T> T get(Key<T> key) {
        return find(key).orElseThrow();
    }

    @SuppressWarnings("unchecked") // take() puts only a key's own type under it
    <T> Optional<T> find(Key<T> key) {
        var there = (Set<T>) set.get(key);
        return there == null ? key.usual() : Optional.of(there.value());
    }

    /** Who of a family was named, with what. */
    <T> SortedMap<String, T> members(Family<T> family) {
        var members = new TreeMap<String, T>();
        for (var key : set.keySet()) {
            family.member(key.name())
                    .ifPresent(
                            member ->
                                    find(family.of(member)).ifPresent(v -> members.put(member, v)));
        }
        return members;
    }

    /** The keys of families that somebody has set. */
    List<Key<?>> ofFamilies() {
        return set.keySet().stream().filter(key -> !Keys.ALL.contains(key)).toList();
    }

    boolean isSet(Key<?> key) {
        return set.containsKey(key);
    }

    void warn(String warning) {
        warnings.add(warning);
    }

    /** Sets what nobody has set. */
    <T> void presume(Key<T> key, T value, String source) {
        set.putIfAbsent(key, new Set<>(value, source));
    }

    String source(Key<?> key) {
        var there = set.get(key);
        if (there != null) {
            return there.source();
        }
        return lifted.contains(key) ? Layers.MEMORY : Layers.USUAL;
    }

    List<String> warnings() {
        return List.copyOf(warnings);
    }
}
