/**
 * {@code berth demo}: a server on simulated GPUs, to try Berth out. A <em>sample</em> is a task
 * like those of a real lab; samples are submitted so that some always run and some always wait.
 */
@NullMarked
package dev.berth.app.demo;

import org.jspecify.annotations.NullMarked;
