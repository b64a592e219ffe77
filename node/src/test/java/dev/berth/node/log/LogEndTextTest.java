package dev.berth.node.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class LogEndTextTest {

    @TempDir Path directory;
    private Path log;

    @BeforeEach
    void name() {
        log = directory.resolve("tmux.log");
    }

    @Test
    void returnsTheLastBytesAndTheEndOfTheLastCompleteLine() throws IOException {
        Files.writeString(log, "one\ntwo\r 45%");

        assertThat(LogEndText.read(log, 0, 100)).isEqualTo(new LogEndText("one\ntwo\r 45%", 12, 8));
        assertThat(LogEndText.read(log, 0, 6)).isEqualTo(new LogEndText("o\r 45%", 12, 8));
        assertThat(LogEndText.read(log, 8, 100)).isEqualTo(new LogEndText(" 45%", 12, 8));
    }

    @Test
    void aShorterLogIsReadFromItsBeginning() throws IOException {
        Files.writeString(log, "anew\n");

        assertThat(LogEndText.read(log, 700, 100).text()).isEqualTo("anew\n");
    }

    @Test
    void doesNotTakeAGapForText() throws IOException {
        Files.writeString(log, "head" + "\0".repeat(100) + "tail");
        new GapList(List.of(new Gap(4, 104))).write(log);

        assertThat(LogEndText.read(log, 0, 50).text()).isEqualTo("tail");
    }

    @Test
    void anythingButAFileIsNotRead() throws Exception {
        var pipe = new ProcessBuilder("mkfifo", log.toString()).start();
        assertThat(pipe.waitFor()).isZero();

        assertThat(LogEndText.read(log, 0, 100).text()).isEmpty();
        assertThat(LogEndText.read(directory.resolve("none"), 0, 100).text()).isEmpty();
        assertThat(LogEndText.read(directory, 0, 100).text()).isEmpty();
    }
}
