package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

class LimitedOutputTest {

    @Test
    void passesOnTheFirstBytesAndDropsTheOthers() {
        var written = new ByteArrayOutputStream();
        var limited = LimitedOutput.of(written, 10);
        for (int line = 0; line < 1000; line++) {
            limited.println("line " + line);
        }
        assertThat(written.toString(StandardCharsets.UTF_8))
                .isEqualTo("line 0\nlin\n(further output is dropped)\n");
    }
}
