/**
 * A <em>command file</em> is text: blocks separated by blank lines, each of them one task. A block
 * names its <em>queue</em>: the tasks of one queue run one after another, queues run in parallel.
 * The <em>mode</em> of the file defines whether its tasks take one GPU each or several. A
 * <em>problem</em> is an invalid block; the other blocks stay valid. A <em>file run</em> is one
 * execution of a command file.
 */
@NullMarked
package dev.berth.core.commandfile;

import org.jspecify.annotations.NullMarked;
