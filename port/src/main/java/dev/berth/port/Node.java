package dev.berth.port;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A host that runs attempts. Every call returns at once; its result is reported as a {@link Fact}.
 * Repeating an order after a restart does not carry it out twice.
 */
public interface Node {

    String name();

    /** Identifies this boot of the host. */
    String bootId();

    void launch(Launch order);

    /**
     * Finds out the state of an attempt of an earlier server, and watches it from now on.
     *
     * @param timeLimit counted from the start of its process
     * @param reportKey as in {@link Launch}
     */
    void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey);

    /** Gives a worker a task. The order is kept until the worker has loaded its model. */
    void call(Call order);

    /** While a lane waits for a GPU, the load of the last second decides, so it is read often. */
    default void sampleGpusOften(boolean isOften) {}

    /**
     * Tests whether a quarantined GPU works again. The result is a {@link Fact.GpuTested}; a GPU
     * that does not recover fails its test after a time limit.
     */
    default void testGpu(GpuId card) {}

    /** Ends every process of the attempt, or prevents its start. */
    void stop(AttemptId attempt);

    /** Watches this process as the shim of a lost attempt: a person named it. */
    void watch(AttemptId attempt, ShimProcess process);

    /**
     * A person decided that a lost or stuck attempt is over. Its GPUs are in use until a reading
     * shows that it has left them.
     */
    void forget(AttemptId attempt);

    /**
     * An order to start an attempt.
     *
     * @param spec with the text of its script
     * @param gpus the claimed GPUs, by index
     * @param reportKey under which its script reports its own end; absent if it does not
     * @param submission is written into the attempt's directory, for the case that the database is
     *     lost
     */
    record Launch(
            Attempt attempt,
            TaskSpec spec,
            List<Gpu> gpus,
            LaunchTerms terms,
            Optional<String> reportKey,
            Optional<Submission> submission) {
        public Launch {
            gpus = List.copyOf(gpus);
        }

        /** Without the submission. */
        public Launch(
                Attempt attempt,
                TaskSpec spec,
                List<Gpu> gpus,
                LaunchTerms terms,
                Optional<String> reportKey) {
            this(attempt, spec, gpus, terms, reportKey, Optional.empty());
        }

        /** Without a report key. */
        public Launch(Attempt attempt, TaskSpec spec, List<Gpu> cards, LaunchTerms terms) {
            this(attempt, spec, cards, terms, Optional.empty());
        }
    }

    /**
     * An order to a worker.
     *
     * @param worker the attempt whose process it is
     * @param params JSON
     * @param reader the account that may read the log; empty in a home of one user
     */
    record Call(
            AttemptId attempt,
            AttemptId worker,
            Optional<String> taskType,
            String params,
            Optional<Duration> timeLimit,
            Optional<RunAs> reader) {}

    /**
     * Who submitted a task, and when.
     *
     * @param retries number of attempts that followed a failure
     */
    record Submission(Owner owner, Instant createdAt, int retries) {
        public static Submission of(Task task) {
            return new Submission(task.owner(), task.createdAt(), task.retries());
        }
    }

    /**
     * Conditions of a start.
     *
     * @param isForced even if other processes use its GPUs now
     * @param rules the rules that its GPUs must still satisfy
     * @param startTimeout an attempt that has not started by then is closed
     */
    record LaunchTerms(boolean isForced, SchedulingRules rules, Duration startTimeout) {

        /** The conditions of a scheduled task with default settings. */
        public static final LaunchTerms DEFAULT =
                new LaunchTerms(false, SchedulingRules.DEFAULT, Duration.ofMinutes(1));
    }
}
