package dev.berth.notify;

import dev.berth.core.AlertLevel;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.port.event.EventPayload;
import dev.berth.texts.Catalogue;
import dev.berth.texts.Language;
import dev.berth.texts.StoredSentences;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** The sentences of notifications in one language. */
record NotificationTexts(Language language) {

    private static final String FAMILY = "notification.";

    /**
     * @param key without the name of the family
     */
    String text(String key, Map<String, String> values) {
        return Catalogue.in(language).text(FAMILY + key, values);
    }

    String text(String key) {
        return text(key, Map.of());
    }

    Notification.Row row(String label, String value) {
        return new Notification.Row(text("label." + label), value);
    }

    /** The outcome of a task. */
    String outcome(EventPayload payload) {
        return text("outcome." + TopicFilter.topicOf(payload).orElseThrow().configName());
    }

    String level(AlertLevel level) {
        return text("level." + level.name().toLowerCase(Locale.ROOT));
    }

    String cause(Cause cause) {
        return text("cause." + cause.code());
    }

    /** An error that is stored as its English sentence. */
    String error(String stored) {
        return StoredSentences.in(language, stored);
    }

    String duration(Duration time) {
        return language.duration(time);
    }
}
