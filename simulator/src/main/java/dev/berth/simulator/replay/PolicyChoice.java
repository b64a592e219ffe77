package dev.berth.simulator.replay;

import dev.berth.core.plan.Backfill;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.ShortestFirstOrder;
import dev.berth.core.queue.SmallestFirstOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.simulator.trace.InvalidInput;

import java.util.List;
import java.util.function.Function;

/**
 * A policy, and for Berth's planner its rules.
 *
 * @param name as the user wrote it
 * @param order of Berth's planner
 * @param backfill of Berth's planner
 * @param hasTimeLimits Berth's planner knows the run time of each job as its time limit
 */
public record PolicyChoice(
        String name, Policy policy, QueueOrder order, Backfill backfill, boolean hasTimeLimits) {

    private static final String TIME_LIMITS = "limits";
    private static final int MAX_PARTS = 4;

    private static final List<QueueOrder> ORDERS =
            List.of(
                    new PriorityOrder(UserWeights.EQUAL),
                    new FairShareOrder(UserWeights.EQUAL),
                    new ShortestFirstOrder(),
                    new SmallestFirstOrder(),
                    new FifoOrder());

    private static final List<Backfill> BACKFILLS =
            List.of(new Backfill.Safe(), new Backfill.Off(), new Backfill.Greedy());

    /** Berth's planner has the rules with the shortest waits. */
    public static PolicyChoice of(Policy policy) {
        return new PolicyChoice(
                policy.optionName(),
                policy,
                new SmallestFirstOrder(),
                new Backfill.Greedy(),
                false);
    }

    /** The name of a policy; for Berth's planner also {@code berth:ORDER:BACKFILL[:limits]}. */
    public static PolicyChoice parse(String name) throws InvalidInput {
        var parts = name.split(":", -1);
        var policy =
                Policy.parse(parts[0])
                        .orElseThrow(() -> notOneOf("a policy", Policy.optionNames(), parts[0]));
        if (parts.length == 1) {
            return of(policy);
        }
        boolean hasTimeLimits = parts.length == MAX_PARTS && parts[3].equals(TIME_LIMITS);
        if (policy != Policy.BERTH || (parts.length > 3 && !hasTimeLimits)) {
            throw new InvalidInput("only berth has rules, berth:ORDER:BACKFILL: " + name);
        }
        return new PolicyChoice(
                name,
                policy,
                find("an order", ORDERS, QueueOrder::configName, parts[1]),
                parts.length < 3
                        ? BACKFILLS.getFirst()
                        : find("a backfill", BACKFILLS, Backfill::configName, parts[2]),
                hasTimeLimits);
    }

    private static <T> T find(String kind, List<T> all, Function<T, String> name, String wanted)
            throws InvalidInput {
        return all.stream()
                .filter(one -> name.apply(one).equals(wanted))
                .findFirst()
                .orElseThrow(() -> notOneOf(kind, all.stream().map(name).toList(), wanted));
    }

    private static InvalidInput notOneOf(String kind, List<String> names, String wanted) {
        return new InvalidInput(
                kind + " is one of " + String.join(", ", names) + ", not " + wanted);
    }
}
