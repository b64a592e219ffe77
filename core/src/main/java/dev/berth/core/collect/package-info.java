/**
 * Immutable collections: an update returns a new one that shares most of its structure with the old
 * one.
 *
 * <p>The engine decides on a tentative state and discards it when the commit fails, and readers can
 * keep a snapshot without copying.
 */
@NullMarked
package dev.berth.core.collect;

import org.jspecify.annotations.NullMarked;
