package dev.berth.server.message;

import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What one receiver has not got yet, read from the committed events.
 *
 * @param wanted oldest first
 * @param seen the last event that was looked at
 * @param dropped how many would have been wanted but are too old by now
 */
record Backlog(List<Event> wanted, long seen, int dropped) {

    private static final int PAGE = 500;

    /** More are told of later. */
    private static final int MOST = 1000;

    Backlog {
        wanted = List.copyOf(wanted);
    }

    static Backlog of(Receiver receiver, long after, Instant oldest, TaskQueries queries)
            throws StoreFailure {
        var wanted = new ArrayList<Event>();
        int dropped = 0;
        long seen = after;
        while (wanted.size() < MOST) {
            var page = queries.eventsAfter(seen, PAGE);
            for (var event : page) {
                if (receiver.hears(event) && concerns(receiver, event, queries)) {
                    if (event.at().isBefore(oldest)) {
                        dropped++;
                    } else {
                        wanted.add(event);
                    }
                }
                seen = event.seq();
            }
            if (page.size() < PAGE) {
                break;
            }
        }
        return new Backlog(wanted, seen, dropped);
    }

    /** Up to which event there is nothing to be told. */
    long passed() {
        return wanted.isEmpty() ? seen : wanted.getFirst().seq() - 1;
    }

    /** What is about nobody's task concerns only those who want to know of everything. */
    private static boolean concerns(Receiver receiver, Event event, TaskQueries queries)
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
