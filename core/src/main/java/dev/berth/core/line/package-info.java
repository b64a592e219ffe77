/**
 * Who goes first. Waiting tasks stand in <em>lines</em> that do not wait for each other. In a line
 * those of one class, owner and shape form a <em>group</em>; the <em>order</em> in force gives each
 * group its <em>precedence</em> at a moment and each task its <em>rank</em> for good.
 */
@NullMarked
package dev.berth.core.line;

import org.jspecify.annotations.NullMarked;
