/**
 * The connection to the server: where to find it, HTTP/1.1 over a Unix socket with limits on size
 * and time, and JSON. A <em>home</em> is a server's directory and contains its socket. None of this
 * uses a library, because every call of {@code berth} pays for the classes it loads.
 */
@NullMarked
package dev.berth.cli.client;

import org.jspecify.annotations.NullMarked;
