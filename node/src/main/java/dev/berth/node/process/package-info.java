/**
 * What runs on this host. A process is named by its <em>key</em> (boot, pid, start tick). The
 * <em>process set</em> of an attempt is everything its command started and has not ended, found by
 * the <em>traces</em> the attempt left on it: a cgroup, or a marker in its environment, its
 * session, its parents. A <em>sweep</em> ends a set and reports what it ended, what it left alone,
 * and what would not go.
 */
@NullMarked
package dev.berth.node.process;

import org.jspecify.annotations.NullMarked;
