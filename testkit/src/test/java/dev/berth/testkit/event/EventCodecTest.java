package dev.berth.testkit.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.AlertLevel;
import dev.berth.port.event.AlertPayload;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.UnknownPayload;
import dev.berth.testkit.EventSamples;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The stored form of events. */
final class EventCodecTest {

    static List<EventPayload> samples() {
        return EventSamples.all();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void everyPayloadIsReadBackEqual(EventPayload payload) {
        assertThat(EventCodec.read(EventCodec.kindOf(payload), EventCodec.fieldsOf(payload)))
                .isEqualTo(payload);
    }

    @Test
    void everyTypeHasAStoredFormAndASample() {
        var records = records(EventPayload.class).filter(type -> type != UnknownPayload.class);
        assertThat(EventCodec.types())
                .containsExactlyInAnyOrderElementsOf(
                        records.<Class<? extends EventPayload>>map(
                                        type -> type.asSubclass(EventPayload.class))
                                .toList());
        assertThat(samples().stream().<Class<?>>map(EventPayload::getClass))
                .containsAll(EventCodec.types());
    }

    private static Stream<Class<?>> records(Class<?> sealed) {
        return Arrays.stream(sealed.getPermittedSubclasses())
                .flatMap(type -> type.isRecord() ? Stream.of(type) : records(type));
    }

    /** The SQL condition for alerts relies on it. */
    @ParameterizedTest
    @MethodSource("samples")
    void exactlyTheAlertsHaveTheirPrefixAndALevel(EventPayload payload) {
        assertThat(EventCodec.kindOf(payload).startsWith(AlertPayload.PREFIX))
                .isEqualTo(payload.isAlert())
                .isEqualTo(payload.level().isPresent());
    }

    @Test
    void theStoredFormsOf010StayTheSame() {
        assertThat(samples().stream().map(one -> EventCodec.kindOf(one) + EventCodec.fieldsOf(one)))
                .contains(
                        "attempt.granted{forced=true, gpu_left=not kept: it cannot do with fewer,"
                                + " gpus=0,11, lane=7/0, waited_ms=1234}",
                        "attempt.said{error_type=oom, outcome=abnormal_exit}",
                        "attempt.stopping{cause=card_failed}",
                        "attempt.stopping{cause=said_over}",
                        "task.retried{memory_mib=21600, not_before=2026-11-16T02:07:02.200428Z,"
                                + " retry=2}",
                        "task.changed{changed=name, time limit}",
                        "run.ended{how=stopped, run=3}",
                        "run.ended{how=finished, run=3}",
                        "alert.gpu_error{error=Xid 79, gpu_id=3, kind=xid, uuid=GPU-3}",
                        "alert.gpu_unproven{gpus=0,1}",
                        "alert.long_wait{limit_seconds=7200, name=2024, tasks=5}",
                        "alert.stalled{minutes=12, name=train}");
    }

    @ParameterizedTest
    @CsvSource({
        "attempt.stopping, cause, abducted",
        "attempt.started, pid, many",
        "task.retried, retry, ''",
        "attempt.granted, gpus, 0;1",
        "attempt.ended, gpus, 0",
        "run.ended, how, exploded",
        "alert.processes_left, 41, python (abducted)",
        "alert.gpu_error, gpu_id, 3",
        "alert.teleported, from, here"
    })
    void whatANewerVersionWroteIsKeptAsItIs(String kind, String name, String text) {
        var fields = new TreeMap<>(Map.of(name, text));
        var read = EventCodec.read(kind, fields);
        assertThat(read).isEqualTo(new UnknownPayload(kind, fields));
        assertThat(EventCodec.kindOf(read)).isEqualTo(kind);
        assertThat(EventCodec.fieldsOf(read)).isEqualTo(fields);
        assertThat(read.isAlert()).isEqualTo(kind.startsWith("alert."));
    }

    @Test
    void fieldsOfANewerVersionAreIgnored() {
        var fields = new TreeMap<>(Map.of("name", "train", "minutes", "12", "mood", "bad"));
        assertThat(EventCodec.read("alert.stalled", fields))
                .isEqualTo(new TaskAlert.TaskStalled("train", 12));
    }

    @Test
    void onlyNumbersAreShownAsNumbers() {
        assertThat(EventCodec.valuesOf(new TaskAlert.TaskStalled("2024", 12)))
                .isEqualTo(Map.of("name", "2024", "minutes", 12L));
    }

    @Test
    void goodNewsIsNoWarning() {
        var gpu = new GpuAlert.GpuRef(0, "GPU-0");
        assertThat(new GpuAlert.GpuReturned(gpu).level()).contains(AlertLevel.INFO);
        assertThat(new GpuAlert.GpuReturned(gpu).isWarning()).isFalse();
        assertThat(new GpuAlert.GpuUnreadable(gpu, "").isWarning()).isTrue();
    }
}
