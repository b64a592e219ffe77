package dev.berth.port.read;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.Event;

import java.time.Instant;
import java.util.Optional;

/**
 * Selects events by who did what, to whom, and when.
 *
 * @param concerned only what this user did, or what is about something of this user
 * @param actor the name of the actor
 * @param kind the word of the kind, or its part before a dot
 * @param period when it happened
 * @param includesBerth also what Berth itself did
 */
public record AuditFilter(
        Optional<Owner> concerned,
        Optional<String> actor,
        Optional<String> kind,
        Optional<TaskId> task,
        Period period,
        boolean includesBerth) {

    /**
     * @param since inclusive
     * @param until exclusive
     */
    public record Period(Optional<Instant> since, Optional<Instant> until) {

        public static final Period ALL = new Period(Optional.empty(), Optional.empty());

        public boolean contains(Instant time) {
            return since.filter(time::isBefore).isEmpty()
                    && until.filter(end -> !time.isBefore(end)).isEmpty();
        }
    }

    /** What people did. */
    public static final AuditFilter PEOPLE =
            new AuditFilter(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Period.ALL,
                    false);

    public AuditFilter concerning(Owner user) {
        return new AuditFilter(Optional.of(user), actor, kind, task, period, includesBerth);
    }

    public AuditFilter by(String name) {
        return new AuditFilter(concerned, Optional.of(name), kind, task, period, includesBerth);
    }

    public AuditFilter ofKind(String word) {
        return new AuditFilter(concerned, actor, Optional.of(word), task, period, includesBerth);
    }

    public AuditFilter about(TaskId id) {
        return new AuditFilter(concerned, actor, kind, Optional.of(id), period, includesBerth);
    }

    public AuditFilter in(Period time) {
        return new AuditFilter(concerned, actor, kind, task, time, includesBerth);
    }

    public AuditFilter includingBerth() {
        return new AuditFilter(concerned, actor, kind, task, period, true);
    }

    public boolean matches(Event event) {
        return (includesBerth || !event.actor().equals(Owner.BERTH))
                && concerned.filter(user -> !concerns(event, user)).isEmpty()
                && actor.filter(name -> !name.equals(event.actor().name())).isEmpty()
                && kind.filter(word -> !isOfKind(event, word)).isEmpty()
                && task.filter(id -> !event.task().equals(Optional.of(id))).isEmpty()
                && period.contains(event.at());
    }

    private static boolean concerns(Event event, Owner user) {
        return event.actor().principal().equals(user.principal())
                || event.owner().filter(user::equals).isPresent();
    }

    private static boolean isOfKind(Event event, String word) {
        return event.kind().equals(word) || event.kind().startsWith(word + ".");
    }
}
