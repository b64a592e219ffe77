package dev.berth.config.receiver;

import dev.berth.core.AlertLevel;
import dev.berth.texts.Language;

import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A receiver of notifications.
 *
 * @param name also the name of its cursor file
 * @param users only events of these users' tasks; empty for all events
 * @param minLevel the minimum alert level
 * @param language of its messages; {@code message_language} if empty
 */
public record Receiver(
        String name,
        Channel channel,
        SortedSet<String> users,
        SortedSet<Topic> topics,
        AlertLevel minLevel,
        Optional<Language> language) {

    /** The topics of a receiver that sets none. */
    public static final List<Topic> DEFAULT_TOPICS = List.of(Topic.ALERT, Topic.TASK_FAILED);

    /** The name of the receiver that {@code alert_webhook} sets. */
    public static final String ALERT_WEBHOOK = "alert_webhook";

    /**
     * How the receiver is reached.
     *
     * @param url empty for mail
     * @param to mail addresses; empty for other channels
     */
    public record Channel(
            ChannelKind kind, Optional<URI> url, Optional<String> secret, List<String> to) {

        private static final String HIDDEN = "…";

        public Channel {
            to = List.copyOf(to);
        }

        public static Channel mail(List<String> to) {
            return new Channel(ChannelKind.MAIL, Optional.empty(), Optional.empty(), to);
        }

        /** Without the parts of the URL that often are a credential. */
        public String displayAddress() {
            return url.map(URI::getHost).orElseGet(() -> String.join(", ", to));
        }

        /** Replaces secret and URL in a text. */
        public String redact(String text) {
            var redacted = text;
            if (secret.isPresent()) {
                redacted = redacted.replace(secret.get(), HIDDEN);
            }
            if (url.isPresent()) {
                redacted = redacted.replace(url.get().toString(), HIDDEN);
                redacted = removePart(redacted, url.get().getRawQuery());
                redacted = removePart(redacted, url.get().getRawPath());
            }
            return redacted;
        }

        private static String removePart(
                String text, @org.jspecify.annotations.Nullable String part) {
            return part == null || part.length() < 2 ? text : text.replace(part, HIDDEN);
        }

        @Override
        public String toString() {
            return kind.configName() + " " + displayAddress();
        }
    }

    public Receiver {
        users = Collections.unmodifiableSortedSet(new TreeSet<>(users));
        topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
    }

    /** A receiver without a language of its own. */
    public Receiver(
            String name,
            Channel channel,
            SortedSet<String> users,
            SortedSet<Topic> topics,
            AlertLevel minLevel) {
        this(name, channel, users, topics, minLevel, Optional.empty());
    }

    /** A receiver of all alerts. */
    public static Receiver ofAllAlerts(URI url) {
        return new Receiver(
                ALERT_WEBHOOK,
                new Channel(ChannelKind.WEBHOOK, Optional.of(url), Optional.empty(), List.of()),
                new TreeSet<>(),
                new TreeSet<>(List.of(Topic.ALERT)),
                AlertLevel.INFO);
    }
}
