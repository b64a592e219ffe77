package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;

import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What all channels share.
 *
 * @param facts takes what becomes of workers and their tasks
 * @param directories the directories of attempts
 * @param uses measures tasks
 */
record ChannelContext(
        WorkerSettings settings,
        Consumer<Fact> facts,
        Function<AttemptId, AttemptDirectory> directories,
        ScheduledExecutorService timer,
        CallUses uses,
        Failpoints failpoints) {}
