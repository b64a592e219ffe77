package dev.berth.server.audit;

/** Where the audit is written, line by line. */
@FunctionalInterface
public interface Audit {

    /**
     * @param line without its end
     */
    void write(String line);
}
