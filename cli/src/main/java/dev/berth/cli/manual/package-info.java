/**
 * What shells and {@code man} know about the commands: manual pages and completion, written from
 * the syntax of each command when the packages are built.
 */
@NullMarked
package dev.berth.cli.manual;

import org.jspecify.annotations.NullMarked;
