package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class ShellWordsTest {

    @Test
    void plainWordsStayReadable() {
        assertThat(ShellWords.join(List.of("python", "train.py", "--lr", "0.1", "a b")))
                .isEqualTo("python train.py --lr 0.1 'a b'");
    }

    @Test
    void aQuoteInsideIsClosedEscapedAndOpenedAgain() {
        assertThat(ShellWords.join(List.of("it's", ""))).isEqualTo("'it'\\''s' ''");
    }

    @Test
    void wordsThatTheShellReservesAreQuoted() {
        assertThat(ShellWords.join(List.of("time", "A=b", "~", "if")))
                .isEqualTo("'time' 'A=b' '~' 'if'");
    }

    @Test
    void aRealBashMakesTheSameWordsOfIt() throws Exception {
        List<String> words =
                List.of(
                        "a b",
                        "",
                        "it's",
                        "\"",
                        "$HOME",
                        "`id`",
                        "$(id)",
                        "\\",
                        "a\\nb",
                        "*",
                        "?",
                        "[x]",
                        "{a,b}",
                        "~",
                        "#x",
                        "!",
                        "&",
                        "|",
                        ";",
                        "<",
                        ">",
                        "(",
                        ")",
                        "line\nbreak",
                        "tab\t",
                        "训练",
                        "😀",
                        "'",
                        "''",
                        "-n",
                        "A=b",
                        "%1",
                        "\u001b[31m",
                        "\r");
        assertThat(byBash(words)).isEqualTo(words);
    }

    @Test
    void aRealBashMakesTheSameOfAnyWords() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String alphabet = "ab '\"\\$`!*?[]{}()<>|&;#~=%^\n\t\r训\u0001";
        List<String> words = new ArrayList<>();
        for (int count = 0; count < 2_000; count++) {
            StringBuilder word = new StringBuilder();
            for (int length = random.nextInt(8); length > 0; length--) {
                word.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            words.add(word.toString());
        }
        assertThat(byBash(words)).as("seed %d", seed).isEqualTo(words);
    }

    /** The arguments that a command receives from bash. */
    private static List<String> byBash(List<String> words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("printf", "%s\\0"));
        command.addAll(words);
        Process bash = new ProcessBuilder("bash").redirectErrorStream(true).start();
        bash.outputWriter(StandardCharsets.UTF_8).append(ShellWords.join(command)).close();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(out).isZero();
        List<String> seen = new ArrayList<>(List.of(out.split("\0", -1)));
        seen.removeLast();
        return seen;
    }

    @Test
    void splitsALineAsAShellWould() {
        assertThat(ShellWords.split("  --name \"my run\" --env 'A=b c'  x\\ y \"\" # the rest"))
                .containsExactly("--name", "my run", "--env", "A=b c", "x y", "");
        assertThat(ShellWords.split("a'b'\"c\"#d \"\\\"q\\\"\" '\\'\r"))
                .containsExactly("abc#d", "\"q\"", "\\");
        assertThat(ShellWords.split("")).isEmpty();
    }

    @Test
    void anOpenQuoteIsAnError() {
        assertThatThrownBy(() -> ShellWords.split("--name 'x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a quote (') is not closed");
    }
}
