package dev.berth.telemetry.audit;

/** Receives the lines of the audit log. */
@FunctionalInterface
public interface AuditLog {

    /**
     * @param line without line terminator
     */
    void write(String line);

    /**
     * A short line about a change, or an attempted change, that came in through the TCP port, which
     * the console uses.
     *
     * @param line without line terminator
     */
    default void writePortChange(String line) {}
}
