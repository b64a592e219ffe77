/**
 * Authentication and roles. The kernel names the peer of a Unix socket and the owner of a loopback
 * client's socket. Otherwise the request carries a <em>token</em>, or the <em>cookie</em> of a
 * session that began with a one-time <em>login code</em> or a password. A user name in a header is
 * believed only from a <em>trusted proxy</em>, which the kernel identifies. {@code ServedUsers}
 * decides who is served and in which role; other callers get a response that gives the reason.
 */
@NullMarked
package dev.berth.identity;

import org.jspecify.annotations.NullMarked;
