/**
 * System calls that the JDK does not offer, called through the foreign-function API, and nothing
 * above them. A <em>spawner</em> starts a program in its own session. A <em>pidfd</em> is a handle
 * on one process that stays valid when the kernel reuses its pid. A <em>hole</em> is a range of a
 * file that uses no disk space. Every failure is an {@link dev.berth.node.linux.ErrnoException}
 * with the call, its subject and the kernel's reason.
 */
@NullMarked
package dev.berth.node.linux;

import org.jspecify.annotations.NullMarked;
