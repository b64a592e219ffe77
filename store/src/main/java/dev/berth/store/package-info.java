/**
 * Persistent state. A <em>home</em> is the server's directory; its <em>lock</em> lets one server at
 * a time use it. The <em>database</em> in it stores all tasks and never deletes one; the
 * <em>history</em> is a second file with measurements. A <em>row</em> class maps one kind of value
 * to the columns of a table and back. A <em>session</em> is one connection with its prepared
 * statements.
 */
@NullMarked
package dev.berth.store;

import org.jspecify.annotations.NullMarked;
