/**
 * Authentication. The kernel names the peer of a Unix socket and the owner of a loopback client's
 * socket. Otherwise the request carries a <em>token</em>, or the <em>cookie</em> of a session that
 * began with a one-time <em>login code</em>. A user name in a header is never trusted. Callers who
 * are not served get a response that gives the reason.
 */
@NullMarked
package dev.berth.identity;

import org.jspecify.annotations.NullMarked;
