/**
 * What one call of {@code berth} is made of: its <em>surroundings</em> (streams, environment,
 * directory, time), the <em>syntax</em> of the command it names, the <em>options</em> it was given,
 * and the two ways it can go wrong: a {@link dev.berth.cli.call.UsageError} was not understood, a
 * {@link dev.berth.cli.call.Refused} was understood and did not happen.
 */
@NullMarked
package dev.berth.cli.call;

import org.jspecify.annotations.NullMarked;
