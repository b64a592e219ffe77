/**
 * Prometheus metrics. A <em>family</em> is all samples of one metric name. Counters and histograms
 * are updated as events happen, and start at 0 with the server; gauges are read from a
 * <em>snapshot</em> of the state at each scrape.
 */
@NullMarked
package dev.berth.telemetry.metrics;

import org.jspecify.annotations.NullMarked;
