package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.Optional;

/** The limits of users that are checked before a task waits. */
record TaskLimits(LimitRules rules) {

    /** Why this user may not have such a task. */
    Optional<Rejected> refusal(Owner owner, TaskSpec spec, EngineState state) {
        return timeRefusal(owner, spec, state).or(() -> priorityRefusal(owner, spec, state));
    }

    /** Why this user may not change a task so; what stays as it was is not refused. */
    Optional<Rejected> refusal(Owner owner, TaskSpec before, TaskSpec after, EngineState state) {
        boolean isSameTime = before.options().timeLimit().equals(after.options().timeLimit());
        boolean isSamePriority = before.options().priority() == after.options().priority();
        var time = isSameTime ? Optional.<Rejected>empty() : timeRefusal(owner, after, state);
        return time.isPresent() || isSamePriority ? time : priorityRefusal(owner, after, state);
    }

    private Optional<Rejected> timeRefusal(Owner owner, TaskSpec spec, EngineState state) {
        return find(LimitKey.MAX_HOURS, owner, state)
                .filter(limit -> isAbove(spec.options().timeLimit(), limit))
                .map(
                        limit ->
                                Rejected.invalid("limit.max_hours", "timeout_seconds")
                                        .with("seconds", limit.time().toSeconds())
                                        .with("source", limit.source().apiName()));
    }

    private static boolean isAbove(Optional<Duration> time, Limit limit) {
        return time.isPresent() && time.get().compareTo(limit.time()) > 0;
    }

    private Optional<Rejected> priorityRefusal(Owner owner, TaskSpec spec, EngineState state) {
        return find(LimitKey.MAX_PRIORITY, owner, state)
                .filter(limit -> Limit.ofPriority(spec.options().priority()) > limit.value())
                .map(
                        limit ->
                                Rejected.invalid("limit.max_priority", "priority")
                                        .with("priority", limit.priority())
                                        .with("source", limit.source().apiName()));
    }

    /** Why this user may not add this number of waiting tasks. */
    Optional<Rejected> queueRefusal(Owner owner, int more, int now, EngineState state) {
        return find(LimitKey.MAX_QUEUED, owner, state)
                .filter(limit -> more > limit.count() - now)
                .map(
                        limit ->
                                Rejected.tooMany("limit.max_queued")
                                        .with("now", now)
                                        .with("most", limit.count())
                                        .with("source", limit.source().apiName()));
    }

    /** The task with the longest time limit that it may have, unless it states one. */
    TaskSpec capped(Owner owner, TaskSpec spec, EngineState state) {
        return spec.options().timeLimit().isPresent()
                ? spec
                : find(LimitKey.MAX_HOURS, owner, state)
                        .map(limit -> spec.with(limit.time()))
                        .orElse(spec);
    }

    private Optional<Limit> find(LimitKey key, Owner owner, EngineState state) {
        return rules.isEmpty()
                ? Optional.empty()
                : rules.find(key, owner, state.durable().groups().of(owner));
    }
}
