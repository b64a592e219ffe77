package dev.berth.server.api.usage;

import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TimeWindow;
import dev.berth.wire.UsageLine;
import dev.berth.wire.UsageReport;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;

/** GPU usage, waiting times and efficiency for each user. */
public final class UsageRoutes {

    private static final long USUAL_DAYS = 7;
    private static final double HOUR = 3600;

    private static final Param<Long> DAYS =
            Param.number("days", "the number of days up to now; 7 if unset", 1, 366);

    private static final RouteDoc DOC =
            RouteDoc.of("GPU usage of each user within a period, highest first")
                    .withQuery(DAYS, TimeWindow.FROM, TimeWindow.TO)
                    .withResponse(200, UsageReport.class)
                    .withErrors(422);
    private final EngineClient engine;
    private final TaskQueries queries;

    public UsageRoutes(EngineClient engine, TaskQueries queries) {
        this.engine = engine;
        this.queries = queries;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/usage"), AccessLevel.SERVED, DOC, this::report));
    }

    private RouteResponse report(RouteRequest call) throws RejectedException, StoreFailure {
        var days = call.query(DAYS);
        var usual = Duration.ofDays(days.orElse(USUAL_DAYS));
        var window = TimeWindow.read(call, engine.now(), usual, days.map(_ -> "days"));
        var users = queries.usage(window.from(), window.to());
        var total = UserUsage.total("", users);
        return RouteResponse.ok(
                new UsageReport(
                        IsoTime.format(window.from()),
                        IsoTime.format(window.to()),
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
                rounded(usage.waitPercentile(95), 10),
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
