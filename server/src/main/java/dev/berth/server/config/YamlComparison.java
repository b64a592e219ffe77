package dev.berth.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** What a file said before a change and after it. */
record YamlComparison(String file, List<YamlFile.Line> before, List<YamlFile.Line> after) {

    /** Refuses if anything but this key is different, or this key is not what it was to be. */
    void onlySet(String name, Written value) throws ConfigRefused {
        var now = after.stream().filter(line -> line.key().equals(name)).findFirst();
        require(name, now.isPresent() && isSame(value, now.get().value()));
    }

    void onlyRemoved(String name) throws ConfigRefused {
        require(name, after.stream().noneMatch(line -> line.key().equals(name)));
    }

    private void require(String name, boolean isDone) throws ConfigRefused {
        if (!isDone || !others(before, name).equals(others(after, name))) {
            throw new ConfigRefused(
                    file + ": " + name + " cannot be changed alone here; change it in the file");
        }
    }

    private record Said(String key, Written value) {}

    private static List<Said> others(List<YamlFile.Line> lines, String name) {
        var others = new ArrayList<Said>();
        for (var line : lines) {
            // A group may be made for its first key, and stays empty behind its last.
            boolean isAbove =
                    name.startsWith(line.key() + ".")
                            && (line.value() instanceof Written.Mapping
                                    || line.value() instanceof Written.Nothing);
            if (!line.key().equals(name) && !isAbove) {
                others.add(new Said(line.key(), line.value()));
            }
        }
        return others;
    }

    private static boolean isSame(Written wanted, Written now) {
        return switch (wanted) {
            case Written.Scalar scalar ->
                    now instanceof Written.Scalar other && isSame(scalar, other);
            case Written.Items(var items) ->
                    now instanceof Written.Items(var others)
                            && items.size() == others.size()
                            && indexesOf(items).allMatch(i -> isSame(items.get(i), others.get(i)));
            case Written.Nothing _, Written.Mapping _, Written.Rows _ ->
                    Objects.equals(wanted, now);
        };
    }

    private static IntStream indexesOf(List<?> list) {
        return IntStream.range(0, list.size());
    }

    /** A text may come to stand without quotes; a number may not get them. */
    private static boolean isSame(Written.Scalar wanted, Written.Scalar now) {
        return wanted.text().equals(now.text()) && (!wanted.isPlain() || now.isPlain());
    }
}
