package dev.berth.server.api;

import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.UserUsage;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.UsageLine;
import dev.berth.wire.UsageReport;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;

/** Who had how much of the cards, how long they waited, and how well it was used. */
final class UsageRoutes {

    private static final long USUAL_DAYS = 7;
    private static final double HOUR = 3600;

    private static final Param<Long> DAYS =
            Param.number("days", "of so many days up to now; 7 unless stated", 1, 366);

    private static final Doc DOC =
            Doc.of("What each user had of the cards within a time, most first")
                    .asking(DAYS, TimeWindow.FROM, TimeWindow.TO)
                    .giving(200, UsageReport.class)
                    .refusing(422);

    private final Desk desk;

    UsageRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        return List.of(Route.get(PathPattern.of("/api/usage"), Access.SERVED, DOC, this::report));
    }

    private Answer report(Call call) throws Refused, StoreFailure {
        var days = call.query(DAYS);
        var usual = Duration.ofDays(days.orElse(USUAL_DAYS));
        var window = TimeWindow.of(call, desk.engine().now(), usual, days.map(_ -> "days"));
        var users = desk.queries().usage(window.from(), window.to());
        var total = users.stream().reduce(UserUsage.nothing(""), UserUsage::plus);
        return Answer.ok(
                new UsageReport(
                        Times.text(window.from()),
                        Times.text(window.to()),
                        users.stream()
                                .sorted(
                                        Comparator.comparingDouble(UserUsage::gpuSeconds)
                                                .reversed()
                                                .thenComparing(UserUsage::user))
                                .map(one -> line(one.user(), one))
                                .toList(),
                        line(null, total)));
    }

    private static UsageLine line(@Nullable String user, UserUsage usage) {
        var tasks = usage.tasks();
        var memory = usage.memory();
        boolean isKnown = memory.attempts() > 0;
        return new UsageLine(
                user,
                tasks.all(),
                tasks.completed(),
                tasks.failed(),
                tasks.cancelled(),
                rounded(usage.gpuSeconds() / HOUR, 10_000),
                rounded(usage.meanWait(), 10),
                rounded(usage.wait(95), 10),
                rounded(usage.load().meanPercent(), 10),
                isKnown ? memory.askedMib() / memory.attempts() : null,
                isKnown ? memory.peakMib() / memory.attempts() : null,
                rounded(memory.efficiency(), 1000));
    }

    private static @Nullable Double rounded(OptionalDouble value, int parts) {
        return value.isPresent() ? Double.valueOf(rounded(value.getAsDouble(), parts)) : null;
    }

    private static double rounded(double value, int parts) {
        return (double) Math.round(value * parts) / parts;
    }
}
