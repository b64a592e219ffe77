package dev.berth.notify.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.AlertLevel;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.Event;
import dev.berth.port.event.AlertPayload;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.UnknownPayload;
import dev.berth.testkit.EventSamples;
import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

class AlertJsonTest {

    private static final AlertJson CHINESE = new AlertJson(Language.CHINESE);
    private static final AlertJson ENGLISH = new AlertJson(Language.ENGLISH);
    private static final GpuAlert.GpuRef GPU = new GpuAlert.GpuRef(3, "GPU-3");

    private static Event event(EventPayload payload) {
        return new Event(
                12,
                Instant.parse("2025-11-15T08:00:00Z"),
                Owner.unix("ann"),
                Optional.of(new TaskId(7)),
                Optional.empty(),
                payload);
    }

    @Test
    void aGpuErrorHasItsDocumentedText() {
        var error = new GpuAlert.GpuFailed(GPU, GpuFault.Kind.XID, "fell off {the} $1 bus");
        var alert = CHINESE.of(event(error));
        assertThat(alert.id()).isEqualTo(12);
        assertThat(alert.at()).isEqualTo("2025-11-15T08:00:00.000000Z");
        assertThat(alert.level()).isEqualTo("CRITICAL");
        assertThat(alert.type()).isEqualTo("gpu_error");
        assertThat(alert.message()).isEqualTo("GPU 3 发生错误: fell off {the} $1 bus");
        assertThat(alert.details())
                .isEqualTo(
                        Map.of(
                                "gpu_id",
                                3L,
                                "error",
                                "fell off {the} $1 bus",
                                "kind",
                                "xid",
                                "uuid",
                                "GPU-3"));
        assertThat(alert.taskId()).isEqualTo(7);
        assertThat(ENGLISH.of(event(error)).message())
                .isEqualTo("GPU 3 failed: fell off {the} $1 bus");
    }

    @Test
    void aNumericNameStaysText() {
        var late = new TaskAlert.LongWait("2024", 5, Duration.ofHours(2));
        var alert = CHINESE.of(event(late));
        assertThat(alert.message()).isEqualTo("5 个任务等待超过 2 小时，最久的是任务 7 (2024)。");
        assertThat(alert.details())
                .isEqualTo(Map.of("name", "2024", "tasks", 5L, "limit_seconds", 7200L));
        assertThat(ENGLISH.of(event(late)).message())
                .isEqualTo(
                        "5 tasks have waited longer than 2 h. The longest wait is that of task 7"
                                + " (2024).");
    }

    @Test
    void leftoverProcessesAreListed() {
        var left =
                new TaskAlert.ProcessesLeft(
                        List.of(
                                new TaskAlert.LeftProcess(41, "python", true),
                                new TaskAlert.LeftProcess(42, "tmux", false)));
        assertThat(ENGLISH.of(event(left)).message())
                .isEqualTo(
                        "Task 7 left processes behind: 41 python (ended), 42 tmux (left running)");
        assertThat(CHINESE.of(event(left)).message())
                .isEqualTo("任务 7 结束后留下进程: 41 python（已结束）, 42 tmux（仍在运行）");
    }

    static List<EventPayload> samples() {
        return EventSamples.all();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void exactlyTheAlertsHaveSentences(EventPayload payload) {
        if (payload.isAlert()) {
            for (var words : new AlertJson[] {CHINESE, ENGLISH}) {
                var alert = words.of(event(payload));
                assertThat(alert.message()).isNotBlank();
                assertThat("alert." + alert.type()).isEqualTo(EventCodec.kindOf(payload));
            }
        } else {
            assertThatThrownBy(() -> CHINESE.of(event(payload)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Every value that a sentence needs comes with its event, so that none is shown as "-". */
    @ParameterizedTest
    @MethodSource("samples")
    void everySentenceUsesOnlyFieldsOfItsEvent(EventPayload payload) {
        if (payload instanceof AlertPayload) {
            for (var language : Language.values()) {
                var key = EventCodec.kindOf(payload);
                var template = Catalogue.in(language).template(key);
                var known = new TreeMap<>(EventCodec.fieldsOf(payload));
                known.putAll(Map.of("actor", "ann", "task", "7", "processes", "41"));
                assertThat(known.keySet()).as(key).containsAll(template.names());
            }
        }
    }

    @Test
    void anAlertOfANewerVersionIsShownByItsType() {
        var alert =
                ENGLISH.of(
                        event(
                                new UnknownPayload(
                                        "alert.fire", new TreeMap<>(Map.of("room", "B2")))));
        assertThat(alert.message()).contains("fire");
        assertThat(alert.details()).isEqualTo(Map.of("room", "B2"));
        assertThat(alert.level()).isEqualTo("WARNING");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "the driver no longer lists it | 驱动不再列出该 GPU",
                "no answer from nvidia-smi for 10 s | nvidia-smi 已 10 秒没有应答",
                "the driver cannot read it: GPU is lost | 驱动无法读取该 GPU: GPU is lost",
                "it failed again soon after it had come back | 恢复后不久再次发生故障",
                "so hot for 30 s that it slows itself down | 温度过高已 30 秒，已降频",
                "the test did not end within 60 s | 测试未在 60 秒内结束",
                "Xid 79: GPU has fallen off the bus | Xid 79: GPU has fallen off the bus"
            })
    void reasonsOfBerthAreInTheLanguageOfTheReader(String stored, String chinese) {
        var alert = new GpuAlert.GpuUnrecoverable(GPU, stored);
        assertThat(CHINESE.of(event(alert)).message()).isEqualTo("GPU 3 未能恢复: " + chinese);
        assertThat(CHINESE.of(event(alert)).details()).containsEntry("error", stored);
        assertThat(ENGLISH.of(event(alert)).message())
                .isEqualTo("GPU 3 did not recover: " + stored);
    }

    @Test
    void reasonsOfReceiversAreInTheLanguageOfTheReader() {
        var alert =
                new NodeAlert.NotificationUndelivered(
                        "lab", "answered 302, a redirect, which is not followed");
        assertThat(CHINESE.of(event(alert)).message())
                .isEqualTo("通知无法送达 lab: 应答状态 302，这是重定向，Berth 不跟随");
    }

    @Test
    void whatAPersonWroteStaysAsItIs() {
        var alert = new GpuAlert.GpuQuarantined(GPU, "row remapping failed");
        assertThat(CHINESE.of(event(alert)).message())
                .isEqualTo("ann 停用了 GPU 3: row remapping failed");
    }

    @Test
    void levelsAreOrdered() {
        assertThat(AlertLevel.CRITICAL.isAtLeast(AlertLevel.WARNING)).isTrue();
        assertThat(AlertLevel.WARNING.isAtLeast(AlertLevel.WARNING)).isTrue();
        assertThat(AlertLevel.INFO.isAtLeast(AlertLevel.WARNING)).isFalse();
        assertThat(new TaskAlert.TaskStalled("train", 12).level()).contains(AlertLevel.WARNING);
        assertThat(new GpuAlert.GpuReturned(GPU).level()).contains(AlertLevel.INFO);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void onlyInfoAlertsAreNotWarnings(EventPayload payload) {
        payload.level()
                .ifPresent(
                        level ->
                                assertThat(payload.isWarning())
                                        .isEqualTo(level != AlertLevel.INFO));
    }
}
