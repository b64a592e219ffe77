/**
 * Collections that never change: an update returns a new one that shares almost all of the old.
 *
 * <p>They let the engine decide on a tentative state and throw it away when the commit fails, and
 * let readers keep a snapshot for as long as they like.
 */
@NullMarked
package dev.berth.core.collect;

import org.jspecify.annotations.NullMarked;
