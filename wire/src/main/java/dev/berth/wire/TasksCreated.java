package dev.berth.wire;

import java.util.List;

/** The ids of tasks that were submitted together, in the order of the request. */
public record TasksCreated(List<Long> ids) {}
