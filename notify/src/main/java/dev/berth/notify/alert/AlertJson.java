package dev.berth.notify.alert;

import dev.berth.core.id.TaskId;
import dev.berth.json.IsoTime;
import dev.berth.port.Event;
import dev.berth.port.event.AlertPayload;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.UnknownPayload;
import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;
import dev.berth.texts.StoredSentences;
import dev.berth.wire.Alert;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Formats events as alerts, in one language. */
public record AlertJson(Language language) {

    private static final String UNKNOWN = AlertPayload.PREFIX + "unknown";

    /**
     * @throws IllegalArgumentException the event is not an alert
     */
    public Alert of(Event event) {
        var level =
                event.payload()
                        .level()
                        .orElseThrow(
                                () -> new IllegalArgumentException("no alert: " + event.kind()));
        return new Alert(
                event.seq(),
                IsoTime.format(event.at()),
                level.name(),
                type(event),
                message(event),
                EventCodec.valuesOf(event.payload()),
                event.task().map(TaskId::value).orElse(null));
    }

    private static String type(Event event) {
        return event.kind().substring(AlertPayload.PREFIX.length());
    }

    private String message(Event event) {
        var texts = Catalogue.in(language);
        if (event.payload() instanceof UnknownPayload) {
            return texts.text(UNKNOWN, Map.of("type", type(event)));
        }
        // The names of places in a sentence are those of the fields in the API.
        var values = new TreeMap<>(EventCodec.fieldsOf(event.payload()));
        values.put("actor", event.actor().name());
        event.task().ifPresent(id -> values.put("task", id.toString()));
        reason(event.payload())
                .ifPresent(reason -> values.replaceAll((_, text) -> translated(text, reason)));
        if (event.payload() instanceof TaskAlert.ProcessesLeft left) {
            values.put("processes", processes(left));
        }
        return texts.text(event.kind(), values);
    }

    /** The reason that Berth or a driver wrote. What a person wrote stays as it is. */
    private static Optional<String> reason(EventPayload payload) {
        return switch (payload) {
            case GpuAlert.GpuFailed(_, _, var error) -> Optional.of(error);
            case GpuAlert.GpuUnrecoverable(_, var error) -> Optional.of(error);
            case GpuAlert.GpuUnreadable(_, var why) -> Optional.of(why);
            case NodeAlert.GpusUnreadable(_, var why) -> Optional.of(why);
            case NodeAlert.NotificationUndelivered(_, var why) -> Optional.of(why);
            case NodeAlert.StartsPaused(_, _, var why) -> Optional.of(why);
            case NodeAlert.WorkerOffline(_, _, var why) -> Optional.of(why);
            case NodeAlert.ModelSetAside(_, var why) -> Optional.of(why);
            case TaskAlert.CannotStart(_, var why) -> Optional.of(why);
            case TaskAlert.AttemptUnobservable(_, var why, _) -> Optional.of(why);
            default -> Optional.empty();
        };
    }

    private String translated(String text, String reason) {
        return text.equals(reason) ? StoredSentences.in(language, reason) : text;
    }

    private String processes(TaskAlert.ProcessesLeft left) {
        var texts = Catalogue.in(language);
        return left.processes().stream()
                .map(
                        one ->
                                texts.text(
                                        one.wasEnded()
                                                ? "alert.process_ended"
                                                : "alert.process_running",
                                        Map.of(
                                                "pid", Long.toString(one.pid()),
                                                "program", one.program())))
                .collect(Collectors.joining(", "));
    }
}
