package dev.berth.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

class ErrorSentenceTest {

    @Test
    void fillsInTheValuesInTheirOrder() {
        assertThat(ErrorSentence.RESOLVED.text("ann", "ended"))
                .isEqualTo("ann resolved it as ended");
        assertThat(ErrorSentence.VANISHED.text()).isEqualTo("ended with no exit code");
        assertThat(ErrorSentence.GPU_ERROR.text("a {cause} $1"))
                .isEqualTo("GPU error: a {cause} $1");
    }

    @Test
    void refusesAnotherNumberOfValues() {
        assertThatThrownBy(() -> ErrorSentence.VANISHED.text("why"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ErrorSentence.RESOLVED.text("ann"))
                .isInstanceOf(ArrayIndexOutOfBoundsException.class);
    }

    @Test
    void everyCodeIsUsedOnce() {
        assertThat(Arrays.stream(ErrorSentence.values()).map(ErrorSentence::code))
                .doesNotHaveDuplicates();
    }
}
