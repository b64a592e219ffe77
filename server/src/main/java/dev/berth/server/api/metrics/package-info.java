/** Metrics for Prometheus. */
@NullMarked
package dev.berth.server.api.metrics;

import org.jspecify.annotations.NullMarked;
