package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuSourceTest {

    @Test
    void parsesEverySource() {
        assertThat(GpuSource.parse("auto")).isEqualTo(new GpuSource.Auto());
        assertThat(GpuSource.parse("none")).isEqualTo(new GpuSource.None());
        assertThat(GpuSource.parse("nvml")).isEqualTo(new GpuSource.NvmlLibrary());
        assertThat(GpuSource.parse("nvidia-smi")).isEqualTo(new GpuSource.NvidiaSmi());
        assertThat(GpuSource.parse("sim:4x24576:RTX 3090"))
                .isEqualTo(new GpuSource.Simulated(4, 24576, "RTX 3090"));
        assertThat(GpuSource.parse("lab:2x81920"))
                .isEqualTo(new GpuSource.Lab(2, 81920, "Simulated GPU"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "none", "nvml", "nvidia-smi", "sim:1x2:A", "lab:1x2:A"})
    void aSourceRoundTrips(String text) {
        assertThat(GpuSource.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sim:",
                "sim:0x10",
                "sim:2x0",
                "sim:2",
                "sim:-1x5",
                "sim:2x3:a\nb",
                "lab",
                "two"
            })
    void anInvalidSourceIsRejectedWithTheAllowedValues(String text) {
        assertThatThrownBy(() -> GpuSource.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--gpus");
    }
}
