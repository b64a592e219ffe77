/**
 * The kernel's words that the JDK does not speak, by the foreign-function API and nothing above
 * them: a <em>spawner</em> starts a program in a session of its own; a <em>pidfd</em> is one
 * process for as long as it is held, whatever becomes of its pid; a <em>hole</em> is a stretch of a
 * file that takes no space. Every failure is an {@link dev.berth.node.linux.ErrnoException} that
 * names the call, what it was about, and the kernel's reason.
 */
@NullMarked
package dev.berth.node.linux;

import org.jspecify.annotations.NullMarked;
