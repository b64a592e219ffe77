/**
 * Who calls. By the kernel's word: the <em>peer</em> of a Unix socket, the owner of a loopback
 * client's own socket. Or by what they show: a <em>token</em>, the <em>cookie</em> of a session
 * that began with a one-time <em>login code</em>. Never by a name in a header. A <em>stranger</em>
 * is one whom this server does not serve, and is told why.
 */
@NullMarked
package dev.berth.server.identity;

import org.jspecify.annotations.NullMarked;
