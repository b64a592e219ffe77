/**
 * Removes ended tasks. A <em>removal</em> first takes the folders of some tasks out of use, then
 * lets the engine delete their records: after a crash in between, the records are still there and
 * the removal can be repeated. <em>Retention</em> is the removal by rule, in the background.
 * <em>Folding</em> reduces the folder of an ended task to a few files.
 */
@NullMarked
package dev.berth.retention;

import org.jspecify.annotations.NullMarked;
