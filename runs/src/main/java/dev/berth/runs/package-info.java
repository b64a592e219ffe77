/**
 * Command files and their runs. A <em>config</em> is one command file of a mode, identified by its
 * index. A <em>binding</em> maps one task of a command file to its log file, and is stored outside
 * the command file. A <em>run</em> is one execution of a command file; its state is written to a
 * file in the form of the API, and its events to a log.
 *
 * <p>The <em>process file</em> ({@code uni_id.json}) is shared with external scripts. It has one
 * <em>record</em> for each <em>try</em> of a command file's task, under the try's {@code uni_id}.
 * Scripts may write to it, too; what a script writes about the end of its try is its
 * <em>report</em>. <em>Leftovers</em> are records and processes that remain after an abnormal end.
 */
@NullMarked
package dev.berth.runs;

import org.jspecify.annotations.NullMarked;
