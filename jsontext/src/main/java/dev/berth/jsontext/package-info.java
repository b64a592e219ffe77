/**
 * JSON text without a library: the command line, whose start-up time each loaded class lengthens,
 * and the store, which needs only maps of strings. There is one written form, which every version
 * of the store can read.
 */
@NullMarked
package dev.berth.jsontext;

import org.jspecify.annotations.NullMarked;
