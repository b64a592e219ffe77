package dev.berth.server.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

class AlertWordsTest {

    private static final AlertWords CHINESE = new AlertWords(Language.CHINESE);
    private static final AlertWords ENGLISH = new AlertWords(Language.ENGLISH);

    private static Event event(Event.Kind kind, Map<String, String> data) {
        return new Event(
                12,
                Instant.parse("2025-11-15T08:00:00Z"),
                Owner.unix("ann"),
                kind,
                Optional.of(new TaskId(7)),
                Optional.empty(),
                new TreeMap<>(data));
    }

    @Test
    void aCardErrorIsSaidInItsFixedWords() {
        var error = Map.of("gpu_id", "3", "error", "fell off {the} $1 bus", "uuid", "GPU-3");
        var alert = CHINESE.of(event(Event.Kind.ALERT_GPU_ERROR, error));
        assertThat(alert.id()).isEqualTo(12);
        assertThat(alert.at()).isEqualTo("2025-11-15T08:00:00.000000Z");
        assertThat(alert.level()).isEqualTo("CRITICAL");
        assertThat(alert.type()).isEqualTo("gpu_error");
        assertThat(alert.message()).isEqualTo("GPU 3 发生错误: fell off {the} $1 bus");
        assertThat(alert.details())
                .isEqualTo(Map.of("gpu_id", 3L, "error", "fell off {the} $1 bus", "uuid", "GPU-3"));
        assertThat(alert.taskId()).isEqualTo(7);
        assertThat(ENGLISH.of(event(Event.Kind.ALERT_GPU_ERROR, error)).message())
                .isEqualTo("GPU 3 failed: fell off {the} $1 bus");
    }

    @Test
    void aNameOfDigitsStaysAName() {
        var late = Map.of("name", "2024", "tasks", "5", "limit_seconds", "7200");
        var alert = CHINESE.of(event(Event.Kind.ALERT_LONG_WAIT, late));
        assertThat(alert.message()).isEqualTo("5 个任务等待超过 2 小时, 最久的是任务 7 (2024)");
        assertThat(alert.details())
                .isEqualTo(Map.of("name", "2024", "tasks", 5L, "limit_seconds", 7200L));
        assertThat(ENGLISH.of(event(Event.Kind.ALERT_LONG_WAIT, late)).message())
                .isEqualTo("5 tasks have waited longer than 2 h, longest of all task 7 (2024)");
    }

    @Test
    void whatWasLeftBehindIsNamed() {
        var left = Map.of("41", "python (ended)", "42", "tmux (left running)");
        assertThat(ENGLISH.of(event(Event.Kind.ALERT_PROCESSES_LEFT, left)).message())
                .isEqualTo(
                        "Task 7 left processes behind: 41 python (ended), 42 tmux (left running)");
    }

    /** Whatever an event may know, nothing is left open in a sentence. */
    @ParameterizedTest
    @EnumSource(Event.Kind.class)
    void everyAlertHasItsWordsAndNothingElseHas(Event.Kind kind) {
        if (kind.isAlert()) {
            for (var words : new AlertWords[] {CHINESE, ENGLISH}) {
                var alert = words.of(event(kind, Map.of()));
                assertThat(alert.message()).isNotBlank().doesNotContain("{", "}");
                assertThat("alert." + alert.type()).isEqualTo(kind.word());
            }
        } else {
            assertThatThrownBy(() -> CHINESE.of(event(kind, Map.of())))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void levelsAreOrdered() {
        assertThat(AlertLevel.CRITICAL.isAtLeast(AlertLevel.WARNING)).isTrue();
        assertThat(AlertLevel.WARNING.isAtLeast(AlertLevel.WARNING)).isTrue();
        assertThat(AlertLevel.INFO.isAtLeast(AlertLevel.WARNING)).isFalse();
        assertThat(AlertWords.level(Event.Kind.ALERT_STALLED)).isEqualTo(AlertLevel.WARNING);
        assertThat(AlertWords.level(Event.Kind.ALERT_GPU_RETURNED)).isEqualTo(AlertLevel.INFO);
    }

    @Test
    void whatIsOnlyForInformationIsNoTroubleAndAllElseIs() {
        for (var kind : Event.Kind.values()) {
            if (kind.isAlert()) {
                assertThat(kind.isTrouble())
                        .as(kind.word())
                        .isEqualTo(AlertWords.level(kind) != AlertLevel.INFO);
            }
        }
    }
}
