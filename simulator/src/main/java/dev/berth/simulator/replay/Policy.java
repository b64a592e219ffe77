package dev.berth.simulator.replay;

import dev.berth.simulator.trace.Job;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Who starts next. All but {@link #BERTH} know the run times. */
public enum Policy {
    /** In the order of submission; a job that does not fit blocks those behind it. */
    FIFO,
    /** The shortest first; a job that does not fit blocks those behind it. */
    SJF,
    /** As {@link #FIFO}, but a job may pass that does not delay the blocked head. */
    EASY,
    /** In the order of submission; a job that does not fit is skipped. */
    FIFO_SKIP,
    /** The shortest first; a job that does not fit is skipped. */
    SJF_SKIP,
    /** The planner of Berth, which learns run times from the jobs that have ended. */
    BERTH;

    private static final Comparator<Job> BY_SUBMISSION =
            Comparator.comparingLong(Job::submitS).thenComparingInt(Job::row);

    public String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Optional<Policy> parse(String name) {
        return Arrays.stream(values())
                .filter(policy -> policy.optionName().equals(name))
                .findFirst();
    }

    public static List<String> optionNames() {
        return Arrays.stream(values()).map(Policy::optionName).toList();
    }

    static Comparator<Job> bySubmission() {
        return BY_SUBMISSION;
    }

    Comparator<Job> order() {
        return this == SJF || this == SJF_SKIP
                ? Comparator.comparingLong(Job::durationS).thenComparing(BY_SUBMISSION)
                : BY_SUBMISSION;
    }
}
