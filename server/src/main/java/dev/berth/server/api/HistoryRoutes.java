package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.History.Point;
import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.History.Total;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.history.Charts.Chart;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.HistoryInfo;
import dev.berth.wire.HistoryPoint;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What cards, and tasks on their cards, did over time. */
final class HistoryRoutes {

    private static final Map<String, Duration> RANGES = ranges();

    private static final Param<String> RANGE =
            Param.word(
                    "range",
                    "how far back from now; 1h unless stated",
                    List.copyOf(RANGES.keySet()));
    private static final Param<Long> ATTEMPT =
            Param.number(
                    "attempt", "which start of the task; the latest unless stated", 1, 1 << 30);

    private static final Doc CARD_DOC =
            Doc.of(
                            "What a card did over time, in at most 720 points: by the second for"
                                    + " the last hour, by the minute for a week, by the hour for a"
                                    + " year")
                    .asking(RANGE, TimeWindow.FROM, TimeWindow.TO)
                    .giving(200, HistoryInfo.class)
                    .refusing(404, 422);
    private static final Doc TASK_DOC =
            Doc.of("What one start of a task did on its cards, from its grant to its end or to now")
                    .asking(ATTEMPT)
                    .giving(200, HistoryInfo.class)
                    .refusing(404, 422);

    private final Desk desk;

    HistoryRoutes(Desk desk) {
        this.desk = desk;
    }

    private static Map<String, Duration> ranges() {
        var ranges = new LinkedHashMap<String, Duration>();
        ranges.put("1h", Duration.ofHours(1));
        ranges.put("6h", Duration.ofHours(6));
        ranges.put("24h", Duration.ofHours(24));
        ranges.put("7d", Duration.ofDays(7));
        ranges.put("30d", Duration.ofDays(30));
        ranges.put("1y", Duration.ofDays(365));
        return ranges;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/gpus/{id}/history", GpuRoutes.INDEX),
                        Access.SERVED,
                        CARD_DOC,
                        this::card),
                Route.get(
                        PathPattern.of("/api/tasks/{id}/history", TaskRoutes.ID),
                        Access.SERVED,
                        TASK_DOC,
                        this::task));
    }

    private Answer card(Call call) throws Refused, StoreFailure {
        var card = card(GpuRoutes.index(call));
        var now = desk.engine().now();
        var range = call.query(RANGE);
        var usual = RANGES.getOrDefault(range.orElse("1h"), Duration.ofHours(1));
        var window = TimeWindow.of(call, now, usual, range.map(_ -> "range"));
        var chart =
                desk.charts().of(new Subject.OfCard(card.id()), window.from(), window.to(), now);
        return Answer.ok(info(chart, card.index(), card.totalMib()));
    }

    private Card card(int index) throws Refused {
        return desk.engine()
                .state()
                .cardAt(index)
                .map(CardState::card)
                .orElseThrow(
                        () ->
                                new Refused(
                                        Rejected.unknown(
                                                        "card.unknown",
                                                        "There is no GPU " + index + ".")
                                                .with("gpu", index)));
    }

    private Answer task(Call call) throws Refused, StoreFailure {
        var id = TaskRoutes.id(call);
        var now = desk.engine().now();
        var attempt = attempt(id, call.query(ATTEMPT));
        if (attempt.isEmpty()) {
            return Answer.ok(info(new Chart(now, now, 1, List.of()), null, null));
        }
        var one = attempt.get();
        var from = one.grantedAt();
        var end = one.phase() instanceof Phase.Ended(_, _, var at) ? at : now;
        // What was sampled in the second of the end belongs to it.
        var to = later(end.plusSeconds(1), from.plusSeconds(1));
        var chart = desk.charts().of(new Subject.OfAttempt(one.id()), from, to, now);
        var cards = one.claims().stream().flatMap(claim -> known(claim.card()).stream()).toList();
        return Answer.ok(
                info(
                        chart,
                        cards.size() == 1 ? cards.getFirst().index() : null,
                        cards.isEmpty() ? null : cards.stream().mapToLong(Card::totalMib).sum()));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private Optional<Card> known(CardId card) {
        return desk.engine().state().cards().get(card).map(CardState::card);
    }

    /** Nobody's, where the task has not started yet. */
    private Optional<Attempt> attempt(TaskId id, Optional<Long> number)
            throws Refused, StoreFailure {
        var latest = desk.find(id).latest();
        if (number.isEmpty()) {
            return latest;
        }
        var found =
                desk.queries().attempts(id).stream()
                        .filter(one -> one.id().number() == number.get())
                        .findFirst();
        if (found.isEmpty()) {
            throw new Refused(
                    Rejected.unknown(
                                    "attempt.unknown",
                                    "Task " + id + " has no attempt " + number.get() + ".")
                            .with("attempt", number.get()));
        }
        return found;
    }

    private static HistoryInfo info(
            Chart chart, @Nullable Integer gpu, @Nullable Long memoryTotalMb) {
        return new HistoryInfo(
                Times.text(chart.from()),
                Times.text(chart.to()),
                chart.stepSeconds(),
                chart.points().stream().map(HistoryRoutes::point).toList(),
                gpu,
                memoryTotalMb);
    }

    private static HistoryPoint point(Point point) {
        var memory = point.memoryMib();
        return new HistoryPoint(
                point.at(),
                memory.isKnown() ? Math.round(memory.mean()) : null,
                peak(memory),
                mean(point.percent()),
                peak(point.percent()),
                mean(point.celsius()),
                peak(point.celsius()));
    }

    private static @Nullable Double mean(Total total) {
        return total.isKnown() ? Math.round(total.mean() * 10) / 10.0 : null;
    }

    private static @Nullable Long peak(Total total) {
        return total.isKnown() ? total.peak() : null;
    }
}
