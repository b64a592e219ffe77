package dev.berth.server.message;

import dev.berth.engine.port.Event;
import dev.berth.server.alert.AlertLevel;
import dev.berth.server.alert.AlertWords;

import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Somebody who wants to hear of what happens.
 *
 * @param name also that of the file with its cursor
 * @param users only what concerns their tasks; empty for everything
 * @param level the least bad alert that it hears of
 */
public record Receiver(
        String name, Way way, SortedSet<String> users, SortedSet<Topic> topics, AlertLevel level) {

    /** What a receiver hears of that names nothing. */
    public static final List<Topic> USUAL = List.of(Topic.ALERT, Topic.TASK_FAILED);

    /** The name of the one that is set by {@code alert_webhook}. */
    public static final String ALERT_WEBHOOK = "alert_webhook";

    /**
     * How it is reached.
     *
     * @param url empty for mail
     * @param to empty but for mail
     */
    public record Way(Form form, Optional<URI> url, Optional<String> secret, List<String> to) {

        private static final String HIDDEN = "…";

        public Way {
            to = List.copyOf(to);
        }

        public static Way mail(List<String> to) {
            return new Way(Form.MAIL, Optional.empty(), Optional.empty(), to);
        }

        /** For everybody to see: the rest of an address often lets one write there. */
        public String shown() {
            return url.map(URI::getHost).orElseGet(() -> String.join(", ", to));
        }

        /** The same text without what others must not see. */
        String hushed(String text) {
            var hushed = text;
            if (secret.isPresent()) {
                hushed = hushed.replace(secret.get(), HIDDEN);
            }
            if (url.isPresent()) {
                hushed = hushed.replace(url.get().toString(), HIDDEN);
                hushed = without(hushed, url.get().getRawQuery());
                hushed = without(hushed, url.get().getRawPath());
            }
            return hushed;
        }

        private static String without(String text, @org.jspecify.annotations.Nullable String part) {
            return part == null || part.length() < 2 ? text : text.replace(part, HIDDEN);
        }

        @Override
        public String toString() {
            return form.word() + " " + shown();
        }
    }

    public Receiver {
        users = Collections.unmodifiableSortedSet(new TreeSet<>(users));
        topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
    }

    /** Every alert there is. */
    public static Receiver ofAlerts(URI url) {
        return new Receiver(
                ALERT_WEBHOOK,
                new Way(Form.WEBHOOK, Optional.of(url), Optional.empty(), List.of()),
                new TreeSet<>(),
                new TreeSet<>(List.of(Topic.ALERT)),
                AlertLevel.INFO);
    }

    /** Whether it hears of this, whosever task it is about. */
    boolean hears(Event event) {
        var kind = event.kind();
        if (kind == Event.Kind.ALERT_MESSAGE_UNDELIVERED
                && name.equals(event.data().get("receiver"))) {
            // It would come when there is nothing to tell any more.
            return false;
        }
        return Topic.of(kind).filter(topics::contains).isPresent()
                || (kind.isAlert()
                        && topics.contains(Topic.ALERT)
                        && AlertWords.level(kind).isAtLeast(level));
    }
}
