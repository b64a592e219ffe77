package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** One key changes, and no other character. */
class YamlEditorTest {

    private static final String NEST = "retry_config.backoff_duration";

    static Stream<Arguments> settings() {
        return Stream.of(
                set("check_time: 5  # 调度间隔（秒）\n", "check_time", 7, "check_time: 7  # 调度间隔（秒）\n"),
                set("a: 1\r\nb: 2 # x\r\n", "a", 3, "a: 3\r\nb: 2 # x\r\n"),
                set("a: 1\r\nb: 2", "c", 3, "a: 1\r\nb: 2\r\nc: 3"),
                set("a: 1", "a", 2, "a: 2"),
                set("", "a", 2, "a: 2\n"),
                set("# only words", "a", 2, "# only words\na: 2"),
                set("\uFEFFa: 1\n", "a", 2, "\uFEFFa: 2\n"),
                set("---\na: 1\n", "b", 2, "---\na: 1\nb: 2\n"),
                set("---\na: 1\n...\n", "b", 2, "---\na: 1\nb: 2\n...\n"),
                set("---\n# none\n", "b", 2, "---\n# none\nb: 2\n"),
                set("  a: 1\n", "b", 2, "  a: 1\n  b: 2\n"),
                set("a:   # none yet\nb: 1\n", "a", 2, "a: 2   # none yet\nb: 1\n"),
                set("a:\nb: 1\n", "a", 2, "a: 2\nb: 1\n"),
                set("a: null # n\n", "a", 2, "a: 2 # n\n"),
                set("a: 'x # y' # z\n", "a", 2, "a: 2 # z\n"),
                set("a: 'x\n\n  y'\nb: 1\n", "a", 2, "a: 2\nb: 1\n"),
                set("'a': 1\n", "a", 2, "'a': 2\n"),
                set("? a\n: 1\n", "a", 2, "? a\n: 2\n"),
                set("😀: 1 # 😀\na: 1 # 😀\n", "a", 2, "😀: 1 # 😀\na: 2 # 😀\n"),
                set("b: |\n  a: 1\n  # no\n\na: 1\n", "a", 2, "b: |\n  a: 1\n  # no\n\na: 2\n"),
                set("b: |\n  text\n", "a", 2, "b: |\n  text\na: 2\n"));
    }

    static Stream<Arguments> groups() {
        return Stream.of(
                set(
                        "retry_config:\n  backoff_duration: 6    # rest\n",
                        NEST,
                        5,
                        "retry_config:\n  backoff_duration: 5    # rest\n"),
                set("a: 1\n", NEST, 5, "a: 1\nretry_config:\n  backoff_duration: 5\n"),
                set(
                        "retry_config:\n    x: 1 # one\n\nb: 1\n",
                        NEST,
                        5,
                        "retry_config:\n    x: 1 # one\n    backoff_duration: 5\n\nb: 1\n"),
                set(
                        "retry_config:\n  x: 1",
                        NEST,
                        5,
                        "retry_config:\n  x: 1\n  backoff_duration: 5"),
                set(
                        "retry_config:\nb: 1\n",
                        NEST,
                        5,
                        "retry_config:\n  backoff_duration: 5\nb: 1\n"),
                set(
                        "retry_config: ~ # none\nb: 1\n",
                        NEST,
                        5,
                        "retry_config:  # none\n  backoff_duration: 5\nb: 1\n"),
                set(
                        "retry_config:\n  x: [1,\n    2] # two\nb: 1\n",
                        NEST,
                        5,
                        "retry_config:\n  x: [1,\n    2] # two\n  backoff_duration: 5\nb: 1\n"),
                set(
                        "retry_config:\n  x:\n  - 1\n  # more\nb: 1\n",
                        NEST,
                        5,
                        "retry_config:\n  x:\n  - 1\n  backoff_duration: 5\n  # more\nb: 1\n"),
                set("retry_config.backoff_duration: 6\n", NEST, 5, NEST + ": 5\n"),
                set(
                        "a:\n  b:\n    c: 1\n",
                        "a.b.d.e",
                        5,
                        "a:\n  b:\n    c: 1\n    d:\n      e: 5\n"));
    }

    static Stream<Arguments> lists() {
        return Stream.of(
                set("a: [0,1,  2] # c\n", "a", List.of(3, 4), "a: [3, 4] # c\n"),
                set("a: []\n", "a", List.of(1), "a: [1]\n"),
                set("a: 3\n", "a", List.of(1), "a: [1]\n"),
                set("b: 1\n", "a", List.of(), "b: 1\na: []\n"),
                set(
                        "a:\n  - 0\n  - 1 # one\nb: 1\n",
                        "a",
                        List.of(5, 6),
                        "a:\n  - 5\n  - 6 # one\nb: 1\n"),
                set(
                        "a:\n- 0 # zero\n\n- 1\nb: 1\n",
                        "a",
                        List.of(0, 1, 2, 3),
                        "a:\n- 0 # zero\n\n- 1\n- 2\n- 3\nb: 1\n"),
                set(
                        "a:\n  - 0\n  # two\n  - 1 # one\n  - 2\nb: 1\n",
                        "a",
                        List.of(0),
                        "a:\n  - 0\n  # two\n  # one\nb: 1\n"),
                set(
                        "a: # list\n  - 0\n  - 1 # one\nb: 1\n",
                        "a",
                        List.of(),
                        "a: [] # list\n  # one\nb: 1\n"),
                set("a:\n  - 0", "a", List.of(0, 1), "a:\n  - 0\n  - 1"));
    }

    static Stream<Arguments> texts() {
        return Stream.of(
                set("a: fit\n", "a", "yield", "a: yield\n"),
                set("a: fit\n", "a", "no", "a: \"no\"\n"),
                set("a: fit\n", "a", "7", "a: \"7\"\n"),
                set("a: fit\n", "a", "/x y/#z", "a: \"/x y/#z\"\n"),
                set("a: fit\n", "a", "q\"\\: '工", "a: \"q\\\"\\\\: '工\"\n"),
                set("a: fit\n", "a", "\u2028\uFEFF", "a: \"\\U00002028\\U0000feff\"\n"),
                set("a: x\n", "a", true, "a: true\n"),
                set("a: x\n", "a", List.of("b c", "d"), "a: [\"b c\", d]\n"));
    }

    @ParameterizedTest
    @MethodSource({"settings", "groups", "lists", "texts"})
    void setsOneKey(String text, String key, Object value, String expected) throws Exception {
        assertThat(YamlEditor.set("f.yaml", text, key, written(value))).isEqualTo(expected);
    }

    static Stream<Arguments> removals() {
        return Stream.of(
                Arguments.of("a: 1\nb: 2\n", "a", "b: 2\n"),
                Arguments.of("a: 1 # one\nb: 2\n", "a", "# one\nb: 2\n"),
                Arguments.of("a: 1\r\nb: 2", "b", "a: 1\r\n"),
                Arguments.of("# x\na: 1\n\n# y\n", "a", "# x\n\n# y\n"),
                Arguments.of("g:\n  a: 1 # one\n  b: 2\n", "g.a", "g:\n  # one\n  b: 2\n"),
                Arguments.of("g:\n  a: 1\nb: 2\n", "g.a", "g:\nb: 2\n"),
                Arguments.of("a: # l\n  - 1\n\n  - 2 # two\nb: 2\n", "a", "# l\n\n# two\nb: 2\n"),
                Arguments.of("a: [1,\n  2]\nb: 2\n", "a", "b: 2\n"),
                Arguments.of("a: 'x\n\n  y'\nb: 2\n", "a", "b: 2\n"),
                Arguments.of("a: 1\n", "b", "a: 1\n"),
                Arguments.of("---\na: 1\n", "a", "---\n"),
                Arguments.of(
                        "t: >\n    text\na: [1,\n    2] # two\n", "a", "t: >\n    text\n# two\n"),
                Arguments.of("a.b: 1\nc: 1\n", "a.b", "c: 1\n"));
    }

    @ParameterizedTest
    @MethodSource("removals")
    void removesOneKey(String text, String key, String expected) throws Exception {
        assertThat(YamlEditor.remove("f.yaml", text, key)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{a: 1, b: 2}\n",
                "g: {a: 1}\n",
                "g: 3\n",
                "g: [1]\n",
                "g:\n  a: |\n    text\n",
                "g:\n  a:\n    b: 1\n",
                "g:\n  a: [1, # one\n    2]\n",
            })
    void refusesWhatItWouldDamage(String text) {
        assertThatThrownBy(() -> YamlEditor.set("f.yaml", text, "g.a", written(7)))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageStartingWith("f.yaml:")
                .hasMessageContaining("change");
    }

    @Test
    void reportsThePositionOfAKeyThatCannotBeEdited() {
        assertThatThrownBy(
                        () ->
                                YamlEditor.set(
                                        "f.yaml", "# x\r\n\r\ng: {a: 1}\r\n", "g.a", written(7)))
                .hasMessage(
                        "f.yaml:3: g.a is written in braces; write it in the file as lines, each"
                                + " with one key and its value, and it can be changed from here, or"
                                + " change it there yourself");
        assertThatThrownBy(() -> YamlEditor.remove("f.yaml", "g: {a: 1}\n", "g.a"))
                .hasMessageContaining("in braces");
        assertThatThrownBy(() -> YamlEditor.remove("f.yaml", "g:\n  a: 1\n", "g"))
                .hasMessageContaining("group of keys");
    }

    @Test
    void anInvalidFileIsNotChanged() {
        assertThatThrownBy(() -> YamlEditor.set("f.yaml", "a: 1\n  b: 2\n", "a", written(7)))
                .hasMessageContaining("not valid YAML");
    }

    static RawValue written(Object value) {
        return switch (value) {
            case List<?> list ->
                    new RawValue.ScalarList(list.stream().map(YamlEditorTest::scalar).toList());
            default -> scalar(value);
        };
    }

    private static RawValue.Scalar scalar(Object value) {
        return new RawValue.Scalar(value.toString(), !(value instanceof String));
    }

    private static Arguments set(String text, String key, Object value, String expected) {
        return Arguments.of(text, key, value, expected);
    }

    /** Includes what a comparison of values alone would not detect. */
    @Test
    void allOtherLinesOfTheSampleStayUnchanged() throws Exception {
        var text = LaneSettingsTest.resource("competition.yaml");

        var after = YamlEditor.set("config.yaml", text, "check_time", written(7));
        after = YamlEditor.set("config.yaml", after, NEST, written(5));
        after = YamlEditor.set("config.yaml", after, "work_dir", written("/data/lab"));

        assertThat(Arrays.asList(after.split("\n")))
                .isEqualTo(
                        Arrays.asList(
                                text.replace("check_time: 5 ", "check_time: 7 ")
                                        .replace("backoff_duration: 600", "backoff_duration: 5")
                                        .replace("work_dir: null ", "work_dir: \"/data/lab\" ")
                                        .split("\n")));
    }
}
