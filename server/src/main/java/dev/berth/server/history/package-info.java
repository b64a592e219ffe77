/**
 * What cards and attempts did over time. The <em>sampler</em> looks once a second and keeps a
 * minute at a time; a <em>chart</em> is a subject's history in few enough points to be drawn, up to
 * the last second.
 */
@NullMarked
package dev.berth.server.history;

import org.jspecify.annotations.NullMarked;
