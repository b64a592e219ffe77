/**
 * One file per command. A command asks the server through a {@link dev.berth.cli.link.Link} and
 * prints: what a program wants on standard output, everything else on standard error, and with
 * {@code --json} the server's own words.
 */
@NullMarked
package dev.berth.cli.command;

import org.jspecify.annotations.NullMarked;
