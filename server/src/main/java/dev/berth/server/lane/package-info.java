/**
 * The files of the lanes as they lie in a home. A <em>config</em> is one command file of a mode,
 * counted by its index. A <em>binding</em> says which log file one task of a config writes, and is
 * kept beside the command files, never in them. A <em>place</em> is a directory whose logs may be
 * shown. A <em>run</em> is one start of a command file; the <em>run book</em> writes down how each
 * of them stands, in a file that holds what the API answers, and in a log what happens to it.
 *
 * <p>What lanes share with scripts outside of Berth. The <em>process file</em> ({@code
 * uni_id.json}) has one <em>record</em> for each <em>try</em> of a command file's task, under the
 * try's {@code uni_id}; scripts may write into it too, and what they write there of a try's end is
 * its <em>word</em>. The <em>process book</em> keeps Berth's own records right; <em>remains</em>
 * are what abnormal ends have left behind.
 */
@NullMarked
package dev.berth.server.lane;

import org.jspecify.annotations.NullMarked;
