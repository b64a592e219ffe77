package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.jsontext.JsonParser;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

class PrettyJsonTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                "1e400",
                "\"a\\nb\"",
                "[]",
                "{}",
                "[1, 2.50, [], {}]",
                "{\"a\": {\"b\": [null, \"训\"]}}"
            })
    void whatFitsIsOnOneLine(String json) throws Exception {
        assertThat(PrettyJson.write(JsonParser.parse(json))).isEqualTo(json);
    }

    @Test
    void whatDoesNotFitIsDividedAndItsPartsStayTogether() throws Exception {
        String json =
                """
                {
                  "energy": -12.5,
                  "forces": [
                    [0.1234567890123, 0.1234567890123, 0.1234567890123],
                    [0.1234567890123, 0.1234567890123, 0.1234567890123]
                  ],
                  "empty": {},
                  "text": "%s"
                }\
                """
                        .formatted("x".repeat(100));
        assertThat(PrettyJson.write(JsonParser.parse(json))).isEqualTo(json);
    }

    @Test
    void aLineIsFullAt80Characters() throws Exception {
        String fits = "[\"" + "x".repeat(76) + "\"]";
        assertThat(PrettyJson.write(JsonParser.parse(fits))).isEqualTo(fits);
        String longer = "\"" + "x".repeat(77) + "\"";
        assertThat(PrettyJson.write(JsonParser.parse("[" + longer + "]")))
                .isEqualTo("[\n  " + longer + "\n]");
    }

    @Test
    void itIsSafeToPrintAndMeansTheSame() throws Exception {
        String text = "\u001b[2J \u202e \u009b \ud83d\ude00 \u2028 \ud800 " + tag() + " 训\u007f";
        String written = PrettyJson.write(List.of(text, Map.of(text, 1)));
        assertThat(written.codePoints().filter(point -> point != '\n'))
                .noneMatch(Character::isISOControl)
                .noneMatch(point -> Character.getType(point) == Character.FORMAT)
                .noneMatch(point -> Character.getType(point) == Character.LINE_SEPARATOR);
        assertThat(JsonParser.parse(written))
                .isEqualTo(List.of(text, Map.of(text, new JsonParser.JsonNumber("1"))));
    }

    /** An invisible character beyond the first 65,536. */
    private static String tag() {
        return Character.toString(0xe0041);
    }
}
