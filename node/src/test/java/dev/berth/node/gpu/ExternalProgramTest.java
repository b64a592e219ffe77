package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

class ExternalProgramTest {

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void endlessOutputEndsAtTheDeadline() throws IOException {
        var endless =
                new InputStream() {
                    @Override
                    public int read() {
                        return 'y';
                    }

                    @Override
                    public int available() {
                        return 1;
                    }
                };
        var text = new ByteArrayOutputStream();
        program(ExternalProgram.Overflow.KEEP_LATEST)
                .drain(endless, text, System.nanoTime() + Duration.ofMillis(50).toNanos());
        assertThat(text.size()).isPositive();
    }

    @Test
    void endlessOutputKillsTheProgramInKillMode() {
        var yes = new ProcessBuilder("yes");
        assertThatThrownBy(() -> program(ExternalProgram.Overflow.KILL).run(yes))
                .isInstanceOf(IOException.class)
                .hasMessage("it prints without end");
    }

    private static ExternalProgram program(ExternalProgram.Overflow surfeit) {
        var grief = Duration.ofSeconds(2);
        return new ExternalProgram(
                new ExternalProgram.ProgramLimits(
                        Duration.ofMinutes(1), Duration.ofMillis(2), grief, surfeit));
    }
}
