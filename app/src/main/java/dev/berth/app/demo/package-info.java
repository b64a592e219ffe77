/**
 * {@code berth demo}: a server on simulated cards for people who want to look first. A
 * <em>sample</em> is a task in the manner of a lab's own; the <em>director</em> sees that there are
 * always some running and some waiting.
 */
@NullMarked
package dev.berth.app.demo;

import org.jspecify.annotations.NullMarked;
