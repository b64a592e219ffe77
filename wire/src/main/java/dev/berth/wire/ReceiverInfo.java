package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Somebody who wants to hear of what happens.
 *
 * @param to a host or mail addresses, never a secret
 * @param users null for everybody's tasks
 * @param state ok, retrying, or failing where an alert was raised
 * @param waiting messages that it has not got yet
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
