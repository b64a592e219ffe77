package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** The directories of attempts on a path that all hosts share. */
interface AttemptFiles {

    /**
     * Writes everything that the shim needs. This starts nothing.
     *
     * @throws SlurmFailure its owner has no account any more
     */
    void prepare(Node.Launch order) throws IOException, SlurmFailure;

    /** The uid of the owner of its job; empty if that is the user of this process. */
    OptionalInt owner(AttemptId id);

    Path script(AttemptId id);

    /** The attempt whose script this is; empty if the path is not one of this home. */
    Optional<AttemptId> attemptOf(String script);

    FileState read(AttemptId id) throws IOException;

    /**
     * Takes the right to start, so that no process can get it.
     *
     * @return false if it was taken before; then read again
     */
    boolean preventStart(AttemptId id) throws IOException;

    /** Slurm ended the attempt because it used more memory than its job had. */
    void recordMemoryShortage(AttemptId id) throws IOException;

    /** Why the attempt ended, by its log. */
    AttemptFindings findings(AttemptId id, Ending ending);

    /** Removes the marks of GPUs that are not held any more. */
    void releaseGpus(Predicate<GpuMark> isHeld) throws IOException;

    /** What the directory of an attempt says. */
    sealed interface FileState {

        /** No process has started, and any may. */
        record NotStarted() implements FileState {}

        /** No process has started, and none can. */
        record Prevented() implements FileState {}

        /** The shim is about to write who it is, or was killed before it could. */
        record Starting() implements FileState {}

        record Started(ShimProcess process, Place place) implements FileState {}

        /** The shim had the right to start and could not run the command. */
        record NotBegun(String step) implements FileState {}

        /**
         * @param start empty if the record of the start is gone
         */
        record Exited(int code, Optional<Started> start) implements FileState {}
    }

    /**
     * Where Slurm runs an attempt.
     *
     * @param job the id of the job that started it
     * @param gpus indices on the host
     */
    record Place(String host, String job, List<Integer> gpus) {
        public Place {
            gpus = List.copyOf(gpus);
        }

        /** The names of the marks of its GPUs. */
        List<String> marks() {
            return gpus.stream().map(index -> host + "." + index).toList();
        }
    }
}
