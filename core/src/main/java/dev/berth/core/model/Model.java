package dev.berth.core.model;

import dev.berth.core.task.Owner;
import dev.berth.core.task.RunAs;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A model that workers keep loaded.
 *
 * @param worker the command that starts a worker
 * @param memoryMib GPU memory of a loaded worker, as estimated
 * @param isPrewarmed a worker is loaded when the server starts
 * @param environment added to that of the server, or of the account; never logged
 * @param workDir absolute directory that a worker starts in
 * @param idleTime a worker without work for this time is unloaded; absent: as configured for all
 * @param access who may use it, and the account of its workers
 */
public record Model(
        String name,
        String worker,
        long memoryMib,
        boolean isPrewarmed,
        SortedMap<String, String> environment,
        String workDir,
        Optional<Duration> idleTime,
        Access access) {

    public Model {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    /** In a home of one user. */
    public Model(
            String name,
            String worker,
            long memoryMib,
            boolean isPrewarmed,
            SortedMap<String, String> environment,
            String workDir,
            Optional<Duration> idleTime) {
        this(name, worker, memoryMib, isPrewarmed, environment, workDir, idleTime, Access.OF_HOME);
    }

    /**
     * Who may use a model. A worker must not get parameters of users whom its own user does not
     * serve, so the tasks of a model and its workers go together.
     *
     * @param owner only this user's tasks run on its workers; empty for a model of all users
     * @param runAs the account of its workers; empty in a home of one user
     */
    public record Access(Optional<Owner> owner, Optional<RunAs> runAs) {

        /** In a home of one user. */
        public static final Access OF_HOME = new Access(Optional.empty(), Optional.empty());

        /** The model of one user, with workers of the same account. */
        public static Access of(Owner owner, RunAs runAs) {
            return new Access(Optional.of(owner), Optional.of(runAs));
        }

        /** A model of all users. */
        public static Access shared(RunAs runAs) {
            return new Access(Optional.empty(), Optional.of(runAs));
        }

        public boolean isOpenTo(Owner user) {
            return owner.isEmpty() || owner.get().equals(user);
        }
    }

    /** The command and the environment may contain secrets. */
    @Override
    public String toString() {
        return "Model[" + name + "]";
    }
}
