/** What earlier runs say about tasks to come: run times, memory, starts. */
@NullMarked
package dev.berth.core.predict;

import org.jspecify.annotations.NullMarked;
