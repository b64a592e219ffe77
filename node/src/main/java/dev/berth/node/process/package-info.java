/**
 * The processes of this host. A process is identified by its <em>key</em> (boot, pid, start tick).
 * The <em>process set</em> of an attempt is every process that its command started and that still
 * runs. It is found by its <em>traces</em>: a cgroup, or a marker in the environment, the session,
 * the parents. A <em>sweep</em> ends a set and reports which processes it ended, spared, and could
 * not end.
 */
@NullMarked
package dev.berth.node.process;

import org.jspecify.annotations.NullMarked;
