/**
 * The program: puts the parts together by hand and starts them in the right order. A <em>home</em>
 * is the one directory that holds everything a server keeps.
 */
@NullMarked
package dev.berth.app;

import org.jspecify.annotations.NullMarked;
