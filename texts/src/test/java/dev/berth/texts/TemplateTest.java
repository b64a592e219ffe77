package dev.berth.texts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

final class TemplateTest {

    record Example(String template, Map<String, String> values, String english, String chinese) {}

    static Stream<Example> examples() throws Exception {
        try (var in = TemplateTest.class.getResourceAsStream("templates.txt")) {
            var text =
                    new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().filter(line -> !line.startsWith("#")).map(TemplateTest::example);
        }
    }

    private static Example example(String line) {
        var columns = line.split("\t", 4);
        var values = new TreeMap<String, String>();
        for (var pair : columns[1].split(";", -1)) {
            if (pair.contains("=")) {
                values.put(
                        pair.substring(0, pair.indexOf('=')),
                        pair.substring(pair.indexOf('=') + 1));
            }
        }
        return new Example(columns[0], values, columns[2], columns[3]);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void rendersItsValues(Example example) {
        var template = Template.parse(example.template());
        assertThat(template.render(example.values(), Language.ENGLISH))
                .isEqualTo(example.english());
        assertThat(template.render(example.values(), Language.CHINESE))
                .isEqualTo(example.chinese());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a {b", "a [b", "a ]", "a }", "{n:nonsense}"})
    void refusesWhatIsNotClosed(String text) {
        assertThatThrownBy(() -> Template.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void knowsTheNamesOfItsValues() {
        assertThat(Template.parse("{a} {b:x|y} {c:duration}[ {d}]").names())
                .containsExactly("a", "b", "c", "d");
    }

    @Test
    void readsTheValuesOfARenderedSentence() {
        var template = Template.parse("no answer from {probe} for {seconds} s");
        assertThat(template.match("no answer from nvidia-smi for 10 s"))
                .contains(Map.of("probe", "nvidia-smi", "seconds", "10"));
        assertThat(template.match("no answer from nvidia-smi")).isEmpty();
    }
}
