/**
 * An attempt's log is a file that its command appends to directly. Readers read it backwards from
 * its end (<em>tail</em>) or forward from an offset (<em>slice</em>), a bounded amount at a time.
 * The <em>cap</em> limits the disk space of a log. Beyond it, a <em>gap</em> is made in its middle,
 * which uses no space. Offsets never change, the first and the last megabytes stay, and a file
 * beside the log lists the gaps.
 */
@NullMarked
package dev.berth.node.log;

import org.jspecify.annotations.NullMarked;
