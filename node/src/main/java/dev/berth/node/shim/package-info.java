/**
 * Starts an attempt at most once, and never loses its exit code, whatever is killed. The
 * <em>shim</em> is the process that runs the attempt's {@code run.sh}: a native program that reads
 * the values at its head, or bash. It creates {@code go}, a file that only one process can create,
 * runs {@code command.sh}, and writes the <em>exit record</em>. A <em>tombstone</em> is a {@code
 * go} created by the server: the attempt can no longer start. All files are in the <em>attempt
 * directory</em>, whose path consists of ids.
 */
@NullMarked
package dev.berth.node.shim;

import org.jspecify.annotations.NullMarked;
