/**
 * Hands attempts to Slurm and follows them there. A <em>job</em> is Slurm's record of a script that
 * it runs; it is identified by the path of its script, because Slurm forgets jobs and gives their
 * ids to others when its controller crashes. Whether an attempt has started is decided by its file
 * {@code go} alone, and how it ended by its exit record.
 */
@NullMarked
package dev.berth.slurm;

import org.jspecify.annotations.NullMarked;
