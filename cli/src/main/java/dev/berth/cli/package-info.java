/**
 * The command line. A <em>call</em> is one run of {@code berth}: its words are read by a {@link
 * dev.berth.cli.call.Syntax}, one <em>command</em> acts on them, and a <em>link</em> carries what
 * it asks to the server. {@link dev.berth.cli.Cli} finds the command and turns every way a call can
 * end into an exit status: 0 done, 1 refused or failed, 2 not understood.
 */
@NullMarked
package dev.berth.cli;

import org.jspecify.annotations.NullMarked;
