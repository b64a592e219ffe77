package dev.berth.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.wire.Flat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Set;

final class ReaderSourceTest {

    record Seat(int rowNumber, @Nullable Long columnNumber) {}

    record Guest(
            String name,
            @Flat Seat seat,
            @Nullable Seat nextSeat,
            List<Guest> friends,
            @Nullable List<Seat> oldSeats,
            Map<String, Seat> seatsByDay,
            @Nullable List<Integer> years) {}

    record Unsupported(Set<String> names) {}

    private static String generate(Class<? extends Record> type) {
        var target = new ReaderSource.Target("example", "Reader", "JsonObject");
        return new ReaderSource(target).generate(List.of(type), List.of());
    }

    @Test
    void eachComponentBecomesOneArgumentInOrder() {
        assertThat(generate(Guest.class))
                .contains(
                        """
                            public static ReaderSourceTest.Guest readerSourceTestGuest(@Nullable Object json) {
                                JsonObject fields = JsonObject.of(json);
                                return new ReaderSourceTest.Guest(
                                        fields.text("name"),
                                        new ReaderSourceTest.Seat(
                                                fields.number("row_number"),
                                                fields.longOrNull("column_number")),
                                        readerSourceTestSeatOrNull(fields.value("next_seat")),
                                        readerSourceTestGuestList(fields.value("friends")),
                                        readerSourceTestSeatListOrNull(fields.value("old_seats")),
                                        readerSourceTestSeatMap(fields.value("seats_by_day")),
                                        fields.numbersOrNull("years"));
                            }
                        """);
    }

    @Test
    void onlyMethodsThatAreCalledAreGenerated() {
        assertThat(generate(Seat.class))
                .contains("readerSourceTestSeat(")
                .doesNotContain("readerSourceTestSeatList", "readerSourceTestSeatMap");
    }

    @Test
    void aTypeWithoutAReaderStopsTheBuild() {
        assertThatThrownBy(() -> generate(Unsupported.class))
                .hasMessageContaining("Unsupported")
                .hasMessageContaining("names");
    }
}
