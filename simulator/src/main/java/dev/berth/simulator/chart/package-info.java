/** Drawings of results, as SVG. */
@NullMarked
package dev.berth.simulator.chart;

import org.jspecify.annotations.NullMarked;
