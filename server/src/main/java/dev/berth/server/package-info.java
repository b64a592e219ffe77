/**
 * The HTTP server: the same routes on a Unix socket in the home and on a loopback port. It accepts
 * connections only after recovery. Routes are in {@code api}, authentication is in {@code
 * identity}, request parsing and responses are in {@code http}.
 */
@NullMarked
package dev.berth.server;

import org.jspecify.annotations.NullMarked;
