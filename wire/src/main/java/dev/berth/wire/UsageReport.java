package dev.berth.wire;

import java.util.List;

/**
 * Who had how much of the cards.
 *
 * @param users who had most comes first
 */
public record UsageReport(String from, String to, List<UsageLine> users, UsageLine total) {}
