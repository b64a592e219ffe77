/**
 * The parts of one call of {@code berth}: its context (streams, environment, directory, clock), the
 * <em>syntax</em> of its command, the parsed <em>options</em>, and its two failures: a {@link
 * dev.berth.cli.call.UsageError} for an invalid command line, a {@link
 * dev.berth.cli.call.CommandFailure} for a valid command that failed.
 */
@NullMarked
package dev.berth.cli.call;

import org.jspecify.annotations.NullMarked;
