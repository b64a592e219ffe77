/**
 * The OpenAPI description, generated from the route table and the wire records, so that it cannot
 * become outdated.
 */
@NullMarked
package dev.berth.http.openapi;

import org.jspecify.annotations.NullMarked;
