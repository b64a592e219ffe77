package dev.berth.server.audit;

/** Where the audit is written, line by line. */
@FunctionalInterface
public interface Audit {

    /**
     * @param line without its end
     */
    void write(String line);

    /**
     * What was changed, or tried to be, at the port, where the console comes in: the short of it.
     *
     * @param line without its end
     */
    default void writeOfPort(String line) {}
}
