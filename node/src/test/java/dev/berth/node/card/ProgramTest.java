package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

class ProgramTest {

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void oneThatPrintsAsFastAsItIsReadIsLeftAtTheDeadline() throws IOException {
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
        program(Program.Surfeit.FORGET)
                .drain(endless, text, System.nanoTime() + Duration.ofMillis(50).toNanos());
        assertThat(text.size()).isPositive();
    }

    @Test
    void oneThatPrintsWithoutEndIsKilledWhereAllOfItIsWanted() {
        var yes = new ProcessBuilder("yes");
        assertThatThrownBy(() -> program(Program.Surfeit.KILL).run(yes))
                .isInstanceOf(IOException.class)
                .hasMessage("it prints without end");
    }

    private static Program program(Program.Surfeit surfeit) {
        var grief = Duration.ofSeconds(2);
        return new Program(
                new Program.Limits(Duration.ofMinutes(1), Duration.ofMillis(2), grief, surfeit));
    }
}
