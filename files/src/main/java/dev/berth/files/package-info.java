/**
 * Log files with rotation: {@code .1} is the file before the newest, {@code .2} the one before
 * that.
 */
@NullMarked
package dev.berth.files;

import org.jspecify.annotations.NullMarked;
