package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class SpellingSuggestionTest {

    private static final List<String> KNOWN = List.of("submit", "show", "ls");

    @Test
    void aMistypedWordIsRecognised() {
        assertThat(SpellingSuggestion.closest("sumbit", KNOWN)).isEqualTo("submit");
        assertThat(SpellingSuggestion.closest("shw", KNOWN)).isEqualTo("show");
        assertThat(SpellingSuggestion.closest("lss", KNOWN)).isEqualTo("ls");
    }

    @Test
    void twoSwappedLettersAreOneTypingError() {
        assertThat(SpellingSuggestion.closest("prot", List.of("from", "port"))).isEqualTo("port");
    }

    @Test
    void somethingElseIsNotGuessedAt() {
        assertThat(SpellingSuggestion.closest("frobnicate", KNOWN)).isNull();
        assertThat(SpellingSuggestion.closest("x", KNOWN)).isNull();
        assertThat(SpellingSuggestion.closest("", KNOWN)).isNull();
    }
}
