package dev.berth.wire;

import java.util.List;

/** The tasks of a command file that run one after another. */
public record CommandQueue(int queueId, List<CommandTask> tasks) {}
