/**
 * What Prometheus reads. A <em>family</em> is all that goes by one name: a counter only grows from
 * the server's start on, a gauge is what is so now, a histogram says how values are spread. The
 * <em>figures</em> are counted while things happen; a <em>look</em> is what is looked at when
 * somebody asks.
 */
@NullMarked
package dev.berth.server.metrics;

import org.jspecify.annotations.NullMarked;
