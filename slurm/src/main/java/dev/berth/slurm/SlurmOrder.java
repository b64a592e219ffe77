package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.port.Node;

/** A command that Slurm has to carry out, decided by {@link HandedAttempts}. */
sealed interface SlurmOrder {

    record Submit(AttemptId attempt, Node.Launch launch) implements SlurmOrder {}

    /**
     * @param name of the job, because its id may belong to another one by now
     * @param uid of its owner
     */
    record Cancel(AttemptId attempt, String job, String name, int uid) implements SlurmOrder {}
}
