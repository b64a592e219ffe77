package dev.berth.slurm;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** The commands of Slurm that Berth uses. Each returns or fails within its own deadline. */
public interface SlurmClient {

    /**
     * Submits a script.
     *
     * @return the id that Slurm gave it; a crash of the controller may still lose the job
     */
    String submit(Path script, List<String> options) throws SlurmFailure;

    /** The jobs of this user that Slurm remembers, ended ones included. */
    List<SlurmJob> jobs() throws SlurmFailure;

    /** Ends a job if it still has this name; an id alone may belong to another job by now. */
    void cancel(String id, String name) throws SlurmFailure;

    /** When the controller was started. */
    Instant controllerStart() throws SlurmFailure;

    /** How the cluster is configured. */
    ClusterSettings settings() throws SlurmFailure;

    /**
     * @param processTracking the plugin that finds the processes of a job
     */
    record ClusterSettings(String version, String processTracking) {}

    /** Lets a drained host take jobs again. Needs the rights of an operator. */
    void resume(String host) throws SlurmFailure;

    /** Makes the controller count again what is in use. Needs the rights of an operator. */
    void reconfigure() throws SlurmFailure;

    List<SlurmNode> nodes() throws SlurmFailure;

    /** The running jobs of all users. */
    List<ForeignJob> runningJobs() throws SlurmFailure;
}
