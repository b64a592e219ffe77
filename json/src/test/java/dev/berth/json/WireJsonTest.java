package dev.berth.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.wire.Flat;
import dev.berth.wire.OmittedIfNull;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

class WireJsonTest {

    record Outer(
            int first,
            @Flat Middle middle,
            @Nullable String last,
            @OmittedIfNull @Nullable String note) {}

    record Middle(String someName, @Flat Inner inner, boolean isFree) {}

    record Inner(@Nullable Double memoryGb, int structureNAtoms) {}

    @Test
    void aFlatRecordIsWrittenInItsPosition() {
        var value = new Outer(1, new Middle("a", new Inner(2.5, 3), true), "z", "n");

        assertThat(text(value))
                .isEqualTo(
                        "{\"first\":1,\"some_name\":\"a\",\"memory_gb\":2.5,\"structure_n_atoms\":3,"
                            + "\"is_free\":true,\"last\":\"z\",\"note\":\"n\"}");
    }

    @Test
    void anUnsetFieldIsNullUnlessItIsMarked() {
        var value = new Outer(1, new Middle("a", new Inner(null, 3), false), null, null);

        assertThat(text(value))
                .isEqualTo(
                        "{\"first\":1,\"some_name\":\"a\",\"memory_gb\":null,\"structure_n_atoms\":3,"
                            + "\"is_free\":false,\"last\":null}");
    }

    private static String text(Object value) {
        return new String(WireJson.write(value), StandardCharsets.UTF_8);
    }
}
