/**
 * Berth's words as immutable values, and the decisions made on them.
 *
 * <p>Nothing here reads a clock, a file or a random number: what a decision needs comes in as an
 * argument, so the same question always gets the same answer.
 */
@NullMarked
package dev.berth.core;

import org.jspecify.annotations.NullMarked;
