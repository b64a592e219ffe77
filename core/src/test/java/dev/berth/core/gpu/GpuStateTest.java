package dev.berth.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

class GpuStateTest {

    private static final Gpu GPU = new Gpu(new GpuId("here", "GPU-3"), 3, "A", 1000);
    private static final GpuReading READING =
            new GpuReading(
                    OptionalLong.of(100),
                    OptionalLong.of(900),
                    OptionalInt.of(0),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    Optional.of(List.of()));

    private static final GpuState READABLE = new GpuState.Readable(GPU, READING);
    private static final GpuState UNKNOWN = new GpuState.Unknown(GPU, "no answer");
    private static final GpuState FAILED = new GpuState.Failed(GPU, "missing");

    @Test
    void onlyAReadableGpuHasAReading() {
        assertThat(READABLE.isReadable()).isTrue();
        assertThat(READABLE.currentReading()).contains(READING);
        assertThat(READABLE.unreadable()).isEmpty();
        assertThat(UNKNOWN.isReadable()).isFalse();
        assertThat(UNKNOWN.currentReading()).isEmpty();
        assertThat(FAILED.isReadable()).isFalse();
        assertThat(FAILED.currentReading()).isEmpty();
    }

    @Test
    void everyOtherGpuHasTheReason() {
        assertThat(UNKNOWN.unreadable()).contains("no answer");
        assertThat(FAILED.unreadable()).contains("missing");
    }

    @Test
    void onlyAFailureIsPermanent() {
        assertThat(READABLE.failure()).isEmpty();
        assertThat(UNKNOWN.failure()).isEmpty();
        assertThat(FAILED.failure()).contains("missing");
    }

    @Test
    void becomesUnreadableOnlyAfterItWasReadable() {
        assertThat(UNKNOWN.becameUnreadable(Optional.of(READABLE))).isTrue();
        assertThat(UNKNOWN.becameUnreadable(Optional.of(UNKNOWN))).isFalse();
        assertThat(UNKNOWN.becameUnreadable(Optional.of(FAILED))).isFalse();
        assertThat(UNKNOWN.becameUnreadable(Optional.empty())).isFalse();
        assertThat(FAILED.becameUnreadable(Optional.of(READABLE))).isFalse();
        assertThat(READABLE.becameUnreadable(Optional.of(READABLE))).isFalse();
    }
}
