package dev.berth.node.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Lines of limited length. */
class LineReaderTest {

    private static LineReader reader(String text) {
        return new LineReader(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 100_000);
    }

    @Test
    void linesEndAtTheLineBreakAndTheRestIsDropped() throws IOException {
        var reader = reader("one\n\n第二\nno end");
        assertThat(reader.next()).contains("one");
        assertThat(reader.next()).contains("");
        assertThat(reader.next()).contains("第二");
        assertThat(reader.next()).isEmpty();
        assertThat(reader.next()).isEmpty();
    }

    @Test
    void aLineMayBeLongerThanTheBuffer() throws IOException {
        var line = "x".repeat(99_000);
        assertThat(reader(line + "\nnext\n").next()).contains(line);
    }

    @Test
    void anEndlessLineIsGivenUpEarly() {
        var endless =
                new InputStream() {
                    private long read;

                    @Override
                    public int read() {
                        assertThat(read++).isLessThan(1_000_000);
                        return 'x';
                    }
                };
        assertThatThrownBy(() -> new LineReader(endless, 100_000).next())
                .isInstanceOf(LineReader.LineTooLong.class);
    }
}
