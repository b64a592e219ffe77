package dev.berth.server.api.reservation;

import dev.berth.core.Rejected;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.task.GpuIndices;
import dev.berth.engine.EngineCommand;
import dev.berth.http.AccessLevel;
import dev.berth.http.JsonFields;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TimeWindow;
import dev.berth.server.api.people.KnownNames;
import dev.berth.wire.ReservationCreate;
import dev.berth.wire.ReservationInfo;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;

/** Shows, creates and removes reservations. */
public final class ReservationRoutes {

    private static final int MAX_SECONDS = 366 * 86_400;
    private static final int MAX_GPUS = 100_000;
    private static final int MAX_NAME = 256;
    private static final int MAX_NOTE = 500;

    private static final Param<Long> ID =
            Param.number("id", "the id of the reservation", 1, Long.MAX_VALUE);

    private static final Param<Instant> FROM =
            TimeWindow.time("from", "the begin, as 2026-01-31T08:00:00Z");

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("All reservations that have not ended, with the GPUs kept for them now")
                    .withListResponse(200, ReservationInfo.class);

    private static final RouteDoc CREATE_DOC =
            RouteDoc.of(
                            "Keeps GPUs for a user, a group or, without both, for nobody; nothing"
                                    + " that runs is ended")
                    .withBody(ReservationCreate.class)
                    .withResponse(201, ReservationInfo.class)
                    .withErrors(400, 409, 422, 429, 503, 507);

    private static final RouteDoc REMOVE_DOC =
            RouteDoc.of("Removes a reservation, also while its window lasts")
                    .withResponse(200, ReservationInfo.class)
                    .withErrors(404, 422, 503, 507);

    private final EngineClient engine;
    private final KnownNames names;
    private final ZoneId zone;

    /**
     * @param zone of weekly reservations
     */
    public ReservationRoutes(EngineClient engine, KnownNames names, ZoneId zone) {
        this.engine = engine;
        this.names = names;
        this.zone = zone;
    }

    public List<Route> routes() {
        var path = PathPattern.of("/api/reservations");
        return List.of(
                Route.get(path, AccessLevel.SERVED, LIST_DOC, _ -> RouteResponse.ok(all())),
                Route.post(path, AccessLevel.ADMIN, CREATE_DOC, this::create),
                Route.delete(
                        PathPattern.of("/api/reservations/{id}", ID),
                        AccessLevel.ADMIN,
                        REMOVE_DOC,
                        this::remove));
    }

    private List<ReservationInfo> all() {
        var state = engine.state();
        var plan = engine.planner().reservations(engine.snapshot());
        return state.durable()
                .reservations()
                .values()
                .map(one -> ReservationJson.of(one, engine.now(), plan, state))
                .toList();
    }

    private RouteResponse create(RouteRequest call) throws RejectedException {
        var fields = call.body().fields();
        fields.requireKnown(
                Set.of("user", "group", "gpus", "from", "seconds", "weekly", "note"), Set.of());
        var seconds = fields.wholeNumber("seconds", 1, MAX_SECONDS);
        if (seconds.isEmpty()) {
            throw RejectedException.invalid("field.missing", "seconds");
        }
        var schedule =
                new Reservation.Schedule(
                        // "In two hours" is no moment between two seconds.
                        FROM.read(fields.requiredText("from")).truncatedTo(ChronoUnit.SECONDS),
                        Duration.ofSeconds(seconds.getAsInt()),
                        fields.flag("weekly"),
                        zone);
        var made =
                engine.requestReservation(
                        new EngineCommand.CreateReservation(
                                engine.now(),
                                call.caller().owner(),
                                holder(fields),
                                gpus(fields),
                                schedule,
                                text(fields, "note", MAX_NOTE)),
                        call.caller().via());
        return RouteResponse.of(201, json(made));
    }

    private ReservationInfo json(Reservation reservation) {
        var plan = engine.planner().reservations(engine.snapshot());
        return ReservationJson.of(reservation, engine.now(), plan, engine.state());
    }

    private ReservationHolder holder(JsonFields fields) throws RejectedException {
        var user = text(fields, "user", MAX_NAME);
        var group = text(fields, "group", MAX_NAME);
        if (!user.isEmpty() && !group.isEmpty()) {
            throw RejectedException.invalid("reservation.two_holders", "user");
        }
        if (!group.isEmpty()) {
            names.requireGroup(group, "group");
            return new ReservationHolder.ForGroup(group);
        }
        if (user.isEmpty()) {
            return new ReservationHolder.ForNobody();
        }
        names.requireUser(user, "user");
        return new ReservationHolder.ForUser(user);
    }

    private static String text(JsonFields fields, String name, int max) throws RejectedException {
        var text = fields.text(name).map(String::strip).orElse("");
        if (text.length() > max) {
            throw new RejectedException(
                    Rejected.invalid("reservation.too_long", name).with("most", max));
        }
        return text;
    }

    private static ReservedGpus gpus(JsonFields fields) throws RejectedException {
        if (!fields.isText("gpus")) {
            var count = fields.wholeNumber("gpus", 1, MAX_GPUS);
            if (count.isEmpty()) {
                throw RejectedException.invalid("field.missing", "gpus");
            }
            return new ReservedGpus.AnyGpus(count.getAsInt());
        }
        var text = fields.requiredText("gpus").replace(" ", "");
        if (!text.matches("[0-9]{1,4}(,[0-9]{1,4}){0,99}")) {
            throw RejectedException.invalid("reservation.devices", "gpus");
        }
        return new ReservedGpus.NamedGpus(GpuIndices.parse(text));
    }

    private RouteResponse remove(RouteRequest call) throws RejectedException {
        var removed =
                engine.requestReservation(
                        new EngineCommand.RemoveReservation(
                                engine.now(), call.caller().owner(), call.path(ID)),
                        call.caller().via());
        return RouteResponse.ok(json(removed));
    }
}
