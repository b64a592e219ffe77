/**
 * {@code berth run} and {@code berth runs}. A <em>run</em> is one execution of a command file. If
 * no server runs, {@code berth run} starts one for the run and stops it afterwards.
 */
@NullMarked
package dev.berth.cli.command.run;

import org.jspecify.annotations.NullMarked;
