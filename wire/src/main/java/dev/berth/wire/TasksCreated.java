package dev.berth.wire;

import java.util.List;

/** The ids of tasks that were taken in together, in the order in which they were sent. */
public record TasksCreated(List<Long> ids) {}
