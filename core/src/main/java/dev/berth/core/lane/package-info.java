/**
 * A <em>command file</em> is text: blocks separated by blank lines, each of them one task. A block
 * names its <em>queue</em>: the tasks of one queue run one after another, queues run side by side.
 * The file's <em>mode</em> says whether its tasks take one card each or several. A <em>problem</em>
 * is a block that cannot be understood; the others are good all the same.
 */
@NullMarked
package dev.berth.core.lane;

import org.jspecify.annotations.NullMarked;
