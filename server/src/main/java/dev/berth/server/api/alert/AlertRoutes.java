package dev.berth.server.api.alert;

import dev.berth.core.AlertLevel;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.notify.alert.AlertJson;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.server.api.event.EventAccess;
import dev.berth.texts.Language;
import dev.berth.wire.Alert;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** Lists alerts. */
public final class AlertRoutes {

    private static final int PAGE = 1000;

    private static final Param<Long> LIMIT =
            Param.number("limit", "the maximum number; 100 if unset", 1, PAGE);
    private static final Param<Long> BEFORE =
            Param.number("before", "only alerts with a lower id", 0, Long.MAX_VALUE);
    private static final Param<String> LEVEL =
            Param.choice("level", "only alerts of at least this level", AlertLevel.names());

    private static final Param<String> LANGUAGE =
            Param.choice(
                    "language",
                    "of the messages; that of Accept-Language unless stated",
                    List.of(Language.CHINESE.tag(), Language.ENGLISH.tag()));
    private static final Param<String> ACCEPT_LANGUAGE =
            Param.header(
                    "Accept-Language",
                    "the language of the messages; message_language unless it names one of"
                            + " Berth's");

    private final TaskQueries queries;
    private final AlertJson words;

    public AlertRoutes(TaskQueries queries, AlertJson words) {
        this.queries = queries;
        this.words = words;
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of("Alerts, newest first")
                        .withQuery(LIMIT, BEFORE, LEVEL, LANGUAGE)
                        .withHeaders(ACCEPT_LANGUAGE)
                        .withListResponse(200, Alert.class)
                        .withErrors(422);
        return List.of(
                Route.get(PathPattern.of("/api/alerts"), AccessLevel.SERVED, doc, this::alerts));
    }

    private RouteResponse alerts(RouteRequest call) throws RejectedException, StoreFailure {
        int limit = call.query(LIMIT).orElse(100L).intValue();
        var before = call.query(BEFORE).map(OptionalLong::of).orElseGet(OptionalLong::empty);
        var minimum = call.query(LEVEL).map(AlertLevel::valueOf).orElse(AlertLevel.INFO);
        var json = new AlertJson(language(call));
        Predicate<Event> isShown =
                event ->
                        event.payload().level().filter(one -> one.isAtLeast(minimum)).isPresent()
                                && EventAccess.sees(call.caller(), event);
        // Without a filter one page is enough.
        boolean showsAll = minimum == AlertLevel.INFO && call.caller().isAdmin();
        return RouteResponse.ok(
                newest(before, limit, showsAll ? limit : PAGE, isShown).stream()
                        .map(json::of)
                        .toList());
    }

    private Language language(RouteRequest call) throws RejectedException {
        var accepted = call.header(ACCEPT_LANGUAGE);
        return call.query(LANGUAGE)
                .flatMap(Language::of)
                .or(() -> accepted.map(header -> Language.accepted(header, words.language())))
                .orElse(words.language());
    }

    /** The store knows neither levels nor what a caller sees, so alerts are filtered here. */
    private List<Event> newest(OptionalLong before, int limit, int size, Predicate<Event> isShown)
            throws StoreFailure {
        var found = new ArrayList<Event>();
        var next = before;
        while (found.size() < limit) {
            var page = queries.alerts(next, size);
            page.stream().filter(isShown).limit((long) limit - found.size()).forEach(found::add);
            if (page.size() < size) {
                break;
            }
            next = OptionalLong.of(page.getLast().seq());
        }
        return found;
    }
}
