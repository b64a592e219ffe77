package dev.berth.server.api.event;

import dev.berth.http.Caller;
import dev.berth.port.Event;
import dev.berth.port.event.AccessPayload;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.FileRunPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.ServerPayload;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.event.UnknownPayload;
import dev.berth.port.event.WorkerPayload;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What users see of events. An admin, and the owner of what an event is about, see all of it.
 * Others see that something happened, and only those fields that they also see of a task.
 */
public final class EventAccess {

    /** Fields without a text of a user, except the name of a task. */
    private static final Set<String> PUBLIC_FIELDS =
            Set.of(
                    "name",
                    "priority",
                    "retry",
                    "not_before",
                    "memory_mib",
                    "gpus",
                    "gpu_id",
                    "uuid",
                    "waited_ms",
                    "forced",
                    "lane",
                    "model",
                    "load_ms",
                    "tasks",
                    "count",
                    "epoch",
                    "node",
                    "kind");

    private EventAccess() {}

    /** True if the caller sees every field. */
    public static boolean seesAll(Caller caller, Event event) {
        return caller.isAdmin() || event.owner().filter(caller::owns).isPresent();
    }

    /** True if the caller sees the event, perhaps without some fields. */
    public static boolean sees(Caller caller, Event event) {
        return seesAll(caller, event) || isPublic(event.payload());
    }

    /** Whether users see that this happened to another user, or to the server. */
    public static boolean isPublic(EventPayload payload) {
        return switch (payload) {
            case TaskPayload _, AttemptPayload _, WorkerPayload _, GpuAlert _ -> true;
            // Its text is about the machine, not about a user's work.
            case NodeAlert.WorkerOffline _, NodeAlert.ModelSetAside _ -> false;
            case NodeAlert _ -> true;
            case ServerPayload.ServerStarted _,
                    ServerPayload.RulesChanged _,
                    ServerPayload.SchedulerStarted _,
                    ServerPayload.SchedulerStopped _ ->
                    true;
            case ServerPayload.LearnedForgotten _,
                    ServerPayload.TokenCreated _,
                    ServerPayload.TokenRevoked _,
                    AccessPayload _,
                    FileRunPayload _,
                    TaskAlert _,
                    UnknownPayload _ ->
                    false;
        };
    }

    /** The fields that the caller sees. */
    static Map<String, String> fields(Caller caller, Event event) {
        return seesAll(caller, event)
                ? EventCodec.fieldsOf(event.payload())
                : publicFields(event.payload());
    }

    /** The fields that everyone sees. */
    public static Map<String, String> publicFields(EventPayload payload) {
        var fields = new TreeMap<>(EventCodec.fieldsOf(payload));
        switch (payload) {
            // About the machine and its rules: all of it.
            case GpuAlert _, NodeAlert _, ServerPayload _ -> {}
            case TaskPayload _,
                    AttemptPayload _,
                    WorkerPayload _,
                    FileRunPayload _,
                    AccessPayload _,
                    TaskAlert _,
                    UnknownPayload _ ->
                    fields.keySet().retainAll(PUBLIC_FIELDS);
        }
        return fields;
    }
}
