package dev.berth.core.task;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the command line took over from the shell in which a task was submitted.
 *
 * @param environment all variables of that shell; shown only to the owner and never logged
 * @param umask in octal
 * @param limits soft resource limits by the names of {@code prlimit}, for example {@code nofile};
 *     {@link #UNLIMITED} for none
 */
public record ShellContext(
        SortedMap<String, String> environment, String umask, SortedMap<String, Long> limits) {

    public static final long UNLIMITED = -1;

    public ShellContext {
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
        limits = Collections.unmodifiableSortedMap(new TreeMap<>(limits));
    }

    /** The environment is the owner's secret. */
    @Override
    public String toString() {
        return "ShellContext[umask " + umask + "]";
    }
}
