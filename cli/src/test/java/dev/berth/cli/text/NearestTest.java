package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class NearestTest {

    private static final List<String> KNOWN = List.of("submit", "show", "ls");

    @Test
    void aSlipIsRecognised() {
        assertThat(Nearest.to("sumbit", KNOWN)).isEqualTo("submit");
        assertThat(Nearest.to("shw", KNOWN)).isEqualTo("show");
        assertThat(Nearest.to("lss", KNOWN)).isEqualTo("ls");
    }

    @Test
    void somethingElseIsNotGuessedAt() {
        assertThat(Nearest.to("frobnicate", KNOWN)).isNull();
        assertThat(Nearest.to("x", KNOWN)).isNull();
        assertThat(Nearest.to("", KNOWN)).isNull();
    }
}
