/**
 * The room that is left where Berth keeps its files. It is <em>low</em> below a line, and only
 * then: what happens about it (logs cut shorter, starts paused, one alert) is decided elsewhere.
 */
@NullMarked
package dev.berth.node.disk;

import org.jspecify.annotations.NullMarked;
