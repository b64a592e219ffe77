/**
 * The text of a log as plain lines: what a terminal would have drawn, without the sequences that
 * colour it or move about in it.
 */
@NullMarked
package dev.berth.core.log;

import org.jspecify.annotations.NullMarked;
