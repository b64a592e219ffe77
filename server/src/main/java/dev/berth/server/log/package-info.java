/**
 * Files that lines are added to for ever. A file that has grown is moved <em>aside</em>: {@code .1}
 * is the one before the newest, {@code .2} the one before that; the <em>kept</em> are all of them,
 * the newest included.
 */
@NullMarked
package dev.berth.server.log;

import org.jspecify.annotations.NullMarked;
