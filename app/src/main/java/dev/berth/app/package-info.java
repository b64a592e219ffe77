/**
 * The program: creates all parts and starts them in the right order. A <em>home</em> is the
 * directory with all files of a server.
 */
@NullMarked
package dev.berth.app;

import org.jspecify.annotations.NullMarked;
