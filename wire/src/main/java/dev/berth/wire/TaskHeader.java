package dev.berth.wire;

/**
 * What a list shows of a task beside its name.
 *
 * @param source api or file; worker for a worker of a model
 * @param devices the GPUs it may use, or cpu
 */
public record TaskHeader(
        String status,
        String phase,
        String priority,
        String owner,
        String source,
        String devices) {}
