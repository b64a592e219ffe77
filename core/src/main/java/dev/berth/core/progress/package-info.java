/**
 * How far a task has come, read from what it prints while it runs. Programs print <em>counts</em>:
 * an outer one of epochs, an inner one of steps, or bars that are drawn over and over.
 */
@NullMarked
package dev.berth.core.progress;

import org.jspecify.annotations.NullMarked;
