/**
 * The description of the API, made from the route table and the wire records, so that it cannot be
 * out of date.
 */
@NullMarked
package dev.berth.server.openapi;

import org.jspecify.annotations.NullMarked;
