/**
 * The history of GPUs and attempts. The <em>sampler</em> takes a sample once a second and stores
 * one minute at a time; a <em>chart</em> is a subject's history up to the last second, in a limited
 * number of points.
 */
@NullMarked
package dev.berth.telemetry.history;

import org.jspecify.annotations.NullMarked;
