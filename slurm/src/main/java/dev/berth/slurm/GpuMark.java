package dev.berth.slurm;

import dev.berth.core.id.AttemptId;

import java.time.Duration;
import java.time.Instant;

/**
 * A file by which the shim of an attempt keeps other attempts off a GPU.
 *
 * @param gpu the name of the file: host and index
 * @param uid of the file's owner
 * @param at when it was created
 */
record GpuMark(String gpu, AttemptId attempt, int uid, Instant at) {

    /** Time between the mark and the creation of {@code go}. */
    static final Duration START_TIME = Duration.ofMinutes(1);
}
