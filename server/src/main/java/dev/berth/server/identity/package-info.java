/**
 * Who calls, by the kernel's word and never by a header: the <em>peer</em> of a Unix socket, the
 * owner of a loopback client's own socket. A <em>stranger</em> is one whom this server does not
 * serve, and is told why.
 */
@NullMarked
package dev.berth.server.identity;

import org.jspecify.annotations.NullMarked;
