package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A receiver of notifications.
 *
 * @param to a host or mail addresses, never a secret
 * @param users null for the tasks of all users
 * @param state ok, retrying, or failing if an alert was raised
 * @param waiting number of undelivered notifications
 */
public record ReceiverInfo(
        String name,
        String kind,
        String to,
        @Nullable List<String> users,
        List<String> events,
        String state,
        @Nullable String lastDeliveredAt,
        int waiting,
        @Nullable String lastError) {}
