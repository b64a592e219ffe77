package dev.berth.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Checks that an edit changed exactly one key of a file. */
record YamlEditCheck(
        String file, List<YamlReader.YamlLine> before, List<YamlReader.YamlLine> after) {

    /** Fails if any other key has changed, or this key does not have the new value. */
    void requireOnlySet(String name, RawValue value) throws InvalidConfigException {
        var now = after.stream().filter(line -> line.key().equals(name)).findFirst();
        requireOnly(name, now.isPresent() && isEqual(value, now.get().value()));
    }

    void requireOnlyRemoved(String name) throws InvalidConfigException {
        requireOnly(name, after.stream().noneMatch(line -> line.key().equals(name)));
    }

    private void requireOnly(String name, boolean isDone) throws InvalidConfigException {
        if (!isDone || !otherKeys(before, name).equals(otherKeys(after, name))) {
            throw new InvalidConfigException(
                    file + ": " + name + " cannot be changed alone here; change it in the file");
        }
    }

    private record KeyValue(String key, RawValue value) {}

    private static List<KeyValue> otherKeys(List<YamlReader.YamlLine> lines, String name) {
        var others = new ArrayList<KeyValue>();
        for (var line : lines) {
            // A group may be created for its first key, and stays empty after its last.
            boolean isAbove =
                    name.startsWith(line.key() + ".")
                            && (line.value() instanceof RawValue.Mapping
                                    || line.value() instanceof RawValue.NullValue);
            if (!line.key().equals(name) && !isAbove) {
                others.add(new KeyValue(line.key(), line.value()));
            }
        }
        return others;
    }

    private static boolean isEqual(RawValue newValue, RawValue now) {
        return switch (newValue) {
            case RawValue.Scalar scalar ->
                    now instanceof RawValue.Scalar other && isEqual(scalar, other);
            case RawValue.ScalarList(var items) ->
                    now instanceof RawValue.ScalarList(var others)
                            && items.size() == others.size()
                            && indexesOf(items).allMatch(i -> isEqual(items.get(i), others.get(i)));
            case RawValue.NullValue _, RawValue.Mapping _, RawValue.MappingList _ ->
                    Objects.equals(newValue, now);
        };
    }

    private static IntStream indexesOf(List<?> list) {
        return IntStream.range(0, list.size());
    }

    /** A text may lose its quotes; a number must not get quotes. */
    private static boolean isEqual(RawValue.Scalar expected, RawValue.Scalar now) {
        return expected.text().equals(now.text()) && (!expected.isPlain() || now.isPlain());
    }
}
