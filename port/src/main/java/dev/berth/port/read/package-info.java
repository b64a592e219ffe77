/**
 * What the API and the pages read beside the published state: stored tasks and events, logs,
 * samples, usage, and leftover processes. The engine uses nothing of this package.
 */
@NullMarked
package dev.berth.port.read;

import org.jspecify.annotations.NullMarked;
