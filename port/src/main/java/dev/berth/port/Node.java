package dev.berth.port;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
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

    /** While a lane waits for a GPU, the load of the last second decides, so it is read often. */
    default void sampleGpusOften(boolean isOften) {}

    /**
     * Tests whether a quarantined GPU works again. The result is a {@link Fact.GpuTested}; a GPU
     * that does not recover fails its test after a time limit.
     */
    default void testGpu(GpuId card) {}

    /** Ends every process of the attempt, or prevents its start. */
    void stop(AttemptId attempt);

    /**
     * An order to start an attempt.
     *
     * @param gpus the claimed GPUs, by index
     * @param reportKey under which its script reports its own end; absent if it does not
     */
    record Launch(
            Attempt attempt,
            TaskSpec spec,
            List<Gpu> gpus,
            LaunchTerms terms,
            Optional<String> reportKey) {
        public Launch {
            gpus = List.copyOf(gpus);
        }

        /** Without a report key. */
        public Launch(Attempt attempt, TaskSpec spec, List<Gpu> cards, LaunchTerms terms) {
            this(attempt, spec, cards, terms, Optional.empty());
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
