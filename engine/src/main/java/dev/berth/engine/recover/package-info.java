/** Decides what to store after a home has lost state. */
@NullMarked
package dev.berth.engine.recover;

import org.jspecify.annotations.NullMarked;
