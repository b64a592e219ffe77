/**
 * An attempt's log is a file that its command appends to; nothing stands between. It is read
 * backwards from its end (<em>tail</em>) or onwards from an offset (<em>slice</em>), a bounded
 * amount at a time. The <em>cap</em> is how much of the disk it may take: then a <em>gap</em> is
 * made in its middle, which takes no space. Offsets never move, the first and the last megabytes
 * stay, and a file beside the log says where the gaps are.
 */
@NullMarked
package dev.berth.node.log;

import org.jspecify.annotations.NullMarked;
