/**
 * The way to the server. A <em>home</em> is a server's directory and holds its socket, a
 * <em>place</em> is where a server may be found, a <em>link</em> is an open way to one: HTTP/1.1
 * over a Unix socket, bounded in size and time. All of it is our own code because every call of
 * {@code berth} pays for what it loads.
 */
@NullMarked
package dev.berth.cli.link;

import org.jspecify.annotations.NullMarked;
