/**
 * How an attempt starts once and its end is never lost, whatever is killed. The <em>shim</em> is a
 * bash running the attempt's {@code run.sh}; it takes {@code go}, a file that only one process can
 * create, runs {@code command.sh}, and leaves the <em>exit record</em>. A <em>tombstone</em> is a
 * {@code go} that the server made: nothing will start there any more. All of it lives in the
 * <em>attempt directory</em>, whose names are ids.
 */
@NullMarked
package dev.berth.node.shim;

import org.jspecify.annotations.NullMarked;
