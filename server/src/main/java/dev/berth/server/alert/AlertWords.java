package dev.berth.server.alert;

import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;
import dev.berth.server.http.IsoTime;
import dev.berth.wire.Alert;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Alerts in words. */
public record AlertWords(Language language) {

    /** Others may look like a number and be a name. */
    private static final Set<String> NUMBERS =
            Set.of("gpu_id", "free_mib", "tasks", "limit_seconds", "minutes");

    private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");

    /**
     * @throws IllegalArgumentException where the event is none
     */
    public Alert of(Event event) {
        var wording = Wording.of(event.kind());
        return new Alert(
                event.seq(),
                IsoTime.text(event.at()),
                wording.level().name(),
                type(event.kind()),
                filled(language.choose(wording.chinese(), wording.english()), event),
                details(event.data()),
                event.task().map(TaskId::value).orElse(null));
    }

    public static AlertLevel level(Event.Kind kind) {
        return Wording.of(kind).level();
    }

    /** The kind without what all of them begin with. */
    private static String type(Event.Kind kind) {
        return kind.word().substring(kind.word().indexOf('.') + 1);
    }

    private static Map<String, Object> details(Map<String, String> data) {
        var details = new TreeMap<String, Object>();
        data.forEach((name, text) -> details.put(name, detail(name, text)));
        return Collections.unmodifiableMap(details);
    }

    private static Object detail(String name, String text) {
        boolean isNumber = NUMBERS.contains(name) && text.matches("-?[0-9]{1,18}");
        return isNumber ? (Object) Long.valueOf(text) : text;
    }

    private String filled(String words, Event event) {
        return PLACE.matcher(words)
                .replaceAll(place -> Matcher.quoteReplacement(said(place.group(1), event)));
    }

    private String said(String name, Event event) {
        return switch (name) {
            case "task" -> event.task().map(TaskId::toString).orElse("-");
            case "actor" -> event.actor().name();
            case "processes" ->
                    event.data().entrySet().stream()
                            .map(left -> left.getKey() + " " + left.getValue())
                            .collect(Collectors.joining(", "));
            case "limit" ->
                    language.time(
                            Duration.ofSeconds(
                                    Long.parseLong(
                                            event.data().getOrDefault("limit_seconds", "0"))));
            default -> event.data().getOrDefault(name, "-");
        };
    }
}
