package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

class JsonTextTest {

    @Test
    void isPlainJson() {
        var words =
                new TreeMap<>(Map.of("A", "x y", "B", "say \"hi\"\\\n", "C", "é🦈\u0000\u001b"));

        assertThat(JsonText.of(words))
                .isEqualTo(
                        "{\"A\":\"x y\",\"B\":\"say \\\"hi\\\"\\\\\\n"
                                + "\",\"C\":\"é🦈\\u0000\\u001b\"}");
        assertThat(JsonText.of(Map.of())).isEqualTo("{}");
    }

    @Test
    void whateverIsWrittenIsReadBackFromUtf8() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            var words = new TreeMap<String, String>();
            for (int n = random.nextInt(4); n > 0; n--) {
                words.put(anything(random), anything(random));
            }
            var kept = JsonText.of(words).getBytes(StandardCharsets.UTF_8);

            assertThat(JsonText.read(new String(kept, StandardCharsets.UTF_8)))
                    .as("seed %d, round %d", seed, i)
                    .isEqualTo(words);
        }
    }

    /** Half of the characters need escaping, lone surrogates among them. */
    private static String anything(Random random) {
        var text = new StringBuilder();
        for (int n = random.nextInt(6); n > 0; n--) {
            var odd = "\"\\\n\r\t\u0000\u007f{}:,u\ud83e\udd88\udd88\ud83e\uffff";
            text.append(
                    random.nextBoolean()
                            ? odd.charAt(random.nextInt(odd.length()))
                            : (char) random.nextInt(65_536));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"a\"}",
                "{\"a\":1}",
                "{\"a\":\"b\"",
                "{\"a\":\"b\"}x",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12"
            })
    void malformedTextIsRefusedAndNotInTheMessage(String text) {
        assertThatIllegalStateException()
                .isThrownBy(() -> JsonText.read(text))
                .withMessageStartingWith("not an object of strings, at character ");
    }
}
