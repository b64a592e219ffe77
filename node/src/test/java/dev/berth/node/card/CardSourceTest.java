package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CardSourceTest {

    @Test
    void theWordsOfTheCommandLineNameTheSources() {
        assertThat(CardSource.parse("auto")).isEqualTo(new CardSource.Auto());
        assertThat(CardSource.parse("none")).isEqualTo(new CardSource.None());
        assertThat(CardSource.parse("nvml")).isEqualTo(new CardSource.Nvml());
        assertThat(CardSource.parse("nvidia-smi")).isEqualTo(new CardSource.NvidiaSmi());
        assertThat(CardSource.parse("sim:4x24576:RTX 3090"))
                .isEqualTo(new CardSource.Simulated(4, 24576, "RTX 3090"));
        assertThat(CardSource.parse("lab:2x81920"))
                .isEqualTo(new CardSource.Lab(2, 81920, "Simulated GPU"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "none", "nvml", "nvidia-smi", "sim:1x2:A", "lab:1x2:A"})
    void aSourceIsWrittenAsItIsRead(String text) {
        assertThat(CardSource.parse(text)).hasToString(text);
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
    void anythingElseIsRefusedWithWhatMayBeWritten(String text) {
        assertThatThrownBy(() -> CardSource.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--gpus");
    }
}
