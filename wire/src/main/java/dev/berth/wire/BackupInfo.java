package dev.berth.wire;

/** A verified copy of the database. */
public record BackupInfo(String file, String madeAt, long bytes) {}
