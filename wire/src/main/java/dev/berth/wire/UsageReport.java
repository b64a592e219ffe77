package dev.berth.wire;

import java.util.List;

/**
 * GPU use by user.
 *
 * @param users highest use first
 */
public record UsageReport(String from, String to, List<UsageLine> users, UsageLine total) {}
