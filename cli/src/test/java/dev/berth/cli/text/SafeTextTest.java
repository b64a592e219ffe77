package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

class SafeTextTest {

    @Test
    void plainTextIsLeftAsItIs() {
        String plain = "train-7 (a=b) 'x' ~";
        assertThat(SafeText.line(plain)).isSameAs(plain);
        assertThat(SafeText.line("训练 é 👩‍💻")).isEqualTo("训练 é 👩‍💻");
    }

    @Test
    void whatATerminalWouldObeyIsShownAsAnEscape() {
        assertThat(SafeText.line("a\u001b[31mb\u001b]0;t\u0007c"))
                .isEqualTo("a\\e[31mb\\e]0;t\\u0007c");
        assertThat(SafeText.line("one\ntwo\rthree\tfour")).isEqualTo("one\\ntwo\\rthree\\tfour");
        assertThat(SafeText.line("\u009b2J\u007f\u0000")).isEqualTo("\\u009b2J\\u007f\\u0000");
    }

    @Test
    void whatReordersOrHidesTextIsShownAsAnEscape() {
        assertThat(SafeText.line("abc\u202etxt.exe")).isEqualTo("abc\\u202etxt.exe");
        assertThat(SafeText.line("a\u2066b\u200bc\u2028d\ufeff"))
                .isEqualTo("a\\u2066b\\u200bc\\u2028d\\ufeff");
        assertThat(SafeText.line("half \ud83d a character")).isEqualTo("half \\ud83d a character");
    }

    @ParameterizedTest
    @CsvSource({
        "'\u001b[1;31mred\u001b[0m text', red text",
        "'\u001b]0;title\u0007shown', shown",
        "'\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', link",
        "'\u001bPdevice\u001b\\after', after",
        "'\u001b(Bcharset \u001b7saved\u001b=', charset saved",
        "'bell\u0007 and back\b', bell and back",
        "'cut \u001b[31', 'cut '",
        "'cut \u001b', 'cut '",
        "'open \u001b]0;nothing closes it', 'open 0;nothing closes it'",
        "'tab\tstays', 'tab\tstays'",
        "'训练\u202e完成', 训练完成",
    })
    void controlSequencesAreLeftOutOfALog(String written, String shown) {
        assertThat(SafeText.logLine(written)).isEqualTo(shown);
    }

    @Test
    void aLineThatRewroteItselfShowsWhatItCameTo() {
        assertThat(SafeText.logLine("10%\r50%\r100%")).isEqualTo("100%");
        assertThat(SafeText.logLine("10%\r100%\r")).isEqualTo("100%");
        assertThat(SafeText.logLine("dos\r")).isEqualTo("dos");
        assertThat(SafeText.logLine("\r\r")).isEmpty();
        assertThat(SafeText.logLine("")).isEmpty();
    }

    @Test
    void nothingUnsafePassesWhateverWasWritten() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String alphabet = "ab;[]()0m\\\u001b\u0007\r\u009b\u202e训\ud83d\ude00\u0000 P^_X";
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(12); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String both = SafeText.line(text.toString()) + SafeText.logLine(text.toString());
            assertThat(both.codePoints())
                    .as("seed %d: %s", seed, text)
                    .noneMatch(Character::isISOControl)
                    .noneMatch(point -> point == 0x202e || Character.getType(point) == 19);
        }
    }
}
