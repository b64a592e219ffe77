package dev.berth.texts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.TreeMap;

final class CatalogueTest {

    private final Catalogue english = Catalogue.in(Language.ENGLISH);
    private final Catalogue chinese = Catalogue.in(Language.CHINESE);

    @Test
    void everySentenceExistsInEveryLanguage() {
        assertThat(english.keys()).isEqualTo(chinese.keys()).isNotEmpty();
    }

    @Test
    void everySentenceUsesTheSameValuesInEveryLanguage() {
        for (var key : english.keys()) {
            assertThat(chinese.template(key).names())
                    .as(key)
                    .isEqualTo(english.template(key).names());
        }
    }

    @Test
    void chineseSentencesAreChinese() {
        for (var key : chinese.keys()) {
            assertThat(chinese.text(key)).as(key).containsPattern("[\\u4e00-\\u9fff]");
        }
    }

    @Test
    void findsTheSentenceOfACodeByItsVariant() {
        var values = Map.of("field", "nmae", "nearest", "name");
        assertThat(english.sentence("problem", "field.unknown", values))
                .isEqualTo("There is no field \"nmae\".");
        assertThat(english.sentence("problem", "field.unknown", with(values, "nearest")))
                .isEqualTo("There is no field \"nmae\". Did you mean name?");
        assertThat(english.sentence("problem", "field.unknown", with(values, "new")))
                .isEqualTo("There is no field \"nmae\".");
    }

    @Test
    void aCodeWithoutASentenceOfItsOwnUsesTheOneForAnyCodeOfItsEnding() {
        assertThat(
                        english.sentence(
                                "problem", "tail.invalid", with(Map.of("field", "tail"), "flag")))
                .isEqualTo("tail must be true or false.");
        assertThat(english.hasSentence("problem", "tail.invalid", "")).isFalse();
        assertThatThrownBy(() -> english.sentence("problem", "tail.broken", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tail.broken");
    }

    private static Map<String, String> with(Map<String, String> values, String variant) {
        var all = new TreeMap<>(values);
        all.put(Catalogue.VARIANT, variant);
        return all;
    }

    @Test
    void refusesAnUnknownKey() {
        assertThatThrownBy(() -> english.text("no.such.key"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no.such.key");
    }
}
