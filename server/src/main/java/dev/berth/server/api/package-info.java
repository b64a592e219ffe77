/**
 * What the routes of all resources share. Each resource has a package below this one with its
 * routes; a {@code *Request} in it reads a request's body into values of the core, a {@code *Json}
 * converts values of the core to wire records.
 */
@NullMarked
package dev.berth.server.api;

import org.jspecify.annotations.NullMarked;
