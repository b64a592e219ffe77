package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CardSourceTest {

    @Test
    void simulatedCardsHaveTheirSizeAndStayTheSameCards() {
        var source = CardSource.parse("sim:4x24576:RTX 3090");
        assertThat(source.read("here")).hasSize(4).isEqualTo(source.read("here"));
        assertThat(source.read("here").getLast().card().model()).isEqualTo("RTX 3090");
        assertThat(source.read("here").getLast().card().totalMib()).isEqualTo(24576);
        assertThat(source.read("here").getLast().card().index()).isEqualTo(3);
    }

    @Test
    void noneHasNoCards() {
        assertThat(CardSource.parse("none").read("here")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sim",
                "sim:",
                "sim:0x10",
                "sim:2x0",
                "sim:2",
                "sim:-1x5",
                "sim:2x3:a\nb",
                "two"
            })
    void anythingElseIsRefusedWithWhatMayBeWritten(String text) {
        assertThatThrownBy(() -> CardSource.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--gpus");
    }
}
