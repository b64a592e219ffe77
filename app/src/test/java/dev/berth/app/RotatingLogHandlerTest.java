package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

class RotatingLogHandlerTest {

    @TempDir Path logs;

    @Test
    void theNewestKeepsItsNameAndTheOldestGo() throws IOException {
        var file = logs.resolve("berth.log");
        write(file, 10, 40);
        assertThat(file).content().isEqualTo("line 39\n");
        assertThat(logs.resolve("berth.log.1")).content().isEqualTo("line 38\n");
        assertThat(logs.resolve("berth.log.2")).content().isEqualTo("line 37\n");
        assertThat(logs.resolve("berth.log.3")).doesNotExist();
    }

    @Test
    void aNewServerWritesOnWhereTheLastOneEnded() throws IOException {
        var file = logs.resolve("berth.log");
        write(file, 1000, 2);
        write(file, 1000, 1);
        assertThat(file).content().isEqualTo("line 0\nline 1\nline 0\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    private static void write(Path file, long mostBytes, int lines) throws IOException {
        var handler = new RotatingLogHandler(file, mostBytes, 3);
        handler.setFormatter(
                new Formatter() {
                    @Override
                    public String format(LogRecord entry) {
                        return entry.getMessage() + "\n";
                    }
                });
        for (int line = 0; line < lines; line++) {
            handler.publish(new LogRecord(Level.INFO, "line " + line));
        }
        handler.close();
    }
}
