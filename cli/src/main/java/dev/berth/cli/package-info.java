/**
 * The command line. {@link dev.berth.cli.Cli} selects the command, its {@link
 * dev.berth.cli.call.CommandSyntax} parses the arguments, and the command sends requests to the
 * server. Every outcome becomes an exit status: 0 success, 1 refused or failed, 2 invalid command
 * line.
 */
@NullMarked
package dev.berth.cli;

import org.jspecify.annotations.NullMarked;
