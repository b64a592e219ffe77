package dev.berth.slurm;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/** The commands of Slurm that Berth uses. Each returns or fails within its own deadline. */
public interface SlurmClient {

    /**
     * Submits a script.
     *
     * @param owner of the job; empty for the user of this process
     * @return the id that Slurm gave it; a crash of the controller may still lose the job
     */
    String submit(Path script, List<String> options, Optional<JobOwner> owner) throws SlurmFailure;

    /**
     * The jobs that Slurm remembers, ended ones included.
     *
     * @param uids whose jobs; empty for those of the user of this process
     */
    List<SlurmJob> jobs(SortedSet<Integer> uids) throws SlurmFailure;

    /** The jobs of an owner, as Slurm shows them to that owner. */
    List<SlurmJob> jobs(JobOwner owner) throws SlurmFailure;

    /**
     * Ends a job if it still has this name; an id alone may belong to another job by now.
     *
     * @param owner of the job; empty for the user of this process
     */
    void cancel(String id, String name, Optional<JobOwner> owner) throws SlurmFailure;

    /** When the controller was started. */
    Instant controllerStart() throws SlurmFailure;

    /** How the cluster is configured. */
    ClusterSettings settings() throws SlurmFailure;

    /**
     * @param processTracking the plugin that finds the processes of a job
     * @param hidesJobs users do not see the jobs of others
     */
    record ClusterSettings(String version, String processTracking, boolean hidesJobs) {}

    /** Lets a drained host take jobs again. Needs the rights of an operator. */
    void resume(String host) throws SlurmFailure;

    /** Makes the controller count again what is in use. Needs the rights of an operator. */
    void reconfigure() throws SlurmFailure;

    List<SlurmNode> nodes() throws SlurmFailure;

    /** The running jobs of all users. */
    List<ForeignJob> runningJobs() throws SlurmFailure;
}
