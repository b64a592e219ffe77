package dev.berth.core.plan;

import dev.berth.core.queue.UserWeights;
import dev.berth.core.share.LimitRules;

/**
 * What users may use.
 *
 * @param limits of users and groups
 * @param weights of users and groups, for orders that use them
 * @param countsOutside GPU time of processes outside Berth is charged to their users
 */
public record ShareRules(LimitRules limits, UserWeights weights, boolean countsOutside) {

    public static final ShareRules DEFAULT =
            new ShareRules(LimitRules.NONE, UserWeights.EQUAL, false);
}
