package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random files and random edits: after parsing again only the edited key differs, and every comment
 * is still there. An edit may be refused, but not often.
 */
class YamlEditorFuzzTest {

    private static final int FILES = 5_000;
    private static final List<String> KEYS = List.of("a", "b", "c", "g.a", "g.b", "h.a", "h.i.a");
    private static final List<String> VALUES =
            List.of(
                    "1",
                    "-5",
                    "true",
                    "null",
                    "~",
                    "",
                    "fit",
                    "\"x # y\"",
                    "'it''s: [1]'",
                    "[]",
                    "[0, 1]",
                    "[ 'a,b' , c ]",
                    "a plain text",
                    "工作 😀",
                    "{x: 1}",
                    "[1,\n      2]",
                    "'two\n\n      lines'",
                    "|\n      # no comment\n      text",
                    ">-\n      folded\n\n      text");
    private static final List<Object> WANTED =
            List.of(7, -1, true, "fit", "no", "a: #b", "工 \"q\"", List.of(), List.of(1, 2, 3));

    private final List<String> comments = new ArrayList<>();

    @Test
    void onlyTheEditedKeyChanges() throws Exception {
        long seed = 20_251_115;
        int refused = 0;
        for (int i = 0; i < FILES; i++) {
            var random = new Random(seed + i);
            var text = file(random);
            var key = pick(random, KEYS);
            boolean isRemoval = random.nextInt(4) == 0;
            var value = YamlEditorTest.written(pick(random, WANTED));
            var what = "seed " + (seed + i) + ", " + key + ", " + value + ":\n" + text;
            var before = said(text, what);
            String after;
            try {
                after =
                        isRemoval
                                ? YamlEditor.remove("f", text, key)
                                : YamlEditor.set("f", text, key, value);
            } catch (InvalidConfigException why) {
                // Refusals are found before the edit; a failed comparison afterwards is a defect.
                assertThat(why.getMessage()).as(what).doesNotContain("alone");
                refused++;
                continue;
            }
            requireOnly(key, isRemoval, value, before, said(after, what), what + "\n→\n" + after);
            requireComments(after, what + "\n→\n" + after);
            requireLines(text, after, key, what + "\n→\n" + after);
        }
        assertThat(refused).as("refused of " + FILES).isLessThan(FILES / 6);
    }

    private String file(Random random) {
        comments.clear();
        var text = new StringBuilder();
        comment(random, text, "");
        if (random.nextInt(6) == 0) {
            text.append("---\n");
        }
        for (var key : List.of("a", "b", "c")) {
            entry(random, text, "", key);
        }
        group(random, text, "g", "", List.of("a", "b", "z"));
        if (random.nextBoolean()) {
            text.append("h:\n  y: 1\n");
            entry(random, text, "  ", "a");
            group(random, text, "i", "  ", List.of("a", "b"));
        }
        var made = text.toString();
        if (random.nextInt(5) == 0) {
            made = made.stripTrailing();
        }
        return random.nextInt(3) == 0 ? made.replace("\n", "\r\n") : made;
    }

    private void group(
            Random random, StringBuilder text, String name, String indent, List<String> keys) {
        if (random.nextInt(4) == 0) {
            return;
        }
        text.append(indent).append(name).append(':');
        beside(random, text);
        var inner = indent + " ".repeat(1 + random.nextInt(4));
        for (var key : keys) {
            entry(random, text, inner, key);
        }
    }

    private void entry(Random random, StringBuilder text, String indent, String key) {
        if (random.nextInt(4) == 0) {
            return;
        }
        comment(random, text, indent);
        text.append(indent).append(random.nextInt(6) == 0 ? "'" + key + "'" : key).append(':');
        if (random.nextInt(5) == 0) {
            beside(random, text);
            var dash = indent + " ".repeat(random.nextInt(3)) + "- ";
            int items = 1 + random.nextInt(3);
            for (int i = 0; i < items; i++) {
                comment(random, text, indent);
                text.append(dash).append(i);
                beside(random, text);
            }
            return;
        }
        var value = pick(random, VALUES);
        text.append(value.isEmpty() ? "" : " ").append(value.replace("\n", "\n" + indent));
        if (value.startsWith("|") || value.startsWith(">")) {
            text.append('\n');
        } else {
            beside(random, text);
        }
    }

    private void beside(Random random, StringBuilder text) {
        if (random.nextInt(3) == 0) {
            text.append("  ");
            comment(text);
        } else {
            text.append('\n');
        }
    }

    private void comment(Random random, StringBuilder text, String indent) {
        if (random.nextInt(4) == 0) {
            text.append('\n');
        }
        if (random.nextInt(3) == 0) {
            text.append(indent);
            comment(text);
        }
    }

    private void comment(StringBuilder text) {
        var words = "# comment " + comments.size() + " 'of: [many";
        comments.add(words);
        text.append(words).append('\n');
    }

    private static Map<String, RawValue> said(String text, String what) {
        var said = new LinkedHashMap<String, RawValue>();
        try {
            YamlReader.parse(text, "f").forEach(line -> said.put(line.key(), line.value()));
        } catch (InvalidConfigException e) {
            throw new AssertionError(what, e);
        }
        // A group without keys is not a key.
        said.values().removeIf(RawValue.Mapping.class::isInstance);
        List.of("g", "h", "h.i")
                .forEach(
                        group ->
                                said.computeIfPresent(
                                        group,
                                        (_, value) ->
                                                value instanceof RawValue.NullValue
                                                        ? null
                                                        : value));
        return said;
    }

    private static void requireOnly(
            String key,
            boolean isRemoval,
            RawValue value,
            Map<String, RawValue> before,
            Map<String, RawValue> after,
            String what) {
        before.remove(key);
        var now = after.remove(key);
        assertThat(after).as(what).isEqualTo(before);
        assertThat(List.copyOf(after.keySet())).as(what).isEqualTo(List.copyOf(before.keySet()));
        if (isRemoval) {
            assertThat(now).as(what).isNull();
        } else {
            assertThat(text(now)).as(what).isEqualTo(text(value));
        }
    }

    private static String text(RawValue value) {
        return switch (value) {
            case RawValue.Scalar scalar -> scalar.text();
            case RawValue.ScalarList(var items) ->
                    items.stream().map(RawValue.Scalar::text).toList() + "";
            case RawValue.NullValue _ -> "nothing";
            case RawValue.Mapping _ -> "a group";
            case RawValue.MappingList _ -> "rows";
        };
    }

    private void requireComments(String after, String what) {
        for (var comment : comments) {
            assertThat(after).as(what).contains(comment);
        }
    }

    /** All lines but those of the key itself stay, in order. */
    private static void requireLines(String before, String after, String key, String what) {
        var own = key.substring(key.lastIndexOf('.') + 1);
        var kept =
                Arrays.stream(before.split("\r?\n"))
                        .filter(
                                line ->
                                        line.strip().startsWith("# comment")
                                                || line.contains(": 1"))
                        .filter(line -> !line.strip().matches("'?" + own + "'?:.*"))
                        .toList();
        var left = new ArrayList<>(Arrays.asList(after.split("\r?\n")));
        for (var line : kept) {
            assertThat(left).as(what).contains(line);
            left.subList(0, left.indexOf(line) + 1).clear();
        }
    }

    private static <T> T pick(Random random, List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
