package dev.berth.server.api;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.plan.Hold;
import dev.berth.engine.State;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.GpuInfo;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The cards and who has them. */
final class GpuRoutes {

    private static final Reading NOTHING_SAID =
            new Reading(
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty());

    private final Desk desk;
    private final int busyPercent;

    GpuRoutes(Desk desk, int busyPercent) {
        this.desk = desk;
        this.busyPercent = busyPercent;
    }

    List<Route> routes() {
        var doc =
                Doc.of("All GPUs ever seen here, with their load and the tasks that hold them")
                        .givingMany(200, GpuInfo.class);
        return List.of(
                Route.get(PathPattern.of("/api/gpus"), Access.SERVED, doc, _ -> Answer.ok(all())));
    }

    /** All of them as they are now. */
    List<GpuInfo> all() {
        var state = desk.engine().state();
        return state.cards()
                .values()
                .sorted(
                        Comparator.comparing((CardState one) -> one.card().id().node())
                                .thenComparingInt(one -> one.card().index())
                                .thenComparing(one -> one.card().id()))
                .map(one -> info(one, state))
                .toList();
    }

    private GpuInfo info(CardState one, State state) {
        var card = one.card();
        var reading = one instanceof CardState.Readable(_, var said) ? said : NOTHING_SAID;
        var holders =
                state.holds().get(card.id()).orElse(List.of()).stream()
                        .map(Hold::attempt)
                        .map(attempt -> attempt.task().value())
                        .distinct()
                        .sorted()
                        .toList();
        var first = holders.stream().findFirst().orElse(null);
        var status = status(card, reading, !holders.isEmpty());
        var used = boxed(reading.usedMib());
        var free = boxed(reading.freeMib());
        var utilization = boxed(reading.utilizationPercent());
        return new GpuInfo(
                card.index(),
                card.index(),
                card.id().node(),
                card.id().uuid(),
                card.model(),
                new GpuInfo.Memory(card.totalMib(), used, free),
                utilization,
                first,
                first,
                holders,
                status.equals("free"),
                status,
                card.totalMib(),
                used,
                free,
                utilization,
                boxed(reading.temperatureC()),
                List.of());
    }

    /** What cannot be read is not free, even if nobody holds it. */
    private String status(Card card, Reading reading, boolean held) {
        if (reading.usedMib().isEmpty()) {
            return "unknown";
        }
        return held || reading.usedMib().getAsLong() * 100 >= card.totalMib() * busyPercent
                ? "busy"
                : "free";
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    private static @Nullable Integer boxed(OptionalInt value) {
        return value.isPresent() ? (Integer) value.getAsInt() : null;
    }
}
