package dev.berth.server.api.learned;

import dev.berth.core.Rejected;
import dev.berth.core.id.TaskId;
import dev.berth.core.predict.RunGroup;
import dev.berth.core.predict.RunTime;
import dev.berth.core.task.ScriptHash;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.RunPredictionJson;
import dev.berth.server.api.TaskLookup;
import dev.berth.wire.LearnedRuns;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Lists what was learned from ended runs, and forgets it. */
public final class LearnedRoutes {

    /** The kinds that ran last. */
    private static final int MAX_LISTED = 1000;

    private static final int MAX_COMMAND = 200;
    private static final int HEX = 16;

    private static final Param<String> FINGERPRINT = Param.text("fingerprint", "a kind of task");
    private static final PathPattern ALL = PathPattern.of("/api/learned");
    private static final PathPattern ONE =
            PathPattern.of("/api/learned/{fingerprint}", FINGERPRINT);

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("What was learned from ended runs, the last run first")
                    .withListResponse(200, LearnedRuns.class);

    private static final RouteDoc FORGET_DOC =
            RouteDoc.of("Forgets the runs of one kind of task; answers with the others")
                    .withListResponse(200, LearnedRuns.class)
                    .withErrors(404, 422, 503, 507);

    private static final RouteDoc FORGET_ALL_DOC =
            RouteDoc.of("Forgets all of your runs, an administrator those of everyone")
                    .withListResponse(200, LearnedRuns.class)
                    .withErrors(422, 503, 507);

    private final TaskLookup lookup;

    public LearnedRoutes(TaskLookup lookup) {
        this.lookup = lookup;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ALL, AccessLevel.SERVED, LIST_DOC, call -> list(call.caller())),
                Route.delete(ALL, AccessLevel.USER, FORGET_ALL_DOC, this::forgetAll),
                Route.delete(ONE, AccessLevel.USER, FORGET_DOC, this::forget));
    }

    private RouteResponse list(Caller caller) throws StoreFailure {
        var newest =
                lookup.engine().state().sinceStart().learned().fingerprints().stream()
                        .sorted(
                                Comparator.comparing(
                                                (Map.Entry<Long, RunGroup> one) ->
                                                        one.getValue().lastRun())
                                        .reversed())
                        .limit(MAX_LISTED)
                        .toList();
        var all = new ArrayList<LearnedRuns>();
        for (var one : newest) {
            all.add(json(one.getKey(), one.getValue(), caller));
        }
        return RouteResponse.ok(all);
    }

    private LearnedRuns json(long fingerprint, RunGroup group, Caller caller) throws StoreFailure {
        var time = group.runTime();
        var completed = group.completed();
        var peak = group.peakMib(1);
        boolean isOwn = caller.owner().equals(group.kind().owner());
        boolean isOpen = isOwn || caller.isAdmin();
        return new LearnedRuns(
                isOpen ? Long.toHexString(fingerprint) : idForOthers(group),
                group.kind().name(),
                group.kind().owner().name(),
                isOwn ? command(group) : null,
                group.kind().gpuCount(),
                completed.size(),
                time.map(RunTime::median).map(RunPredictionJson::seconds).orElse(null),
                time.map(RunTime::p90).map(RunPredictionJson::seconds).orElse(null),
                seconds(completed.stream().findFirst()),
                seconds(completed.stream().reduce((_, last) -> last)),
                isOpen && peak.isPresent() ? (Long) peak.getAsLong() : null,
                IsoTime.format(group.lastRun()));
    }

    /** The fingerprint would let others try whether they have guessed the command. */
    private static String idForOthers(RunGroup group) {
        return "t" + group.runs().getLast().task();
    }

    private static @Nullable Double seconds(Optional<Duration> length) {
        return length.map(RunPredictionJson::seconds).orElse(null);
    }

    /** Of its last run; a removed task has none. */
    private @Nullable String command(RunGroup group) throws StoreFailure {
        var task = group.runs().getLast().task();
        var script = lookup.queries().scripts(task, new TaskId(task.value() + 1)).get(task);
        if (script == null) {
            return null;
        }
        var pattern = ScriptHash.pattern(script.command());
        return pattern.length() <= MAX_COMMAND
                ? pattern
                : pattern.substring(0, MAX_COMMAND - 1) + "…";
    }

    private RouteResponse forgetAll(RouteRequest call) throws RejectedException, StoreFailure {
        return forget(call, OptionalLong.empty());
    }

    private RouteResponse forget(RouteRequest call) throws RejectedException, StoreFailure {
        var id = call.path(FINGERPRINT);
        try {
            return forget(call, OptionalLong.of(Long.parseUnsignedLong(id, HEX)));
        } catch (NumberFormatException e) {
            throw new RejectedException(
                    Rejected.notFound("learned.unknown").with("fingerprint", id));
        }
    }

    private RouteResponse forget(RouteRequest call, OptionalLong fingerprint)
            throws RejectedException, StoreFailure {
        call.body().fields().requireKnown(Set.of(), Set.of());
        var engine = lookup.engine();
        var reply =
                engine.request(
                        new EngineCommand.ForgetRuns(
                                engine.now(),
                                call.caller().owner(),
                                fingerprint,
                                call.caller().isAdmin()),
                        call.caller().via());
        if (!(reply instanceof EngineReply.Done)) {
            throw EngineClient.rejection(reply);
        }
        return list(call.caller());
    }
}
