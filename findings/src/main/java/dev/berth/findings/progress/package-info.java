/**
 * Progress of a task, found in its output while it runs. Programs print <em>counts</em>: an outer
 * one of epochs, an inner one of steps, or bars that are redrawn.
 */
@NullMarked
package dev.berth.findings.progress;

import org.jspecify.annotations.NullMarked;
