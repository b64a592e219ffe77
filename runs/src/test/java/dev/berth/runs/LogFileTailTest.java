package dev.berth.runs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

class LogFileTailTest {

    @TempDir Path directory;

    @ParameterizedTest(name = "{0} by {1} is {2}, more before: {3}")
    @CsvSource({
        "'',3,'',false",
        "a,3,a,false",
        "a~,3,a,false",
        "a~b,2,a|b,false",
        "a~b~,1,b,true",
        "a~b~c,2,b|c,true",
        "a^~b^~,2,a|b,false",
        "~,3,'',false",
        "a~~,2,a|,false",
        "a~~,1,'',true",
        "~~~,2,|,true",
    })
    void theLastLinesAreShown(String text, int wanted, String lines, boolean truncated)
            throws IOException {
        var end = end(text.replace('~', '\n').replace('^', '\r'), wanted);
        var expected = text.isEmpty() ? List.of() : List.of(lines.split("\\|", -1));
        assertThat(end.lines()).isEqualTo(expected);
        assertThat(end.isTruncated()).isEqualTo(truncated);
    }

    @Test
    void theTailEqualsTheLastOfAllLines() throws IOException {
        var random = new Random(7);
        for (int i = 0; i < 200; i++) {
            var text = new StringBuilder();
            for (int line = random.nextInt(300); line > 0; line--) {
                text.append("é".repeat(random.nextInt(2000))).append('\n');
            }
            int wanted = 1 + random.nextInt(100);
            var all = text.toString().lines().toList();
            var end = end(text.toString(), wanted);
            assertThat(end.lines())
                    .as("round %d", i)
                    .isEqualTo(all.subList(Math.max(0, all.size() - wanted), all.size()));
            assertThat(end.isTruncated()).isEqualTo(all.size() > wanted);
        }
    }

    @Test
    void anEndlessLineIsCutAtTheLimit() throws IOException {
        var end = end("x".repeat(5 << 20), 10);
        assertThat(end.lines()).hasSize(1);
        assertThat(end.lines().getFirst()).hasSize(4 << 20);
        assertThat(end.isTruncated()).isTrue();
    }

    @Test
    void malformedBytesAreReplaced() throws IOException {
        var file = directory.resolve("bytes");
        Files.write(file, new byte[] {'a', (byte) 0xff, '\n', (byte) 0xc3, '\n', 0, '\n'});
        assertThat(LogFileTail.tail(file, 10).lines())
                .containsExactly("a\uFFFD", "\uFFFD", "\u0000");
    }

    private LogFileTail end(String text, int wanted) throws IOException {
        var file = directory.resolve("log");
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        return LogFileTail.tail(file, wanted);
    }
}
