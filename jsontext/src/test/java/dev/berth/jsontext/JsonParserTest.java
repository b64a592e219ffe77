package dev.berth.jsontext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

class JsonParserTest {

    private static final JsonMapper JACKSON = new JsonMapper();

    @Test
    void readsEveryKindOfValue() throws Exception {
        Object value =
                JsonParser.parse(
                        " {\"a\" : [1, -2.5e3, true, false, null], \"b\":{}, \"c\":[],"
                                + "\"\":\"x\\n\\u00e9\\\\\\\"\\/\\b\\f\\r\\t 训\"} ");
        Map<String, Object> expected = new LinkedHashMap<>();
        List<Object> list = new ArrayList<>();
        list.add(new JsonParser.JsonNumber("1"));
        list.add(new JsonParser.JsonNumber("-2.5e3"));
        list.add(true);
        list.add(false);
        list.add(null);
        expected.put("a", list);
        expected.put("b", Map.of());
        expected.put("c", List.of());
        expected.put("", "x\né\\\"/\b\f\r\t 训");
        assertThat(value).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[",
                "[1",
                "[1,",
                "[1 2]",
                "{\"a\"}",
                "{\"a\":}",
                "{a:1}",
                "{\"a\":1,}",
                "\"open",
                "\"bad \\x\"",
                "\"bad \\u12g4\"",
                "\"cut \\u12",
                "\"cut \\",
                "nul",
                "tru",
                "1 2",
                "-",
                "1.",
                "1e",
                "01",
                "+1",
                ".5",
                "-x",
                "1e+",
                "[]]",
                "<html>",
                "\"line\nbreak\"",
                "\"a\\n\u0001\"",
                "'x'",
            })
    void whatIsNotJsonIsSaid(String text) {
        assertThatThrownBy(() -> JsonParser.parse(text))
                .isInstanceOf(JsonParser.MalformedJson.class);
    }

    @Test
    void depthIsBounded() throws Exception {
        int deepest = JsonParser.MAX_DEPTH;
        assertThat(JsonParser.parse("[".repeat(deepest) + "]".repeat(deepest)))
                .isInstanceOf(List.class);
        assertThatThrownBy(() -> JsonParser.parse("[".repeat(100_000)))
                .isInstanceOf(JsonParser.MalformedJson.class)
                .hasMessageStartingWith("too deep");
    }

    @Test
    void agreesWithJacksonOnAnything() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 1_000; round++) {
            String text = JACKSON.writeValueAsString(value(random, 0));
            Object ours = JsonParser.parse(text);
            assertThat(JACKSON.readTree(JsonWriter.write(ours)))
                    .as("seed %d: %s", seed, text)
                    .isEqualTo(JACKSON.readTree(text));
        }
    }

    @Test
    void refusesWhatJacksonRefusesAndNothingElse() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder(JACKSON.writeValueAsString(value(random, 1)));
            int at = random.nextInt(text.length());
            text.setCharAt(at, "{}[]\",:\\x0-.e \u0001".charAt(random.nextInt(15)));
            if (weRead(text.toString()) != jacksonReads(text.toString())) {
                fail("seed %d: %s", seed, text);
            }
        }
    }

    private static boolean weRead(String text) {
        try {
            JsonParser.parse(text);
            return true;
        } catch (JsonParser.MalformedJson malformed) {
            return false;
        }
    }

    private static boolean jacksonReads(String text) {
        try {
            // Nothing may follow the value; reading a tree alone would not detect it.
            return !(JACKSON.reader()
                            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                            .readTree(text)
                    instanceof MissingNode);
        } catch (JacksonException malformed) {
            return false;
        }
    }

    private static Object value(Random random, int depth) {
        return switch (random.nextInt(depth > 3 ? 5 : 7)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt(1000) / 8.0;
            case 2 -> random.nextBoolean();
            case 3 -> null;
            case 4 -> text(random);
            case 5 -> {
                List<Object> list = new ArrayList<>();
                for (int size = random.nextInt(4); size > 0; size--) {
                    list.add(value(random, depth + 1));
                }
                yield list;
            }
            default -> {
                Map<String, Object> map = new LinkedHashMap<>();
                for (int size = random.nextInt(4); size > 0; size--) {
                    map.put(text(random), value(random, depth + 1));
                }
                yield map;
            }
        };
    }

    private static String text(Random random) {
        String alphabet = "ab\"\\/\n\r\t\b\u0001\u001f é训\u2028\u202e";
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(8); length > 0; length--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            if (random.nextInt(8) == 0) {
                text.append("😀");
            }
        }
        return text.toString();
    }

    @Test
    void halfACharacterIsWrittenAsAnEscape() {
        assertThat(JsonWriter.write("a\ud83d")).isEqualTo("\"a\\ud83d\"");
        assertThat(JsonWriter.write("\ude00b")).isEqualTo("\"\\ude00b\"");
        assertThat(JsonWriter.write("😀")).isEqualTo("\"😀\"");
    }

    /** The form of the stored text: 0.1.0 reads no other short escape than that of a line break. */
    @Test
    void controlCharactersAreWrittenInTheStoredForm() {
        assertThat(JsonWriter.write("\"\\\n\r\t\b\u0000\u007fé"))
                .isEqualTo("\"\\\"\\\\\\n\\u000d\\u0009\\u0008\\u0000\\u007fé\"");
    }

    @Test
    void theMessageContainsNothingOfTheText() {
        assertThatThrownBy(() -> JsonParser.parse("{\"PASSWORD\":\"secret\" \"x\"}"))
                .isInstanceOf(JsonParser.MalformedJson.class)
                .hasMessage("no ',' at character 21")
                .extracting(e -> ((JsonParser.MalformedJson) e).at())
                .isEqualTo(21);
    }

    @Test
    void numbersStayAsTheyWereWritten() throws Exception {
        String text = "[1.10,1E400,-0,12345678901234567890]";
        assertThat(JsonWriter.write(JsonParser.parse(text))).isEqualTo(text);
    }
}
