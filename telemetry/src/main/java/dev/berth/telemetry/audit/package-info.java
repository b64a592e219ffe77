/**
 * The <em>audit log</em>: who sent which request, from where, and with which result. It holds the
 * method and the route's pattern, never values from the query, path or body.
 */
@NullMarked
package dev.berth.telemetry.audit;

import org.jspecify.annotations.NullMarked;
