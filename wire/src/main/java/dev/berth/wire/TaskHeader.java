package dev.berth.wire;

/**
 * What a list shows of a task beside its name.
 *
 * @param source api or file
 * @param devices the GPUs it may use, or cpu
 */
public record TaskHeader(
        String status,
        String phase,
        String priority,
        String owner,
        String source,
        String devices) {}
