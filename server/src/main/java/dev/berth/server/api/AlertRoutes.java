package dev.berth.server.api;

import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.alert.AlertLevel;
import dev.berth.server.alert.AlertWords;
import dev.berth.server.alert.Language;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.Alert;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What somebody should know of. */
final class AlertRoutes {

    private static final int PAGE = 1000;

    private static final Param<Long> LIMIT =
            Param.number("limit", "how many at most; 100 unless stated", 1, PAGE);
    private static final Param<Long> BEFORE =
            Param.number("before", "only alerts with a lower id", 0, Long.MAX_VALUE);
    private static final Param<String> LEVEL =
            Param.word("level", "only those that are at least so bad", AlertLevel.words());

    private static final Param<String> LANGUAGE =
            Param.word(
                    "language",
                    "of the messages; as configured unless stated",
                    List.of(Language.CHINESE.word(), Language.ENGLISH.word()));

    private final Desk desk;
    private final AlertWords words;

    AlertRoutes(Desk desk, AlertWords words) {
        this.desk = desk;
        this.words = words;
    }

    List<Route> routes() {
        var doc =
                Doc.of("Alerts, newest first")
                        .asking(LIMIT, BEFORE, LEVEL, LANGUAGE)
                        .givingMany(200, Alert.class)
                        .refusing(422);
        return List.of(Route.get(PathPattern.of("/api/alerts"), Access.SERVED, doc, this::alerts));
    }

    private Answer alerts(Call call) throws Refused, StoreFailure {
        int limit = call.query(LIMIT).orElse(100L).intValue();
        var before = call.query(BEFORE).map(OptionalLong::of).orElseGet(OptionalLong::empty);
        var least = call.query(LEVEL).map(AlertLevel::valueOf).orElse(AlertLevel.INFO);
        var said = call.query(LANGUAGE).map(Language::of).map(AlertWords::new).orElse(words);
        return Answer.ok(newest(before, limit, least).stream().map(said::of).toList());
    }

    /** The store knows no levels. */
    private List<Event> newest(OptionalLong before, int limit, AlertLevel least)
            throws StoreFailure {
        var found = new ArrayList<Event>();
        var next = before;
        int size = least == AlertLevel.INFO ? limit : PAGE;
        while (found.size() < limit) {
            var page = desk.queries().alerts(next, size);
            page.stream()
                    .filter(event -> AlertWords.level(event.kind()).isAtLeast(least))
                    .limit((long) limit - found.size())
                    .forEach(found::add);
            if (page.size() < size) {
                break;
            }
            next = OptionalLong.of(page.getLast().seq());
        }
        return found;
    }
}
