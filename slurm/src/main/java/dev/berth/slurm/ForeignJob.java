package dev.berth.slurm;

/**
 * A running job that Berth did not submit.
 *
 * @param host that runs it
 */
public record ForeignJob(String id, String user, String host) {}
