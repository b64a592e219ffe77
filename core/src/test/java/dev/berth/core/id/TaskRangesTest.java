package dev.berth.core.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

class TaskRangesTest {

    @Test
    void neighboursShareARange() {
        var ranges = ranges(9, 1, 3, 2, 7, 8);

        assertThat(ranges).hasToString("1-3,7-9");
        assertThat(ranges.count()).isEqualTo(6);
        assertThat(List.of(1, 2, 3, 7, 8, 9)).allMatch(id -> ranges.contains(new TaskId(id)));
        assertThat(List.of(4, 6, 10)).noneMatch(id -> ranges.contains(new TaskId(id)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "1-3", "1-3,5,9-10"})
    void isReadBackAsItWasWritten(String text) {
        assertThat(TaskRanges.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "3-1", "0", "1,,2", "1-2-3"})
    void otherTextIsRejected(String text) {
        assertThatThrownBy(() -> TaskRanges.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static TaskRanges ranges(long... ids) {
        return TaskRanges.of(Arrays.stream(ids).mapToObj(TaskId::new).toList());
    }
}
