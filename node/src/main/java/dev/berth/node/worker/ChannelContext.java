package dev.berth.node.worker;

import dev.berth.port.Fact;
import dev.berth.port.Failpoints;

import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * What all channels share.
 *
 * @param facts takes what becomes of workers and their tasks
 * @param uses measures tasks
 */
record ChannelContext(
        WorkerSettings settings,
        Consumer<Fact> facts,
        WorkerFiles files,
        ScheduledExecutorService timer,
        CallUses uses,
        Failpoints failpoints) {}
