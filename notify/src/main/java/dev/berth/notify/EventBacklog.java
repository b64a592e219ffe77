package dev.berth.notify;

import dev.berth.config.receiver.Receiver;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.feed.EventFeed;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The events that one receiver has not received yet, read from the committed events.
 *
 * @param toSend oldest first
 * @param lastRead the last event that was read
 * @param dropped number of matching events that are too old to be sent
 */
record EventBacklog(List<Event> toSend, long lastRead, int dropped) {

    /** Further events are read in the next round. */
    private static final int MAX_EVENTS = 1000;

    EventBacklog {
        toSend = List.copyOf(toSend);
    }

    /**
     * @param feed its position is the last event that the receiver got or skipped
     * @param oldest earlier events are not sent
     * @param isSent events that were sent before they could be stored
     */
    static EventBacklog of(
            Receiver receiver,
            EventFeed feed,
            Instant oldest,
            TaskQueries queries,
            Predicate<Event> isSent)
            throws StoreFailure {
        var search = new Search(receiver, oldest, queries, feed.position(), isSent);
        feed.peek(search::add);
        return new EventBacklog(search.wanted, search.seen, search.dropped);
    }

    /** Collects page by page. */
    private static final class Search {
        private final Receiver receiver;
        private final Instant oldest;
        private final TaskQueries queries;
        private final Predicate<Event> isSent;
        private final List<Event> wanted = new ArrayList<>();
        private int dropped;
        private long seen;

        Search(
                Receiver receiver,
                Instant oldest,
                TaskQueries queries,
                long seen,
                Predicate<Event> isSent) {
            this.receiver = receiver;
            this.oldest = oldest;
            this.queries = queries;
            this.seen = seen;
            this.isSent = isSent;
        }

        /** Returns true if more events fit. */
        boolean add(List<Event> page) throws StoreFailure {
            for (var event : page) {
                if (TopicFilter.accepts(receiver, event)
                        && isForUser(receiver, event, queries)
                        && !isSent.test(event)) {
                    if (event.at().isBefore(oldest)) {
                        dropped++;
                    } else {
                        wanted.add(event);
                    }
                }
                seen = event.seq();
            }
            return wanted.size() < MAX_EVENTS;
        }
    }

    /** The last event before the first one to be sent. */
    long lastSkipped() {
        return toSend.isEmpty() ? lastRead : toSend.getFirst().seq() - 1;
    }

    /** An event without a task is sent only to receivers that are not restricted to users. */
    private static boolean isForUser(Receiver receiver, Event event, TaskQueries queries)
            throws StoreFailure {
        if (receiver.users().isEmpty()) {
            return true;
        }
        if (event.task().isEmpty()) {
            return false;
        }
        return queries.find(event.task().get())
                .map(TaskQueries.TaskRecord::task)
                .map(Task::owner)
                .map(Owner::name)
                .filter(receiver.users()::contains)
                .isPresent();
    }
}
