package dev.berth.notify;

import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.port.Event;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.TaskPayload;

import java.util.Optional;

/** Selects the events that a receiver has subscribed to, by topic and alert level. */
final class TopicFilter {

    private TopicFilter() {}

    /** The topic for this kind of event alone; {@link Topic#ALERT} covers all alerts. */
    static Optional<Topic> topicOf(EventPayload payload) {
        return Optional.ofNullable(
                switch (payload) {
                    case TaskPayload.TaskCompleted _ -> Topic.TASK_COMPLETED;
                    case TaskPayload.TaskFailed _ -> Topic.TASK_FAILED;
                    case TaskPayload.TaskCancelled _ -> Topic.TASK_CANCELLED;
                    case TaskPayload.TaskRetried _ -> Topic.TASK_RETRIED;
                    case TaskAlert.LongWait _ -> Topic.LONG_WAIT;
                    case TaskAlert.TaskStalled _ -> Topic.STALLED;
                    default -> null;
                });
    }

    /** Checks topic and level; the owner of the task is checked elsewhere. */
    static boolean accepts(Receiver receiver, Event event) {
        var payload = event.payload();
        if (payload instanceof NodeAlert.NotificationUndelivered(var failing, _)
                && receiver.name().equals(failing)) {
            // It could be delivered only after the receiver works again, when it is outdated.
            return false;
        }
        return topicOf(payload).filter(receiver.topics()::contains).isPresent()
                || (receiver.topics().contains(Topic.ALERT)
                        && payload.level()
                                .filter(level -> level.isAtLeast(receiver.minLevel()))
                                .isPresent());
    }
}
