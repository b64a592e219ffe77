package dev.berth.core.task;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a task runs. A script can be 1 MiB long and a queue 200,000 tasks, so the engine keeps only
 * a {@link Stored} script; its text is in the store and is read for a start or for a person.
 */
public sealed interface Script {

    /** Absolute directory that the script starts in. */
    String workDir();

    /** Equal commands have equal hashes. */
    long commandHash();

    /** Commands that are equal but for their numbers have equal hashes. */
    long patternHash();

    /** Equal environments have equal hashes. */
    long environmentHash();

    /** The same without its text. */
    Stored stored();

    /**
     * The text.
     *
     * @throws IllegalStateException if it is only in the store
     */
    Text text();

    /** The same script, with this text if it is its directory. */
    default Script sharing(String dir) {
        return this instanceof Stored && workDir().equals(dir)
                ? new Stored(dir, commandHash(), patternHash(), environmentHash())
                : this;
    }

    static Text of(String command, String workDir) {
        return new Text(command, workDir, Collections.emptySortedMap());
    }

    /**
     * A script with its text.
     *
     * @param command script text; its lines share one shell
     * @param environment added to the server's own, or to the submitter's; shown only to the owner
     *     and never logged
     * @param runAs empty in a home of one user, where it runs as the server's user
     */
    record Text(
            String command,
            String workDir,
            SortedMap<String, String> environment,
            Optional<RunAs> runAs,
            long commandHash,
            long patternHash,
            long environmentHash)
            implements Script {

        public Text {
            environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
        }

        public Text(String command, String workDir, SortedMap<String, String> environment) {
            this(command, workDir, environment, Optional.empty());
        }

        public Text(
                String command,
                String workDir,
                SortedMap<String, String> environment,
                Optional<RunAs> runAs) {
            this(
                    command,
                    workDir,
                    environment,
                    runAs,
                    ScriptHash.of(command),
                    ScriptHash.ofPattern(command),
                    ScriptHash.of(environment));
        }

        public Text withCommand(String other) {
            return new Text(other, workDir, environment, runAs);
        }

        public Text withEnvironment(SortedMap<String, String> variables) {
            return new Text(command, workDir, variables, runAs);
        }

        public Text withRunAs(RunAs other) {
            return new Text(command, workDir, environment, Optional.of(other));
        }

        @Override
        public Stored stored() {
            return new Stored(workDir, commandHash, patternHash, environmentHash);
        }

        @Override
        public Text text() {
            return this;
        }

        /** The command and the environment are the owner's secrets. */
        @Override
        public String toString() {
            return "Script[" + workDir + "]";
        }
    }

    /** A script whose text is only in the store. */
    record Stored(String workDir, long commandHash, long patternHash, long environmentHash)
            implements Script {

        @Override
        public Stored stored() {
            return this;
        }

        @Override
        public Text text() {
            throw new IllegalStateException("the text of this script is only in the store");
        }

        @Override
        public String toString() {
            return "Script[" + workDir + "]";
        }
    }
}
