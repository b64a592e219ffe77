package dev.berth.node;

import dev.berth.core.task.ScriptReport;

import java.util.Optional;

/** Where the scripts of command files report their own end. */
@FunctionalInterface
public interface ScriptReports {

    /** No script reports anything. */
    ScriptReports NONE = _ -> Optional.empty();

    /**
     * Returns once the report has been read, however long that takes. Called on the thread of the
     * attempt, after its last process has ended.
     *
     * @param reportKey as in {@link dev.berth.port.Node.Launch}
     */
    Optional<ScriptReport> of(String reportKey);
}
