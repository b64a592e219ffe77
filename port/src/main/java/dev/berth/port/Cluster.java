package dev.berth.port;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;

import java.time.Duration;
import java.util.Optional;

/**
 * Several hosts with a scheduler of their own, which chooses host and GPUs of an attempt and starts
 * it. Every call returns at once; its result is reported as a {@link Fact}. Repeating an order
 * after a restart does not carry it out twice.
 */
public interface Cluster {

    /** The host of an attempt that has not started yet. */
    String name();

    /**
     * Asks the cluster to run an attempt. Its start is a {@link Fact.Placed}. If it cannot be
     * accepted now it is tried again, for any time.
     *
     * @param order without GPUs
     */
    void handOver(Node.Launch order);

    /**
     * Finds out the state of an attempt of an earlier server, and watches it from now on.
     *
     * @param timeLimit counted from the start of its process
     * @param reportKey as in {@link Node.Launch}
     */
    void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey);

    /** Ends every process of the attempt, or prevents its start. */
    void stop(AttemptId attempt);

    /** Prevents the start of an attempt that still waits; one that has started is not touched. */
    void withdraw(AttemptId attempt);

    /** A person decided that a lost or stuck attempt is over. */
    void forget(AttemptId attempt);
}
