/**
 * What outlives the server. A <em>home</em> is its directory, held by one server at a time through
 * its <em>lock</em>; the <em>database</em> in it keeps every task for ever. A <em>row</em> class
 * turns one kind of value into columns and back, and nobody else knows both; a <em>session</em> is
 * one connection with its statements.
 */
@NullMarked
package dev.berth.store;

import org.jspecify.annotations.NullMarked;
