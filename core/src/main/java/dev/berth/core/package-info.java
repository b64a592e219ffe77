/**
 * Berth's domain as immutable values, and the decisions made on them.
 *
 * <p>Nothing here reads a clock, a file or a random number. Every input of a decision is an
 * argument, so equal arguments always give the same decision.
 */
@NullMarked
package dev.berth.core;

import org.jspecify.annotations.NullMarked;
