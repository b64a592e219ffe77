package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.event.EventCodec;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The documents name every event that this version writes. */
class EventTableTest {

    private static final String ALERT = "alert.";

    @Test
    void everyKindOfEventIsDescribed() throws IOException {
        var text = Files.readString(Path.of("../docs/operations.md"));
        assertThat(EventCodec.types())
                .isNotEmpty()
                .extracting(type -> EventCodec.kindOf(type))
                .allSatisfy(kind -> assertThat(text).contains("`" + kind + "`"));
    }

    @Test
    void everyAlertIsInTheTableOfItsLevel() throws IOException {
        var rows =
                Files.readString(Path.of("../docs/api.md"))
                        .lines()
                        .filter(line -> line.matches("\\| `(CRITICAL|WARNING|INFO)` \\|.*"))
                        .toList();
        assertThat(rows).hasSize(3);
        assertThat(EventCodec.types())
                .extracting(type -> EventCodec.kindOf(type))
                .filteredOn(kind -> kind.startsWith(ALERT))
                .isNotEmpty()
                .allSatisfy(
                        kind ->
                                assertThat(rows)
                                        .as(kind)
                                        .filteredOn(row -> row.contains(named(kind)))
                                        .hasSize(1));
    }

    private static String named(String kind) {
        return "`" + kind.substring(ALERT.length()) + "`";
    }
}
